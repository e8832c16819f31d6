//! What the tests stand on: databases, a running server, members of it.

#![expect(dead_code, reason = "each test program uses a part of it")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use automode::state::State;
use automode_server::alert::Thresholds;
use automode_server::client::{Enrolment, enrol};
use automode_server::export::Exports;
use automode_server::http::Patience;
use automode_server::oidc::OidcProvider;
use automode_server::server::{Server, ServerOptions};
use automode_server::store::{FleetStore, PersonRole};

/// The pages that a member of the team may open.
pub const PAGES: &[&str] = &[
    "/",
    "/decisions",
    "/asks",
    "/stops",
    "/rules",
    "/judge",
    "/devices",
    "/policy",
    "/people",
    "/acts",
];

/// A real PostgreSQL in a directory of its own, ended with the test.
pub struct Database {
    folder: tempfile::TempDir,
    process: Option<Child>,
    /// Settings beside those of every test.
    settings: Vec<String>,
}

impl Database {
    /// None, and a line that says so, where PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        let Some(initdb) = program("initdb") else {
            eprintln!("skipped: PostgreSQL is not installed");
            return None;
        };
        let folder = tempfile::tempdir().expect("a directory");
        own(folder.path());
        let made = as_database_user(&initdb)
            .args([
                "-U",
                "automode",
                "--auth=trust",
                "--no-sync",
                "-E",
                "UTF8",
                "-D",
            ])
            .arg(folder.path().join("data"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("initdb");
        assert!(made.success(), "initdb failed");
        let mut database = Self {
            folder,
            process: None,
            settings: vec!["listen_addresses=".to_owned()],
        };
        database.run();
        Some(database)
    }

    /// Starts it again over TCP, with a certificate; it lets nobody in without TLS.
    pub fn run_with_tls(&mut self, certificate: &str, key: &str) -> u16 {
        self.kill();
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        };
        let data = self.folder.path().join("data");
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            std::fs::write(data.join(name), text).expect("written");
            own(&data.join(name));
        }
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(data.join("server.key"), private).expect("private");
        let rules = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(data.join("pg_hba.conf"), rules).expect("written");
        self.settings = [
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={port}"),
            "ssl=on".to_owned(),
        ]
        .to_vec();
        self.run();
        port
    }

    /// Starts the process and waits until it answers.
    pub fn run(&mut self) {
        let folder = self.folder.path().to_owned();
        let settings = self.settings.clone();
        let port = settings
            .iter()
            .find_map(|setting| setting.strip_prefix("port="));
        let port = port.unwrap_or("5432").to_owned();
        let start = || {
            as_database_user(&program("postgres").expect("postgres"))
                .arg("-D")
                .arg(folder.join("data"))
                .arg("-k")
                .arg(&folder)
                .args(["-c", "max_connections=60", "-c", "shared_buffers=256MB"])
                .args(settings.iter().flat_map(|setting| ["-c", setting]))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("postgres")
        };
        let mut child = start();
        let end = Instant::now() + Duration::from_secs(60);
        while Instant::now() < end {
            let ready =
                as_database_user(&program("pg_isready").unwrap_or_else(|| "pg_isready".into()))
                    .arg("-h")
                    .arg(&folder)
                    .args(["-p", &port])
                    .stdout(Stdio::null())
                    .status();
            match ready {
                Ok(status) if status.success() => {
                    self.process = Some(child);
                    return;
                }
                Ok(_) | Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
            // What a killed one left behind is in the way until its last process is gone.
            if matches!(child.try_wait(), Ok(Some(_))) {
                child = start();
            }
        }
        child.kill().ok();
        child.wait().ok();
        panic!("PostgreSQL does not answer");
    }

    /// Kills it without a word, with all its processes.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Its processes: the first one, and those that it started.
    pub fn processes(&self) -> Vec<u32> {
        let Some(first) = self.process.as_ref().map(Child::id) else {
            return Vec::new();
        };
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_child = |process: &u32| {
            let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            let parent = text.rsplit_once(')').map(|(_, rest)| rest.to_owned());
            let parent = parent.and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
            *process == first || parent == Some(first)
        };
        numbers.filter(is_child).collect()
    }

    pub fn address(&self) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://automode@{folder}/postgres")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.kill();
    }
}

fn program(name: &str) -> Option<PathBuf> {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&places).collect();
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    folders
        .into_iter()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|about| {
        use std::os::unix::fs::MetadataExt as _;
        about.uid() == 0
    })
}

/// PostgreSQL refuses to run as root: the user of its package runs it then.
fn as_database_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=postgres", "--regid=postgres", "--clear-groups"])
        .arg(program)
        .current_dir("/");
    command
}

fn own(folder: &Path) {
    if is_root() {
        let _ = Command::new("chown")
            .arg("postgres:postgres")
            .arg(folder)
            .status();
    }
}

/// A server that runs in this process.
pub struct Running {
    pub origin: String,
    pub address: SocketAddr,
    pub token: String,
    pub store: FleetStore,
    pub folder: tempfile::TempDir,
}

pub fn options(database: String) -> ServerOptions {
    ServerOptions {
        database,
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        origin: None,
        organisation: "test".to_owned(),
        tls: None,
        behind_proxy: false,
        new_token: true,
        retention: 0,
        provider: None,
        exports: Exports::default(),
        thresholds: Thresholds::default(),
        alone: false,
        patience: Patience::default(),
    }
}

impl Running {
    pub async fn start() -> Self {
        Self::with(|_| ()).await
    }

    pub async fn with(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let mut options = options(folder.path().join("server.sqlite").display().to_string());
        change(&mut options);
        let server = Server::bind(options).await.expect("a server");
        let running = Self {
            origin: server.app.shared.origin.clone(),
            address: server.address,
            token: server.token.clone().expect("a token"),
            store: server.app.store.clone(),
            folder,
        };
        tokio::spawn(server.run(std::future::pending()));
        running
    }

    /// Calls the administrator's API.
    pub async fn admin(&self, path: &str, body: serde_json::Value) -> (u16, serde_json::Value) {
        let response = automode_server::outgoing::client()
            .expect("a client")
            .post(format!("http://{}{path}", self.address))
            .bearer_auth(&self.token)
            .json(&body)
            .send()
            .await
            .expect("an answer");
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or_default())
    }

    pub async fn code(&self, group: &str) -> String {
        let (_, reply) = self
            .admin("/v1/admin/codes", serde_json::json!({"group": group}))
            .await;
        reply["code"].as_str().expect("a code").to_owned()
    }

    /// A machine with a state of its own.
    pub async fn member(&self, group: &str) -> Member {
        let folder = tempfile::tempdir().expect("a directory");
        let state = State::at(folder.path().join("state")).expect("a state");
        let code = self.code(group).await;
        let enrolment = enrol(&self.origin, &code, "laptop", false)
            .await
            .expect("enrolled");
        enrolment.save(&state).expect("saved");
        Member {
            state,
            enrolment,
            folder,
        }
    }
}

/// An enrolled machine.
pub struct Member {
    pub state: State,
    pub enrolment: Enrolment,
    pub folder: tempfile::TempDir,
}

impl Member {
    /// Writes decisions into its log, as a hook does.
    pub fn decide(&self, from: u64, count: u64) {
        let log = automode::audit::Log::new(&self.state);
        for at in from..from + count {
            let entry =
                serde_json::from_str(&automode_server::sample::entry(at)).expect("an entry");
            log.append(&entry, Duration::from_secs(5)).expect("written");
        }
    }
}

pub fn provider(issuer: &str) -> OidcProvider {
    OidcProvider {
        issuer: issuer.to_owned(),
        client_id: "automode".to_owned(),
        client_secret: "hush".to_owned(),
        administrators: "admins".to_owned(),
        approvers: "oncall".to_owned(),
    }
}

/// Somebody who is signed in at the pages.
pub struct Visit {
    client: reqwest::Client,
    origin: String,
    pub cookie: String,
}

impl Visit {
    /// As the local administrator of the organisation whose token this is.
    pub async fn sign_in(origin: &str, token: &str) -> Self {
        let client = automode_server::outgoing::client().expect("a client");
        let form = client
            .post(format!("{origin}/sign-in"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(format!("token={token}"));
        let answer = form.send().await.expect("an answer");
        let cookie = answer.headers()["set-cookie"].to_str().expect("a cookie");
        Self {
            cookie: cookie.to_owned(),
            client,
            origin: origin.to_owned(),
        }
    }

    /// As somebody with this role.
    pub async fn with_role(server: &Running, role: PersonRole) -> Self {
        let (ours, _) = server.store.organisation("test", 0).await.expect("known");
        let now = automode_server::clock::now();
        let person = server
            .store
            .person(ours, role.name(), role.name(), role, now)
            .await
            .expect("a person");
        let token = server.store.sign_in(ours, &person, now).await;
        Self {
            cookie: format!("automode_login={}", token.expect("a login")),
            client: automode_server::outgoing::client().expect("a client"),
            origin: server.origin.clone(),
        }
    }

    pub async fn get(&self, path: &str) -> (u16, String) {
        let page = self.client.get(format!("{}{path}", self.origin));
        let pair = self.cookie.split(';').next().unwrap_or_default();
        let page = page.header("cookie", pair).send().await.expect("an answer");
        let status = page.status().as_u16();
        (status, page.text().await.expect("a page"))
    }

    /// The token that this login's forms carry.
    pub async fn csrf(&self) -> String {
        let (_, page) = self.get("/devices").await;
        let start = page.split("name=\"csrf\" value=\"").nth(1);
        let token = start.and_then(|rest| rest.split('"').next());
        token.expect("a token").to_owned()
    }

    /// Sends a form; the origin is another site's where one is named.
    pub async fn post(&self, path: &str, body: String, origin: Option<&str>) -> u16 {
        let pair = self.cookie.split(';').next().unwrap_or_default();
        let mut form = self
            .client
            .post(format!("{}{path}", self.origin))
            .header("cookie", pair)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body);
        if let Some(origin) = origin {
            form = form.header("origin", origin);
        }
        form.send().await.expect("an answer").status().as_u16()
    }
}

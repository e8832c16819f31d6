//! The servers of a simulation: processes of this very program.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::outgoing;

/// Servers on one database; two where it is PostgreSQL.
pub struct SimulatedServers {
    database: String,
    ports: Vec<u16>,
    running: Vec<Option<Child>>,
    token: String,
    /// Where SQLite lies, until the end.
    folder: std::path::PathBuf,
}

impl SimulatedServers {
    pub async fn start(database: Option<&str>) -> Result<Self> {
        let folder =
            std::env::temp_dir().join(format!("automode-simulation-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let file = || folder.join("server.sqlite").display().to_string();
        let database = database.map_or_else(file, str::to_owned);
        let count = if database.starts_with("postgres") {
            2
        } else {
            1
        };
        let mut servers = Self {
            database,
            ports: Vec::new(),
            running: Vec::new(),
            token: String::new(),
            folder,
        };
        for at in 0..count {
            // The system names a free port; nobody takes it in the moment between.
            let port = std::net::TcpListener::bind("127.0.0.1:0")?
                .local_addr()?
                .port();
            servers.ports.push(port);
            let (child, token) = servers.spawn(port, at == 0)?;
            servers.running.push(Some(child));
            servers.token = token.unwrap_or(std::mem::take(&mut servers.token));
            servers.until_answers(port).await?;
        }
        Ok(servers)
    }

    fn spawn(&self, port: u16, new_token: bool) -> Result<(Child, Option<String>)> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["serve", "--organisation", "simulation", "--retention", "0"])
            .args(["--database", &self.database])
            .args(["--listen", &format!("127.0.0.1:{port}")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if new_token {
            command.arg("--new-token");
        }
        let mut child = command.spawn().context("a server could not be started")?;
        let output = child.stdout.take().context("a server says nothing")?;
        let mut token = None;
        for line in BufReader::new(output).lines() {
            let line = line?;
            if let Some(told) = line.strip_prefix("administrator's token, shown this once: ") {
                token = Some(told.to_owned());
            }
            if line.starts_with("open ") {
                return Ok((child, token));
            }
        }
        let _ = child.wait();
        bail!("a server ended (hint: is the database there?)")
    }

    async fn until_answers(&self, port: u16) -> Result<()> {
        let client = outgoing::client()?;
        for _ in 0..200 {
            let health = client.get(format!("http://127.0.0.1:{port}/health")).send();
            if health.await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("a server does not answer")
    }

    /// Kills the last one without a word.
    pub fn kill_one(&mut self) {
        if let Some(mut child) = self.running.last_mut().and_then(Option::take) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it again where it was.
    pub async fn restart(&mut self) -> Result<()> {
        let port = *self.ports.last().context("there is no server")?;
        let (child, _) = self.spawn(port, false)?;
        if let Some(place) = self.running.last_mut() {
            *place = Some(child);
        }
        self.until_answers(port).await
    }

    /// The server of a member, spread over all.
    pub fn origin_of(&self, member: usize) -> String {
        let port = self
            .ports
            .iter()
            .cycle()
            .nth(member % self.ports.len().max(1));
        format!("http://127.0.0.1:{}", port.copied().unwrap_or_default())
    }

    /// Whether one is left when one is down.
    pub fn have_another(&self) -> bool {
        self.ports.len() > 1
    }

    pub fn shown(&self) -> String {
        format!("{} servers", self.ports.len())
    }

    pub fn kind(&self) -> &'static str {
        if self.ports.len() > 1 {
            "PostgreSQL"
        } else {
            "SQLite"
        }
    }

    /// As the administrator, at the first server.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let address = format!("{}{path}", self.origin_of(0));
        let request = outgoing::client()?.post(address).json(body);
        let reply = request.bearer_auth(&self.token).send().await?;
        Ok(reply.error_for_status()?.json().await?)
    }

    pub async fn get(&self, path: &str) -> Result<Value> {
        let address = format!("{}{path}", self.origin_of(0));
        let request = outgoing::client()?.get(address);
        let reply = request.bearer_auth(&self.token).send().await?;
        Ok(reply.error_for_status()?.json().await?)
    }
}

impl Drop for SimulatedServers {
    fn drop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

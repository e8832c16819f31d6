//! The pages in a real Chromium, driven over its own protocol.
//!
//! Screenshots go to the folder that `AUTOMODE_SCREENSHOTS` names, where it is set.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use automode_server::client::{ServerConnection, enrol, sync};
use automode_server::store::AskState;
use automode_server::wire::AskRequest;
use base64::Engine as _;
use serde_json::{Value, json};
use world::Running;

/// A browser with one page.
struct Browser {
    process: Child,
    to: File,
    from: BufReader<File>,
    session: String,
    next: u64,
    _folder: tempfile::TempDir,
}

fn chromium() -> Option<PathBuf> {
    let names = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    names.iter().map(PathBuf::from).find(|path| path.is_file())
}

impl Browser {
    /// None, and a line that says so, where no Chromium is installed.
    fn start() -> Option<Self> {
        let Some(program) = chromium() else {
            eprintln!("skipped: Chromium is not installed");
            return None;
        };
        let folder = tempfile::tempdir().expect("a directory");
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
            assert!(made.success());
            path
        };
        let (to, from) = (pipe("to"), pipe("from"));
        let process = Command::new("sh")
            .arg("-c")
            .arg("exec \"$0\" \"$@\" 3<\"$TO\" 4>\"$FROM\"")
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
            ])
            .arg(format!(
                "--user-data-dir={}",
                folder.path().join("profile").display()
            ))
            .env("TO", &to)
            .env("FROM", &from)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a browser");
        let to = OpenOptions::new().write(true).open(to).expect("a pipe");
        let from = BufReader::new(File::open(from).expect("a pipe"));
        let mut browser = Self {
            process,
            to,
            from,
            session: String::new(),
            next: 0,
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"]
            .as_str()
            .expect("a session")
            .to_owned();
        browser.call("Page.enable", json!({}));
        browser.look(1280, 900, "light");
        Some(browser)
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to
            .write_all(format!("{message}\0").as_bytes())
            .expect("sent");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("an answer");
            bytes.pop();
            let value: Value = serde_json::from_slice(&bytes).expect("JSON");
            if value["id"] == self.next {
                assert!(value.get("error").is_none(), "{method}: {value}");
                return value["result"].clone();
            }
        }
    }

    fn look(&mut self, width: u32, height: u32, scheme: &str) {
        self.call("Emulation.setDeviceMetricsOverride", json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}));
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    }

    fn evaluate(&mut self, script: &str) -> Value {
        let done = self.call(
            "Runtime.evaluate",
            json!({"expression": script, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(done.get("exceptionDetails").is_none(), "{script}: {done}");
        done["result"]["value"].clone()
    }

    /// Waits until a condition of the page holds.
    fn wait(&mut self, condition: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        let script = format!("document.readyState === 'complete' && !!({condition})");
        while Instant::now() < end {
            let done = self.call(
                "Runtime.evaluate",
                json!({"expression": script, "returnByValue": true}),
            );
            if done["result"]["value"] == json!(true) {
                return;
            }
            std::thread::sleep(Duration::from_millis(40));
        }
        let text = self.evaluate("location.href + '\\n' + document.body.innerText.slice(0, 2000)");
        panic!("not in time: {condition}\n{text}");
    }

    fn open(&mut self, address: &str, condition: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.wait(condition);
    }

    fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key});
            if kind == "keyDown" && key.len() == 1 {
                event["text"] = json!(key);
            }
            if key == "Enter" && kind == "keyDown" {
                event["text"] = json!("\r");
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("AUTOMODE_SCREENSHOTS") else {
            return;
        };
        let shot = self.call(
            "Page.captureScreenshot",
            json!({"captureBeyondViewport": true}),
        );
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(shot["data"].as_str().expect("a picture"))
            .expect("a picture");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes).expect("written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Text that would be a script if anybody took it for markup.
const HOSTILE: &str = "\"'></code></pre></textarea><script>window.pwned=1</script><img src=x class=pwned onerror='window.pwned=1'><style>*{display:none}</style>\n\ndata: <b class=pwned>x</b>";

/// A decision all of whose texts are hostile.
fn hostile_entry(at: u64) -> Value {
    let text = automode_server::sample::entry(at);
    let mut entry: Value = serde_json::from_str(&text).expect("JSON");
    for field in [
        "brief",
        "agent",
        "session",
        "cwd",
        "rule",
        "reason",
        "ground",
        "permission",
    ] {
        entry[field] = json!(HOSTILE);
    }
    entry["findings"] =
        json!([{"rule": HOSTILE, "weight": HOSTILE, "evidence": format!("`{HOSTILE}`")}]);
    entry["trace"] = json!([{"stage": HOSTILE, "verdict": "deny", "note": HOSTILE}]);
    entry["verdict"] = json!("deny");
    entry["id"] = json!(format!("hostile{at}"));
    entry
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_agents_is_never_markup() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let server = Running::start().await;
    let mut member = server.member("web").await;
    let code = server.code("web").await;
    member.enrolment = enrol(&server.origin, &code, HOSTILE, false)
        .await
        .expect("enrolled");
    member.enrolment.save(&member.state).expect("saved");
    let log = automode::audit::Log::new(&member.state);
    let decide = |at: u64| {
        let entry = serde_json::from_value(hostile_entry(at)).expect("an entry");
        log.append(&entry, Duration::from_secs(5)).expect("written");
    };
    for at in 1..5 {
        decide(at);
    }
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    let text = || HOSTILE.to_owned();
    let ask = AskRequest {
        id: "hostile".to_owned(),
        print: text(),
        agent: text(),
        session: text(),
        tool: text(),
        brief: text(),
        place: text(),
        rule: text(),
        reason: format!("`{HOSTILE}`"),
        patience: 60_000,
    };
    connection.ask(&ask).await.expect("put");
    let origin = server.origin.clone();
    browser.open(&origin, "document.querySelector('#token')");
    browser.evaluate(&format!(
        "document.querySelector('#token').value = '{}'; document.querySelector('form').submit()",
        server.token
    ));
    browser.wait("document.querySelector('.figures')");
    let clean = |browser: &mut Browser, path: &str| {
        let found = browser.evaluate(
            "[window.pwned === undefined, document.querySelectorAll('.pwned').length === 0, document.body.innerText.includes('<script>')]",
        );
        assert_eq!(found, json!([true, true, true]), "{path}");
    };
    for path in [
        "",
        "decisions",
        "decisions/hostile1",
        "asks",
        "stops",
        "stops/hostile1/allow",
        "rules",
        "devices",
    ] {
        browser.open(&format!("{origin}/{path}"), "document.querySelector('h1')");
        clean(&mut browser, path);
    }
    // What arrives live is no other text.
    browser.open(
        &format!("{origin}/decisions"),
        "document.querySelectorAll('#live tr').length === 4",
    );
    tokio::time::sleep(Duration::from_millis(300)).await;
    decide(9);
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    browser.wait("document.querySelectorAll('#live tr').length === 5 && document.querySelector('#live tr.fresh')");
    clean(&mut browser, "live");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_at_the_pages() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let server = Running::start().await;
    let member = server.member("web").await;
    member.decide(1, 40);
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    let origin = server.origin.clone();

    // Signing in.
    browser.open(&origin, "document.querySelector('#token')");
    browser.picture("sign-in");
    let script = format!(
        "document.querySelector('#token').value = '{}'; document.querySelector('form').submit()",
        server.token
    );
    browser.evaluate(&script);
    browser.wait("document.querySelector('.figures')");
    browser.picture("overview-light");

    // A decision arrives while the page is open.
    browser.open(
        &format!("{origin}/decisions"),
        "document.querySelectorAll('#live tr').length === 40",
    );
    tokio::time::sleep(Duration::from_millis(300)).await;
    member.decide(41, 3);
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    browser.wait("document.querySelectorAll('#live tr').length === 43 && document.querySelector('#live tr.fresh')");
    browser.picture("decisions-live");

    // Keys: search, then down to a row and into it.
    browser.press("j");
    browser.press("j");
    browser.wait("document.querySelectorAll('tr.on').length === 1");
    browser.press("Enter");
    browser
        .wait("document.querySelector('ol.trace') && location.pathname.startsWith('/decisions/')");

    // A denial with its trace, its marked part and its picture.
    browser.open(
        &format!("{origin}/decisions?verdict=deny"),
        "document.querySelector('td.call a')",
    );
    browser.evaluate("document.querySelector('td.call a').click()");
    browser.wait(
        "document.querySelector('ol.trace li.deny') && document.querySelector('svg.effects')",
    );
    browser.picture("decision-light");
    browser.look(1280, 900, "dark");
    browser.picture("decision-dark");
    browser.look(390, 800, "dark");
    let wide = browser.evaluate("document.documentElement.scrollWidth <= innerWidth + 1");
    assert_eq!(wide, json!(true), "a narrow screen scrolls sideways");
    browser.picture("decision-narrow");
    browser.look(1280, 900, "light");

    // A waiting question, answered.
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    browser.open(
        &format!("{origin}/asks"),
        "document.querySelector('.empty')",
    );
    let text = |text: &str| text.to_owned();
    let ask = AskRequest {
        id: text("q1w2e3r4"),
        print: text("p"),
        agent: text("claude-code"),
        session: text("s"),
        tool: text("Bash"),
        brief: text("git push --force origin main"),
        place: text("/home/dev/app"),
        rule: text("force-push"),
        reason: text("force-push: `git push --force` rewrites history on the remote"),
        patience: 60_000,
    };
    connection.ask(&ask).await.expect("put");
    browser.wait("document.querySelector('article.ask button.good')");
    browser.picture("asks");
    browser.evaluate("document.querySelector('article.ask button.good').click()");
    browser.wait("document.querySelector('#asks .empty')");
    let answer = connection
        .answer("q1w2e3r4", 5)
        .await
        .expect("asked")
        .expect("an answer");
    assert!(answer.contains("allow"), "{answer}");
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    let stored = server
        .store
        .ask(ours, "q1w2e3r4")
        .await
        .expect("asked")
        .expect("there");
    assert!(matches!(stored.state, AskState::Answered { .. }));

    // A rule from a stop, staged, promoted and rolled back.
    browser.open(
        &format!("{origin}/stops"),
        "document.querySelector('a.button.small')",
    );
    browser.picture("stops");
    browser.evaluate("[...document.querySelectorAll('tr')].find(row => row.innerText.includes('kubectl')).querySelector('a.button').click()");
    browser.wait("document.querySelector('.diff ins')");
    browser.evaluate("document.querySelector('select[name=group]').value = 'web'; document.querySelector('form.filters button').click()");
    browser.wait("document.querySelector('.diff').innerText.includes('[group.web.permissions]')");
    browser.picture("allow-for-group");
    browser.evaluate("document.querySelector('button[value=canary]').click()");
    browser.wait("location.pathname === '/policy' && document.querySelector('.stage.canary')");
    browser.evaluate("document.querySelector('button[value=promote]').click()");
    browser.wait("document.querySelector('.stage.everyone')");

    // The editor: a fault is told, a good policy goes out, and back it goes.
    browser.evaluate("document.querySelector('#policy').value += '\\n[permissions]\\ndeni = []\\n'; document.querySelector('button[value=review]').click()");
    browser.wait("document.querySelector('.review .bad')");
    browser.picture("policy-fault");
    browser.evaluate("document.querySelector('#policy').value = '[permissions]\\ndeny = [\"Bash(terraform destroy *)\"]\\n'; document.querySelector('button[value=everyone]').click()");
    browser.wait("document.querySelector('.note.good') && document.querySelector('.note.good').innerText.includes('Revision 2')");
    browser.evaluate("document.querySelector('button[value=rollback]').click()");
    browser.wait("document.querySelector('.revisions li b').innerText === 'Revision 3'");
    browser.picture("policy");
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    let policy = std::fs::read_to_string(member.state.path("fleet/policy.toml")).expect("a policy");
    assert!(
        policy.contains("kubectl") && !policy.contains("terraform"),
        "{policy}"
    );

    // The rest of the pages, and the overview in the dark.
    for (path, name) in [
        ("rules", "rules"),
        ("judge", "judge"),
        ("devices", "devices"),
        ("people", "people"),
        ("acts", "acts"),
    ] {
        browser.open(&format!("{origin}/{path}"), "document.querySelector('h1')");
        browser.picture(name);
    }
    browser.look(1280, 900, "dark");
    browser.open(&origin, "document.querySelector('.figures')");
    browser.picture("overview-dark");

    // The last entry of the menu is in sight, however wide the window is.
    let clipped = "[...document.querySelectorAll('.bar nav a')].filter(entry => entry.getBoundingClientRect().right > entry.parentElement.getBoundingClientRect().right + 1).map(entry => entry.innerText).join()";
    for width in [1440, 1200, 1000, 800, 390] {
        browser.look(width, 800, "light");
        assert_eq!(browser.evaluate(clipped), json!(""), "{width} px wide");
        browser.picture(&format!("menu-{width}"));
    }
    browser.look(1280, 900, "dark");
    let charts = "[...document.querySelectorAll('svg.chart')].filter(chart => chart.getClientRects().length > 0).length";
    assert_eq!(
        browser.evaluate(charts),
        json!(1),
        "one chart for this screen"
    );
    browser.look(390, 800, "light");
    assert_eq!(
        browser.evaluate(charts),
        json!(1),
        "one chart for a narrow one"
    );
    for path in [
        "",
        "decisions",
        "asks",
        "stops",
        "rules",
        "judge",
        "devices",
        "policy",
        "people",
        "acts",
    ] {
        browser.open(&format!("{origin}/{path}"), "document.querySelector('h1')");
        let fits = browser.evaluate("document.documentElement.scrollWidth <= innerWidth + 1");
        assert_eq!(
            fits,
            json!(true),
            "/{path} scrolls sideways on a narrow screen"
        );
        browser.picture(&format!("narrow-{path}"));
    }
    browser.open(
        &format!("{origin}/decisions"),
        "document.querySelector('#live tr')",
    );
    browser.picture("decisions-narrow");
}

//! Figures of a server: lines a second and where their time goes, a page over millions
//! of rows, polls that wait.
//!
//! `cargo bench -p automode-server --bench figures -- [ingest|rows|polls]…`

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a figure that cannot be taken ends the program"
)]

#[path = "../tests/world/mod.rs"]
mod world;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use automode::audit::chain::{ChainLink, GENESIS};
use automode_server::client::{ServerConnection, enrol};
use automode_server::http::signed_text;
use automode_server::ingest::{self, LineBatch};
use automode_server::key::{SigningKey, verify};
use automode_server::store::FleetStore;
use automode_server::{clock, outgoing, sample};
use world::{Database, Running, Visit};

const BATCH: u64 = 500;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    runtime.block_on(async {
        if wants("ingest") {
            ingest_figures().await;
        }
        if wants("rows") {
            row_figures().await;
        }
        if wants("polls") {
            poll_figures().await;
        }
    });
}

/// How long something takes for each line.
fn part(name: &str, lines: u64, work: impl FnOnce()) {
    let began = Instant::now();
    work();
    println!(
        "  {name:<34} {:>7.1} us a line",
        began.elapsed().as_secs_f64() * 1e6 / lines as f64
    );
}

async fn ingest_figures() {
    println!("ingest, batches of {BATCH}");
    let (lines, _) = sample::lines(&ChainLink::genesis(), 1, 5_000, "x");
    let texts: Vec<String> = lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("  a line has {} bytes", bytes / texts.len());
    let body =
        serde_json::to_vec(&serde_json::json!({"after": GENESIS, "lines": texts})).expect("JSON");
    let key = SigningKey::generate().expect("a key");
    let message = signed_text("POST", "/v1/audit", 0, &body);
    let signature = key.sign(message.as_bytes());
    part("signature of the batch", 5_000, || {
        let message = signed_text("POST", "/v1/audit", 0, &body);
        assert!(verify(&key.public(), message.as_bytes(), &signature));
    });
    part("JSON of the request", 5_000, || {
        let _: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    });
    part("chain and entry of each line", 5_000, || {
        assert_eq!(
            ingest::read(&ChainLink::genesis(), &texts, clock::now())
                .rows
                .len(),
            5_000
        );
    });
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("s.sqlite").display().to_string();
    over_http("SQLite", path, &Vec::new).await;
    if let Some(database) = Database::start() {
        let address = database.address();
        over_http("PostgreSQL", address, &|| database.processes()).await;
    }
}

/// Lines over HTTP, and the processor's time that each of them takes: on a machine with
/// other work the second is what can be compared.
async fn over_http(name: &str, address: String, beside: &dyn Fn() -> Vec<u32>) {
    let server = Running::with(|options| options.database = address).await;
    let client = outgoing::client().expect("a client");
    let (devices, each) = (8_u64, 5_000_u64);
    let mut ready = Vec::new();
    for at in 0..devices {
        let code = server.code("everyone").await;
        let member = enrol(&server.origin, &code, &format!("bench-{at}"), false)
            .await
            .expect("enrolled");
        let (lines, _) = sample::lines(&ChainLink::genesis(), 1, each, &member.device);
        ready.push((
            ServerConnection::with_client(&member, client.clone()).expect("a connection"),
            lines,
        ));
    }
    let began = Instant::now();
    let worked = || {
        (
            processor_time(&[std::process::id()]),
            processor_time(&beside()),
        )
    };
    let before = worked();
    let mut tasks = tokio::task::JoinSet::new();
    for (connection, lines) in ready {
        tasks.spawn(async move {
            let mut after = GENESIS.to_owned();
            for batch in lines.chunks(usize::try_from(BATCH).expect("small")) {
                let batch = batch
                    .iter()
                    .map(|line| line.trim_end().to_owned())
                    .collect();
                after = connection.audit(&after, batch).await.expect("taken").hash;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("done");
    }
    let seconds = began.elapsed().as_secs_f64();
    let after = worked();
    let all = (devices * each) as f64;
    let (own, theirs) = (after.0 - before.0, after.1 - before.1);
    println!(
        "  {name:<34} {:>7.0} lines a second over HTTP, client on the same cores",
        all / seconds
    );
    println!(
        "    {:.1} us of processor a line here, {:.1} in the database: {:.0} lines a second on two free cores",
        own / all * 1e6,
        theirs / all * 1e6,
        2.0 * all / (own + theirs)
    );
}

/// The processor's time of processes so far, in seconds.
fn processor_time(processes: &[u32]) -> f64 {
    let of = |process: &u32| {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // Behind the name, which may hold blanks: user and system time are fields 14 and 15.
        let fields = text.rsplit_once(')')?.1;
        let mut fields = fields.split_whitespace().skip(11);
        let user: f64 = fields.next()?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        // A tick is a hundredth of a second on every Linux.
        Some((user + system) / 100.0)
    };
    processes.iter().filter_map(of).sum()
}

/// Pages as a browser gets them, over millions of rows.
async fn row_figures() {
    let rows: i64 = std::env::var("AUTOMODE_ROWS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3_000_000);
    // One after the other: three million rows are some gigabytes.
    if let Some(database) = Database::start() {
        page_figures(database.address(), rows).await;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("s.sqlite").display().to_string();
    page_figures(path, rows).await;
}

async fn page_figures(address: String, rows: i64) {
    let store = FleetStore::open(&address).await.expect("a store");
    let made = store.organisation("test", clock::now()).await;
    let (ours, _) = made.expect("made");
    let enrolled = store.enrol(ours, "d0", "d0", "key", "everyone", clock::now());
    enrolled.await.expect("enrolled");
    // Lines by the usual way make today's partition; the rest is copied from them.
    let (lines, _) = sample::lines(&ChainLink::genesis(), 1, 8, "d0");
    let batch = LineBatch {
        organisation: ours,
        device: "d0".to_owned(),
        after: GENESIS.to_owned(),
        lines,
        now: clock::now(),
    };
    store.ingest(batch).await.expect("taken");
    drop(store);
    let began = Instant::now();
    fill(&address, rows).await;
    let server = Running::with(|options| options.database = address.clone()).await;
    println!(
        "pages over {} rows ({}), filled in {:.0} s",
        server.store.count_lines(ours).await.expect("counted"),
        server.store.kind(),
        began.elapsed().as_secs_f64()
    );
    let visit = Visit::sign_in(&server.origin, &server.token).await;
    let old = clock::now() - 20 * 86_400_000;
    for (name, path) in [
        ("overview", "/".to_owned()),
        ("latest decisions", "/decisions".to_owned()),
        ("denials", "/decisions?verdict=deny".to_owned()),
        ("one device", "/decisions?device=d17".to_owned()),
        ("a rule", "/decisions?rule=home-loss".to_owned()),
        (
            "a rule that is rare",
            "/decisions?rule=rare-rule".to_owned(),
        ),
        (
            "an agent that is rare",
            "/decisions?agent=rare-agent".to_owned(),
        ),
        (
            "what nobody has",
            "/decisions?agent=rare-agent&rule=home-loss&verdict=ask".to_owned(),
        ),
        ("a search for words", "/decisions?words=kubectl".to_owned()),
        (
            "a search that finds nothing",
            "/decisions?words=no+such+words".to_owned(),
        ),
        ("far back", format!("/decisions?before={old}")),
        ("one decision", "/decisions/d0-4".to_owned()),
        ("stops", "/stops".to_owned()),
        ("rules", "/rules".to_owned()),
        ("judge", "/judge".to_owned()),
        ("devices", "/devices".to_owned()),
    ] {
        time_page(&visit, name, &path).await;
    }
}

async fn time_page(visit: &Visit, name: &str, path: &str) {
    let mut best = f64::MAX;
    let mut first = 0.0;
    for at in 0..3 {
        let began = Instant::now();
        let (status, _) = visit.get(path).await;
        assert_eq!(status, 200, "{path}");
        let took = began.elapsed().as_secs_f64() * 1e3;
        best = best.min(took);
        if at == 0 {
            first = took;
        }
    }
    println!("  {name:<34} {first:>7.1} ms at first, {best:.1} ms then");
}

/// Rows as ingest writes them, over thirty days and two hundred devices, and their sums.
async fn fill(address: &str, rows: i64) {
    let now = i64::try_from(clock::now()).expect("a time");
    let today = now / 86_400_000;
    let numbers = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})"
    );
    // A digest that is as random as a real one, in words of both databases.
    let lines = |hash: &str| {
        format!(
            "{numbers} INSERT INTO lines SELECT l.organisation, ({now} - (n % 2592000) * 1000) / 86400000,
                {hash}, 'd' || (n % 200), n, {now} - (n % 2592000) * 1000, 'fill-' || n,
                CASE WHEN n % 1000003 = 5 THEN 'rare-agent' ELSE l.agent END, l.session, l.tool, l.brief,
                l.verdict, l.ground, CASE WHEN n % 1000003 = 7 THEN 'rare-rule' ELSE l.rule END,
                l.latency, l.price, l.body
             FROM numbers JOIN (SELECT *, row_number() OVER () AS k FROM lines) AS l ON l.k = (n % 8) + 1"
        )
    };
    let tallies =
        "INSERT INTO tallies SELECT t.organisation, t.day - d.k, s.k, t.agent, t.verdict, t.ground, t.rule,
            t.model, t.count * 1000, t.latency * 1000, t.price * 1000, t.tokens * 1000
         FROM tallies AS t, (WITH RECURSIVE a(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM a WHERE k < 30) SELECT k FROM a) AS d,
            (WITH RECURSIVE b(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM b WHERE k < 15) SELECT k FROM b) AS s";
    if !address.starts_with("postgres") {
        fill_sqlite(address, &lines("lower(hex(randomblob(32)))"), tallies);
        return;
    }
    let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls)
        .await
        .expect("a connection");
    tokio::spawn(connection);
    for day in today - 31..=today {
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS lines_{day} PARTITION OF lines FOR VALUES FROM ({day}) TO ({})",
            day + 1
        );
        client.batch_execute(&sql).await.expect("a partition");
    }
    let digest = "md5(n::text) || md5((n + 1)::text)";
    client.batch_execute(&lines(digest)).await.expect("filled");
    client.batch_execute(tallies).await.expect("filled");
    client
        .batch_execute("ANALYZE lines; ANALYZE tallies")
        .await
        .expect("looked");
}

/// Without the indices, which are made again behind the rows: one by one they would take
/// an hour.
fn fill_sqlite(path: &str, lines: &str, tallies: &str) {
    let connection = rusqlite::Connection::open(path).expect("a file");
    let run = |sql: &str| connection.execute_batch(sql).expect(sql);
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -800000");
    let indices: Vec<(String, String)> = connection
        .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'lines' AND sql IS NOT NULL")
        .and_then(|mut statement| {
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
        .expect("indices");
    for (name, _) in &indices {
        run(&format!("DROP INDEX {name}"));
    }
    run(lines);
    for (_, sql) in &indices {
        run(sql);
    }
    run(tallies);
    run("ANALYZE; PRAGMA journal_mode = WAL");
}

async fn poll_figures() {
    let count = 2_000_usize;
    let folder = tempfile::tempdir().expect("a directory");
    let database = folder.path().join("s.sqlite").display().to_string();
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let mut server = Command::new(env!("CARGO_BIN_EXE_automode-server"))
        .args(["serve", "--organisation", "test", "--database", &database])
        .args(["--listen", &format!("127.0.0.1:{port}"), "--new-token"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a server");
    let output = server.stdout.take().expect("stdout");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    let token = loop {
        let line = lines.next().expect("a line").expect("a line");
        if let Some(token) = line.strip_prefix("administrator's token, shown this once: ") {
            break token.to_owned();
        }
    };
    let origin = format!("http://127.0.0.1:{port}");
    let codes: serde_json::Value = outgoing::client()
        .expect("a client")
        .post(format!("{origin}/v1/admin/codes"))
        .bearer_auth(&token)
        .json(&serde_json::json!({"count": count}))
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    let client = outgoing::client().expect("a client");
    let before = memory(server.id());
    // All enrol before the first one waits: a poll ends by itself after a while.
    let mut connections = Vec::new();
    for code in codes["codes"].as_array().expect("codes") {
        let code = code.as_str().expect("a code");
        let member = enrol(&origin, code, "poll", false).await.expect("enrolled");
        let connection = ServerConnection::with_client(&member, client.clone());
        connections.push(connection.expect("a connection"));
    }
    let mut polls = tokio::task::JoinSet::new();
    for connection in connections {
        polls.spawn(async move {
            let bundle = connection.bundle(0, 50).await;
            bundle.is_ok_and(|bundle| bundle.is_some())
        });
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    println!(
        "{count} polls that wait: {before:.0} MB before, {:.0} MB with them",
        memory(server.id())
    );
    let began = Instant::now();
    outgoing::client()
        .expect("a client")
        .post(format!("{origin}/v1/admin/push"))
        .bearer_auth(&token)
        .json(&serde_json::json!({"policy": "[permissions]\ndeny = [\"Bash(x)\"]\n", "everyone": true}))
        .send()
        .await
        .expect("an answer");
    let mut reached = 0;
    while let Some(done) = polls.join_next().await {
        reached += u32::from(done.expect("done"));
    }
    println!(
        "  a policy reached {reached} of them in {:.1} s, {:.0} MB then",
        began.elapsed().as_secs_f64(),
        memory(server.id())
    );
    let _ = server.kill();
    let _ = server.wait();
}

/// Memory of a process, in megabytes.
fn memory(process: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap_or_default();
    let kilobytes: f64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or_default();
    kilobytes / 1024.0
}

//! Ordinary work runs confined as it runs bare.
//!
//! Each workload runs in a project of its own below a throw-away home. One whose tools are
//! not installed is skipped with a line.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Workload {
    name: &'static str,
    /// Programs that it needs.
    needs: &'static [&'static str],
    /// In the project, unconfined.
    setup: &'static str,
    command: &'static str,
    git: &'static str,
    /// Path rules cannot give it what it needs.
    bubblewrap_only: bool,
}

const fn work(
    name: &'static str,
    needs: &'static [&'static str],
    setup: &'static str,
    command: &'static str,
) -> Workload {
    Workload {
        name,
        needs,
        setup,
        command,
        git: "read-only",
        bubblewrap_only: false,
    }
}

const fn git(name: &'static str, setup: &'static str, command: &'static str) -> Workload {
    Workload {
        git: "commit",
        ..work(name, &["git"], setup, command)
    }
}

const SERVER: &str = "cat > server.py <<'EOF'\nimport http.server, threading, urllib.request\ns = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\nthreading.Thread(target=s.serve_forever, daemon=True).start()\nprint(urllib.request.urlopen('http://127.0.0.1:%d/' % s.server_port).status)\nEOF";

const PYTHON: &str = "cat > test_all.py <<'EOF'\nimport sqlite3, tempfile, unittest, multiprocessing, socket, os\ndef double(x): return 2 * x\nclass All(unittest.TestCase):\n    def test_sqlite(self):\n        with tempfile.TemporaryDirectory() as d:\n            c = sqlite3.connect(os.path.join(d, 'x.db')); c.execute('create table t(a)'); c.execute('insert into t values (1)'); c.commit()\n            self.assertEqual(c.execute('select count(*) from t').fetchone(), (1,))\n    def test_pool(self):\n        with multiprocessing.Pool(2) as p: self.assertEqual(p.map(double, [1, 2]), [2, 4])\n    def test_loopback(self):\n        s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(1)\n        c = socket.create_connection(s.getsockname()); a, _ = s.accept(); c.send(b'x'); self.assertEqual(a.recv(1), b'x')\nif __name__ == '__main__': unittest.main()\nEOF";

const NODE: &str = "cat > package.json <<'EOF'\n{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node test.js\"}}\nEOF\ncat > test.js <<'EOF'\nconst http = require('http')\nconst s = http.createServer((q, r) => r.end('ok')).listen(0, () => http.get('http://127.0.0.1:' + s.address().port, (r) => { console.log(r.statusCode); s.close(); process.exit(r.statusCode === 200 ? 0 : 1) }))\nEOF";

const CARGO: &str = "printf '[package]\\nname = \"x\"\\nedition = \"2021\"\\n[workspace]\\n' > Cargo.toml; mkdir src; cat > src/main.rs <<'EOF'\nfn main() { println!(\"hi\"); }\n#[test]\nfn works() {\n    let f = std::env::temp_dir().join(\"automode-x\");\n    std::fs::write(&f, \"x\").unwrap();\n    let l = std::net::TcpListener::bind(\"127.0.0.1:0\").unwrap();\n    std::net::TcpStream::connect(l.local_addr().unwrap()).unwrap();\n}\nEOF";

const WORKLOADS: &[Workload] = &[
    work(
        "git status",
        &["git"],
        "",
        "git status --short && git log --oneline -1",
    ),
    git(
        "git commit",
        "echo b > b",
        "git add b && git commit -qm two && git log --oneline | wc -l | grep -q 2",
    ),
    git(
        "git branch and switch",
        "",
        "git switch -qc side && git switch -q -",
    ),
    git(
        "git stash",
        "echo c >> a",
        "git stash -q && git stash pop -q && grep -q c a",
    ),
    git("git gc", "", "git gc -q"),
    git(
        "git worktree",
        "",
        "git worktree add -q side && git worktree list | wc -l | grep -q 2",
    ),
    work(
        "make with cc",
        &["make", "cc"],
        "printf 'int main(){return 0;}\\n' > m.c; printf 'all:\\n\\tcc -o m m.c && ./m\\n' > Makefile",
        "make",
    ),
    work(
        "cargo build and test",
        &["cargo", "cc"],
        CARGO,
        "cargo build --offline -q && cargo test --offline -q",
    ),
    work(
        "npm test with a server",
        &["npm", "node"],
        NODE,
        "npm test --silent",
    ),
    work(
        "python tests",
        &["python3"],
        PYTHON,
        "python3 -m unittest -q test_all",
    ),
    work(
        "pytest in an environment of the project",
        &["python3", "pytest"],
        PYTHON,
        "pytest -q -p no:cacheprovider test_all.py",
    ),
    work(
        "go test",
        &["go"],
        "printf 'module x\\n\\ngo 1.19\\n' > go.mod; cat > x_test.go <<'EOF'\npackage x\nimport (\"net\"; \"os\"; \"testing\")\nfunc TestX(t *testing.T) {\n\tl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")\n\tif err != nil { t.Fatal(err) }\n\tif _, err := net.Dial(\"tcp\", l.Addr().String()); err != nil { t.Fatal(err) }\n\tif err := os.WriteFile(t.TempDir()+\"/f\", []byte(\"x\"), 0o600); err != nil { t.Fatal(err) }\n}\nEOF",
        "GOFLAGS=-mod=mod GOTOOLCHAIN=local go test ./...",
    ),
    work(
        "maven offline",
        &["mvn"],
        "printf '<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version><packaging>pom</packaging></project>' > pom.xml",
        "mvn -o -q validate",
    ),
    work(
        "bundle exec rake",
        &["bundle", "rake"],
        "printf 'gem \"rake\"\\n' > Gemfile; printf 'task :default do\\n  File.write(\"made\", \"x\")\\nend\\n' > Rakefile",
        "bundle exec rake && grep -q x made",
    ),
    work(
        "composer scripts",
        &["composer", "php"],
        "printf '{\"scripts\": {\"test\": \"php -r \\\\\"file_put_contents(1, 2);\\\\\"\"}}' > composer.json",
        "composer --no-interaction run-script test && test -e 1",
    ),
    work(
        "venv",
        &["python3"],
        "",
        "python3 -m venv --without-pip .venv && .venv/bin/python -c 'import sys; assert sys.prefix.endswith(\".venv\")'",
    ),
    work(
        "server and client",
        &["python3"],
        SERVER,
        "python3 server.py 2>/dev/null | grep -q 200",
    ),
    work(
        "server and curl in one call",
        &["python3", "curl"],
        "",
        "python3 -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 1; for i in 1 2 3 4 5 6; do curl -sf http://127.0.0.1:8765/ >/dev/null && ok=1 && break; sleep 1; done; kill %1; test \"$ok\" = 1",
    ),
    work(
        "mktemp",
        &[],
        "",
        "f=$(mktemp) && echo x > \"$f\" && d=$(mktemp -d) && mv \"$f\" \"$d/\"",
    ),
    work(
        "pseudo terminal",
        &["python3"],
        "",
        "python3 -c 'import pty; raise SystemExit(pty.spawn([\"sh\", \"-c\", \"test -t 1\"]))' < /dev/null",
    ),
    work("own processes", &[], "", "sleep 60 & kill $! && ! wait $!"),
    work(
        "shared memory",
        &["python3"],
        "",
        "python3 -c 'from multiprocessing import shared_memory as s; m = s.SharedMemory(create=True, size=64); m.buf[0] = 1; m.close(); m.unlink()'",
    ),
    work(
        "modes and times",
        &[],
        "",
        "touch -d 2001-01-01 x && chmod 750 x && test -n \"$(find x -perm 750 ! -newermt 2002-01-01)\"",
    ),
    work(
        "archive",
        &["tar"],
        "mkdir d; echo x > d/x",
        "tar cf d.tar d && rm -r d && tar xf d.tar && grep -q x d/x",
    ),
    Workload {
        bubblewrap_only: true,
        ..work(
            "fixed name in /tmp",
            &[],
            "",
            "echo x > /tmp/fixed && grep -q x /tmp/fixed",
        )
    },
];

fn has(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .stdout(Stdio::null())
        .status()
        .unwrap()
        .success()
}

fn shell(directory: &Path, home: &Path, text: &str) -> String {
    let output = user(Command::new("bash"), directory, home)
        .args(["-c", text])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{text}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The person's own toolchains, found by the variables that name them.
fn user(mut command: Command, directory: &Path, home: &Path) -> Command {
    let real = std::env::var("HOME").unwrap_or_default();
    command
        .current_dir(directory)
        .env("HOME", home)
        .stdin(Stdio::null());
    for (name, place) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        if std::env::var_os(name).is_none() {
            command.env(name, format!("{real}/{place}"));
        }
    }
    for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
        command.env(name, "a");
    }
    for name in ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
        command.env(name, "a@b.example");
    }
    command
}

fn run(work: &Workload, backend: &str) -> Result<(), String> {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let temp = tempfile::tempdir_in(place).unwrap();
    let home = temp.path().canonicalize().unwrap();
    let project = home.join("app");
    fs::create_dir(&project).unwrap();
    shell(
        &project,
        &home,
        "git init -q . && echo a > a && git add a && git commit -qm one",
    );
    shell(&project, &home, work.setup);
    let before = shell(&project, &home, "git status --porcelain");
    let confinement = format!(
        "{{\"project\":{:?},\"git\":{:?}}}",
        project.to_str().unwrap(),
        work.git
    );
    let launch = |command: &str| {
        let launcher = Command::new(env!("CARGO_BIN_EXE_automode-confine"));
        let mut launcher = user(launcher, &project, &home);
        launcher.args([
            "run",
            backend,
            home.join(".state").to_str().unwrap(),
            &confinement,
            command,
        ]);
        launcher.output().unwrap()
    };
    assert!(launch("true").status.success());
    let after = shell(&project, &home, "git status --porcelain");
    assert_eq!(
        before, after,
        "{}: a run that does nothing changes nothing",
        work.name
    );
    let output = launch(work.command);
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{} by {backend}: {:?}\n{}{}",
        work.name,
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}

fn all(backend: &str) {
    let (mut broken, mut ran) = (Vec::new(), 0);
    let only = std::env::var("WORKLOAD_ONLY").unwrap_or_default();
    for work in WORKLOADS.iter().filter(|work| work.name.contains(&only)) {
        if let Some(missing) = work.needs.iter().find(|program| !has(program)) {
            eprintln!("skipped: {} ({missing} is not installed)", work.name);
            continue;
        }
        if work.bubblewrap_only && backend != "bubblewrap" {
            continue;
        }
        ran += 1;
        broken.extend(run(work, backend).err());
    }
    println!(
        "{ran} workloads by {backend}, {} of them broken",
        broken.len()
    );
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn work_runs_by_bubblewrap() {
    all("bubblewrap");
}

#[test]
fn work_runs_by_landlock() {
    all("landlock");
}

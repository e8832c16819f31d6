//! What a real bash starts, against what the analysis lists.
//!
//! Generated scripts that keep and change state run in an empty directory where
//! `touch` is the only program and writes down its arguments and its directory.
//! Where the analysis claims to know everything, each start must be listed as it
//! was. `AUTOMODE_FUZZ_SECONDS` makes it run for as long as it says.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::bounded::run_at_most;
use crate::generate::story::Teller;
use crate::generate::{Random, patience};
use automode_shell::{Context, Facts, FileFact, Invocation, Piece, Value, analyse};

/// One start of `touch`: its directory and its arguments.
#[derive(Debug)]
struct Start {
    cwd: String,
    arguments: Vec<String>,
}

/// A place where only `touch` can be started.
struct Jail {
    directory: tempfile::TempDir,
}

impl Jail {
    fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let jail = Self { directory };
        for name in ["bin", "home"] {
            std::fs::create_dir(jail.path(name)).expect("a directory");
        }
        let touch = jail.path("bin/touch");
        let script = "#!/bin/bash\nprintf '%s\\0' START \"$PWD\" \"$#\" \"$@\" >> \"$LOG\"\n";
        std::fs::write(&touch, script).expect("touch");
        std::fs::set_permissions(&touch, std::fs::Permissions::from_mode(0o755)).expect("mode");
        jail
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn context(&self) -> (Context, Facts) {
        let work = self.path("work").display().to_string();
        let mut facts = Facts::default();
        for name in ["d", "d/e"] {
            facts
                .files
                .insert(format!("{work}/{name}"), FileFact::Directory);
        }
        let context = Context {
            roots: vec![work.clone()],
            cwd: work,
            home: Some(self.path("home").display().to_string()),
            variables: Vec::new(),
        };
        (context, facts)
    }

    /// The starts of `touch` when bash runs a script.
    fn run(&self, script: &str) -> Vec<Start> {
        let work = self.path("work");
        let _ = std::fs::remove_dir_all(&work);
        std::fs::create_dir_all(work.join("d/e")).expect("directories");
        let log = self.path("log");
        let _ = std::fs::remove_file(&log);
        let mut bash = Command::new("/bin/bash");
        bash.arg0("bash")
            .args(["--norc", "--noprofile", "-c", script])
            .current_dir(&work)
            .env_clear()
            .env("PATH", self.path("bin"))
            .env("HOME", self.path("home"))
            .env("LOG", &log);
        run_at_most(Duration::from_secs(2), &mut bash);
        starts(&log)
    }
}

fn starts(log: &Path) -> Vec<Start> {
    let bytes = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut fields = text.split('\0');
    let mut starts = Vec::new();
    while fields.next() == Some("START") && starts.len() < 200 {
        let cwd = fields.next().unwrap_or_default().to_owned();
        let count = fields
            .next()
            .and_then(|count| count.parse().ok())
            .unwrap_or(0);
        let arguments = fields.by_ref().take(count).map(str::to_owned).collect();
        starts.push(Start { cwd, arguments });
    }
    starts
}

fn lists(invocation: &Invocation, start: &Start) -> bool {
    let name = invocation.argv.first().and_then(Value::literal);
    let here = invocation.cwd.as_ref().is_none_or(|cwd| *cwd == start.cwd);
    let open = invocation
        .argv
        .iter()
        .any(|value| value.may_split || has_pattern(value));
    let same = invocation.argv.len() == start.arguments.len() + 1
        && invocation
            .argv
            .iter()
            .skip(1)
            .zip(&start.arguments)
            .all(|(value, argument)| may_be(value, argument));
    name.is_none_or(|name| name == "touch") && here && (open || same)
}

fn has_pattern(value: &Value) -> bool {
    value
        .pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Glob(_)))
}

/// Whether a value may be this text, by what is known of it.
fn may_be(value: &Value, text: &str) -> bool {
    match value.literal() {
        Some(literal) => literal == text,
        None => text.starts_with(value.prefix().as_ref()),
    }
}

/// What bash starts that a claim to know everything leaves out.
fn unlisted(script: &str, jail: &Jail) -> Option<(bool, Vec<Start>)> {
    let (context, facts) = jail.context();
    let analysis = analyse(script, &context, &facts);
    if !analysis.coverage.is_complete() {
        return None;
    }
    let mut starts = jail.run(script);
    let any = !starts.is_empty();
    starts.retain(|start| !analysis.invocations.iter().any(|one| lists(one, start)));
    Some((any, starts))
}

#[test]
fn what_bash_starts_is_listed() {
    let jail = Jail::new();
    let begin = Instant::now();
    let (mut seed, mut complete, mut started) = (0, 0, 0);
    let mut wrong = Vec::new();
    while seed < 3_000 || begin.elapsed() < patience() {
        seed += 1;
        let script = Teller::new(seed).story();
        let Some((any, missing)) = unlisted(&script, &jail) else {
            continue;
        };
        complete += 1;
        started += u32::from(any);
        if !missing.is_empty() {
            wrong.push(format!("seed {seed}\n{script}\n{missing:?}\n"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(complete > 600 && started > 300, "{complete} {started}");
}

/// Pieces that decide where words, quotes and constructs end.
const QUOTES: &[&str] = &[
    "'",
    "\"",
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "${X",
    ":-",
    "}",
    "{",
    "(",
    ")",
    "$(",
    "$((",
    "))",
    "[",
    "]",
    "[[ ",
    " ]]",
    "#",
    " #",
    ";",
    "\n",
    " ",
    "a",
    "X=",
    "<<E\n",
    "E\n",
    "\nE\n",
    "<<'E'\n",
    "<<-E\n",
    "\\\n",
    "$'",
    "|",
    "&",
    "&&",
    "||",
    "!",
    "case a in a) ",
    " ;; esac",
    "if ",
    "; then ",
    "; fi",
    "for i in a",
    "; do ",
    "; done",
    "f() ",
    "{ ",
    "; }",
    "@(",
    "=~ ",
    "/",
    "%",
    "*",
    "?",
    "~",
    "<(",
    ">(",
    "<<<",
    "echo ",
    "eval ",
    ": ",
    "[$",
    "${#",
    "${!",
    "$[",
    "=(",
    "+=",
    "time ",
    "coproc ",
    "function f ",
    "select i in a",
];

/// Noise with a command in it: where bash starts it, the analysis must see it.
#[test]
fn noise_hides_no_command() {
    let jail = Jail::new();
    let begin = Instant::now();
    let mut random = Random(0xACE);
    let (mut rounds, mut suspects) = (0, 0);
    let mut wrong = Vec::new();
    while rounds < 60_000 || begin.elapsed() < patience() {
        rounds += 1;
        let mut script = String::new();
        for side in 0..2 {
            for _ in 0..random.below(9) {
                script.push_str(random.pick(QUOTES));
            }
            if side == 0 {
                script.push_str(random.pick(&[
                    " ; touch IN ; ",
                    "\ntouch IN\n",
                    "touch IN",
                    " touch IN #",
                ]));
            }
        }
        let (context, facts) = jail.context();
        let analysis = analyse(&script, &context, &facts);
        let sees = |one: &Invocation| {
            one.argv
                .iter()
                .any(|word| word.literal().as_deref() == Some("touch"))
        };
        if !analysis.coverage.is_complete() || analysis.invocations.iter().any(sees) {
            continue;
        }
        suspects += 1;
        if !jail.run(&script).is_empty() {
            wrong.push(format!("{script:?}"));
        }
    }
    println!("{rounds} texts, {suspects} of them without the command");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(suspects > 100, "{suspects}");
}

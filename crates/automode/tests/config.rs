//! Settings files on a disk: what is read, what is obeyed, what is refused.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot set its stage must fail"
)]

use std::{
    cell::Cell,
    ffi::OsString,
    fs,
    path::PathBuf,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use automode::{
    Facts, Gate, Mode, Policy, Session, ToolCall, Verdict,
    config::{Places, PolicyWatcher, load, load_kept},
    ports::Clock,
    state::State,
};
use automode_core::{
    policy::{AskRules, NoteKind, Prose, Scope, Strip, Subject},
    tool,
};

struct Machine {
    _temp: tempfile::TempDir,
    home: PathBuf,
    app: PathBuf,
    chosen: Rc<Cell<Option<PathBuf>>>,
}

impl Machine {
    fn new() -> Self {
        let temp = tempfile::tempdir().expect("a directory");
        let home = temp.path().canonicalize().expect("a path").join("home");
        let app = home.join("app");
        fs::create_dir_all(app.join(".git")).expect("a repository");
        Self {
            _temp: temp,
            home,
            app,
            chosen: Rc::default(),
        }
    }

    fn with(self, file: &str, text: &str) -> Self {
        let path = self.home.join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
        self
    }

    fn choosing(self, file: &str) -> Self {
        self.chosen.set(Some(self.home.join(file)));
        self
    }

    fn places(&self) -> Places {
        let home = OsString::from(&self.home);
        Places::find(&self.app, self.chosen.take(), &|name| {
            (name == "HOME").then(|| home.clone())
        })
    }

    fn policy(&self) -> Policy {
        load(&self.places())
    }

    /// The verdicts of the three lists on a shell command.
    fn says(&self, command: &str) -> &'static str {
        says(&self.policy(), command)
    }

    #[track_caller]
    fn fails(&self, expected: &str) {
        let policy = self.policy();
        let why = policy
            .failure()
            .unwrap_or("no failure")
            .replace(&self.home.display().to_string(), "~");
        assert_eq!(why, expected);
        assert_ne!(says(&policy, "git status"), "allow");
    }
}

fn says(policy: &Policy, command: &str) -> &'static str {
    let call = ToolCall::bash(command, "/home/dev/app");
    let (name, action) = tool::normalize(&call);
    let (context, facts) = (Default::default(), Facts::default());
    let subject = Subject {
        tool: &name,
        input: &call.input,
        action: &action,
        analysis: None,
        effects: &[],
        context: &context,
        facts: &facts,
    };
    if policy.denies(&subject).is_some() {
        "deny"
    } else if policy.asks(&subject).any().is_some() {
        "ask"
    } else if policy.allows(&subject, Mode::Auto).is_some() {
        "allow"
    } else {
        "nothing"
    }
}

const USER: &str = ".config/automode/config.toml";
const ALLOW_GIT: &str = "[permissions]\nallow = [\"Bash(git *)\"]\n";

#[test]
fn nothing_configured() {
    let machine = Machine::new();
    assert_eq!(machine.policy().failure(), None);
    assert_eq!(machine.says("git status"), "nothing");
}

#[test]
fn the_user_may_allow_and_the_project_may_only_tighten() {
    let machine = Machine::new().with(USER, ALLOW_GIT);
    assert_eq!(machine.says("git status"), "allow");
    let machine = machine.with(
        "app/.automode.toml",
        "strip = \"standard\"\n[permissions]\nallow = [\"Bash(npm test)\"]\ndeny = [\"Bash(git push *)\"]\nask = [\"Bash(git commit *)\"]\n[auto_mode]\nallow = [\"everything\"]\n",
    );
    assert_eq!(machine.says("git status"), "allow");
    assert_eq!(machine.says("git push"), "deny");
    assert_eq!(machine.says("git commit -m x"), "ask");
    assert_eq!(machine.says("npm test"), "nothing");
    let policy = machine.policy();
    assert_eq!(policy.auto_mode.allow, [Prose::Defaults]);
    let mut ignored: Vec<&str> = policy
        .provenance()
        .ignored
        .iter()
        .map(|(key, _)| key.as_str())
        .collect();
    ignored.sort_unstable();
    assert_eq!(ignored, ["auto_mode.allow", "permissions.allow", "strip"]);
}

#[test]
fn agent_settings_count_as_the_agent_reads_them() {
    let machine = Machine::new()
        .with(".claude/settings.json", r#"{"model": "x", "permissions": {"allow": ["Bash(git status)"], "deny": ["-- comment --", "Bash(rm *)"], "additionalDirectories": ["../docs"]}, "autoMode": {"environment": ["$defaults", "Trusted: example.com"]}}"#)
        .with("app/.claude/settings.json", r#"{"permissions": {"allow": ["Bash(npm *)"], "deny": ["Bash(curl *)"]}, "autoMode": {"allow": ["all"]}}"#)
        .with("app/.claude/settings.local.json", r#"{"permissions": {"allow": ["Bash(make)"], "ask": ["Bash(git push *)"]}}"#);
    assert_eq!(machine.says("git status"), "allow");
    assert_eq!(machine.says("rm x"), "deny");
    assert_eq!(machine.says("curl x"), "deny");
    assert_eq!(machine.says("git push"), "ask");
    assert_eq!(machine.says("npm install"), "nothing");
    assert_eq!(machine.says("make"), "nothing");
    let policy = machine.policy();
    assert_eq!(policy.failure(), None);
    assert_eq!(
        policy.directories(),
        [machine.home.join("docs").display().to_string()]
    );
    assert_eq!(policy.auto_mode.environment.len(), 2);
    assert_eq!(policy.auto_mode.allow, [Prose::Defaults]);
    assert!(
        policy
            .lint()
            .iter()
            .any(|note| note.kind == NoteKind::Comment)
    );
}

#[test]
fn directories_are_made_absolute() {
    let machine = Machine::new().with(
        USER,
        "[permissions]\ndirectories = [\"~/a\", \"../b\", \"/c\"]\n",
    );
    let home = machine.home.display();
    assert_eq!(
        machine.policy().directories(),
        [format!("{home}/a"), format!("{home}/b"), "/c".to_owned()]
    );
}

#[test]
fn a_chosen_file_wins_over_the_users() {
    let machine = Machine::new()
        .with(USER, "strip = \"strict\"\nask_rules = \"judge\"\n")
        .with("mine.toml", "strip = \"standard\"\n")
        .choosing("mine.toml");
    let policy = machine.policy();
    assert_eq!(policy.settings.strip, Strip::Standard);
    assert_eq!(policy.settings.ask_rules, AskRules::Judge);
    assert_eq!(
        policy
            .provenance()
            .settings
            .get("strip")
            .map(|origin| (origin.scope, origin.line)),
        Some((Scope::Chosen, 1))
    );
}

#[test]
fn mistakes_name_their_line_and_a_hint() {
    let check = |text: &str, expected: &str| {
        Machine::new()
            .with(USER, text)
            .fails(&format!("~/{USER}{expected}"))
    };
    check(
        "stirp = \"strict\"",
        ":1: unknown key `stirp`\nhint: did you mean `strip`?",
    );
    check(
        "\n\n[permissions]\nallows = []",
        ":4: unknown key `permissions.allows`\nhint: did you mean `allow`?",
    );
    check(
        "deny = []",
        ":1: unknown key `deny`\nhint: did you mean `permissions.deny`?",
    );
    // What a judge has is written where the judges are listed.
    for key in ["model", "base_url", "kind"] {
        check(
            &format!("[judge]\n{key} = \"x\""),
            &format!(
                ":2: unknown key `judge.{key}`\nhint: `{key}` stands in an entry of its own: `[[judge.chain]]`"
            ),
        );
    }
    check(
        "[judge]\nprovider = \"x\"",
        ":2: unknown key `judge.provider`\nhint: a judge is an entry of its own: `kind` in `[[judge.chain]]`",
    );
    check(
        "[judge]\napi_key = \"x\"",
        ":2: unknown key `judge.api_key`\nhint: a secret does not belong here: `key_env`, `key_file` or `key_command` in `[[judge.chain]]` say where it is",
    );
    check(
        "colour = 1",
        ":1: unknown key `colour`\nhint: `automode config schema` lists every key",
    );
    check(
        "strip = \"lax\"",
        ":1: `strip`: expected one of `standard`, `strict`",
    );
    check(
        "[limits]\ntotal = 0",
        ":2: `limits.total`: expected a whole number from 1 to 1000000",
    );
    check(
        "[limits]\ntotal = -1",
        ":2: `limits.total`: expected a whole number from 1 to 1000000",
    );
    check("limits = 3", ":1: `limits` is a table, not integer");
    check(
        "[permissions]\nallow = \"Bash\"",
        ":2: `permissions.allow`: expected a list of texts",
    );
    check(
        "[permissions]\nallow = [\n  1]",
        ":3: `permissions.allow`: expected a text, not integer",
    );
    check(
        "[permissions]\ndeny = [\n  \"Bash(rm *\"]",
        ":3: `Bash(rm *` is not a permission rule: the bracket is not closed\nhint: write `Tool` or `Tool(specifier)`, such as `Bash(git status)`",
    );
    check(
        "[[judge.chain]]\nkind = \"oracle\"",
        ":1: `judge.chain`: `kind`: expected one of `anthropic`, `openai`, `openai-compatible`, `command`, `cassette`",
    );
}

#[test]
fn broken_files_allow_nothing() {
    let broken = Machine::new()
        .with(USER, ALLOW_GIT)
        .with("app/.automode.toml", "[permissions\n");
    let policy = broken.policy();
    assert!(
        policy
            .failure()
            .is_some_and(|why| why.contains(".automode.toml:1: ")),
        "{:?}",
        policy.failure()
    );
    assert_eq!(says(&policy, "git status"), "nothing");
    let json = Machine::new()
        .with(USER, ALLOW_GIT)
        .with(".claude/settings.json", "{\n\"permissions\": {");
    assert!(
        json.policy()
            .failure()
            .is_some_and(|why| why.contains("settings.json:2: "))
    );
    let directory = Machine::new().with(USER, ALLOW_GIT);
    fs::create_dir(directory.app.join(".automode.toml")).expect("a directory");
    directory
        .fails("~/app/.automode.toml: is not a file\nhint: put a settings file here, or remove it");
    let binary = Machine::new().with(USER, ALLOW_GIT);
    fs::write(binary.app.join(".automode.toml"), [0xff, 0xfe]).expect("a file");
    binary.fails("~/app/.automode.toml: is not valid UTF-8");
    let missing = Machine::new().with(USER, ALLOW_GIT).choosing("gone.toml");
    missing.fails(
        "~/gone.toml: there is no such file\nhint: it was named with `--config` or AUTOMODE_CONFIG",
    );
    // Deny rules of the other files still hold.
    let denying = Machine::new()
        .with(USER, "[permissions]\ndeny = [\"Bash(rm *)\"]")
        .with("app/.automode.toml", "=");
    assert_eq!(denying.says("rm x"), "deny");
}

#[test]
fn the_judges_chain() {
    let machine = Machine::new().with(USER, "[judge]\nmode = \"fast\"\n[[judge.chain]]\nkind = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1/v1\"\nno_key = true\n[judge.chain.headers]\nx-a = \"b\"\n[[judge.chain]]\nkind = \"command\"\ncommand = [\"judge\", \"-q\"]\n");
    let policy = machine.policy();
    assert_eq!(policy.failure(), None);
    let chain = &policy.settings.service.chain;
    assert_eq!(
        chain
            .iter()
            .map(|provider| provider.kind.name())
            .collect::<Vec<_>>(),
        ["openai-compatible", "command"]
    );
    assert_eq!(chain[0].headers.get("x-a").map(String::as_str), Some("b"));
    assert_eq!(chain[1].command, ["judge", "-q"]);
}

#[test]
fn the_digest_follows_the_files() {
    let digest = |machine: &Machine| load(&machine.places()).provenance().digest.clone();
    let machine = Machine::new().with(USER, ALLOW_GIT);
    let before = digest(&machine);
    assert_eq!(before, digest(&machine));
    assert_eq!(before.len(), 64);
    let machine = machine.with(USER, "");
    assert_ne!(before, digest(&machine));
}

/// Settings with thousands of rules, and one that is told.
fn many_rules(last: &str) -> String {
    let many: Vec<String> = (0..5_000)
        .map(|at| format!("\"Bash(forbidden-{at}:*)\""))
        .collect();
    let many = many.join(",\n");
    format!(
        "{{\"permissions\": {{\"deny\": [{many}, \"Read(/etc/x)\", {last}], \"ask\": [\"Bash(make it)\"], \"allow\": [\"Bash(git status)\"]}}}}"
    )
}

#[test]
fn a_large_file_is_kept_as_it_was_understood_and_never_longer() {
    let (user, project) = (".claude/settings.json", "app/.claude/settings.json");
    let machine = Machine::new()
        .with(user, &many_rules("\"Bash(one *)\""))
        .with(project, &many_rules("\"Bash(two *)\""));
    let state = State::at(machine.home.join("state")).expect("a state");
    let kept = || load_kept(&machine.places(), Some(&state));
    let shelves = || {
        let found = fs::read_dir(state.path("settings")).into_iter().flatten();
        found
            .flatten()
            .map(|entry| entry.path())
            .collect::<Vec<_>>()
    };
    let check = |policy: &Policy, read: &Policy, why: &str| {
        assert_eq!(policy.failure(), None, "{why}");
        let digest = |policy: &Policy| policy.provenance().digest.clone();
        assert_eq!(digest(policy), digest(read), "{why}");
        for command in [
            "git status",
            "forbidden-4999 x",
            "forbidden-5000",
            "forbidden-7",
            "one x",
            "two x",
            "make it",
            "$x",
        ] {
            assert_eq!(
                says(policy, command),
                says(read, command),
                "{why}: {command}"
            );
        }
        assert_eq!(says(policy, "forbidden-4999 x"), "deny", "{why}");
    };
    let read = machine.policy();
    // A file that changed just now may change again unnoticed.
    check(&kept(), &read, "new");
    assert!(shelves().is_empty());
    std::thread::sleep(std::time::Duration::from_millis(3_200));
    check(&kept(), &read, "read");
    assert_eq!(shelves().len(), 2);
    check(&kept(), &read, "taken");
    assert_eq!(kept().rules().map(<[_]>::len), [2, 0, 1]);
    for shelf in shelves() {
        let whole = fs::read(&shelf).expect("a shelf");
        for at in [0, 9, 200, whole.len() / 2, whole.len() - 1] {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            fs::write(&shelf, &broken).expect("a broken shelf");
            check(&kept(), &read, "broken");
            fs::write(&shelf, &whole[..at]).expect("a short shelf");
            check(&kept(), &read, "short");
        }
        fs::write(&shelf, &whole).expect("a shelf");
    }
    // The same length and the same time, and another rule.
    let path = machine.home.join(project);
    let before = fs::metadata(&path)
        .expect("a file")
        .modified()
        .expect("a time");
    fs::write(&path, many_rules("\"Bash(six *)\"")).expect("a file");
    let file = fs::File::options().write(true).open(&path).expect("a file");
    file.set_modified(before).expect("a time set back");
    check(&kept(), &machine.policy(), "changed");
    assert_eq!(says(&kept(), "six x"), "deny");
    assert_eq!(says(&kept(), "two x"), "nothing");
}

#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Clock for Hand {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn files_are_read_again_in_time() {
    let clock = Hand::default();
    clock.0.store(1_000_000, Ordering::Relaxed);
    let machine = Machine::new().with(USER, ALLOW_GIT);
    let keeper = PolicyWatcher::new(machine.places(), clock.clone());
    let machine = machine.with(USER, "[permissions]\ndeny = [\"Bash(git *)\"]\n");
    assert_eq!(says(&keeper.current(), "git status"), "allow");
    clock
        .0
        .store(1_000_000 + PolicyWatcher::MAX_AGE - 1, Ordering::Relaxed);
    assert_eq!(says(&keeper.current(), "git status"), "allow");
    clock
        .0
        .store(1_000_000 + PolicyWatcher::MAX_AGE, Ordering::Relaxed);
    assert_eq!(says(&keeper.current(), "git status"), "deny");
    let _machine = machine.with(USER, ALLOW_GIT);
    clock.0.store(5, Ordering::Relaxed);
    assert_eq!(
        says(&keeper.current(), "git status"),
        "allow",
        "a clock that went back"
    );
}

/// The schema that editors use is the one of this version. Write it anew with
/// `cargo run -p automode-cli -- config schema > docs/config.schema.json`.
#[test]
fn the_committed_schema_is_current() {
    let committed = include_str!("../../../docs/config.schema.json");
    let current =
        serde_json::to_string_pretty(&automode::config::schema::schema()).expect("a schema");
    assert_eq!(committed.trim_end(), current);
}

#[test]
fn whoever_closes_the_bypass_closes_it_here_too() {
    let unknown = ToolCall::bash("frobnicate --all", "/home/dev/app");
    let check = |settings: &str, expected: Verdict| {
        let machine = Machine::new().with(".claude/settings.json", settings);
        let mut session = Session {
            mode: Mode::BypassPermissions,
            ..Session::default()
        };
        let decision = Gate::new(machine.policy()).check(&unknown, &mut session);
        assert_eq!(
            decision.verdict, expected,
            "{settings}: {}",
            decision.reason
        );
    };
    let set =
        |word: &str| format!(r#"{{"permissions": {{"disableBypassPermissionsMode": "{word}"}}}}"#);
    check("{}", Verdict::Allow);
    check(&set("enable"), Verdict::Allow);
    check(&set("disable"), Verdict::Ask);
}

#[test]
fn a_judge_of_the_organisation_is_where_the_machine_says_one_may_be() {
    let check = |user: &str, url: &str, kept: bool| {
        let policy = format!(
            "# automode-bundle revision=1 expires=0 on_stale=keep\n[[judge.chain]]\nkind = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"{url}\"\n"
        );
        let state = ".local/state/automode/fleet";
        let machine = Machine::new()
            .with(USER, user)
            .with(&format!("{state}/revision"), "1")
            .with(&format!("{state}/policy.toml"), &policy);
        let loaded = machine.policy();
        assert_eq!(
            loaded.failure().is_none(),
            kept,
            "{user} {url}: {:?}",
            loaded.failure()
        );
        // Nobody is asked there, whatever else comes of it.
        let chain = &loaded.settings.service.chain;
        let asked = chain
            .iter()
            .any(|judge| judge.base_url.as_deref() == Some(url));
        assert_eq!(asked, kept, "{user} {url}");
    };
    let hosts = "[judge]\nhosts = [\"judge.example.com\"]\n";
    let own = "[[judge.chain]]\nkind = \"openai-compatible\"\nmodel = \"a\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n";
    check("", "https://judge.example.com/v1", false);
    check(hosts, "https://judge.example.com/v1", true);
    check(hosts, "http://judge.example.com/v1", false);
    check(hosts, "https://judge.example.com@evil.example/v1", false);
    check(hosts, "https://evil.example/v1", false);
    check(own, "http://127.0.0.1:8080/v1/other", true);
    check(own, "http://127.0.0.1:8081/v1", false);
    // A repository has no say.
    let machine = Machine::new().with("app/.automode.toml", hosts);
    assert!(machine.policy().settings.service.hosts.is_empty());
}

//! Rules held against calls, as one-line tables.

use std::collections::BTreeMap;

use automode_shell::{
    Act, Analysis, Certainty, Context, Coverage, Dynamic, DynamicSource, Effect, Extent, Gap,
    GapKind, Invocation, Layer as Shell, Piece, Redirect, Span, Stdin, Stdout, Taint, Target,
    Value, WriteHow,
};
use serde_json::{Map, json};

use super::{Layer, Origin, Policy, Scope, Sources, Subject, Written};
use crate::{Facts, GitState, Mode, PathFact, PathKind, ToolCall, tool};

/// What a policy says of a call: the strictest list that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Deny,
    Ask,
    Allow,
    Nothing,
}
use Says::{Allow, Ask, Deny, Nothing};

fn policy(deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    let written = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| Written {
                text: (*text).to_owned(),
                line: 1,
            })
            .collect()
    };
    let origin = Origin {
        scope: Scope::User,
        file: "/home/dev/.config/automode/config.toml".to_owned(),
        line: 0,
    };
    let layer = Layer {
        deny: written(deny),
        ask: written(ask),
        allow: written(allow),
        ..Layer::empty(origin)
    };
    let policy = Policy::new(Sources {
        layers: vec![layer],
        ..Sources::default()
    });
    assert_eq!(policy.failure(), None);
    policy
}

fn context() -> Context {
    Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: Vec::new(),
    }
}

fn facts(links: &[(&str, &str)]) -> Facts {
    let fact = |canonical: &str| PathFact {
        kind: PathKind::File,
        canonical: Some(canonical.to_owned()),
        git: GitState::None,
        ignores_case: false,
        size: None,
    };
    Facts {
        paths: links
            .iter()
            .map(|(path, canonical)| ((*path).to_owned(), fact(canonical)))
            .collect(),
        ..Facts::default()
    }
}

fn say(policy: &Policy, call: &ToolCall, analysis: Option<&Analysis>, facts: &Facts) -> Says {
    let (name, action) = tool::normalize(call);
    let context = context();
    let subject = Subject {
        tool: &name,
        input: &call.input,
        action: &action,
        analysis,
        context: &context,
        facts,
    };
    if policy.denies(&subject).is_some() {
        Deny
    } else if policy.asks(&subject).any().is_some() {
        Ask
    } else if policy.allows(&subject, Mode::Default).is_some() {
        Allow
    } else {
        Nothing
    }
}

fn call(tool: &str, input: serde_json::Value) -> ToolCall {
    let serde_json::Value::Object(input) = input else {
        panic!("an input is an object")
    };
    ToolCall {
        tool: tool.to_owned(),
        input,
        cwd: "/home/dev/app".to_owned(),
    }
}

/// One deny rule and one allow rule of the same text on a call without analysis.
#[track_caller]
fn check(rule: &str, call: &ToolCall, denied: Says, allowed: Says) {
    let path = |field: &str| {
        call.text(field)
            .map(|path| crate::path::absolute(path, "/home/dev/app", Some("/home/dev")))
    };
    let known = ["file_path", "path", "notebook_path"]
        .iter()
        .find_map(|field| path(field));
    let place = known.unwrap_or_else(|| "/home/dev/app".to_owned());
    let facts = facts(&[(&place, &place), ("/home/dev/app", "/home/dev/app")]);
    assert_eq!(
        say(&policy(&[rule], &[], &[]), call, None, &facts),
        denied,
        "deny `{rule}` on {call:?}"
    );
    assert_eq!(
        say(&policy(&[], &[], &[rule]), call, None, &facts),
        allowed,
        "allow `{rule}` on {call:?}"
    );
}

#[track_caller]
fn bash(rule: &str, command: &str, denied: Says, allowed: Says) {
    check(
        rule,
        &ToolCall::bash(command, "/home/dev/app"),
        denied,
        allowed,
    );
}

#[test]
fn shell_text_without_analysis() {
    bash("Bash", "rm x", Deny, Allow);
    bash("Bash(*)", "rm x", Deny, Allow);
    bash("Bash(git status)", "git status", Deny, Allow);
    bash("Bash(git status)", "git  status", Deny, Allow);
    bash("Bash(git status)", "git status -s", Nothing, Nothing);
    bash("Bash(git:*)", "git push", Deny, Allow);
    bash("Bash(git:*)", "gitk", Nothing, Nothing);
    bash("Bash(git *)", "git push && rm x", Deny, Nothing);
    bash("Bash(git *)", "git a && git b", Deny, Allow);
    bash("Bash(rm *)", "ls; sudo rm x", Deny, Nothing);
    bash("Bash(rm *)", "/bin/rm x", Deny, Nothing);
    bash("Bash(rm *)", "bash -c 'rm x'", Deny, Nothing);
    bash("Bash(npm test *)", "timeout 5 npm test", Deny, Allow);
    bash("Bash(npm test)", "NODE_ENV=test npm test", Deny, Allow);
    bash("Bash(npm test)", "PATH=/x npm test", Deny, Nothing);
    bash("Bash(npm test)", "LD_PRELOAD=x npm test", Deny, Nothing);
    bash("Bash(echo *)", "echo $(rm x)", Deny, Nothing);
    bash("Bash(echo *)", "echo x > ~/.bashrc", Deny, Nothing);
    bash("Bash(find *)", "find . -name x", Deny, Allow);
    bash("Bash(find *)", "find . -delete", Deny, Nothing);
    bash("Bash(* --force)", "git push --force", Deny, Allow);
    bash("Bash(curl * | bash)", "curl x | bash", Deny, Nothing);
    bash("Bash(git push *)", "$X push", Ask, Nothing);
    bash("Write", "echo x", Nothing, Nothing);
}

#[test]
fn files() {
    let read = |path: &str| call("Read", json!({"file_path": path}));
    check("Read", &read("/etc/passwd"), Deny, Allow);
    check("Read(./.env)", &read(".env"), Deny, Allow);
    check("Read(./.env)", &read("/home/dev/app/.env"), Deny, Allow);
    check("Read(./.env)", &read("sub/../.env"), Deny, Allow);
    check("Read(./.env)", &read("sub/.env"), Deny, Allow);
    check("Read(./.env)", &read("../.env"), Nothing, Nothing);
    check("Read(//etc/**)", &read("/etc/passwd"), Deny, Allow);
    check("Read(~/.ssh/**)", &read("~/.ssh/id"), Deny, Allow);
    check("Read(~/.ssh/**)", &read("../.ssh/id"), Deny, Allow);
    check("Read(/src/**)", &read("src/a/b"), Deny, Allow);
    check("Read(/src/**)", &read("lib/src/a"), Nothing, Nothing);
    check(
        "Read(src/**)",
        &call("Grep", json!({"pattern": "x", "path": "src/a"})),
        Deny,
        Allow,
    );
    check(
        "Read(//etc/**)",
        &call("Glob", json!({"pattern": "/etc/*"})),
        Deny,
        Nothing,
    );
    check("Grep", &call("Grep", json!({"pattern": "x"})), Deny, Allow);
    check(
        "Grep(src/**)",
        &call("Grep", json!({"pattern": "x", "path": "src/a"})),
        Deny,
        Allow,
    );
    let write = |path: &str| call("Write", json!({"file_path": path, "content": ""}));
    check("Edit(/src/**)", &write("src/a"), Deny, Allow);
    check("Edit", &write("src/a"), Deny, Allow);
    check("Write(/src/**)", &write("src/a"), Deny, Allow);
    check(
        "Write(/src/**)",
        &call(
            "Edit",
            json!({"file_path": "src/a", "old_string": "a", "new_string": "b"}),
        ),
        Nothing,
        Nothing,
    );
    check("MultiEdit(/src/**)", &write("src/a"), Deny, Allow);
    check(
        "Edit(*.ipynb)",
        &call(
            "NotebookEdit",
            json!({"notebook_path": "a.ipynb", "new_source": ""}),
        ),
        Deny,
        Allow,
    );
    check("Read(/src/**)", &write("src/a"), Nothing, Nothing);
    check("Edit(/src/**)", &read("src/a"), Nothing, Nothing);
}

#[test]
fn links_need_both_for_an_allow_and_either_for_a_deny() {
    let read = call("Read", json!({"file_path": "docs/key"}));
    let link = facts(&[
        ("/home/dev/app/docs/key", "/home/dev/.ssh/id"),
        ("/home/dev/app", "/home/dev/app"),
    ]);
    assert_eq!(
        say(&policy(&[], &[], &["Read(/docs/**)"]), &read, None, &link),
        Nothing
    );
    assert_eq!(
        say(
            &policy(&[], &[], &["Read(/docs/**)", "Read(~/.ssh/**)"]),
            &read,
            None,
            &link
        ),
        Nothing
    );
    assert_eq!(
        say(
            &policy(&["Read(~/.ssh/**)"], &[], &["Read"]),
            &read,
            None,
            &link
        ),
        Deny
    );
    assert_eq!(
        say(
            &policy(&["Read(/docs/**)"], &[], &["Read"]),
            &read,
            None,
            &link
        ),
        Deny
    );
    // A project behind a link is still the project.
    let moved = facts(&[
        ("/home/dev/app/docs/key", "/mnt/app/docs/key"),
        ("/home/dev/app", "/mnt/app"),
    ]);
    assert_eq!(
        say(&policy(&[], &[], &["Read(/docs/**)"]), &read, None, &moved),
        Allow
    );
    // Not observed is not in favour.
    assert_eq!(
        say(
            &policy(&[], &[], &["Read(/docs/**)"]),
            &read,
            None,
            &Facts::default()
        ),
        Nothing
    );
}

#[test]
fn hosts() {
    let fetch = |url: &str| call("WebFetch", json!({"url": url, "prompt": "p"}));
    check("WebFetch", &fetch("https://x.org"), Deny, Allow);
    check(
        "WebFetch(domain:example.com)",
        &fetch("https://example.com/x"),
        Deny,
        Allow,
    );
    check(
        "WebFetch(domain:example.com)",
        &fetch("https://EXAMPLE.com.:443/x"),
        Deny,
        Allow,
    );
    check(
        "WebFetch(domain:*.example.com)",
        &fetch("https://a.b.example.com"),
        Deny,
        Allow,
    );
    check(
        "WebFetch(domain:*.example.com)",
        &fetch("https://example.com"),
        Nothing,
        Nothing,
    );
    check(
        "WebFetch(domain:example.com)",
        &fetch("https://example.com@evil.org/"),
        Nothing,
        Nothing,
    );
    check(
        "WebFetch(domain:evil.org)",
        &fetch("https://example.com@evil.org/"),
        Deny,
        Nothing,
    );
    check(
        "WebFetch(domain:example.com)",
        &fetch("https://evil.org/?https://example.com"),
        Nothing,
        Nothing,
    );
    check("WebFetch(domain:*)", &fetch("ftp://x"), Deny, Allow);
}

#[test]
fn other_tools() {
    let mcp = call("mcp__github__get_issue", json!({"n": 1}));
    check("mcp__github", &mcp, Deny, Allow);
    check("mcp__github__*", &mcp, Deny, Allow);
    check("mcp__github__get_issue", &mcp, Deny, Allow);
    check("mcp__github__get_*", &mcp, Deny, Allow);
    check("mcp__github__list_*", &mcp, Nothing, Nothing);
    check("mcp__git", &mcp, Nothing, Nothing);
    check("mcp__*", &mcp, Deny, Nothing);
    check("*", &mcp, Deny, Nothing);
    check(
        "mcp__a__b",
        &call("mcp__a__b__c", json!({})),
        Nothing,
        Nothing,
    );
    check(
        "mcp__a__b__*",
        &call("mcp__a__b__c", json!({})),
        Deny,
        Allow,
    );
    let agent = |kind: &str| {
        call(
            "Task",
            json!({"subagent_type": kind, "prompt": "p", "model": "opus"}),
        )
    };
    check("Agent", &agent("Explore"), Deny, Allow);
    check("Task", &agent("Explore"), Deny, Allow);
    check("Agent(Explore)", &agent("Explore"), Deny, Allow);
    check("Agent(Explore)", &agent("Plan"), Nothing, Nothing);
    check("Agent(model:opus)", &agent("Plan"), Deny, Nothing);
    check("Agent(model:haiku)", &agent("Plan"), Nothing, Nothing);
    check(
        "Agent(model:*)",
        &call("Agent", json!({"prompt": "p"})),
        Nothing,
        Nothing,
    );
    check(
        "Agent(general-purpose)",
        &call("Agent", json!({"prompt": "p"})),
        Deny,
        Nothing,
    );
    check(
        "Bash(run_in_background:true)",
        &call("Bash", json!({"command": "x", "run_in_background": true})),
        Deny,
        Nothing,
    );
    check(
        "Bash(rm *)",
        &call("Bash", json!({"command": ["rm"]})),
        Ask,
        Nothing,
    );
    check(
        "Bash",
        &call("Bash", json!({"command": ["rm"]})),
        Deny,
        Nothing,
    );
    check(
        "WebSearch",
        &call("WebSearch", json!({"query": "q"})),
        Deny,
        Allow,
    );
    check(
        "Skill(deploy)",
        &call("Skill", json!({"skill": "deploy"})),
        Deny,
        Allow,
    );
    check(
        "Skill(deploy)",
        &call("Skill", json!({"skill": "other"})),
        Nothing,
        Nothing,
    );
    check(
        "NoSuchTool",
        &call("Bash", json!({"command": "x"})),
        Nothing,
        Nothing,
    );
}

#[test]
fn power_shell() {
    let ps = |command: &str| call("PowerShell", json!({"command": command}));
    check("PowerShell", &ps("x"), Deny, Allow);
    check(
        "PowerShell(Get-ChildItem *)",
        &ps("gci -Recurse"),
        Deny,
        Allow,
    );
    check(
        "PowerShell(Get-ChildItem *)",
        &ps("gci; rm x"),
        Deny,
        Nothing,
    );
    check(
        "PowerShell(Remove-Item *)",
        &ps("gci | % { rm x }"),
        Deny,
        Nothing,
    );
    check("PowerShell(rm:*)", &ps("Remove-Item x"), Deny, Allow);
    check("PowerShell(git status)", &ps("GIT status"), Deny, Allow);
    check("PowerShell(echo *)", &ps("echo $(rm x)"), Deny, Nothing);
    check("Bash(rm *)", &ps("rm x"), Nothing, Nothing);
}

#[test]
fn deny_beats_ask_beats_allow() {
    let status = ToolCall::bash("git status", "/home/dev/app");
    let none = Facts::default();
    let (broad, exact) = ("Bash(git *)", "Bash(git status)");
    assert_eq!(
        say(&policy(&[broad], &[exact], &[exact]), &status, None, &none),
        Deny
    );
    assert_eq!(
        say(&policy(&[], &[broad], &[exact]), &status, None, &none),
        Ask
    );
    assert_eq!(
        say(&policy(&[], &[], &[exact]), &status, None, &none),
        Allow
    );
}

// Analyses made by hand: what the rules make of invocations and effects.

fn word(text: &str) -> Value {
    match text.strip_prefix('$') {
        Some(name) => Value::dynamic(
            DynamicSource::Variable(name.to_owned()),
            Taint::NONE,
            Span::default(),
        ),
        None => Value::text(text, Span::default()),
    }
}

fn run(command: &str, layers: &[Shell]) -> Invocation {
    Invocation {
        argv: command.split(' ').map(word).collect(),
        env: Vec::new(),
        redirects: Vec::new(),
        stdin: Stdin::Inherited,
        stdout: Stdout::Shown,
        cwd: Some("/home/dev/app".to_owned()),
        span: Span::default(),
        layers: layers.to_vec(),
        certainty: Certainty::Always,
    }
}

fn target(path: &str, extent: Extent) -> Target {
    Target {
        path: path.to_owned(),
        extent,
        typed: String::new(),
    }
}

fn effect(act: Act) -> Effect {
    Effect {
        act,
        by: 0,
        span: Span::default(),
        certainty: Certainty::Always,
    }
}

fn analysis(invocations: Vec<Invocation>, effects: Vec<Effect>) -> Analysis {
    Analysis {
        invocations,
        effects,
        coverage: Coverage::Complete,
        needs: Vec::new(),
    }
}

fn wrapper(name: &str) -> Shell {
    Shell::Wrapper(name.to_owned())
}

#[track_caller]
fn shell(deny: &[&str], allow: &[&str], analysis: &Analysis, expected: Says) {
    let found = say(
        &policy(deny, &[], allow),
        &ToolCall::bash("typed text", "/home/dev/app"),
        Some(analysis),
        &facts(&[
            ("/home/dev/app", "/home/dev/app"),
            ("/tmp/x", "/tmp/x"),
            ("/tmp/link", "/home/dev/.bashrc"),
        ]),
    );
    assert_eq!(
        found, expected,
        "deny {deny:?} allow {allow:?} on {:?}",
        analysis.invocations
    );
}

#[test]
fn nested_commands_are_denied_but_need_no_allow_of_their_own() {
    let sudo = analysis(
        vec![run("sudo rm x", &[]), run("rm x", &[wrapper("sudo")])],
        vec![],
    );
    shell(&["Bash(rm *)"], &[], &sudo, Deny);
    shell(&[], &["Bash(sudo *)"], &sudo, Allow);
    shell(&[], &["Bash(rm *)"], &sudo, Nothing);
    let script = analysis(
        vec![
            run("npm run clean", &[]),
            run("rm -rf dist", &[Shell::Task("clean".to_owned())]),
        ],
        vec![],
    );
    shell(&["Bash(rm *)"], &["Bash(npm run clean)"], &script, Deny);
    shell(&[], &["Bash(npm run clean)"], &script, Allow);
}

#[test]
fn every_typed_part_needs_an_allow() {
    let two = analysis(vec![run("git status", &[]), run("rm x", &[])], vec![]);
    shell(&[], &["Bash(git *)"], &two, Nothing);
    shell(&[], &["Bash(git *)", "Bash(rm *)"], &two, Allow);
    let body = analysis(
        vec![
            run("git status", &[]),
            run("rm x", &[Shell::Function("git".to_owned())]),
        ],
        vec![],
    );
    shell(&[], &["Bash(git *)"], &body, Nothing);
}

#[test]
fn words_known_only_at_run_time() {
    let dynamic = analysis(vec![run("git push $branch", &[])], vec![]);
    shell(&["Bash(git push *)"], &[], &dynamic, Deny);
    shell(&["Bash(git push --force)"], &[], &dynamic, Ask);
    shell(&["Bash(git pull *)"], &[], &dynamic, Nothing);
    shell(&[], &["Bash(git push *)"], &dynamic, Allow);
    shell(&[], &["Bash(git push origin)"], &dynamic, Nothing);
    let program = analysis(vec![run("$tool x", &[])], vec![]);
    shell(&["Bash(rm *)"], &[], &program, Ask);
    shell(&[], &["Bash(* x)"], &program, Nothing);
    let mut choice = run("git push", &[]);
    let options = DynamicSource::OneOf(vec!["pull".to_owned(), "push".to_owned()]);
    choice.argv[1].pieces = vec![Piece::Dynamic(Dynamic {
        source: options,
        taint: Taint::NONE,
    })];
    let choice = analysis(vec![choice], vec![]);
    shell(&["Bash(git push)"], &[], &choice, Deny);
    shell(&[], &["Bash(git pull)"], &choice, Nothing);
    shell(&[], &["Bash(git pull)", "Bash(git push)"], &choice, Allow);
}

#[test]
fn spellings_of_a_command() {
    let check = |deny: &str, command: &str, expected: Says| {
        shell(
            &[deny],
            &[],
            &analysis(vec![run(command, &[])], vec![]),
            expected,
        );
    };
    check("Bash(rm *)", "/bin/rm x", Deny);
    check("Bash(git push *)", "git -C sub push origin", Deny);
    check("Bash(git push *)", "git -c a=b --no-pager push", Deny);
    check("Bash(git push *)", "timeout 5 git push", Deny);
    check("Bash(npm publish)", "npm --prefix x publish", Deny);
    check("Bash(git push *)", "git pull", Nothing);
    let allow = |allow: &str, command: &str, expected: Says| {
        shell(
            &[],
            &[allow],
            &analysis(vec![run(command, &[])], vec![]),
            expected,
        );
    };
    allow("Bash(npm test)", "timeout 5 nice npm test", Allow);
    allow("Bash(npm test)", "timeout --weird 5 npm test", Nothing);
    allow("Bash(ls *)", "/tmp/ls x", Nothing);
    allow("Bash(l*)", "l/../evil x", Nothing);
    allow("Bash(git push *)", "git -C sub push", Nothing);
}

#[test]
fn variables_in_front() {
    let with = |name: &str| {
        let mut invocation = run("npm test", &[]);
        invocation.env.push((name.to_owned(), word("x")));
        analysis(vec![invocation], vec![])
    };
    shell(&[], &["Bash(npm test)"], &with("NODE_ENV"), Allow);
    shell(&[], &["Bash(npm test)"], &with("SOMETHING"), Nothing);
    let meddling = analysis(
        vec![run("npm test", &[])],
        vec![effect(Act::Environment {
            name: "PATH".to_owned(),
        })],
    );
    shell(&[], &["Bash(npm test)"], &meddling, Nothing);
    shell(&[], &["Bash"], &meddling, Nothing);
}

#[test]
fn redirections_need_a_permit_of_their_own() {
    let to = |path: &str| {
        let mut invocation = run("echo x", &[]);
        let target = target(path, Extent::Exact);
        invocation.redirects.push(Redirect {
            descriptor: 1,
            target,
            append: false,
            input: false,
        });
        analysis(vec![invocation], vec![])
    };
    shell(&[], &["Bash(echo *)"], &to("/dev/null"), Allow);
    shell(&[], &["Bash(echo *)"], &to("/tmp/x"), Allow);
    shell(&[], &["Bash(echo *)"], &to("/tmp/link"), Nothing);
    shell(&[], &["Bash(echo *)"], &to("/tmp/unseen"), Nothing);
    shell(&[], &["Bash(echo *)"], &to("/home/dev/.bashrc"), Nothing);
    shell(&[], &["Bash(echo *)"], &to("/home/dev/app/x"), Nothing);
    shell(
        &[],
        &["Bash(echo *)", "Edit(//tmp/**)"],
        &to("/tmp/link"),
        Nothing,
    );
}

#[test]
fn changing_directory() {
    let in_project = analysis(vec![run("cd src", &[]), run("npm test", &[])], vec![]);
    shell(&[], &["Bash(npm test)"], &in_project, Allow);
    let outside = analysis(vec![run("cd /etc", &[]), run("npm test", &[])], vec![]);
    shell(&[], &["Bash(npm test)"], &outside, Nothing);
    let git = analysis(vec![run("cd src", &[]), run("git status", &[])], vec![]);
    shell(&[], &["Bash(git status)"], &git, Nothing);
}

#[test]
fn what_is_not_understood_is_not_allowed() {
    let gap = |kind: GapKind| Analysis {
        coverage: Coverage::Partial(vec![Gap {
            kind,
            span: Span::default(),
        }]),
        ..analysis(vec![run("git status", &[])], vec![])
    };
    shell(
        &[],
        &["Bash(git status)"],
        &gap(GapKind::Syntax(String::new())),
        Nothing,
    );
    shell(&[], &["Bash(git status)"], &gap(GapKind::Budget), Nothing);
    shell(
        &[],
        &["Bash(git status)"],
        &gap(GapKind::Program("git".to_owned())),
        Allow,
    );
    shell(
        &[],
        &["Bash(typed text)"],
        &gap(GapKind::Syntax(String::new())),
        Allow,
    );
    shell(
        &["Bash(text)"],
        &[],
        &gap(GapKind::Syntax(String::new())),
        Deny,
    );
}

#[test]
fn file_rules_hold_for_what_commands_do() {
    let read = |path: &str, extent| {
        effect(Act::Read {
            target: target(path, extent),
        })
    };
    let write = |path: &str| {
        effect(Act::Write {
            target: target(path, Extent::Exact),
            how: WriteHow::Replace,
            data: Taint::NONE,
        })
    };
    let check = |deny: &str, effect: Effect, expected: Says| {
        shell(
            &[deny],
            &[],
            &analysis(vec![run("some command", &[])], vec![effect]),
            expected,
        );
    };
    check(
        "Read(./.env)",
        read("/home/dev/app/.env", Extent::Exact),
        Deny,
    );
    check(
        "Read(./.env)",
        read("/home/dev/app/.e*", Extent::Pattern),
        Deny,
    );
    check(
        "Read(./.env)",
        read("/home/dev/app/*", Extent::Pattern),
        Nothing,
    );
    check(
        "Read(*.pem)",
        read("/home/dev/app/*", Extent::Pattern),
        Nothing,
    );
    check(
        "Read(./secrets/**)",
        read("/home/dev/app/secrets/*", Extent::Pattern),
        Deny,
    );
    check("Read(./key)", read("/home/dev/app/*", Extent::Pattern), Ask);
    check(
        "Read(./.env)",
        read("/home/dev/app", Extent::Below),
        Nothing,
    );
    check(
        "Read(./secrets/**)",
        read("/home/dev/app/secrets/a", Extent::Below),
        Deny,
    );
    check(
        "Read(~/.ssh/**)",
        read("/home/dev/.ssh/", Extent::Prefix),
        Ask,
    );
    check("Read(./.env)", read("", Extent::Unknown), Nothing);
    check(
        "Edit(./.env)",
        read("/home/dev/app/.env", Extent::Exact),
        Nothing,
    );
    check("Edit(./.env)", write("/home/dev/app/.env"), Deny);
    check("Write(./.env)", write("/home/dev/app/.env"), Deny);
    check("Edit", write("/home/dev/app/.env"), Nothing);
    let delete = |path: &str| {
        effect(Act::Delete {
            target: target(path, Extent::Exact),
            tree: true,
        })
    };
    check("Edit(/data/**)", delete("/home/dev/app"), Deny);
    check("Edit(/data/**)", delete("/home/dev/app/data"), Deny);
    check("Edit(/data/**)", delete("/home/dev/app/other"), Nothing);
}

#[test]
fn broken_rules_fail_the_policy() {
    let layer = |scope, file: &str, deny: &str| Layer {
        deny: vec![Written {
            text: deny.to_owned(),
            line: 7,
        }],
        ..Layer::empty(Origin {
            scope,
            file: file.to_owned(),
            line: 0,
        })
    };
    let built = |layer| {
        Policy::new(Sources {
            layers: vec![layer],
            ..Sources::default()
        })
    };
    let broken = built(layer(Scope::User, "/c.toml", "Bash(rm *"));
    let why = broken.failure().expect("a failure");
    assert!(why.starts_with("/c.toml:7: `Bash(rm *`"), "{why}");
    assert!(
        built(layer(Scope::AgentUser, "/s.json", "Bash(rm *"))
            .failure()
            .is_some()
    );
    assert!(
        built(layer(Scope::User, "/c.toml", "-- secrets --"))
            .failure()
            .is_some()
    );
    assert!(
        built(layer(Scope::AgentUser, "/s.json", "-- secrets --"))
            .failure()
            .is_none()
    );
    // A policy with a fault allows nothing.
    let mut layer = layer(Scope::User, "/c.toml", "Bash(");
    layer.allow.push(Written {
        text: "Bash".to_owned(),
        line: 1,
    });
    let call = ToolCall::bash("git status", "/home/dev/app");
    assert_eq!(say(&built(layer), &call, None, &Facts::default()), Nothing);
}

#[test]
fn many_rules_for_other_tools_are_not_looked_at() {
    let rules: Vec<String> = (0..10_000).map(|n| format!("Bash(tool{n} *)")).collect();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let policy = policy(&rules, &[], &rules);
    let known: BTreeMap<&str, Says> = [("tool77 x", Deny), ("other x", Nothing)].into();
    for (command, expected) in known {
        assert_eq!(
            say(
                &policy,
                &ToolCall::bash(command, "/home/dev/app"),
                None,
                &Facts::default()
            ),
            expected
        );
    }
    assert_eq!(
        say(
            &policy,
            &ToolCall {
                tool: "Read".to_owned(),
                input: Map::new(),
                cwd: String::new()
            },
            None,
            &Facts::default()
        ),
        Nothing
    );
}

// The same with the real analysis.

#[track_caller]
fn real(deny: &[&str], allow: &[&str], command: &str, expected: Says) {
    let facts = facts(&[
        ("/home/dev/app", "/home/dev/app"),
        ("/home/dev/app/src", "/home/dev/app/src"),
        ("/tmp/x", "/tmp/x"),
    ]);
    let analysis = automode_shell::analyse(command, &context(), &facts.shell);
    let found = say(
        &policy(deny, &[], allow),
        &ToolCall::bash(command, "/home/dev/app"),
        Some(&analysis),
        &facts,
    );
    assert_eq!(
        found, expected,
        "deny {deny:?} allow {allow:?} on `{command}`: {analysis:#?}"
    );
}

#[test]
fn denied_however_it_is_wrapped() {
    let denied = |command: &str| real(&["Bash(rm *)"], &["Bash"], command, Deny);
    denied("rm x");
    denied("sudo rm x");
    denied("sudo -u root rm x");
    denied("bash -c 'rm x'");
    denied("sh -c \"echo a; rm x\"");
    denied("eval 'rm x'");
    denied("env A=1 rm x");
    denied("ls | xargs rm");
    denied("find . -exec rm {} \\;");
    denied("timeout 5 nice rm x");
    denied("echo $(rm x)");
    denied("(cd y && rm x)");
    denied("if true; then rm x; fi");
    denied("f() { rm x; }; f");
    denied("A=rm; $A x");
    denied("\\rm x");
    denied("'rm' x");
    denied("r\"\"m x");
    denied("/bin/rm x");
    denied("command rm x");
    denied("bash <<< 'rm x'");
    denied("ls & rm x");
    denied("! rm x");
}

#[test]
fn not_denied_for_looking_alike() {
    let free = |command: &str| {
        real(
            &["Bash(rm *)", "Bash(git push *)"],
            &["Bash"],
            command,
            Allow,
        )
    };
    free("echo rm x");
    free("grep 'rm x' file");
    free("git commit -m 'rm x; git push'");
    free("rmdir x");
    free("git pushy");
}

#[test]
fn allowed_part_by_part() {
    let git = |command: &str, expected: Says| {
        real(&[], &["Bash(git *)", "Bash(npm test *)"], command, expected)
    };
    git("git status", Allow);
    git("git  status", Allow);
    git("git status && git diff", Allow);
    git("git log | git shortlog", Allow);
    git("timeout 30 git fetch", Allow);
    git("git commit -m 'a b'", Allow);
    git("git status; rm x", Nothing);
    git("git status | cat", Nothing);
    git("git log $(rm x)", Nothing);
    git("git log > x", Nothing);
    git("git log > /dev/null 2>&1", Allow);
    git("sudo git status", Nothing);
    git("NODE_ENV=test npm test", Allow);
    git("PATH=/evil npm test", Nothing);
    git("LD_PRELOAD=/evil.so git status", Nothing);
    git("GIT_SSH_COMMAND=evil git fetch", Nothing);
    git("export PATH=/evil; git status", Nothing);
    git("PATH=/evil; git status", Nothing);
    git("git() { rm x; }; git status", Nothing);
    git("alias git=rm; git status", Nothing);
    git("cd src && npm test", Allow);
    git("cd / && npm test", Nothing);
    git("git status 'unclosed", Nothing);
    git("bash -c 'git status'", Nothing);
    git("'git status'", Nothing);
    git("./git status", Nothing);
}

#[test]
fn file_rules_on_real_commands() {
    let env = |command: &str, expected: Says| {
        real(
            &["Read(./.env)", "Edit(./.env)"],
            &["Bash"],
            command,
            expected,
        )
    };
    env("cat .env", Deny);
    env("cat ./sub/../.env", Deny);
    env("grep KEY < .env", Deny);
    env("source .env", Deny);
    env("cp .env /tmp/x", Deny);
    env("echo A=1 >> .env", Deny);
    env("rm .env", Deny);
    env("sed -i s/a/b/ .env", Deny);
    env("cat .env.example", Allow);
    env("ls -la", Allow);
}

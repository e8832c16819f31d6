//! Rules on invocations and effects that are made by hand.

use automode_shell::{
    Act, Analysis, Certainty, Coverage, Dynamic, DynamicSource, Effect, Extent, Gap, GapKind,
    Invocation, Layer as Shell, Piece, Redirect, Span, Stdin, Stdout, Taint, Target, Value,
    WriteHow,
};

use super::Says::{self, Allow, Ask, Deny, Nothing};
use super::{facts, policy, say};
use crate::ToolCall;

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
        natures: automode_shell::natures_of(command.split(' ').next().unwrap_or_default()),
        env: Vec::new(),
        redirects: Vec::new(),
        stdin: Stdin::Inherited,
        stdout: Stdout::Shown,
        output: automode_shell::Taint::NONE,
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
        steps: 0,
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
    let one = |command: &str| analysis(vec![run(command, &[])], vec![]);
    let check = |deny: &str, command: &str, expected: Says| {
        shell(&[deny], &[], &one(command), expected);
    };
    check("Bash(rm *)", "/bin/rm x", Deny);
    check("Bash(git push *)", "git -C sub push origin", Deny);
    check("Bash(git push *)", "git -c a=b --no-pager push", Deny);
    check("Bash(git push *)", "timeout 5 git push", Deny);
    check("Bash(npm publish)", "npm --prefix x publish", Deny);
    check("Bash(git push *)", "git pull", Nothing);
    let allow = |allow: &str, command: &str, expected: Says| {
        shell(&[], &[allow], &one(command), expected);
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
    let check = |deny: &[&str], allow: &[&str], kind: GapKind, expected: Says| {
        let gap = Gap {
            kind,
            span: Span::default(),
        };
        let partial = Analysis {
            coverage: Coverage::Partial(vec![gap]),
            ..analysis(vec![run("git status", &[])], vec![])
        };
        shell(deny, allow, &partial, expected);
    };
    let syntax = || GapKind::Syntax(String::new());
    let program = GapKind::Program("git".to_owned());
    check(&[], &["Bash(git status)"], syntax(), Nothing);
    check(&[], &["Bash(git status)"], GapKind::Budget, Nothing);
    check(&[], &["Bash(git status)"], program, Allow);
    check(&[], &["Bash(typed text)"], syntax(), Allow);
    check(&["Bash(text)"], &[], syntax(), Deny);
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
        let some = analysis(vec![run("some command", &[])], vec![effect]);
        shell(&[deny], &[], &some, expected);
    };
    let reads = |deny: &str, path: &str, extent, expected: Says| {
        check(deny, read(&format!("/home/dev/{path}"), extent), expected);
    };
    reads("Read(./.env)", "app/.env", Extent::Exact, Deny);
    reads("Read(./.env)", "app/.e*", Extent::Pattern, Deny);
    reads("Read(./.env)", "app/*", Extent::Pattern, Nothing);
    reads("Read(*.pem)", "app/*", Extent::Pattern, Nothing);
    reads("Read(./secrets/**)", "app/secrets/*", Extent::Pattern, Deny);
    reads("Read(./key)", "app/*", Extent::Pattern, Ask);
    reads("Read(./.env)", "app", Extent::Below, Nothing);
    reads("Read(./secrets/**)", "app/secrets/a", Extent::Below, Deny);
    reads("Read(~/.ssh/**)", ".ssh/", Extent::Prefix, Ask);
    reads("Read(~/.ssh/**)", ".ssh", Extent::Exact, Deny);
    reads("Read(~/.ssh/*)", ".ssh", Extent::Exact, Deny);
    reads("Read(~/.ssh/id)", ".ssh", Extent::Exact, Nothing);
    reads("Read(~/.ssh/**)", "", Extent::Exact, Nothing);
    reads("Edit(./.env)", "app/.env", Extent::Exact, Nothing);
    check("Read(./.env)", read("", Extent::Unknown), Nothing);
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

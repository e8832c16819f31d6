//! Rules on commands with their real analysis.

use super::Says::{self, Allow, Deny, Nothing};
use super::{context, facts, policy, say};
use crate::ToolCall;

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
    git("command git fetch", Allow);
    git("command -v git", Nothing);
    git("sudo command git fetch", Nothing);
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
    env("grep -r x .", Allow);
    env("ls -la", Allow);
}

/// A script that was read is still a file that was read.
#[test]
fn a_file_rule_holds_for_a_script_that_is_followed() {
    let mut facts = facts(&[("/home/dev/app", "/home/dev/app")]);
    let body = automode_shell::FileFact::Text {
        body: "A=1\n".to_owned(),
        session: false,
    };
    facts
        .shell
        .files
        .insert("/home/dev/app/.env".to_owned(), body);
    for command in ["source .env", ". ./.env", "bash .env"] {
        let analysis = automode_shell::analyse(command, &context(), &facts.shell);
        let call = ToolCall::bash(command, "/home/dev/app");
        let policy = policy(&["Read(./.env)"], &[], &["Bash"]);
        let found = say(&policy, &call, Some(&analysis), &facts);
        assert_eq!(found, Deny, "{command}");
    }
}

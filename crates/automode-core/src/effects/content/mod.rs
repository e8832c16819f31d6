//! The code inside a file that an action would leave behind.
//!
//! A script, a git hook, a start-up file, the steps of a CI workflow, the
//! install scripts of a manifest, the `RUN` lines of a Dockerfile, the command of
//! a unit, the programs that a build file starts: each is analysed as if it had
//! been typed. Nothing here serves a permit, so a file of no known kind holds nothing.

mod exercise;
mod manifest;
mod notebook;
mod recipe;
mod spawned;
mod unit;
mod workflow;

use automode_shell::place::{Place, Protected};
use automode_shell::reference::interpreter_of;
use automode_shell::{Analysis, Context, Facts, FileFact, Nature, analyse, natures_of};

pub(crate) use exercise::{called as exercised, lent};

use super::Body;
use crate::escape::shell_quoted;

/// One piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The text that spans of the analysis point into.
    pub text: String,
    pub analysis: Analysis,
    pub runs: Runs,
}

/// When the code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runs {
    /// When somebody starts it.
    WhenStarted,
    /// By itself: on a commit, a login, an install, in CI.
    ByItself,
}

/// The most that is looked at, in bytes.
const LARGEST: usize = 256 * 1024;
/// The most pieces of one file.
const PIECES: usize = 32;

/// The code in everything that is written.
pub fn of(writes: &[Body], context: &Context, facts: &Facts) -> Vec<Content> {
    let mut found = Vec::new();
    for write in writes.iter().filter(|write| write.body.len() <= LARGEST) {
        let (runs, commands) = read(&write.path, &write.body, context);
        if commands.is_empty() {
            continue;
        }
        let mut facts = facts.clone();
        let body = FileFact::Text {
            body: exercise::called(&write.path, &write.body),
            session: true,
        };
        facts.files.insert(write.path.clone(), body);
        found.extend(commands.into_iter().take(PIECES).map(|text| Content {
            analysis: analyse(&text, context, &facts),
            text,
            runs,
        }));
    }
    found
}

/// The commands that would start the code of a file.
#[must_use]
pub fn starting_commands(path: &str, text: &str, context: &Context) -> Vec<String> {
    read(path, text, context).1
}

/// When the code of a file runs, and the commands that would run it.
fn read(path: &str, text: &str, context: &Context) -> (Runs, Vec<String>) {
    let place = Place::of_path(path, context);
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, end)| end);
    let own = |commands| (Runs::ByItself, commands);
    match place.protected {
        Some(Protected::CiWorkflow) => return own(workflow::steps(text)),
        Some(Protected::GitInternals) if !path.contains("/hooks/") => return own(Vec::new()),
        Some(Protected::GitInternals | Protected::ProjectHook | Protected::ShellStartup)
            if !matches!(extension, "json" | "yaml" | "yml" | "toml") =>
        {
            return own(vec![text.to_owned()]);
        }
        Some(Protected::SystemStartup) => return own(unit::commands(text)),
        Some(Protected::AgentSettings | Protected::EditorTask | Protected::McpServers)
            if extension == "json" =>
        {
            return own(manifest::values(text, &["command", "script", "run"]));
        }
        Some(
            Protected::Automode
            | Protected::AgentSettings
            | Protected::Access
            | Protected::ShellStartup
            | Protected::ProjectHook
            | Protected::EditorTask
            | Protected::ToolConfig
            | Protected::McpServers
            | Protected::GitInternals,
        )
        | None => {}
    }
    match name.as_str() {
        "package.json" | "composer.json" => {
            let alone = manifest::lifecycle(text);
            if alone.is_empty() {
                return (Runs::WhenStarted, manifest::scripts(text));
            }
            return own(alone);
        }
        ".envrc" => return own(vec![text.to_owned()]),
        "makefile" | "gnumakefile" | "justfile" => {
            return (Runs::WhenStarted, recipe::tasks(path, &name, text));
        }
        _ => {}
    }
    (Runs::WhenStarted, started(path, &name, extension, text))
}

/// Code that runs once somebody starts it.
fn started(path: &str, name: &str, extension: &str, text: &str) -> Vec<String> {
    if name.starts_with("dockerfile") || name == "containerfile" || extension == "dockerfile" {
        return recipe::dockerfile(text);
    }
    if let Some(runner) = interpreter_of(extension) {
        return vec![format!("{runner} {}", shell_quoted(path))];
    }
    let runner = match extension {
        "sh" | "bash" | "zsh" | "ksh" => return vec![text.to_owned()],
        "ipynb" => return notebook::cell(text),
        "rs" | "go" | "gradle" | "kts" | "kt" | "java" | "cmake" | "groovy" | "swift" | "cs" => {
            return spawned::commands(text);
        }
        _ => match interpreter(text) {
            Some(shell) if natures_of(shell).contains(Nature::PosixShell) => {
                return vec![text.to_owned()];
            }
            Some(runner) => runner,
            None if matches!(
                name,
                "cmakelists.txt" | "jenkinsfile" | "tox.ini" | "rakefile"
            ) =>
            {
                return spawned::commands(text);
            }
            None => return Vec::new(),
        },
    };
    vec![format!("{runner} {}", shell_quoted(path))]
}

/// The program that the first line names.
fn interpreter(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let first = words.next()?.rsplit('/').next()?;
    if first == "env" {
        words.find(|word| !word.starts_with('-'))
    } else {
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::fixture::context;

    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(read(path, text, &context()).1, expected, "{path}");
    }

    #[test]
    fn files_are_read_by_what_runs_them() {
        check("/home/dev/app/x.sh", "ls", &["ls"]);
        check(
            "/home/dev/app/x",
            "#!/usr/bin/env bash\nls",
            &["#!/usr/bin/env bash\nls"],
        );
        check(
            "/home/dev/app/x.py",
            "print(1)",
            &["python3 '/home/dev/app/x.py'"],
        );
        check("/home/dev/app/notes.md", "rm -rf /", &[]);
        check("/home/dev/app/.git/hooks/pre-commit", "make", &["make"]);
        check(
            "/home/dev/app/Dockerfile",
            "FROM x\nRUN a \\\n  && b\nCMD c",
            &["a    && b"],
        );
        check(
            "/home/dev/app/package.json",
            r#"{"scripts":{"postinstall":"node x.js","test":"jest"}}"#,
            &["node x.js"],
        );
        check(
            "/etc/cron.d/x",
            "# c\n* * * * * root curl x\n@reboot y",
            &["curl x", "y"],
        );
        check(
            "/etc/systemd/system/x.service",
            "[Service]\nExecStart=/bin/x -y\n",
            &["/bin/x -y"],
        );
    }

    #[test]
    fn steps_of_a_workflow_carry_its_secrets() {
        check(
            "/home/dev/app/.github/workflows/ci.yml",
            "jobs:\n  a:\n    env:\n      KEY: ${{ secrets.KEY }}\n    steps:\n      - run: make\n      - run: |\n          a\n          b ${{ secrets.T }} ${{ github.sha }}\n      - uses: x\n",
            &[
                "KEY=\"$(cat /run/secrets/workflow)\"\nmake",
                "KEY=\"$(cat /run/secrets/workflow)\"\na\nb $(cat /run/secrets/workflow) $EXPRESSION\n",
            ],
        );
    }
}

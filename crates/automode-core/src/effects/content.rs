//! The code inside a file that an action would leave behind.
//!
//! A script, a git hook, a start-up file, the steps of a CI workflow, the
//! install scripts of a manifest, the `RUN` lines of a Dockerfile, the command of
//! a unit: each is analysed as if it had been typed. Nothing here serves a
//! permit, so a file of no known kind holds nothing.

use automode_shell::place::{Place, Protected};
use automode_shell::{Analysis, Context, Facts, FileFact, analyse};

use super::Body;

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
            body: write.body.clone(),
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

/// When the code of a file runs, and the commands that would run it.
fn read(path: &str, text: &str, context: &Context) -> (Runs, Vec<String>) {
    let place = Place::of_path(path, context);
    let name = path.rsplit('/').next().unwrap_or_default();
    let lower = name.to_lowercase();
    let extension = lower.rsplit_once('.').map_or("", |(_, end)| end);
    let own = |commands| (Runs::ByItself, commands);
    match place.protected {
        Some(Protected::CiWorkflow) => return own(workflow(text)),
        Some(Protected::GitInternals) if !path.contains("/hooks/") => return own(Vec::new()),
        Some(Protected::GitInternals | Protected::ProjectHook | Protected::ShellStartup)
            if !matches!(extension, "json" | "yaml" | "yml" | "toml") =>
        {
            return own(vec![text.to_owned()]);
        }
        Some(Protected::SystemStartup) => return own(unit(text)),
        Some(Protected::AgentSettings | Protected::EditorTask | Protected::McpServers)
            if extension == "json" =>
        {
            return own(quoted(text, &["command", "script", "run"]));
        }
        _ => {}
    }
    match lower.as_str() {
        "package.json" | "composer.json" => return own(manifest(text)),
        ".envrc" => return own(vec![text.to_owned()]),
        _ => {}
    }
    if lower == "dockerfile"
        || lower == "containerfile"
        || extension == "dockerfile"
        || lower.starts_with("dockerfile.")
    {
        return (Runs::WhenStarted, dockerfile(text));
    }
    let runner = match extension {
        "sh" | "bash" | "zsh" | "ksh" => return (Runs::WhenStarted, vec![text.to_owned()]),
        "py" => "python3",
        "js" | "mjs" | "cjs" => "node",
        "rb" => "ruby",
        "pl" => "perl",
        "php" => "php",
        _ => match interpreter(text) {
            Some("sh" | "bash" | "zsh" | "dash" | "ksh") => {
                return (Runs::WhenStarted, vec![text.to_owned()]);
            }
            Some(runner) => runner,
            None => return (Runs::WhenStarted, Vec::new()),
        },
    };
    let quoted = path.replace('\'', "'\\''");
    (Runs::WhenStarted, vec![format!("{runner} '{quoted}'")])
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

/// The steps of a CI workflow. Its secrets become reads of a secret file, so
/// that their way through a step is followed like any other.
fn workflow(text: &str) -> Vec<String> {
    const SECRET: &str = "$(cat /run/secrets/workflow)";
    let environment: String = text
        .lines()
        .filter_map(|line| {
            let (name, value) = line.trim().trim_start_matches("- ").split_once(':')?;
            let secret = value.contains("secrets.") || value.contains("github.token");
            let plain =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (secret && plain && value.trim().starts_with("${{"))
                .then(|| format!("{name}=\"{SECRET}\"\n"))
        })
        .collect();
    scalars(text, &["run", "script", "before_script", "after_script"])
        .into_iter()
        .map(|step| format!("{environment}{}", expressions(&step, SECRET)))
        .collect()
}

/// `${{ secrets.X }}` read as a secret, any other expression as an unknown variable.
fn expressions(step: &str, secret: &str) -> String {
    let mut out = String::with_capacity(step.len());
    let mut rest = step;
    while let Some((before, after)) = rest.split_once("${{") {
        out.push_str(before);
        let Some((inside, tail)) = after.split_once("}}") else {
            break;
        };
        let is_secret = inside.contains("secrets.")
            || inside.contains("github.token")
            || inside.contains("toJSON(secrets)");
        out.push_str(if is_secret { secret } else { "$EXPRESSION" });
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The values of these keys in YAML: on one line, as a block, or as a list.
fn scalars(text: &str, keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_start();
        let entry = bare.strip_prefix("- ").unwrap_or(bare);
        let Some((key, value)) = entry.split_once(':') else {
            continue;
        };
        if !keys.contains(&key.trim()) {
            continue;
        }
        let value = value.trim();
        if !value.is_empty() && !value.starts_with(['|', '>']) {
            found.push(value.trim_matches(['"', '\'']).to_owned());
            continue;
        }
        let indent = line.len().saturating_sub(entry.len());
        let mut block = String::new();
        while let Some(next) = lines.peek() {
            let inner = next.trim_start();
            let deeper = next.len().saturating_sub(inner.len()) > indent;
            let listed = value.is_empty() && inner.starts_with("- ");
            if !inner.is_empty() && !deeper && !listed {
                break;
            }
            let command = if value.is_empty() {
                inner.strip_prefix("- ").unwrap_or(inner)
            } else {
                inner
            };
            block.push_str(command);
            block.push('\n');
            lines.next();
        }
        found.push(block);
    }
    found
}

/// Scripts that a package manager runs on its own.
fn manifest(text: &str) -> Vec<String> {
    quoted(
        text,
        &[
            "preinstall",
            "install",
            "postinstall",
            "prepare",
            "prepublish",
            "prepack",
            "post-install-cmd",
            "post-update-cmd",
            "pre-install-cmd",
        ],
    )
}

/// The text values of these keys, anywhere in a JSON document.
fn quoted(text: &str, keys: &[&str]) -> Vec<String> {
    fn walk(value: &serde_json::Value, keys: &[&str], found: &mut Vec<String>, depth: usize) {
        if depth == 0 {
            return;
        }
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        serde_json::Value::String(text) if keys.contains(&key.as_str()) => {
                            found.push(text.clone());
                        }
                        other => walk(other, keys, found, depth.saturating_sub(1)),
                    }
                }
            }
            serde_json::Value::Array(list) => {
                for value in list {
                    walk(value, keys, found, depth.saturating_sub(1));
                }
            }
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    match serde_json::from_str(text) {
        Ok(value) => walk(&value, keys, &mut found, 16),
        // A fragment of an edit: the pairs on its lines.
        Err(_) => found.extend(text.lines().filter_map(|line| {
            let (key, value) = line.trim().split_once(':')?;
            let value = value.trim().trim_end_matches(',');
            keys.contains(&key.trim().trim_matches('"'))
                .then(|| serde_json::from_str::<String>(value).ok())
                .flatten()
        })),
    }
    found
}

/// The `RUN` lines, continued lines joined.
fn dockerfile(text: &str) -> Vec<String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    joined
        .lines()
        .filter_map(|line| {
            let (word, rest) = line.trim().split_once(char::is_whitespace)?;
            let rest = rest.trim();
            (word.eq_ignore_ascii_case("run") && !rest.starts_with('['))
                .then(|| rest.trim_start_matches("--mount=type=cache").to_owned())
        })
        .collect()
}

/// What a unit, a desktop entry or a cron table starts; other files are shell.
fn unit(text: &str) -> Vec<String> {
    let started: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let key = key.trim();
            (key.starts_with("Exec") || key == "TryExec").then(|| {
                value
                    .trim_start_matches(['-', '@', '+', '!', ':', ' '])
                    .to_owned()
            })
        })
        .collect();
    if started.is_empty() {
        text.lines().filter_map(cron_command).collect()
    } else {
        started
    }
}

/// The command of a line of a cron table, after the times and an optional user.
fn cron_command(line: &str) -> Option<String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let timed = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_digit() || "*/,-".contains(c))
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let times = if words.first().is_some_and(|word| word.starts_with('@')) {
        1
    } else if words.len() > 5 && words.iter().take(5).all(|word| timed(word)) {
        5
    } else {
        return Some(line.to_owned());
    };
    let rest = words.get(times..)?;
    let rest = match rest {
        ["root", rest @ ..] => rest,
        rest => rest,
    };
    Some(rest.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Context {
        Context {
            cwd: "/home/dev/app".to_owned(),
            home: Some("/home/dev".to_owned()),
            roots: vec!["/home/dev/app".to_owned()],
            variables: Vec::new(),
        }
    }

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

//! Shell commands as rules see them: rendered text, wrappers seen through.
//!
//! A rule is held against the words of an invocation joined by single blanks,
//! quoted where a word could be read as several. Words that are only known at run
//! time become [`UNKNOWN`]: they never satisfy a permit's literal text, and a veto
//! that could match them is a maybe.

use std::borrow::Cow;

use automode_shell::{DynamicSource, Invocation, Piece, Value};

use super::glob::UNKNOWN;

/// Most readings of one invocation that loops and branches may give.
const MAX_READINGS: usize = 16;

/// Variables that change how a program talks, not what it runs.
const SAFE_VARIABLES: &[&str] = &[
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "GOARCH",
    "GOOS",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "LOG_LEVEL",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Whether setting the variable in front of a command leaves what it runs alone.
pub(super) fn safe_variable(name: &str) -> bool {
    SAFE_VARIABLES.contains(&name)
}

/// Programs that run their arguments and change nothing else about them.
#[derive(Clone, Copy)]
struct Wrapper {
    name: &'static str,
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options whose value is the next word, or joined to the option.
    valued: &'static [&'static str],
    /// Operands in front of the command.
    operands: usize,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "timeout",
        flags: &["--foreground", "--preserve-status", "-v", "--verbose"],
        valued: &["-s", "--signal", "-k", "--kill-after"],
        operands: 1,
    },
    Wrapper {
        name: "nice",
        flags: &[],
        valued: &["-n", "--adjustment"],
        operands: 0,
    },
    Wrapper {
        name: "nohup",
        flags: &[],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "time",
        flags: &["-p", "-v", "--verbose", "--portability"],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "stdbuf",
        flags: &[],
        valued: &["-i", "--input", "-o", "--output", "-e", "--error"],
        operands: 0,
    },
    Wrapper {
        name: "command",
        flags: &["-p"],
        valued: &[],
        operands: 0,
    },
];

/// The words that a wrapper in front would run; `None` where there is none, or
/// where it has an option that is not known to be harmless.
pub(super) fn unwrapped<W: AsRef<str>>(words: &[W]) -> Option<&[W]> {
    let (head, mut rest) = words.split_first()?;
    let wrapper = WRAPPERS
        .iter()
        .find(|wrapper| wrapper.name == head.as_ref())?;
    loop {
        let word = rest.first()?.as_ref();
        if word == "--" {
            rest = rest.get(1..)?;
            break;
        }
        if !word.starts_with('-') {
            break;
        }
        let joined = wrapper.valued.iter().any(|option| {
            word.strip_prefix(option).is_some_and(|value| {
                !value.is_empty() && (!option.starts_with("--") || value.starts_with('='))
            })
        });
        rest = if wrapper.flags.contains(&word) || joined {
            rest.get(1..)?
        } else if wrapper.valued.contains(&word) {
            rest.get(2..)?
        } else {
            return None;
        };
    }
    let command = rest.get(wrapper.operands..)?;
    (!command.is_empty()).then_some(command)
}

/// Every reading of the words: one, or several where loops and branches give a
/// word different texts.
pub(super) fn readings(argv: &[Value]) -> Vec<Vec<String>> {
    let mut readings: Vec<Vec<String>> = vec![Vec::new()];
    for value in argv {
        let texts = texts(value);
        let grown = readings.len().saturating_mul(texts.len());
        let texts = if grown > MAX_READINGS {
            vec![UNKNOWN.to_string()]
        } else {
            texts
        };
        readings = readings
            .iter()
            .flat_map(|words| {
                texts.iter().map(|text| {
                    let mut words = words.clone();
                    words.push(text.clone());
                    words
                })
            })
            .collect();
    }
    readings
}

fn texts(value: &Value) -> Vec<String> {
    let mut texts = vec![String::new()];
    for piece in &value.pieces {
        let choices: Vec<Cow<'_, str>> = match piece {
            Piece::Text(text) | Piece::Glob(text) => {
                vec![Cow::Owned(text.replace(UNKNOWN, "\u{fffd}"))]
            }
            Piece::Dynamic(dynamic) => match &dynamic.source {
                DynamicSource::OneOf(options)
                    if !options.is_empty() && options.len() <= MAX_READINGS =>
                {
                    options
                        .iter()
                        .map(|option| Cow::Borrowed(option.as_str()))
                        .collect()
                }
                DynamicSource::OneOf(_)
                | DynamicSource::Variable(_)
                | DynamicSource::Argument
                | DynamicSource::Output
                | DynamicSource::Item
                | DynamicSource::Number
                | DynamicSource::Unknown => vec![Cow::Owned(UNKNOWN.to_string())],
            },
        };
        texts = texts
            .iter()
            .flat_map(|text| choices.iter().map(move |choice| format!("{text}{choice}")))
            .collect();
    }
    texts
}

/// The words as one text, quoted where a blank or a special character stands in one.
pub(super) fn quoted<W: AsRef<str>>(words: &[W]) -> String {
    let special = |c: char| c.is_whitespace() || "'\"\\`;|&<>()".contains(c);
    let words: Vec<Cow<'_, str>> = words
        .iter()
        .map(|word| {
            let word = word.as_ref();
            if word.is_empty() || word.contains(special) {
                Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
            } else {
                Cow::Borrowed(word)
            }
        })
        .collect();
    words.join(" ")
}

/// All texts of an invocation that a veto is held against.
pub(super) fn suspects(invocation: &Invocation, typed: &str) -> Vec<String> {
    let mut found = Vec::new();
    if invocation.layers.is_empty() && !typed.is_empty() {
        found.push(typed.to_owned());
    }
    for words in readings(&invocation.argv) {
        let mut forms: Vec<Vec<String>> = vec![words];
        if let Some(inner) = forms.first().and_then(|words| unwrapped(words)) {
            forms.push(inner.to_vec());
        }
        if let Some(plain) = forms.last().and_then(|words| without_globals(words)) {
            forms.push(plain);
        }
        for mut words in forms {
            found.push(quoted(&words));
            found.push(words.join(" "));
            let base = words
                .first()
                .and_then(|head| head.rsplit_once('/'))
                .map(|(_, base)| base.to_owned());
            if let (Some(base), Some(head)) = (base, words.first_mut()) {
                *head = base;
                found.push(quoted(&words));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Options that stand between a program and its subcommand and take a value.
const GLOBALS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--config-env",
        ],
    ),
    (
        "docker",
        &[
            "-H",
            "--host",
            "--context",
            "-c",
            "--config",
            "-l",
            "--log-level",
        ],
    ),
    (
        "podman",
        &["--url", "--connection", "-c", "--log-level", "--root"],
    ),
    (
        "kubectl",
        &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--kubeconfig",
            "--user",
            "-s",
            "--server",
        ],
    ),
    (
        "helm",
        &["-n", "--namespace", "--kube-context", "--kubeconfig"],
    ),
    ("npm", &["--prefix", "-C", "-w", "--workspace"]),
    ("pnpm", &["-C", "--dir", "-F", "--filter"]),
    ("yarn", &["--cwd"]),
    (
        "cargo",
        &["-C", "-Z", "--config", "--color", "--manifest-path"],
    ),
    (
        "aws",
        &[
            "--profile",
            "--region",
            "--output",
            "--endpoint-url",
            "--ca-bundle",
        ],
    ),
    (
        "gcloud",
        &["--project", "--account", "--configuration", "--format"],
    ),
    ("gh", &["-R", "--repo"]),
    ("go", &["-C"]),
    ("make", &["-C", "-f", "-j"]),
];

/// The words without options in front of the subcommand: `git -C x push` is a push.
fn without_globals(words: &[String]) -> Option<Vec<String>> {
    let (head, rest) = words.split_first()?;
    let base = head.rsplit('/').next()?;
    let (_, valued) = GLOBALS.iter().find(|(program, _)| *program == base)?;
    let mut rest = rest;
    while let Some(word) = rest.first() {
        let toolchain = base == "cargo" && word.starts_with('+');
        if !word.starts_with('-') && !toolchain {
            break;
        }
        let skip = if valued.contains(&word.as_str()) {
            2
        } else {
            1
        };
        rest = rest.get(skip..).unwrap_or_default();
    }
    let mut plain = vec![base.to_owned()];
    plain.extend(rest.iter().cloned());
    (plain.len() < words.len()).then_some(plain)
}

/// Forms of a program that a wildcard rule on it does not speak of: they delete
/// or run other programs behind an innocent name.
const HIDDEN: &[(&str, &[&str])] = &[
    (
        "find",
        &[
            "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf",
            "-fls",
        ],
    ),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
];

/// Whether only an exact rule may permit these words.
pub(super) fn hides<W: AsRef<str>>(words: &[W]) -> bool {
    let Some((head, rest)) = words.split_first() else {
        return false;
    };
    let base = head.as_ref().rsplit('/').next().unwrap_or_default();
    HIDDEN
        .iter()
        .filter(|(program, _)| *program == base)
        .any(|(_, options)| rest.iter().any(|word| options.contains(&word.as_ref())))
}

/// Everything in unparsed text that could be a command, for vetoes only: each
/// word with all that follows it in its segment. `None`: too much to look at.
pub(super) fn raw_suspects(text: &str) -> Option<Vec<String>> {
    const MAX_WORDS: usize = 4096;
    const MAX_TAIL: usize = 64;
    let cleaned: String = text
        .replace("\\\n", "")
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\'))
        .map(|c| if c == UNKNOWN { '\u{fffd}' } else { c })
        .collect();
    let mut found = vec![text.trim().to_owned()];
    for segment in cleaned.split([';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`']) {
        let words: Vec<String> = segment
            .split_whitespace()
            .map(|word| match word.split_once('$') {
                Some((known, _)) => format!("{known}{UNKNOWN}"),
                None => word.to_owned(),
            })
            .collect();
        for at in 0..words.len() {
            let end = at.saturating_add(MAX_TAIL).min(words.len());
            let Some(tail) = words.get(at..end) else {
                continue;
            };
            found.push(tail.join(" "));
            if let Some((_, base)) = tail.first().and_then(|head| head.rsplit_once('/')) {
                let mut tail = tail.to_vec();
                if let Some(head) = tail.first_mut() {
                    *head = base.to_owned();
                }
                found.push(tail.join(" "));
            }
            if found.len() > MAX_WORDS {
                return None;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: Option<&str>) {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(
            unwrapped(&words).map(|words| words.join(" ")).as_deref(),
            expected,
            "{command}"
        );
    }

    #[test]
    fn wrappers() {
        check("timeout 5 npm test", Some("npm test"));
        check("timeout -s KILL 5 npm test", Some("npm test"));
        check(
            "timeout --signal=KILL --foreground 5 npm test",
            Some("npm test"),
        );
        check("timeout -k5 5 npm test", Some("npm test"));
        check("timeout 5", None);
        check("timeout --unknown 5 npm", None);
        check("nice npm test", Some("npm test"));
        check("nice -n 5 npm test", Some("npm test"));
        check("nice -n5 npm test", Some("npm test"));
        check("nohup npm test", Some("npm test"));
        check("time -p npm test", Some("npm test"));
        check("time -o log npm test", None);
        check("stdbuf -oL -e 0 npm test", Some("npm test"));
        check("command npm test", Some("npm test"));
        check("command -v npm", None);
        check("command -- npm test", Some("npm test"));
        check("sudo npm test", None);
        check("npm test", None);
    }

    #[test]
    fn globals() {
        let check = |command: &str, expected: Option<&str>| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(
                without_globals(&words)
                    .map(|words| words.join(" "))
                    .as_deref(),
                expected,
                "{command}"
            );
        };
        check("git -C x push", Some("git push"));
        check("git --no-pager -c a=b push -f", Some("git push -f"));
        check("git push", None);
        check("kubectl -n prod delete pod", Some("kubectl delete pod"));
        check("cargo +nightly publish", Some("cargo publish"));
    }

    #[test]
    fn quoting() {
        assert_eq!(
            quoted(&["git", "commit", "-m", "a b"]),
            "git commit -m 'a b'"
        );
        assert_eq!(quoted(&["git status"]), "'git status'");
        assert_eq!(quoted(&["echo", "it's", ""]), r"echo 'it'\''s' ''");
    }
}

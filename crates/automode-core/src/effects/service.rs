//! What a tool of a server does, by its name and its arguments.
//!
//! The name says what kind of thing it is; the arguments say what it is done to.
//! A path, an address, a command line or a statement among them has the effects
//! that it would have anywhere else, and a secret that is handed over is handed
//! out. Arguments only ever add effects: none makes a tool look safer.

use automode_shell::place::Place;
use automode_shell::{
    Act, Analysis, Certainty, CloudVerb, Context, Coverage, Direction, Effect, Facts, Gap, GapKind,
    Span, Taint, Target, WriteHow, analyse,
};
use serde_json::{Map, Value};

use super::Verb;
use super::{fetch, locate};
use crate::redact::redact;

/// The most arguments that are looked at, and how deep they may lie.
const MOST: usize = 64;
const DEEPEST: usize = 6;
/// The longest text that can be a path.
const LONGEST: usize = 1024;

/// The effects of a call to a server.
pub fn of(
    server: &str,
    tool: &str,
    input: &Map<String, Value>,
    context: &Context,
    facts: &Facts,
) -> Analysis {
    let verb = Verb::of(tool);
    let mut found = Found::default();
    let service = format!("{server}: {tool}");
    let coverage = match verb {
        None => Coverage::Opaque(Gap {
            kind: GapKind::Unseen(format!("what {tool} does")),
            span: Span::default(),
        }),
        Some(verb) => {
            found.act(match verb {
                Verb::Send => Act::Message { service },
                Verb::Read if keeps_secrets(server, tool) => Act::Cloud {
                    service,
                    verb: CloudVerb::Secret,
                },
                Verb::Read | Verb::Change | Verb::Run | Verb::Grant | Verb::Delete | Verb::Pay => {
                    Act::Cloud {
                        service,
                        verb: verb.on_service(),
                    }
                }
            });
            Coverage::Complete
        }
    };
    let mut arguments = Vec::new();
    for (key, value) in input {
        flatten(key, value, DEEPEST, &mut arguments);
    }
    for (key, text) in arguments.into_iter().take(MOST) {
        found.argument(&Argument { key, text, tool }, verb, context, facts);
    }
    Analysis {
        invocations: found.invocations,
        effects: found.effects,
        coverage,
        needs: Vec::new(),
    }
}

struct Argument<'a> {
    key: &'a str,
    text: &'a str,
    tool: &'a str,
}

#[derive(Default)]
struct Found {
    invocations: Vec<automode_shell::Invocation>,
    effects: Vec<Effect>,
}

impl Found {
    fn act(&mut self, act: Act) {
        self.effects.push(Effect {
            act,
            by: usize::MAX,
            span: Span::default(),
            certainty: Certainty::Always,
        });
    }

    fn argument(
        &mut self,
        argument: &Argument<'_>,
        verb: Option<Verb>,
        context: &Context,
        facts: &Facts,
    ) {
        const COMMANDS: &[&str] = &[
            "command",
            "cmd",
            "cli_command",
            "shell_command",
            "command_line",
            "commandline",
            "script",
            "bash",
            "shell",
        ];
        const STATEMENTS: &[&str] = &[
            "sql",
            "query",
            "queries",
            "statement",
            "statements",
            "q",
            "text",
            "script",
        ];
        const GRAPHS: &[&str] = &[
            "query",
            "mutation",
            "operation",
            "document",
            "graphql",
            "body",
            "operations",
        ];
        let text = argument.text;
        let key = argument.key.to_lowercase();
        if redact(text) != text {
            self.act(Act::Credential {
                what: format!("a secret in `{}`", argument.key),
                direction: Direction::Send,
            });
        }
        if COMMANDS.contains(&key.as_str()) {
            self.command(text, context, facts);
        } else if STATEMENTS.contains(&key.as_str()) && is_statement(text) {
            let quoted = without_comments(text).replace('\'', "'\\''");
            let read = analyse(&format!("psql -c '{quoted}'"), context, facts);
            let stated = |effect: &Effect| matches!(effect.act, Act::Database { .. });
            for effect in read.effects.into_iter().filter(stated) {
                self.act(effect.act);
            }
        } else if GRAPHS.contains(&key.as_str()) && is_mutation(text) {
            self.act(Act::Cloud {
                service: argument.tool.to_owned(),
                verb: CloudVerb::Change,
            });
        } else if text.contains("://") {
            self.act(fetch(text, context));
        } else if let Some(target) = path(&key, text, context) {
            self.act(touched(target, &key, argument.tool, verb));
        }
    }

    /// A command line, wherever it would run.
    fn command(&mut self, text: &str, context: &Context, facts: &Facts) {
        let read = analyse(text, context, facts);
        let before = self.invocations.len();
        self.invocations
            .extend(read.invocations.into_iter().map(|start| {
                // Spans point into the argument, which nothing quotes.
                automode_shell::Invocation {
                    span: Span::default(),
                    ..start
                }
            }));
        self.effects
            .extend(read.effects.into_iter().map(|effect| Effect {
                by: effect.by.saturating_add(before),
                span: Span::default(),
                ..effect
            }));
    }
}

/// A path of this machine: spelled out, or the name of a secret.
fn path(key: &str, text: &str, context: &Context) -> Option<Target> {
    let plain = text.len() <= LONGEST && !text.contains(['\n', '\0']);
    let spelled = text.starts_with('/') || text.starts_with("~/");
    let named = ["path", "file", "dir", "folder", "uri"]
        .iter()
        .any(|word| key.contains(word));
    let target = locate(text, context);
    let secret = named && Place::of(&target, context).secret.is_some();
    (plain && (secret || (spelled && (named || text.len() > 1) && !text.contains(' '))))
        .then_some(target)
}

/// What a tool of this kind does to a path that it is given.
fn touched(target: Target, key: &str, tool: &str, verb: Option<Verb>) -> Act {
    let moves = tool.contains("move") || tool.contains("rename");
    let origin = ["source", "src", "from", "old"]
        .iter()
        .any(|word| key.contains(word));
    match verb {
        Some(Verb::Delete) => Act::Delete { target, tree: true },
        Some(Verb::Change) if moves && origin => Act::Delete { target, tree: true },
        Some(Verb::Change) if !origin => Act::Write {
            target,
            how: WriteHow::Replace,
            data: Taint::UNKNOWN,
        },
        // Whatever the tool does, what is named as output is written.
        Some(Verb::Change | Verb::Read | Verb::Run | Verb::Send | Verb::Grant | Verb::Pay)
        | None
            if [
                "output", "out_", "dest", "save", "download", "target", "write",
            ]
            .iter()
            .any(|word| key.contains(word)) =>
        {
            Act::Write {
                target,
                how: WriteHow::Replace,
                data: Taint::UNKNOWN,
            }
        }
        Some(Verb::Change | Verb::Read | Verb::Run | Verb::Send | Verb::Grant | Verb::Pay)
        | None => Act::Read { target },
    }
}

/// A store of secrets, or a tool that gets one.
fn keeps_secrets(server: &str, tool: &str) -> bool {
    const STORES: &[&str] = &[
        "vault",
        "1password",
        "onepassword",
        "bitwarden",
        "lastpass",
        "keychain",
        "doppler",
        "infisical",
        "keepass",
    ];
    const NOUNS: &[&str] = &["secret", "password", "credential", "passphrase", "apikey"];
    /// Words that keep secrets only where they stand alone.
    const WORDS: &[&str] = &[
        "env",
        "environ",
        "environment",
        "dotenv",
        "token",
        "tokens",
        "cookie",
        "cookies",
        "keyring",
    ];
    let words = words(tool);
    let (server, tool) = (server.to_lowercase(), tool.to_lowercase());
    STORES.iter().any(|store| server.contains(store))
        || NOUNS.iter().any(|noun| tool.contains(noun))
        || words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The words of a name: `get-env`, `get_env` and `getEnv` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c.is_uppercase() && before.is_lowercase();
        if (begins || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

/// Text that begins like a statement of SQL.
fn is_statement(text: &str) -> bool {
    const VERBS: &[&str] = &[
        "select", "insert", "update", "delete", "drop", "truncate", "alter", "create", "grant",
        "revoke", "with", "merge", "call", "copy", "set", "begin",
    ];
    let bare = without_comments(text);
    bare.split(';').any(|statement| {
        statement
            .split(|c: char| !c.is_ascii_alphabetic())
            .find(|word| !word.is_empty())
            .is_some_and(|word| VERBS.contains(&word.to_lowercase().as_str()))
    })
}

/// A statement without the comments that may stand before its verb.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = after.split_once("*/").map_or("", |(_, tail)| tail);
    }
    out.push_str(rest);
    out.lines()
        .map(|line| line.split_once("--").map_or(line, |(code, _)| code))
        .map(|line| line.strip_prefix('#').map_or(line, |_| ""))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A change in the language of graphs.
fn is_mutation(text: &str) -> bool {
    let bare: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n");
    bare.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| matches!(word, "mutation" | "subscription"))
        && bare.contains('{')
}

/// The texts among the arguments, with the key that they stand under.
fn flatten<'a>(key: &'a str, value: &'a Value, depth: usize, found: &mut Vec<(&'a str, &'a str)>) {
    if depth == 0 || found.len() >= MOST {
        return;
    }
    match value {
        Value::String(text) => found.push((key, text)),
        Value::Array(list) => {
            for value in list {
                flatten(key, value, depth.saturating_sub(1), found);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                flatten(key, value, depth.saturating_sub(1), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

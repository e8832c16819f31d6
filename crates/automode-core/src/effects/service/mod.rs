//! What a tool of a server does, by its name and its arguments.
//!
//! The name says what kind of thing it is; the arguments say what it is done to.
//! A path, an address, a command line or a statement among them has the effects
//! that it would have anywhere else, and a secret that is handed over is handed
//! out. Arguments only ever add effects: none makes a tool look safer, and one that is
//! not known lowers the coverage.

mod key;
mod resource;
mod statement;

use automode_shell::place::Place;
use automode_shell::{
    Act, Analysis, Certainty, CloudVerb, Context, Coverage, Direction, Effect, Facts, Gap, GapKind,
    Span, Taint, Target, WriteHow, analyse,
};
use serde_json::{Map, Value};

use self::key::FieldKey;
use self::resource::ResourceName;
use self::statement::{StatementStore, changes, is_mutation, is_statement};
use super::verb::words;
use super::{Verb, fetch, locate};
use crate::redact::redact;
use crate::tool::READ_RESOURCE;

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
    let mut found = ServiceFound::default();
    let service = format!("{server}: {tool}");
    match verb {
        None => found.unseen(format!("what {tool} does")),
        Some(verb) => found.act(match verb {
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
        }),
    }
    let tool = ServiceTool {
        name: tool,
        verb,
        store: StatementStore::of(&[words(server), words(tool)].concat()),
    };
    let mut arguments = Vec::new();
    for (key, value) in input {
        flatten((key, key::of(key)), value, DEEPEST, &mut arguments);
    }
    if arguments.len() >= MOST {
        found.unseen(format!("all the arguments of {}", tool.name));
    }
    for argument in &arguments {
        found.argument(argument, &tool, context, facts);
    }
    Analysis {
        invocations: found.invocations,
        effects: found.effects,
        coverage: found.coverage,
        needs: Vec::new(),
        steps: 0,
    }
}

/// The tool that is called.
struct ServiceTool<'a> {
    name: &'a str,
    verb: Option<Verb>,
    store: StatementStore,
}

/// One value among the arguments, with the key that it stands under.
struct ServiceArgument<'a> {
    name: &'a str,
    key: FieldKey,
    value: &'a Value,
}

struct ServiceFound {
    invocations: Vec<automode_shell::Invocation>,
    effects: Vec<Effect>,
    coverage: Coverage,
}

impl Default for ServiceFound {
    fn default() -> Self {
        Self {
            invocations: Vec::new(),
            effects: Vec::new(),
            coverage: Coverage::Complete,
        }
    }
}

/// Names of arguments that hold a command line, a statement or a graph of questions.
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
    "exec",
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

impl ServiceFound {
    fn act(&mut self, act: Act) {
        self.effects.push(Effect {
            act,
            by: usize::MAX,
            span: Span::default(),
            certainty: Certainty::Always,
        });
    }

    /// Something about the call is not known.
    fn unseen(&mut self, what: String) {
        let gap = Gap {
            kind: GapKind::Unseen(what),
            span: Span::default(),
        };
        self.covers(Coverage::Opaque(gap));
    }

    fn covers(&mut self, coverage: Coverage) {
        let before = std::mem::replace(&mut self.coverage, Coverage::Complete);
        self.coverage = before.and(coverage);
    }

    fn argument(
        &mut self,
        argument: &ServiceArgument<'_>,
        tool: &ServiceTool<'_>,
        context: &Context,
        facts: &Facts,
    ) {
        let name = argument.name;
        let nothing = match argument.value {
            Value::Bool(value) => !value,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => {
                matches!(
                    text.to_lowercase().as_str(),
                    "" | "false" | "no" | "0" | "off" | "none"
                )
            }
            Value::Null | Value::Array(_) | Value::Object(_) => true,
        };
        let Value::String(text) = argument.value else {
            let flag = argument.value.is_boolean();
            match argument.key {
                FieldKey::Holds if nothing => {
                    self.unseen(format!("what `{name}` no longer holds back"))
                }
                FieldKey::Commands | FieldKey::Names if !nothing => {
                    self.unseen(format!("what `{name}` does"))
                }
                FieldKey::Unknown if flag && !nothing => self.unseen(format!("what `{name}` does")),
                FieldKey::Holds
                | FieldKey::Commands
                | FieldKey::Names
                | FieldKey::Selects
                | FieldKey::Unknown => {}
            }
            return;
        };
        if redact(text) != *text {
            self.act(Act::Credential {
                what: format!("a secret in `{name}`"),
                direction: Direction::Send,
            });
        }
        if self.said(name, text, tool, context, facts) || nothing && argument.key != FieldKey::Holds
        {
            return;
        }
        match argument.key {
            FieldKey::Names => self.named(name, text, tool),
            FieldKey::Holds if nothing => {
                self.unseen(format!("what `{name}` no longer holds back"))
            }
            FieldKey::Commands | FieldKey::Unknown => self.unseen(format!("what `{name}` does")),
            FieldKey::Holds | FieldKey::Selects => {}
        }
    }

    /// What a text does by what it is: a command line, a statement, an address, a path.
    fn said(
        &mut self,
        name: &str,
        text: &str,
        tool: &ServiceTool<'_>,
        context: &Context,
        facts: &Facts,
    ) -> bool {
        let key = name.to_lowercase();
        let states = STATEMENTS.contains(&key.as_str());
        let shown = matches!(key.as_str(), "resource" | "resources" | "kind" | "type");
        if tool.store == StatementStore::Other && changes(text) {
            self.unseen(format!("what `{name}` does there"));
            true
        } else if COMMANDS.contains(&key.as_str()) {
            self.command(text, context, facts);
            true
        } else if states && (tool.store == StatementStore::Relational || is_statement(&key, text)) {
            self.statement(text, &key, tool.store, context, facts);
            true
        } else if GRAPHS.contains(&key.as_str()) && is_mutation(text) {
            self.changed(tool);
            true
        } else if tool.name == READ_RESOURCE
            && key == "uri"
            && let Some(name) = ResourceName::read(text)
        {
            self.resource(&name, tool, context);
            false
        } else if text.contains("://") {
            self.act(fetch(text, context));
            false
        } else if let Some(target) = path(&key, text, context) {
            self.act(touched(target, &key, tool));
            false
        } else if shown && keeps_secrets("", text) {
            self.act(Act::Cloud {
                service: tool.name.to_owned(),
                verb: CloudVerb::Secret,
            });
            true
        } else {
            false
        }
    }

    /// What a server keeps under a name of its own.
    fn resource(&mut self, name: &ResourceName, tool: &ServiceTool<'_>, context: &Context) {
        if keeps_secrets(&name.scheme, &name.rest) {
            self.act(Act::Cloud {
                service: tool.name.to_owned(),
                verb: CloudVerb::Secret,
            });
        }
        for place in name.places() {
            let target = locate(&place, context);
            self.act(Act::Read { target });
        }
    }

    fn changed(&mut self, tool: &ServiceTool<'_>) {
        self.act(Act::Cloud {
            service: tool.name.to_owned(),
            verb: CloudVerb::Change,
        });
    }

    /// `method = "DELETE"`, `action = "list"`: the value is the verb.
    fn named(&mut self, name: &str, text: &str, tool: &ServiceTool<'_>) {
        /// Requests and forms of answers that change nothing.
        const FORMS: &[&str] = &[
            "head", "options", "json", "jsonl", "yaml", "csv", "xml", "html", "markdown", "md",
            "text", "plain", "table", "wide", "name", "content", "raw", "compact",
        ];
        let plain = text.to_lowercase();
        match Verb::of(&plain) {
            Some(Verb::Read) => {}
            Some(verb) => self.act(Act::Cloud {
                service: tool.name.to_owned(),
                verb: verb.on_service(),
            }),
            None if FORMS.contains(&plain.as_str()) || name == "mode" => {}
            None => self.unseen(format!("what `{name}` does")),
        }
    }

    /// A statement of SQL. What it does to the data counts, and in a store of data also
    /// what is not understood of it.
    fn statement(
        &mut self,
        text: &str,
        key: &str,
        store: StatementStore,
        context: &Context,
        facts: &Facts,
    ) {
        let quoted = text.replace('\'', "'\\''");
        let read = analyse(&format!("psql -c '{quoted}'"), context, facts);
        let stated = |effect: &Effect| matches!(effect.act, Act::Database { .. });
        for effect in read.effects.into_iter().filter(stated) {
            self.act(effect.act);
        }
        let meant = store == StatementStore::Relational
            || matches!(key, "sql" | "statement" | "statements");
        // The comments of one server are the code of another.
        if meant && text.contains("/*!") {
            self.unseen("a comment that some servers execute".to_owned());
        } else if meant {
            self.covers(read.coverage);
        }
    }

    /// A command line, wherever it would run.
    fn command(&mut self, text: &str, context: &Context, facts: &Facts) {
        let read = analyse(text, context, facts);
        let before = self.invocations.len();
        self.covers(read.coverage);
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
    let climbs = text.starts_with("../") || text.starts_with("./") || text.contains("/../");
    let secret =
        (named || climbs && !text.contains(' ')) && Place::of(&target, context).secret.is_some();
    (plain && (secret || (spelled && (named || text.len() > 1) && !text.contains(' '))))
        .then_some(target)
}

/// What a tool of this kind does to a path that it is given.
fn touched(target: Target, key: &str, tool: &ServiceTool<'_>) -> Act {
    let name = tool.name;
    let moves = name.contains("move") || name.contains("rename");
    let origin = ["source", "src", "from", "old"]
        .iter()
        .any(|word| key.contains(word));
    // A picture of a page goes into the file that is named for it.
    let pictures = [
        "snapshot",
        "screenshot",
        "export",
        "download",
        "capture",
        "record",
        "dump",
    ]
    .iter()
    .any(|word| name.contains(word))
        && (key.contains("file") || (key.contains("path") && !name.contains("record")));
    match tool.verb {
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
            if pictures
                || [
                    "output", "out_", "dest", "save", "download", "target", "write", "log_file",
                    "logfile", "log_path",
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
    /// Short names of servers that keep secrets.
    const SERVERS: &[&str] = &[
        "1p", "op", "env", "environ", "secrets", "pass", "keeper", "keyring",
    ];
    let holds = words(server)
        .iter()
        .any(|word| SERVERS.contains(&word.as_str()));
    let words = words(tool);
    let (server, tool) = (server.to_lowercase(), tool.to_lowercase());
    holds
        || STORES.iter().any(|store| server.contains(store))
        || NOUNS.iter().any(|noun| tool.contains(noun))
        || words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The plain values among the arguments, with the key that each stands under.
fn flatten<'a>(
    (name, key): (&'a str, FieldKey),
    value: &'a Value,
    depth: usize,
    found: &mut Vec<ServiceArgument<'a>>,
) {
    if found.len() >= MOST {
        return;
    }
    let below = depth.saturating_sub(1);
    match value {
        Value::Array(list) if below > 0 => {
            for value in list {
                flatten((name, key), value, below, found);
            }
        }
        Value::Object(map) if below > 0 => {
            for (inner, value) in map {
                flatten((inner, inside(name, key, inner)), value, below, found);
            }
        }
        Value::Array(_) | Value::Object(_) => found.push(ServiceArgument {
            name,
            key: FieldKey::Unknown,
            value: &Value::Bool(true),
        }),
        Value::Null => {}
        Value::String(_) | Value::Bool(_) | Value::Number(_) => {
            found.push(ServiceArgument { name, key, value });
        }
    }
}

/// The keys below a filter are those of the data.
fn inside(outer: &str, key: FieldKey, inner: &str) -> FieldKey {
    const FILTERS: &[&str] = &[
        "filter",
        "filters",
        "where",
        "query",
        "match",
        "conditions",
        "criteria",
        "selector",
        "projection",
        "sort",
        "fields",
        "properties",
        "variables",
        "pipeline",
    ];
    let own = key::of(inner);
    let of_data = key == FieldKey::Selects && FILTERS.contains(&outer.trim_start_matches('$'));
    match own {
        FieldKey::Unknown | FieldKey::Commands | FieldKey::Names | FieldKey::Holds
            if of_data && !inner.starts_with('$') =>
        {
            FieldKey::Selects
        }
        FieldKey::Selects
        | FieldKey::Commands
        | FieldKey::Names
        | FieldKey::Holds
        | FieldKey::Unknown => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(name: &str, input: &str) -> bool {
        let context = Context {
            cwd: "/home/dev/app".to_owned(),
            home: Some("/home/dev".to_owned()),
            roots: vec!["/home/dev/app".to_owned()],
            ..Context::default()
        };
        let input: Map<String, Value> = serde_json::from_str(input).unwrap();
        let (server, tool) = name.split_once("__").unwrap();
        let read = of(server, tool, &input, &context, &Facts::default());
        read.coverage.is_complete()
            && read.effects.iter().all(|effect| match &effect.act {
                Act::Cloud { verb, .. } => *verb == CloudVerb::Read,
                Act::Database { verb } => *verb == automode_shell::DatabaseVerb::Read,
                Act::Connect { direction, .. } => *direction == Direction::Receive,
                Act::Read { .. } => true,
                _ => false,
            })
    }

    #[test]
    fn a_read_is_one_with_all_its_arguments() {
        for (name, input) in [
            (
                "github__get_issue",
                r#"{"owner":"a","repo":"b","issue_number":4}"#,
            ),
            (
                "github__search_code",
                r#"{"query":"delete user repo:a/b","perPage":10}"#,
            ),
            (
                "context7__get_library_docs",
                r#"{"context7CompatibleLibraryID":"/a/b","topic":"x","tokens":5}"#,
            ),
            (
                "slack__list_channels",
                r#"{"types":"public","exclude_archived":true}"#,
            ),
            (
                "jira__search_issues",
                r#"{"jql":"project = A","maxResults":5}"#,
            ),
            (
                "pg__query",
                r#"{"sql":"SELECT count(*) FROM users WHERE name LIKE 'a%'"}"#,
            ),
            (
                "mongo__find",
                r#"{"collection":"u","filter":{"customerName":"x","age":{"$gt":3}}}"#,
            ),
            ("redis__get", r#"{"key":"user:1"}"#),
            (
                "http__fetch",
                r#"{"url":"https://docs.python.org/3/","method":"GET"}"#,
            ),
            (
                "k8s__kubectl_get",
                r#"{"resourceType":"pods","output":"json"}"#,
            ),
            ("notes__read_resource", r#"{"uri":"notes://work/7"}"#),
            (
                "web__read_resource",
                r#"{"uri":"https://docs.python.org/3/"}"#,
            ),
        ] {
            assert!(reads(name, input), "{name} {input}");
        }
    }

    #[test]
    fn an_argument_turns_a_read_into_something_else() {
        for (name, input) in [
            (
                "pg__query",
                r#"{"sql":"EXPLAIN ANALYZE DELETE FROM users"}"#,
            ),
            ("pg__query", r#"{"sql":"SELECT purge_all_users()"}"#),
            (
                "pg__query",
                r#"{"sql":"DO $$ BEGIN DELETE FROM users; END $$"}"#,
            ),
            (
                "pg__query",
                r#"{"sql":"SELECT 1 /*!; DROP TABLE users */"}"#,
            ),
            (
                "sqlite__read_query",
                r#"{"query":"ATTACH '/home/dev/.x' AS a"}"#,
            ),
            (
                "sqlite__read_query",
                r#"{"query":"PRAGMA writable_schema=1"}"#,
            ),
            (
                "http__fetch",
                r#"{"url":"https://x.example","method":"POST"}"#,
            ),
            (
                "http__get",
                r#"{"url":"https://x.example/users/1","verb":"DELETE"}"#,
            ),
            ("mongo__find", r#"{"filter":{"$where":"while(1);"}}"#),
            (
                "mongo__aggregate",
                r#"{"pipeline":[{"$match":{}},{"$out":"users"}]}"#,
            ),
            (
                "es__search",
                r#"{"path":"/_all/_delete_by_query","body":"{}"}"#,
            ),
            ("redis__get", r#"{"command":"FLUSHALL"}"#),
            ("k8s__get", r#"{"args":"delete ns prod"}"#),
            (
                "k8s__kubectl_get",
                r#"{"resource":"secrets","output":"yaml"}"#,
            ),
            ("k8s__describe", r#"{"exec":"rm -rf /"}"#),
            (
                "neo4j__read_cypher",
                r#"{"query":"MATCH (n) DETACH DELETE n"}"#,
            ),
            ("x__preview_changes", r#"{"dry_run":false}"#),
            ("x__preview_changes", r#"{"apply":true}"#),
            ("jira__get_status", r#"{"set":"closed","id":1}"#),
            ("pw__browser_snapshot", r#"{"filename":"~/.bashrc"}"#),
            ("x__search_replace_all", r#"{"text":"a"}"#),
            ("x__list_things", r#"{"zzqx":"a"}"#),
            ("x__read_resource", r#"{"uri":"vault://prod/db"}"#),
            ("x__read_resource", r#"{"uri":"x://prod/db-password"}"#),
            ("x__read_resource", r#"{"uri":"ftp://example.com/x"}"#),
            ("x__get_page", r#"{"uri":"notes://work/7"}"#),
            (
                "x__list_things",
                r#"{"a":{"b":{"c":{"d":{"e":{"f":{"g":"rm"}}}}}}}"#,
            ),
        ] {
            assert!(!reads(name, input), "{name} {input}");
        }
    }
}

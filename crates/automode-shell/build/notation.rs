//! The small notation inside the strings of a knowledge file, as Rust source.
//!
//! `role when -x unless -y | role` for words, `act when -x` for what happens.
//! Every function answers with the source of a constant or with what is wrong.

use std::collections::BTreeMap;

/// The options that conditions and placeholders may name, by spelling.
pub type FlagNumbers = BTreeMap<String, u16>;

pub type Result<T> = std::result::Result<T, String>;

/// Choices for one word: `write when -c | read`.
pub struct Choices {
    pub source: String,
    /// No choice does more than read, and none has a condition.
    pub flags_are_inert: bool,
}

pub fn choices(text: &str, names: &FlagNumbers) -> Result<Choices> {
    let mut flags_are_inert = true;
    let mut sources = Vec::new();
    for part in text.split(" | ") {
        let (role, when) = condition(part, names)?;
        let (role, many) = match role.strip_suffix('*') {
            Some(role) => (role, true),
            None => (role, false),
        };
        let (roles, mild) = roles(role)?;
        flags_are_inert &= mild;
        sources.push(format!(
            "Choice {{ roles: &[{roles}], many: {many}, when: {when} }}"
        ));
    }
    let source = format!("&[{}]", sources.join(", "));
    Ok(Choices {
        source,
        flags_are_inert,
    })
}

fn roles(text: &str) -> Result<(String, bool)> {
    let mut mild = true;
    let mut sources = Vec::new();
    for name in text.split('&') {
        let source = role(name.trim())?;
        mild &= matches!(
            source.as_str(),
            "Role::None"
                | "Role::Pattern"
                | "Role::Signal"
                | "Role::Path(PathUse::Read)"
                | "Role::Path(PathUse::List)"
        );
        sources.push(source);
    }
    Ok((sources.join(", "), mild))
}

fn role(name: &str) -> Result<String> {
    if let Some(path) = path_use(name) {
        return Ok(format!("Role::Path(PathUse::{path})"));
    }
    let (head, argument) = name.split_once(':').unwrap_or((name, ""));
    let source = match (head, argument) {
        ("" | "none" | "text" | "name" | "number", "") => "None".to_owned(),
        ("pattern", "") => "Pattern".to_owned(),
        ("run", "") => "Run(None)".to_owned(),
        ("run", tongue) => format!("Run(Some({}))", language(tongue)?),
        ("code", tongue) => format!("Code({})", language(tongue)?),
        ("prefixed", program) => format!("Prefixed({program:?})"),
        ("packed", ending) => format!("Packed({ending:?})"),
        ("beside", ending) => format!("Beside({ending:?})"),
        ("task", runner) if !runner.is_empty() => format!("Task(Runner::{})", camel(runner)),
        ("url", _) => format!("Url({})", direction(argument)?),
        ("host", _) => format!("Host({})", direction(argument)?),
        ("git-remote", _) => format!("GitRemote({})", direction(argument)?),
        ("remote", used) => {
            let used = path_use(used).ok_or(format!("unknown use `{used}` of a remote path"))?;
            format!("Remote(PathUse::{used})")
        }
        (
            "move" | "into" | "config" | "load" | "command" | "each" | "each-shell" | "placeholder"
            | "package" | "shell" | "container-command" | "bind-port" | "shell-each"
            | "network-shell" | "signal" | "remote-shell" | "args" | "assign" | "cd"
            | "cd-operands" | "bind" | "pid" | "process-name" | "task-file" | "mount" | "at-file"
            | "form-file" | "keyed-file" | "git-config" | "tar-action" | "cookie" | "ssh-option"
            | "socat" | "mode" | "editor" | "debugger" | "unseen" | "encoded-file" | "write-out"
            | "magic-open" | "fetched" | "refspec" | "query" | "dsn" | "file-scheme"
            | "unit-property" | "plain" | "unpacked" | "terminal-format" | "keys" | "go-flags"
            | "media-filter" | "compiler-flags" | "linker-flags" | "own-config" | "write-beginning",
            "",
        ) => camel(head),
        _ => return Err(format!("unknown role `{name}`")),
    };
    Ok(format!("Role::{source}"))
}

fn path_use(name: &str) -> Option<&'static str> {
    Some(match name {
        "read" => "Read",
        "list" => "List",
        "write" => "Write",
        "write-below" => "WriteBelow",
        "append" => "Append",
        "edit" => "Edit",
        "touch" => "Touch",
        "delete" => "Delete",
        "delete-tree" => "DeleteTree",
        "delete-below" => "DeleteBelow",
        "attributes" => "Attributes",
        "link" => "Link",
        "raw" => "Raw",
        _ => return None,
    })
}

fn direction(name: &str) -> Result<&'static str> {
    match name {
        "" | "receive" => Ok("Direction::Receive"),
        "send" => Ok("Direction::Send"),
        _ => Err(format!("unknown direction `{name}`")),
    }
}

pub fn language(name: &str) -> Result<String> {
    Ok(match name {
        "shell" | "python" | "ruby" | "perl" | "php" | "lua" | "awk" | "sed" | "sql" | "other" => {
            format!("Language::{}", camel(name))
        }
        "javascript" => "Language::JavaScript".to_owned(),
        "powershell" => "Language::PowerShell".to_owned(),
        _ => return Err(format!("unknown language `{name}`")),
    })
}

/// Splits `what when a b unless c` and compiles the condition.
pub fn condition<'a>(text: &'a str, names: &FlagNumbers) -> Result<(&'a str, String)> {
    let mut cuts: Vec<usize> = [" when ", " unless "]
        .iter()
        .flat_map(|word| text.match_indices(word).map(|(at, _)| at))
        .collect();
    cuts.sort_unstable();
    let Some(first) = cuts.first() else {
        return Ok((text.trim(), "&[]".to_owned()));
    };
    let (what, mut rest) = text.split_at(*first);
    let mut groups = Vec::new();
    while !rest.trim().is_empty() {
        let body = rest.trim_start();
        let (kind, body) = body.split_once(' ').ok_or("a condition without a test")?;
        let end = [" when ", " unless "]
            .iter()
            .filter_map(|word| body.find(word))
            .min()
            .unwrap_or(body.len());
        let (tests, tail) = body.split_at(end);
        groups.push(group(kind, tests, names)?);
        rest = tail;
    }
    Ok((what.trim(), format!("&[{}]", groups.join(", "))))
}

/// A list of tests of which one must hold: the value of `dry`.
/// Tests in a row: `-n --dry-run=client`.
pub fn tests(text: &str, names: &FlagNumbers) -> Result<String> {
    let tests: Vec<String> = text
        .split_whitespace()
        .map(|word| test(word, names))
        .collect::<Result<_>>()?;
    Ok(format!("&[{}]", tests.join(", ")))
}

fn group(kind: &str, tests: &str, names: &FlagNumbers) -> Result<String> {
    if kind == "unless" && tests.contains("@any=") {
        return Err("`@any=` may hold for a word that is not known: it cannot excuse".to_owned());
    }
    let tests: Vec<String> = tests
        .split_whitespace()
        .map(|word| test(word, names))
        .collect::<Result<_>>()?;
    let kind = if kind == "when" { "Any" } else { "None" };
    Ok(format!("Group::{kind}(&[{}])", tests.join(", ")))
}

fn test(word: &str, names: &FlagNumbers) -> Result<String> {
    if word == "piped" {
        return Ok("Test::Piped".to_owned());
    }
    if word == "fed" {
        return Ok("Test::Fed".to_owned());
    }
    if let Some(count) = word.strip_prefix('@') {
        if let Some(words) = count.strip_prefix("any=") {
            let words: Vec<String> = words.split('|').map(|word| format!("{word:?}")).collect();
            return Ok(format!("Test::Some(&[{}])", words.join(", ")));
        }
        if let Some(words) = count.strip_prefix("*=") {
            let words: Vec<String> = words.split('|').map(|word| format!("{word:?}")).collect();
            return Ok(format!("Test::Every(&[{}])", words.join(", ")));
        }
        if let Some((place, text)) = count.split_once('=') {
            return Ok(format!("Test::Operand({}, {text:?})", number(place)?));
        }
        return Ok(match count.strip_suffix('+') {
            Some(least) => format!("Test::AtLeast({})", number(least)?),
            None => format!("Test::Count({})", number(count)?),
        });
    }
    if let Some(id) = names.get(word) {
        return Ok(format!("Test::Flag({id})"));
    }
    let split = word
        .split_once('=')
        .and_then(|(flag, value)| names.get(flag).map(|id| (id, value)));
    match split {
        Some((id, value)) => Ok(format!("Test::Value({id}, {value:?})")),
        None => Err(format!("the condition names `{word}`, which is no flag")),
    }
}

fn number(text: &str) -> Result<usize> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// What happens: `vcs local when -x`.
pub fn clause(text: &str, names: &FlagNumbers) -> Result<String> {
    let (what, when) = condition(text, names)?;
    let what = act(what, names)?;
    Ok(format!(
        "Clause {{ what: ProgramAct::{what}, when: {when} }}"
    ))
}

fn act(text: &str, names: &FlagNumbers) -> Result<String> {
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (first, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    if let Some(shared) = shared_act(text, &|text| template(text, names))? {
        return Ok(format!("Act({shared})"));
    }
    Ok(match head {
        "vcs" => format!("Vcs(Vcs::{})", vcs(first, tail, names)?),
        "package" => package(rest, names)?,
        "execute" => execute(first, tail, names)?,
        "project" => format!("Project({})", template(rest, names)?),
        "task" => format!("Task(Runner::{}, {})", camel(first), template(tail, names)?),
        "lifecycle" if tail == "install" => format!("Install(Runner::{})", camel(first)),
        "lifecycle" if tail == "publish" => format!("Publishing(Runner::{})", camel(first)),
        "input" if rest == "editor" => "EditorInput".to_owned(),
        "input" if rest == "fed-editor" => "FedEditorInput".to_owned(),
        "input" => format!("Input({})", language(rest)?),
        "unseen" => format!("Unseen({})", template(rest, names)?),
        "git" => format!("Git(Git::{})", camel(rest)),
        _ => return Err(format!("unknown act `{text}`")),
    })
}

/// An act that programs and calls share; `place` reads where its words stand.
pub fn shared_act(text: &str, place: &dyn Fn(&str) -> Result<String>) -> Result<Option<String>> {
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (first, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    if let Some(used) = path_use(head) {
        let act = format!("ActTemplate::Path(PathUse::{used}, {})", place(rest)?);
        return Ok(Some(act));
    }
    let two = || {
        rest.rsplit_once(' ')
            .ok_or_else(|| format!("`{head}` wants two words"))
    };
    let act = match head {
        "connect" => format!("Connect(Direction::Receive, {})", place(rest)?),
        "send" => format!("Connect(Direction::Send, {})", place(rest)?),
        "listen" => format!("Listen(Interface::{})", camel(rest)),
        "process" => format!("Process(Scoped::{}, {})", camel(first), place(tail)?),
        "privilege" => format!("Privilege(Account::{})", camel(rest)),
        "persist" => format!("Persist(PersistKind::{})", camel(rest)),
        "system" => format!("System(SystemChange::{})", camel(rest)),
        "cloud" => {
            let (service, verb) = two()?;
            format!("Cloud({}, CloudVerb::{})", place(service)?, camel(verb))
        }
        "database" => format!("Database(DatabaseVerb::{})", camel(rest)),
        "credential" => {
            let (what, way) = two()?;
            format!("Credential({}, {})", place(what)?, direction(way)?)
        }
        "publish" => format!("Publish({})", place(rest)?),
        "message" => format!("Message({})", place(rest)?),
        "agent" => match rest.strip_suffix(" unrestricted") {
            Some(name) => format!("Agent({}, Freedom::Unrestricted)", place(name)?),
            None => format!("Agent({}, Freedom::Asks)", place(rest)?),
        },
        "environment" => format!("Environment({})", place(rest)?),
        "exhaust" => "Exhaust".to_owned(),
        _ => return Ok(None),
    };
    Ok(Some(format!("ActTemplate::{act}")))
}

fn vcs(op: &str, rest: &str, names: &FlagNumbers) -> Result<String> {
    Ok(match op {
        "local" | "clean" | "clean-ignored" | "drop-history" | "rewrite" | "fetch" | "apply" => {
            camel(op)
        }
        "discard" | "remote" => format!("{}({})", camel(op), template(rest, names)?),
        _ => return Err(format!("unknown version control act `{op}`")),
    })
}

fn package(text: &str, names: &FlagNumbers) -> Result<String> {
    let mut words = text.splitn(4, ' ');
    let mut next = || words.next().unwrap_or_default();
    let (op, source, scope, rest) = (next(), next(), next(), next());
    Ok(format!(
        "Package(PackageOp::{}, Source::{}, Scope::{}, {})",
        camel(op),
        camel(source),
        camel(scope),
        template(rest, names)?
    ))
}

fn execute(kind: &str, rest: &str, names: &FlagNumbers) -> Result<String> {
    Ok(match kind {
        "program" | "package" | "remote" | "file" => {
            format!("Execute{}({})", camel(kind), template(rest, names)?)
        }
        "container" => match rest.strip_suffix(" open") {
            Some(image) => format!("ExecuteContainer({}, Walls::Open)", template(image, names)?),
            None => format!(
                "ExecuteContainer({}, Walls::Isolated)",
                template(rest, names)?
            ),
        },
        _ => return Err(format!("unknown kind of code `{kind}`")),
    })
}

/// Text with `{1}`, `{2+}`, `{*}` or `{--flag}` in it.
fn template(text: &str, names: &FlagNumbers) -> Result<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        if !before.is_empty() {
            parts.push(format!("Part::Text({before:?})"));
        }
        let (name, after) = after
            .split_once('}')
            .ok_or(format!("`{text}` lacks a `}}`"))?;
        parts.push(placeholder(name, names)?);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(format!("Part::Text({rest:?})"));
    }
    Ok(format!("&[{}]", parts.join(", ")))
}

fn placeholder(name: &str, names: &FlagNumbers) -> Result<String> {
    if name == "*" {
        return Ok("Part::From(1)".to_owned());
    }
    if let Some(from) = name.strip_suffix('+') {
        return Ok(format!("Part::From({})", number(from)?));
    }
    if let Ok(place) = name.parse::<usize>() {
        return Ok(format!("Part::Operand({place})"));
    }
    match names.get(name) {
        Some(id) => Ok(format!("Part::Flag({id})")),
        None => Err(format!("`{{{name}}}` names no operand and no flag")),
    }
}

/// What comes out: `decode when -d`.
pub fn output(text: &str, names: &FlagNumbers) -> Result<String> {
    let (kind, when) = condition(text, names)?;
    match kind {
        "none" | "pass" | "decode" | "network" | "secret" | "endless" | "bounded" | "temporary"
        | "echo" | "printf" | "basename" | "dirname" | "cwd" | "name" | "date" | "revision"
        | "count" | "program" | "exchange" => Ok(format!(
            "OutputRule {{ kind: OutputKind::{}, when: {when} }}",
            camel(kind)
        )),
        _ => Err(format!("unknown output `{kind}`")),
    }
}

/// `security-off` to `SecurityOff`.
pub fn camel(name: &str) -> String {
    name.split('-')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_uppercase().chain(letters).collect()
            })
        })
        .collect()
}

//! One line per finding, so that a case fits on a line.

use super::{CodeSource, read};
use crate::{
    Act, Code, Context, Extent, Facts, FileFact, GapKind, Host, Interface, Language, Layer, Nested,
    ProgramEffects, Span, Taint, Target, Value, WriteHow,
};

/// Reads code in `/app` and compares everything it would do.
#[track_caller]
pub(in crate::language) fn check(language: Language, text: &str, expected: &[&str]) {
    check_with(language, text, &[], expected);
}

/// Like [`check`], with files that the code may look into.
#[track_caller]
pub(in crate::language) fn check_with(
    language: Language,
    text: &str,
    files: &[(&str, &str)],
    expected: &[&str],
) {
    let mut facts = Facts::default();
    for (path, body) in files {
        facts.files.insert(
            (*path).to_owned(),
            FileFact::Text {
                body: (*body).to_owned(),
                session: false,
            },
        );
    }
    let found = shown(&run(language, text, &facts));
    assert_eq!(found, expected, "\n{text}\n");
}

pub(in crate::language) fn run(language: Language, text: &str, facts: &Facts) -> ProgramEffects {
    let context = Context {
        cwd: "/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/app".to_owned()],
        variables: Vec::new(),
    };
    let layer = Layer::Text(language.name().to_owned());
    let text = Value::text(text, Span::default());
    read(&source(language, &text, &layer), &context, facts)
}

const fn source<'a>(language: Language, text: &'a Value, layer: &'a Layer) -> CodeSource<'a> {
    CodeSource {
        language,
        text,
        arguments: &[],
        taint: Taint::NONE,
        input: Taint::UNKNOWN,
        file: None,
        cwd: Some("/app"),
        layer,
        span: text.span,
    }
}

/// Effects, then nested code, then gaps; the inline code itself is left out where it was seen.
pub(crate) fn shown(found: &ProgramEffects) -> Vec<String> {
    let effects = found.effects.iter().filter_map(|(act, _)| show_act(act));
    let runs = found.runs.iter().map(show_nested);
    let gaps = found.gaps.iter().map(|gap| match &gap.kind {
        GapKind::Call { name, .. } => format!("gap call {name}"),
        GapKind::Syntax(what) => format!("gap syntax {what}"),
        GapKind::Unseen(what) => format!("gap unseen {what}"),
        kind => format!("gap {kind:?}"),
    });
    effects.chain(runs).chain(gaps).collect()
}

fn show_act(act: &Act) -> Option<String> {
    Some(match act {
        Act::Read { target } => format!("read {}", place(target)),
        Act::List { target } => format!("list {}", place(target)),
        Act::Write { target, how, data } => {
            let verb = match how {
                WriteHow::Replace => "write".to_owned(),
                how => format!("{how:?}").to_lowercase(),
            };
            let marks = marks(*data, Taint::LOCAL);
            format!("{verb} {}{marks}", place(target))
        }
        Act::Delete {
            target,
            tree: false,
        } => format!("delete {}", place(target)),
        Act::Delete { target, tree: true } => format!("delete-tree {}", place(target)),
        Act::Execute { code, origin } => {
            let marks = marks(origin.taint, Taint::NONE);
            match code {
                Code::Inline { .. } if origin.seen => return None,
                Code::Inline { language } => format!("run {language}{marks}"),
                Code::Stream => "run stream".to_owned(),
                Code::File(target) => format!("run file {}", place(target)),
                code => format!("run {code:?}"),
            }
        }
        Act::Connect {
            host,
            direction,
            data,
        } => {
            let host = match host {
                Host::Named(name) => name.clone(),
                Host::Loopback => "loopback".to_owned(),
                Host::Default(name) => format!("default {name}"),
                Host::Unknown => "?".to_owned(),
            };
            let marks = marks(*data, Taint::NONE);
            format!("connect {direction:?} {host}{marks}")
                .replace("Send", "send")
                .replace("Receive", "receive")
        }
        Act::Listen { interface } => match interface {
            Interface::Loopback => "listen loopback".to_owned(),
            Interface::Exposed => "listen exposed".to_owned(),
            Interface::Unstated => "listen".to_owned(),
        },
        Act::Database { verb } => format!("database {verb:?}").to_lowercase(),
        act => format!("{act:?}").to_lowercase(),
    })
}

/// The marks after an arrow, without the ones that are taken for granted.
fn marks(taint: Taint, granted: Taint) -> String {
    let granted: Vec<&str> = granted.names().collect();
    let names: Vec<&str> = taint
        .names()
        .filter(|name| !granted.contains(name))
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(" <- {}", names.join(" "))
    }
}

fn place(target: &Target) -> String {
    match target.extent {
        Extent::Exact | Extent::Pattern => target.path.clone(),
        Extent::Below => format!("{}/**", target.path),
        Extent::Prefix => format!("{}*", target.path),
        Extent::Unknown => "?".to_owned(),
    }
}

fn show_nested(nested: &Nested) -> String {
    let words = |words: &[Value]| words.iter().map(Value::shown).collect::<Vec<_>>().join(" ");
    match nested {
        Nested::Command { argv, .. } => format!("command {}", words(argv)),
        Nested::Shell { text, .. } => format!("shell {}", text.shown()),
        Nested::Code { language, text, .. } => format!("code {} {}", language.name(), text.shown()),
        Nested::File { path, .. } => format!("file {}", path.shown()),
        Nested::Input { language, .. } => format!("input {}", language.name()),
        Nested::Task { runner, tasks, .. } => format!("task {} {tasks:?}", runner.name()),
    }
}

/// Brackets and quotes, which nearly every language has.
pub(super) const PAIRED: &[&str] = &["(", ")", "[", "]", "{", "}", "\"", "'", "`"];

/// Other pieces that mean something in at least one of the languages.
const PIECES: &[&str] = &[
    "/",
    "\\",
    "$",
    "@",
    "#",
    "%",
    "&",
    "|",
    ";",
    ":",
    ",",
    ".",
    "=",
    "<",
    ">",
    "!",
    "?",
    "~",
    "+",
    "-",
    "*",
    "^",
    " ",
    "\n",
    "\t",
    "0",
    "1",
    "x",
    "print",
    "system",
    "eval",
    "import ",
    "def f(x):\n ",
    "class A:\n ",
    "lambda x: ",
    "for x in ",
    "if x:\n ",
    "else:\n ",
    "try:\n ",
    "except:\n ",
    "with x as y:\n ",
    "return ",
    "yield ",
    "await ",
    "async ",
    "require('fs')",
    "exec",
    "open",
    "=> ",
    "->",
    "::",
    "${",
    "#{",
    "f\"{",
    "s/a/b/e",
    "q(",
    "<<E",
    "getline",
    "BEGIN",
    "select ",
    "delete from t",
    "where ",
    "--",
    "/*",
    "*/",
    "\\!",
    ".shell ",
    "w out",
    "e id",
    "é",
    "\u{1F600}",
    "\0",
];

#[test]
fn random_text_never_panics() {
    let languages = [
        Language::Python,
        Language::JavaScript,
        Language::Ruby,
        Language::Perl,
        Language::Php,
        Language::Lua,
        Language::Awk,
        Language::Sed,
        Language::Sql,
        Language::PowerShell,
    ];
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % u64::try_from(below).unwrap()).unwrap()
    };
    let pieces = [PAIRED, PIECES].concat();
    for round in 0..1_500 {
        let length = next(40);
        let text: String = (0..length).map(|_| pieces[next(pieces.len())]).collect();
        let language = languages[round % languages.len()];
        let _answered = run(language, &text, &Facts::default());
    }
}

#[test]
fn a_dynamic_text_is_unseen() {
    let layer = Layer::Text("python".to_owned());
    let text = Value::dynamic(
        crate::DynamicSource::Output,
        Taint::NETWORK,
        Span::default(),
    );
    let source = source(Language::Python, &text, &layer);
    let found = shown(&read(&source, &Context::default(), &Facts::default()));
    assert_eq!(found, ["run python <- network", "gap unseen python code"]);
}

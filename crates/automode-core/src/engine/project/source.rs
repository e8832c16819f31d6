//! Source files that are scanned: what they are able to do that a test does not need to.

use automode_shell::language::capability::{
    Capability, CapabilityReading, CapabilityUse, SourceLanguage, capabilities,
};

use super::settings::is_odd_data;
use crate::scene::report;

/// What a source file is able to do that a test does not need to.
pub(super) fn scanned(language: SourceLanguage, text: &str) -> Vec<String> {
    scan(language, text).unwrap_or_else(|unread| vec![unread])
}

/// The same, and an error where the text was not read.
pub(super) fn scan(language: SourceLanguage, text: &str) -> Result<Vec<String>, String> {
    match capabilities(language, text) {
        CapabilityReading::Clean => Ok(Vec::new()),
        CapabilityReading::Unread(why) => Err(format!("could not be read: {why}")),
        CapabilityReading::Uses(uses) => {
            let uses_both = |one: Capability, other: Capability| {
                let has = |wanted| uses.iter().any(|found| found.capability == wanted);
                has(one) && has(other)
            };
            // With the environment a place can be named that no text shows.
            let reads_anywhere = uses_both(Capability::FileRead, Capability::Environment);
            Ok(uses
                .iter()
                .filter(|found| reaches_out(found.capability, reads_anywhere))
                .map(described)
                .collect())
        }
    }
}

/// The texts that stand in quotes in a source, each alone and with those that it is put
/// together with: `join('pri' + 'vate', 'k.txt')` is `private/k.txt` as well.
pub(super) fn joined_texts(text: &str) -> impl Iterator<Item = String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut whole = String::new();
        let mut between = "";
        for (at, part) in line.split(['"', '\'', '`']).enumerate() {
            if at % 2 == 0 {
                between = part;
                continue;
            }
            let glued = between.trim();
            match glued {
                "+" | "." | ".." | "<>" | "" if !whole.is_empty() => whole.push_str(part),
                "," | "/" if !whole.is_empty() => {
                    whole = format!("{}/{}", whole.trim_end_matches('/'), part);
                }
                _ => part.clone_into(&mut whole),
            }
            found.push(part.to_owned());
            found.push(whole.clone());
        }
    }
    found.sort();
    found.dedup();
    found
        .into_iter()
        .filter(|name| !name.is_empty() && name.len() < 200 && !name.contains(char::is_whitespace))
}

/// Ways of a language to take another file for code, or to do what no module names.
pub(super) fn loaded_beside(language: SourceLanguage, text: &str) -> Vec<String> {
    const WORDS: &[(SourceLanguage, &str)] = &[
        (SourceLanguage::Rust, "include!("),
        (SourceLanguage::Rust, "#[path"),
        (SourceLanguage::Rust, "#![path"),
        (SourceLanguage::JavaScript, "Deno."),
        (SourceLanguage::JavaScript, "Bun."),
        (SourceLanguage::Go, "//go:linkname"),
        (SourceLanguage::JavaScript, "data:text/javascript"),
        (SourceLanguage::JavaScript, "data:application/"),
        (SourceLanguage::Elixir, "\"cmd "),
        (SourceLanguage::Rust, "rustc-link"),
        (SourceLanguage::Rust, "rustc-flags"),
        (SourceLanguage::Rust, "rustc-linker"),
        (SourceLanguage::Rust, "rustc-env=PATH"),
        (SourceLanguage::Swift, "`Process`"),
    ];
    let words = WORDS
        .iter()
        .filter(|(of, word)| *of == language && text.contains(word))
        .map(|(_, word)| format!("loads or does what is not read here: `{word}`"));
    let lines = text
        .lines()
        .filter(|line| is_shared_alias(language, line) || takes_data_for_code(line))
        .map(|line| {
            let line = report::name(line.trim());
            format!("loads or does what is not read here: `{line}`")
        });
    words.chain(lines).collect()
}

/// A name for all files of a program, under which none of them shows what it uses.
fn is_shared_alias(language: SourceLanguage, line: &str) -> bool {
    language == SourceLanguage::CSharp
        && line.trim_start().starts_with("global using")
        && (line.contains('=') || line.contains("static"))
}

/// A line that loads a file as code whose name says that it is none.
fn takes_data_for_code(line: &str) -> bool {
    const LOADS: &[&str] = &[
        "require", "import", "load", "include", "apply", "source", "use ", "from ",
    ];
    let loads = LOADS.iter().any(|word| line.contains(word));
    let mut words = line.split(['"', '\'', '`', '(', ')', ' ', ',']);
    loads && words.any(is_odd_data)
}

/// What stands out in markup beside its scripts: code that is taken from another file, and
/// expressions that reach for more than the page.
pub(super) fn markup(text: &str) -> Vec<String> {
    const REACHING: &[&str] = &[
        ".constructor",
        "constructor(",
        "constructor[",
        "require(",
        "child_process",
        "globalThis",
        "mainModule",
    ];
    let is_elsewhere = |line: &str| {
        let source = line.split_once("<script").and_then(|(_, tag)| {
            let tag = tag.split('>').next().unwrap_or_default();
            tag.split_once("src")
        });
        let name = source.map(|(_, value)| value.trim_start_matches([' ', '=', '"', '\'']));
        name.is_some_and(|name| {
            let name = name.split(['"', '\'', ' ']).next().unwrap_or_default();
            let code = [".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx"];
            !code.iter().any(|ending| name.ends_with(ending))
        })
    };
    text.lines()
        .filter(|line| REACHING.iter().any(|word| line.contains(word)) || is_elsewhere(line))
        .map(|line| {
            let line = report::name(line.trim());
            format!("loads or does what is not read here: `{line}`")
        })
        .collect()
}

/// The scripts in a markup file, and the part in front of it that is one.
pub(super) fn scripts(text: &str) -> String {
    let mut out = String::new();
    let front = text.trim_start().strip_prefix("---");
    if let Some((front, _)) = front.and_then(|text| text.split_once("\n---")) {
        out.push_str(front);
        out.push('\n');
    }
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<script") {
        let Some((_, body)) = after.split_once('>') else {
            // A tag without an end: all of it may be script.
            out.push_str(after);
            break;
        };
        let (script, tail) = body.split_once("</script").unwrap_or((body, ""));
        out.push_str(script);
        out.push('\n');
        rest = tail;
    }
    out
}

fn reaches_out(capability: Capability, reads_anywhere: bool) -> bool {
    match capability {
        Capability::Library => false,
        Capability::FileRead | Capability::Environment => reads_anywhere,
        Capability::FileWrite
        | Capability::FileDelete
        | Capability::Network
        | Capability::Process
        | Capability::Home
        | Capability::Native
        | Capability::DynamicCode
        | Capability::Privilege => true,
    }
}

/// Without its line: a use that only moved is not a new one.
fn described(found: &CapabilityUse) -> String {
    let what = match found.capability {
        Capability::FileRead => "reads files",
        Capability::FileWrite => "writes files",
        Capability::FileDelete => "deletes files",
        Capability::Network => "uses the network",
        Capability::Process => "starts programs",
        Capability::Home => "reaches outside the project",
        Capability::Environment => "reads the environment",
        Capability::Native => "calls foreign code",
        Capability::DynamicCode => "runs code that is only known at run time",
        Capability::Library => "calls a library that is not known",
        Capability::Privilege => "asks for more rights",
    };
    format!("{what} with `{}`", report::name(&found.text))
}

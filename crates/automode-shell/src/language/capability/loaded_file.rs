//! Files that code takes for more of itself, under a name that is not its language's.
//!
//! What a file of the project's own language does is read in that file. One with another ending
//! passes for data everywhere else, so that loading it is running what nobody reads.

use super::directive::found;
use super::lexer::{CodeLexeme, CodeToken, literal, mark, word};
use super::{Capability, CapabilityUse, SourceLanguage};

/// What of a file is loaded at a token, in the languages that load files by their names.
type Loader = for<'t> fn(&'t [CodeLexeme], usize) -> Option<&'t str>;
const LOADERS: &[(SourceLanguage, Loader)] = &[
    (SourceLanguage::C, c),
    (SourceLanguage::Rust, rust),
    (SourceLanguage::Ruby, ruby),
    (SourceLanguage::JavaScript, javascript),
];

/// Loads of files that are read nowhere as code.
pub(super) fn loaded_files(language: SourceLanguage, tokens: &[CodeLexeme]) -> Vec<CapabilityUse> {
    let own = LOADERS.iter().filter(|(own, _)| *own == language);
    own.flat_map(|(_, loader)| {
        (0..tokens.len()).filter_map(|at| {
            let name = loader(tokens, at)?;
            Some(found(tokens.get(at)?.line, Capability::DynamicCode, name))
        })
    })
    .collect()
}

/// The ending of a name; none where it has none.
fn ending(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// `#include "table.txt"`, `#include MACRO`.
fn c(tokens: &[CodeLexeme], at: usize) -> Option<&str> {
    const CODE: &[&str] = &[
        "h", "hh", "hpp", "hxx", "h++", "c", "cc", "cpp", "cxx", "inc", "inl", "ipp", "tpp", "tcc",
        "def", "m", "mm", "cu", "cuh", "moc", "gen", "ii", "i", "pch",
    ];
    let directive = word(tokens, at.saturating_add(1))?;
    if mark(tokens, at) != Some("#") || !matches!(directive, "include" | "include_next" | "import")
    {
        return None;
    }
    let name = at.saturating_add(2);
    match &tokens.get(name)?.token {
        CodeToken::Text { text, .. } => {
            let ending = ending(text).to_lowercase();
            let code = ending.is_empty() || CODE.contains(&ending.as_str());
            (!code || text.starts_with(['/', '~'])).then_some(text.as_str())
        }
        CodeToken::Word(made) => Some(made.as_str()),
        CodeToken::Mark(_) | CodeToken::Number | CodeToken::Command => None,
    }
}

/// `include!("cases.txt")` in any brackets, `path = "cases.txt"` in any attribute.
fn rust(tokens: &[CodeLexeme], at: usize) -> Option<&str> {
    let name = match word(tokens, at)? {
        "include!" => literal(tokens, at.saturating_add(2))?,
        "path" if mark(tokens, at.saturating_add(1)) == Some("=") => {
            let before = at.checked_sub(1).and_then(|before| mark(tokens, before));
            literal(tokens, at.saturating_add(2))
                .filter(|_| matches!(before, Some("[" | "," | "(")))?
        }
        _ => return None,
    };
    (ending(name) != "rs").then_some(name)
}

/// `load 'cases.txt'`.
fn ruby(tokens: &[CodeLexeme], at: usize) -> Option<&str> {
    if !matches!(word(tokens, at)?, "load" | "require_relative") {
        return None;
    }
    let bracket = usize::from(mark(tokens, at.saturating_add(1)) == Some("("));
    let name = literal(tokens, at.saturating_add(1).saturating_add(bracket))?;
    let code = matches!(ending(name), "" | "rb" | "rake" | "ru" | "gemspec");
    (!code).then_some(name)
}

/// `require('./cases.txt')`, `import './cases.md'`: what is no module of a known kind is run as
/// a script.
fn javascript(tokens: &[CodeLexeme], at: usize) -> Option<&str> {
    let text = |at: usize| match &tokens.get(at)?.token {
        CodeToken::Text { text, whole: true } => Some(text.as_str()),
        CodeToken::Text { .. }
        | CodeToken::Word(_)
        | CodeToken::Mark(_)
        | CodeToken::Number
        | CodeToken::Command => None,
    };
    let name = match word(tokens, at)? {
        "require" | "import" | "requireActual" | "importActual"
            if mark(tokens, at.saturating_add(1)) == Some("(") =>
        {
            text(at.saturating_add(2))?
        }
        "import" | "from" => text(at.saturating_add(1))?,
        _ => return None,
    };
    // `./cart.test`, `./user.service`: a part of a name, which gets its ending when it is found.
    let shown = matches!(
        ending(name),
        "txt"
            | "text"
            | "md"
            | "markdown"
            | "rst"
            | "html"
            | "htm"
            | "xml"
            | "csv"
            | "tsv"
            | "log"
            | "dat"
            | "data"
            | "bin"
            | "ini"
            | "cfg"
            | "conf"
            | "env"
            | "lock"
            | "sql"
            | "snap"
            | "tmpl"
            | "template"
            | "out"
            | "bak"
            | "orig"
            | "map"
            | "properties"
            | "example"
            | "fixture"
    );
    let beside = name.starts_with(['.', '/']) && !name.contains('?');
    (beside && shown).then_some(name)
}

//! Secrets that a text has its reader take in.
//!
//! A compiler, an assembler or a maker of documents shows what it was made to include, in its
//! output or in what it says of errors. Which of them reads a text does not matter here: a line
//! that takes a file in, and a name in it that is a place of secrets, are enough.

use super::Scene;
use crate::path;

/// Words that take a file in, in whatever text they stand.
const DIRECTIVES: &[&str] = &[
    "#include",
    "# include",
    "#embed",
    "#import",
    "incbin",
    ".include",
    "%include",
    "`include",
    "include::",
    "literalinclude",
    "--8<--",
    "{!",
    "{{#",
    "{% include",
    "{%include",
    "\\input",
    "\\include",
    "verbatiminput",
    "lstinputlisting",
    "\\openin",
    "<!--#include",
    "!include",
    ":file:",
    "include_str!",
    "include_bytes!",
    "go:embed",
    "include(",
    "@import",
    "![",
];

/// Words that name a file to be taken in, in texts that are not prose.
const NAMING: &[&str] = &[
    "$ref", "file", "import", "include", "load", "part ", "path", "require", "source", "src",
];

/// Endings of prose, which speaks of files without taking them in.
const PROSE: &[&str] = &[
    "md", "markdown", "rst", "adoc", "txt", "text", "tex", "html", "htm",
];

/// The first secret that a text takes in, by its path.
#[must_use]
pub fn included_secret(scene: &Scene<'_>, file: &str, text: &str) -> Option<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    let prose = PROSE.contains(&ending.to_lowercase().as_str());
    text.lines()
        .filter(|line| line.contains(['/', '~']) || line.contains(".env"))
        .find_map(|line| {
            let secret = |name: &str| {
                let place = path::absolute(name, folder, scene.context.home.as_deref());
                let secret = scene.place_of(&place).secret.is_some();
                secret.then_some(place)
            };
            let taken = DIRECTIVES.iter().find_map(|word| {
                let (_, rest) = line.split_once(word)?;
                // The words of a picture come before its name.
                let rest = rest.split_once("](").map_or(rest, |(_, rest)| rest);
                names_in(rest).next().and_then(secret)
            });
            let names = !prose && NAMING.iter().any(|word| line.contains(word));
            // Settings name the project's own files of variables all the time.
            let outside = |place: &String| !scene.context.is_inside(place);
            taken.or_else(|| {
                let named = names_in(line).filter(|_| names);
                named.filter_map(secret).find(outside)
            })
        })
}

/// What may be names of files in a line.
fn names_in(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| letter.is_whitespace() || "\"'`<>()[]{},;=\\".contains(letter))
        .map(|word| word.strip_prefix("file://").unwrap_or(word))
        .map(|word| word.strip_prefix("file:").unwrap_or(word))
        .map(|word| word.strip_prefix("include::").unwrap_or(word))
        .filter(|word| word.contains('/') || word.starts_with(['.', '~']))
        .filter(|word| !word.contains("://"))
}

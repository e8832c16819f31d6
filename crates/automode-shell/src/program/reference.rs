//! Tables of the knowledge that others look names up in: `knowledge/tables/*.toml`.
//!
//! Policies, redaction and exceptions ask about programs; they name none themselves.
//! A name that stands in no table is never a reason to allow.

/// Another spelling of a command: `cargo t` stands for `cargo test`.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    pub typed: &'static [&'static str],
    pub stands_for: &'static [&'static str],
}

/// A program, or one with its subcommand, whose wildcard lets arbitrary code run.
#[derive(Clone, Copy, Debug)]
pub struct OpenEnd {
    pub words: &'static [&'static str],
    pub opens: Opens,
    /// Only the strict setting counts it.
    pub only_strict: bool,
}

/// What an open end behind the program would choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// The next operand names the code: a script, a task, a package. Spelled out, it is fixed.
    Code,
    /// The arguments are a command of their own, behind so many operands.
    Command(usize),
    /// The arguments are read as text by a shell, or are as powerful in any place.
    Anything,
}

/// Package managers that take their packages from the same manifests.
#[derive(Clone, Copy, Debug)]
pub struct ManifestFamily {
    pub programs: &'static [&'static str],
    pub manifests: &'static [&'static str],
}

/// A letter behind which a program takes a password.
#[derive(Clone, Copy, Debug)]
pub struct PasswordOption {
    pub program: &'static str,
    pub letter: u8,
    pub given: Given,
    /// Only where the program is told to log in.
    pub at_login: bool,
}

/// How an option is given its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Glued,
    Next,
    Either,
}

/// A program that runs its arguments and changes nothing else about them.
#[derive(Clone, Copy, Debug)]
pub struct Wrapper {
    pub name: &'static str,
    /// Options without a value.
    pub flags: &'static [&'static str],
    /// Options whose value is the next word, or joined to the option.
    pub valued: &'static [&'static str],
    /// Operands in front of the command.
    pub operands: usize,
}

/// A program and words that belong to it.
type NamedWords = (&'static str, &'static [&'static str]);

/// What deletes or runs other programs behind an innocent name.
#[must_use]
pub fn hidden_options(program: &str) -> &'static [&'static str] {
    find(HIDDEN_OPTIONS, program).unwrap_or_default()
}

/// Options with a value that stand between a program and its subcommand.
#[must_use]
pub fn options_before_subcommand(program: &str) -> Option<&'static [&'static str]> {
    find(OPTIONS_BEFORE_SUBCOMMAND, program)
}

/// The program that runs a file whose name ends so.
#[must_use]
pub fn interpreter_of(ending: &str) -> Option<&'static str> {
    let row = INTERPRETERS
        .iter()
        .find(|(_, endings)| endings.contains(&ending));
    row.map(|(program, _)| *program)
}

/// The package that a program comes with where it has another name.
#[must_use]
pub fn package_of(program: &str) -> Option<&'static str> {
    let row = PACKAGES.iter().find(|(name, _)| *name == program);
    row.map(|(_, package)| *package)
}

fn find(rows: &[NamedWords], program: &str) -> Option<&'static [&'static str]> {
    let row = rows.iter().find(|(name, _)| *name == program);
    row.map(|(_, options)| *options)
}

include!(concat!(env!("OUT_DIR"), "/reference.rs"));

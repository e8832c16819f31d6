//! The shape of a shell script: what the parser found, nothing interpreted.
//!
//! Words are flat rows of parts; each part knows whether it stood in quotes.
//! Brace expansion, tildes, globs and splitting are left to the evaluator: a
//! bare literal keeps its active characters, an escaped one is its own quoted part.

use std::sync::{Arc, OnceLock};

use crate::ir::Span;

/// A list of commands.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub items: Vec<ListItem>,
    pub span: Span,
}

/// One and-or list with what ends it.
#[derive(Clone, Debug)]
pub struct ListItem {
    pub first: Pipeline,
    pub rest: Vec<(Connector, Pipeline)>,
    pub mode: ListMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListMode {
    Foreground,
    Background,
}

/// Stages joined by `|` or `|&`. No stage at all is a lone `!` or `time`.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    pub stages: Vec<PipelineStage>,
    pub negated: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct PipelineStage {
    pub command: Command,
    /// Standard error goes into the pipe too (`|&`).
    pub joins_stderr: bool,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub kind: CommandKind,
    pub redirects: Vec<Redirect>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum CommandKind {
    Simple(Simple),
    Group(Script),
    Subshell(Script),
    If {
        /// `if` and every `elif`: condition and branch.
        arms: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    /// `while` and `until`.
    Loop {
        condition: Script,
        body: Script,
    },
    For {
        name: String,
        /// `None` walks the positional parameters.
        words: Option<Vec<Word>>,
        body: Script,
    },
    Select {
        name: String,
        words: Option<Vec<Word>>,
        body: Script,
    },
    ArithmeticFor {
        header: Vec<Word>,
        body: Script,
    },
    Case {
        subject: Word,
        arms: Vec<CaseArm>,
    },
    Conditional(Condition),
    /// `((…))`: the expression as text with its expansions.
    Arithmetic(Word),
    Function {
        name: String,
        body: Arc<Command>,
    },
    Coprocess {
        name: String,
        body: Box<Command>,
    },
}

/// A simple command: assignments, then words.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    /// Array literals among the words of a declaration (`declare -a x=(1 2)`).
    pub arrays: Vec<Assignment>,
}

#[derive(Clone, Debug)]
pub struct Assignment {
    pub name: String,
    pub subscript: Option<Word>,
    pub append: bool,
    pub value: AssignmentValue,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum AssignmentValue {
    Scalar(Word),
    Array(Vec<Element>),
}

/// An element of an array literal, with its key where one is given.
#[derive(Clone, Debug)]
pub struct Element {
    pub key: Option<Word>,
    pub value: Word,
}

#[derive(Clone, Debug)]
pub struct CaseArm {
    pub patterns: Vec<Word>,
    pub body: Script,
    pub end: CaseEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Leave,
    /// `;&`: runs the next body too.
    FallThrough,
    /// `;;&`: tries the next patterns.
    TryNext,
}

/// An expression of `[[ … ]]`.
#[derive(Clone, Debug)]
pub enum Condition {
    Not(Box<Condition>),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
    Unary {
        operator: String,
        operand: Word,
    },
    Binary {
        left: Word,
        operator: String,
        right: Word,
    },
    Word(Word),
}

#[derive(Clone, Debug)]
pub struct Redirect {
    pub descriptor: Descriptor,
    pub operator: RedirectOperator,
    pub target: RedirectTarget,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descriptor {
    Implied,
    Number(u32),
    /// `{name}>file`: the shell picks a number and assigns it.
    Variable(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `>&`
    DuplicateOutput,
    /// `<&`
    DuplicateInput,
    /// `<<<`
    HereString,
    /// `<<` and `<<-`
    HereDocument,
}

#[derive(Clone, Debug)]
pub enum RedirectTarget {
    Word(Word),
    Document(HereDocumentBody),
}

/// The body of a here-document. It stands after the line that names it, so it
/// is filled in once that line has been read.
#[derive(Clone, Debug, Default)]
pub struct HereDocumentBody(pub(super) Arc<OnceLock<Word>>);

impl HereDocumentBody {
    #[must_use]
    pub fn body(&self) -> Option<&Word> {
        self.0.get()
    }
}

/// A word before expansion.
#[derive(Clone, Debug, Default)]
pub struct Word {
    pub parts: Vec<WordPart>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct WordPart {
    pub kind: PartKind,
    pub quoting: Quoting,
    pub span: Span,
}

/// Whether expansion results are split and matched as patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    Bare,
    Quoted,
}

#[derive(Clone, Debug)]
pub enum PartKind {
    Literal(String),
    Parameter(Box<ParameterExpansion>),
    Command(Box<Script>),
    Process(ProcessDirection, Box<Script>),
    Arithmetic(Box<Word>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessDirection {
    /// `<(…)`: a file to read from.
    Output,
    /// `>(…)`: a file to write to.
    Input,
}

/// `$name`, `${name…}`.
#[derive(Clone, Debug)]
pub struct ParameterExpansion {
    /// An identifier, a number, or one of `@ * # ? - $ !`.
    pub name: String,
    pub subscript: Option<Subscript>,
    /// `${!name}`: the value names the variable.
    pub indirect: bool,
    pub operation: Operation,
}

#[derive(Clone, Debug)]
pub enum Subscript {
    /// `[@]`
    All,
    /// `[*]`
    Joined,
    Key(Word),
}

#[derive(Clone, Debug)]
pub enum Operation {
    Value,
    Length,
    /// `${!name@}` and `${!name*}`: variables that begin so.
    Names,
    /// `${!name[@]}`
    Keys,
    Fallback {
        kind: ParameterFallback,
        /// The colon form: an empty value counts as unset.
        or_empty: bool,
        word: Word,
    },
    Trim {
        end: End,
        greedy: bool,
        pattern: Word,
    },
    Replace {
        scope: ReplaceScope,
        pattern: Word,
        with: Word,
    },
    Case {
        fold: Fold,
        all: bool,
        pattern: Word,
    },
    Slice {
        offset: Word,
        length: Option<Word>,
    },
    /// `${name@Q}` and its kin.
    Transform(char),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterFallback {
    /// `-`
    Use,
    /// `=`
    Assign,
    /// `+`
    Alternative,
    /// `?`
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Prefix,
    Suffix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceScope {
    First,
    All,
    Prefix,
    Suffix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    Upper,
    Lower,
    Toggle,
}

impl Word {
    /// The text where no part of the word is expanded, quotes removed.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        self.parts
            .iter()
            .map(|part| match &part.kind {
                PartKind::Literal(text) => Some(text.as_str()),
                PartKind::Parameter(_)
                | PartKind::Command(_)
                | PartKind::Process(..)
                | PartKind::Arithmetic(_) => None,
            })
            .collect()
    }

    /// The text where the word is one bare literal, with nothing quoted.
    #[must_use]
    pub fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [
                WordPart {
                    kind: PartKind::Literal(text),
                    quoting: Quoting::Bare,
                    ..
                },
            ] => Some(text),
            _ => None,
        }
    }
}

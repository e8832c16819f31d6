//! How much of a command the analysis understood.
//!
//! Only `Complete` may serve a permit. Everything that lowers coverage is kept
//! as a [`Gap`] with its place, so that a person sees why a prompt was needed.

use super::Span;

/// Ordered: the larger, the less is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every command that would run is listed, with all its effects.
    Complete,
    /// The listed effects are real, but there may be others.
    Partial(Vec<Gap>),
    /// The text was not understood as shell at all.
    Opaque(Gap),
}

/// Something that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    pub kind: GapKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GapKind {
    /// The guard refused the text (too long, control characters, too deep).
    Refused(String),
    /// The parser or the lowering did not understand it.
    Syntax(String),
    /// No knowledge of this program.
    Program(String),
    /// The program's name is only known at run time.
    DynamicProgram,
    /// A subcommand, flag or argument that the knowledge does not cover.
    Argument { program: String, word: String },
    /// A word that decides the effect is only known at run time.
    DynamicWord { program: String, word: String },
    /// Code that could not be seen: a file, a task, a package, standard input.
    Unseen(String),
    /// Code in another language with a call that is not known.
    Call {
        language: &'static str,
        name: String,
    },
    /// The analysis ran out of its budget (steps, depth, size).
    Budget,
}

/// In front of the path in a gap about a module that is loaded.
const LOADED: &str = "what happens on loading ";

impl GapKind {
    /// The name of the program that nothing is known of.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        let Self::Program(name) = self else {
            return None;
        };
        Some(name)
    }

    /// What the code is called that could not be seen.
    #[must_use]
    pub fn unseen(&self) -> Option<&str> {
        let Self::Unseen(name) = self else {
            return None;
        };
        Some(name)
    }

    /// Something in a module of the project that runs when the module is loaded.
    #[must_use]
    pub fn of_module(path: &str) -> Self {
        Self::Unseen(format!("{LOADED}{path}"))
    }

    /// The path of the module that it is about.
    #[must_use]
    pub fn module(&self) -> Option<&str> {
        self.unseen()?.strip_prefix(LOADED)
    }
}

impl Coverage {
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete)
    }

    /// What is understood where both must be.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Complete, coverage) | (coverage, Self::Complete) => coverage,
            (Self::Opaque(gap), _) | (_, Self::Opaque(gap)) => Self::Opaque(gap),
            (Self::Partial(mut gaps), Self::Partial(others)) => {
                gaps.extend(others);
                Self::Partial(gaps)
            }
        }
    }

    /// The word for people and reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial(_) => "partial",
            Self::Opaque(_) => "opaque",
        }
    }

    /// The gaps, in the order they were met.
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        match self {
            Self::Complete => &[],
            Self::Partial(gaps) => gaps,
            Self::Opaque(gap) => std::slice::from_ref(gap),
        }
    }
}

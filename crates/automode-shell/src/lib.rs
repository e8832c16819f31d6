//! What a shell command would do.
//!
//! [`analyse`] turns shell text into a list of [`Invocation`]s and the
//! [`Effect`]s they would have, with an honest [`Coverage`]: what could not be
//! understood is named, never guessed.
//! The crate is pure: it reads no file, no clock and no environment.
//! What it wants to know about the machine it asks for as a [`Need`]; the caller
//! observes, adds to the [`Facts`] and analyses again.

mod eval;
pub mod guard;
pub mod invisible;
mod ir;
pub mod language;
pub mod place;
mod program;
pub mod script;
mod shared;
pub mod syntax;
mod template;

pub use eval::analyse;
pub use ir::{
    Account, Act, Analysis, Certainty, CloudVerb, Code, Context, Coverage, DatabaseVerb, Direction,
    Dynamic, DynamicSource, Effect, Extent, Facts, FileChange, FileFact, Gap, GapKind, Host,
    Interface, Invocation, Language, Layer, Nature, Natures, Need, Nested, NestedStdin, Origin,
    Output, PackageOp, PackageSource, PersistKind, Piece, ProcessScope, ProgramEffects, Redirect,
    RefChange, Runner, Scope, Span, StartedProgram, Stdin, Stdout, SystemChange, Taint, Target,
    TaskRequest, Touch, Value, VcsOp, WriteHow, changes_work_tree,
};
pub use language::powershell;
pub use place::taint_of;
pub use program::{consult, is_steering_variable, natures_of, natures_of_version, reference};

//! The words that every part of the crate speaks.
//!
//! A command becomes invocations and effects, with the values, marks, places and
//! gaps that they name. The evaluator, the knowledge of programs, the readers of
//! languages and those of task files all produce them, and none of these is known
//! here: this folder imports nothing of the crate.

mod analysis;
mod coverage;
mod effect;
mod facts;
mod invocation;
mod language;
mod nature;
mod nested;
mod notation;
mod program_effects;
mod span;
mod taint;
mod target;
mod task;
mod value;
mod work_tree;

pub use analysis::{Analysis, Context};
pub use coverage::{Coverage, Gap, GapKind};
pub use effect::{
    Account, Act, Certainty, CloudVerb, Code, DatabaseVerb, Direction, Effect, FileChange, Host,
    Interface, Origin, PackageOp, PackageSource, PersistKind, ProcessScope, RefChange, Scope,
    StartedProgram, SystemChange, Touch, VcsOp, WriteHow,
};
pub use facts::{Facts, FileFact, Need};
pub use invocation::{Invocation, Layer, Redirect, Stdin, Stdout};
pub use language::Language;
pub use nature::{Nature, Natures};
pub use nested::{Nested, NestedStdin};
pub use program_effects::{Output, ProgramEffects};
pub use span::Span;
pub use taint::Taint;
pub use target::{Extent, Target};
pub use task::{Runner, TaskRequest};
pub use value::{Dynamic, DynamicSource, Piece, Value};
pub use work_tree::{changes_work_tree, sets_work_aside};

//! What a shell command would do.
//!
//! [`analyse`] turns shell text into a list of [`Invocation`]s and the
//! [`Effect`]s they would have, with an honest [`Coverage`]: what could not be
//! understood is named, never guessed.
//! The crate is pure: it reads no file, no clock and no environment.
//! What it wants to know about the machine it asks for as a [`Need`]; the caller
//! observes, adds to the [`Facts`] and analyses again.

mod analysis;
mod coverage;
mod effect;
mod eval;
mod facts;
pub mod guard;
pub mod invisible;
mod invocation;
pub mod language;
mod notation;
pub mod place;
pub mod powershell;
mod program;
pub mod script;
mod span;
pub mod syntax;
mod taint;
mod target;
mod value;

pub use analysis::{Analysis, Context, analyse};
pub use coverage::{Coverage, Gap, GapKind};
pub use effect::{
    Account, Act, Certainty, CloudVerb, Code, DatabaseVerb, Direction, Effect, Host, Interface,
    Origin, PackageOp, PackageSource, PersistKind, ProcessScope, RefChange, Scope, SystemChange,
    Touch, VcsOp, WriteHow,
};
pub use facts::{Facts, FileFact, Need};
pub use invocation::{Invocation, Layer, Redirect, Stdin, Stdout};
pub use place::taint_of;
pub use program::{
    Language, Nature, Nested, NestedStdin, Output, ProgramEffects, TaskRequest, consult, natures_of,
};
pub use span::Span;
pub use taint::Taint;
pub use target::{Extent, Target};
pub use value::{Dynamic, DynamicSource, Piece, Value};

//! Doubles of the world for tests: a file system and a store in memory, a judge that
//! reads from a script, a model that real agents talk to, a clock that stands still, and
//! the specification that the engine is held against.

mod clock;
mod length;
pub mod model;
mod modules;
mod named_program;
mod picture;
mod policy;
mod pure;
mod scripted;
pub mod spec;
mod store;
mod tree;
mod wildcard;

pub use clock::FixedClock;
pub use length::lengths;
pub use modules::{Imports, imports, without_tests};
pub use named_program::{described_names, named_programs};
pub use picture::{Needs, picture};
pub use policy::{Rules, policy};
pub use pure::{Violation, impurities};
pub use scripted::{Scripted, block, clear, garbled};
pub use store::{MemoryStore, StoreFault};
pub use tree::{Node, Tree};
pub use wildcard::{enums, wildcards};

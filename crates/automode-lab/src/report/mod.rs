//! What a run showed: numbers for a terminal, a page for people.

mod html;
mod progress;
mod tally;

pub use html::page;
pub use progress::Progress;
pub use tally::Tally;

//! The pages: data in, HTML out.
//!
//! Every page works without a script; the script adds what is live and the keys.
//! Text of agents is only ever put through the escaping of the templates, and a colour
//! never says anything alone.

mod acts;
mod agent_text;
mod asks;
mod chart;
mod command_text;
mod decision;
mod decisions;
mod devices;
mod diff;
mod effects;
mod judge;
mod layout;
mod overview;
mod people;
mod policy;
mod rules;
mod sign_in;
mod stops;
mod told;

pub use acts::acts;
pub use asks::{ask_cards, asks};
pub use decision::decision;
pub use decisions::{DecisionsPage, decisions, rows};
pub use devices::{DevicesPage, devices};
pub use diff::{DiffLine, diff, diff_lines};
pub use effects::{EffectsPicture, picture};
pub use judge::judge;
pub use layout::{PageFrame, frame, message};
pub use overview::{OverviewPage, overview};
pub use people::people;
pub use policy::{PolicyPage, policy};
pub use rules::rules;
pub use sign_in::sign_in;
pub use stops::{AllowPage, OUT_OF_REACH, StopsPage, allow, stops};

/// The style of all pages.
pub const STYLE: &str = include_str!("style.css");
/// What is live, and the keys.
pub const SCRIPT: &str = include_str!("script.js");
/// The mark in a browser's tab.
pub const ICON: &str = include_str!("icon.svg");

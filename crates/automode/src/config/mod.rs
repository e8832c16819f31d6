//! Settings files: where they are, what they say, and the policy they make.
//!
//! [`load`] reads every file that counts in a directory and builds one
//! [`Policy`]. A file that is broken does not stop it: the policy then carries a
//! failure and allows nothing, so that a lost veto never loosens anything.
//! What is found inside the repository can only tighten.

mod agent;
mod bundle;
mod fault;
mod file;
mod own;
mod places;
pub mod schema;
mod settings_value;
mod watcher;

pub use places::{Place, Places, Trust};
pub use watcher::PolicyWatcher;

use automode_core::Digester;
use automode_core::path::absolute;
use automode_core::policy::{Layer, Policy, Sources};

/// Reads all files of the places. The policy's digest is SHA-256 over what was read,
/// in hex: the same settings, the same digest.
#[must_use]
pub fn load(places: &Places) -> Policy {
    let mut sources = Sources::default();
    let mut read = Digester::default();
    for place in places.iter() {
        match file::read(place) {
            Ok(None) => {}
            Ok(Some(text)) => {
                read.add(place.path.as_os_str().as_encoded_bytes());
                read.add(&[0]);
                read.add(text.as_bytes());
                read.add(&[0]);
                understand(place, &text, places, &mut sources);
            }
            Err(fault) => {
                read.add(fault.to_string().as_bytes());
                sources.faults.push(fault.to_string());
            }
        }
    }
    sources.digest = read.hex();
    Policy::new(sources)
}

fn understand(place: &Place, text: &str, places: &Places, sources: &mut Sources) {
    let mut faults = Vec::new();
    match (place.format, place.trust()) {
        (places::SettingsFormat::Own, Trust::Full) => {
            let layer = own::layer(text, &place.origin(), &mut faults);
            sources.layers.push(rooted(layer, places));
        }
        (places::SettingsFormat::Bundle, Trust::Full) => {
            let mut layer = own::layer(text, &place.origin(), &mut faults);
            bundle::tighten_when_stale(text, &mut layer, &mut faults);
            sources.layers.push(rooted(layer, places));
        }
        (places::SettingsFormat::Own | places::SettingsFormat::Bundle, Trust::TightenOnly) => {
            sources
                .projects
                .push(own::project(text, place, &mut faults));
        }
        (places::SettingsFormat::Agent, Trust::Full) => {
            let layer = agent::layer(text, &place.origin(), &mut faults);
            sources.layers.push(rooted(layer, places));
        }
        (places::SettingsFormat::Agent, Trust::TightenOnly) => {
            sources
                .projects
                .push(agent::project(text, place, &mut faults));
        }
    }
    sources
        .faults
        .extend(faults.iter().map(ToString::to_string));
}

/// The layer with its directories made absolute.
fn rooted(mut layer: Layer, places: &Places) -> Layer {
    for directory in &mut layer.directories {
        directory.text = absolute(&directory.text, &places.cwd, places.home.as_deref());
    }
    layer
}

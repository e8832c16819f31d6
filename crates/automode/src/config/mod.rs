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
mod judge_address;
mod kept;
mod own;
mod places;
pub mod schema;
mod settings_value;
mod watcher;

pub use bundle::{judge_addresses, judges_elsewhere, overreach};
pub use places::{Place, Places, Trust};
pub use watcher::PolicyWatcher;

use automode_core::path::absolute;
use automode_core::policy::{Layer, Policy, Sources};
use automode_core::{Digester, digest};

use crate::state::State;
use fault::Fault;
use kept::{Shelf, Understood};

/// Reads all files of the places. The policy's digest is SHA-256 over the names and the digests
/// of what was read, in hex: the same settings, the same digest.
#[must_use]
pub fn load(places: &Places) -> Policy {
    Load::new(places, None).policy()
}

/// The same for a process that asks a few things and ends: what a large file said is taken
/// from the state, where it was kept. Its rules on plain commands are then not among
/// [`Policy::rules`].
#[must_use]
pub fn load_kept(places: &Places, state: Option<&State>) -> Policy {
    Load::new(places, state).policy()
}

/// What was read so far.
struct Load<'a> {
    places: &'a Places,
    state: Option<&'a State>,
    sources: Sources,
    /// Where among the layers the organisation's policy stands.
    bundle: Option<usize>,
    read: Digester,
}

impl<'a> Load<'a> {
    fn new(places: &'a Places, state: Option<&'a State>) -> Self {
        Self {
            places,
            state,
            sources: Sources::default(),
            bundle: None,
            read: Digester::default(),
        }
    }

    fn policy(mut self) -> Policy {
        for place in self.places.iter() {
            if let Err(fault) = self.add(place) {
                self.read.add(fault.to_string().as_bytes());
                self.sources.faults.push(fault.to_string());
            }
        }
        self.hold_judges();
        self.sources.digest = self.read.hex();
        Policy::new(self.sources)
    }

    fn add(&mut self, place: &Place) -> Result<(), Fault> {
        let Some(about) = file::look(place)? else {
            return Ok(());
        };
        let is_keepable = place.format == places::SettingsFormat::Agent;
        let shelf = self.state.filter(|_| is_keepable);
        let shelf = shelf.and_then(|state| Some((Shelf::of(place, &about, state)?, state)));
        if let Some(kept) = shelf.as_ref().and_then(|(shelf, _)| shelf.take(place)) {
            self.note(place, &kept.digest);
            self.sources.filed.deny.push(kept.deny);
            self.sources.filed.ask.push(kept.ask);
            self.take(kept.said);
            return Ok(());
        }
        let text = file::read(place, &about)?;
        let digest = digest(&text);
        self.note(place, &digest);
        let mut faults = Vec::new();
        let said = understand(place, &text, &mut faults);
        if let Some((shelf, state)) = shelf
            && faults.is_empty()
            && let Ok(Some(about)) = file::look(place)
            && Shelf::of(place, &about, state).as_ref() == Some(&shelf)
        {
            shelf.keep(state, said.clone(), &digest);
        }
        if place.format == places::SettingsFormat::Bundle && matches!(said, Understood::Layer(_)) {
            self.bundle = Some(self.sources.layers.len());
        }
        self.take(said);
        let faults = faults.iter().map(ToString::to_string);
        self.sources.faults.extend(faults);
        Ok(())
    }

    /// Where a judge of the organisation may be is known once every other file was read.
    fn hold_judges(&mut self) {
        let Some(at) = self.bundle else {
            return;
        };
        let layers = self.sources.layers.iter().enumerate();
        let machine = layers.filter(|(own, _)| *own != at).map(|(_, layer)| layer);
        let named = judge_address::named(machine);
        let mut faults = Vec::new();
        if let Some(policy) = self.sources.layers.get_mut(at) {
            judge_address::hold(policy, &named, &mut faults);
        }
        let faults = faults.iter().map(ToString::to_string);
        self.sources.faults.extend(faults);
    }

    fn note(&mut self, place: &Place, digest: &str) {
        self.read.add(place.path.as_os_str().as_encoded_bytes());
        self.read.add(&[0]);
        self.read.add(digest.as_bytes());
        self.read.add(&[0]);
    }

    fn take(&mut self, said: Understood) {
        match said {
            Understood::Layer(layer) => self.sources.layers.push(rooted(layer, self.places)),
            Understood::Project(project) => self.sources.projects.push(project),
        }
    }
}

/// What the machine's own files say; what cannot be read names nothing.
fn layers_of_machine(places: &Places) -> Vec<Layer> {
    let own = places
        .iter()
        .filter(|place| place.format == places::SettingsFormat::Own);
    let read = |place: &Place| {
        let about = file::look(place).ok().flatten()?;
        let text = file::read(place, &about).ok()?;
        match understand(place, &text, &mut Vec::new()) {
            Understood::Layer(layer) => Some(layer),
            Understood::Project(_) => None,
        }
    };
    own.filter_map(read).collect()
}

fn understand(place: &Place, text: &str, faults: &mut Vec<Fault>) -> Understood {
    match (place.format, place.trust()) {
        (places::SettingsFormat::Own, Trust::Full) => {
            Understood::Layer(own::layer(text, &place.origin(), faults))
        }
        (places::SettingsFormat::Bundle, Trust::Full) => {
            let mut layer = own::layer(text, &place.origin(), faults);
            bundle::hold_to_words(&mut layer, faults);
            bundle::tighten_when_stale(text, &mut layer, faults);
            Understood::Layer(layer)
        }
        (places::SettingsFormat::Own | places::SettingsFormat::Bundle, Trust::TightenOnly) => {
            Understood::Project(own::project(text, place, faults))
        }
        (places::SettingsFormat::Agent, Trust::Full) => {
            Understood::Layer(agent::layer(text, &place.origin(), faults))
        }
        (places::SettingsFormat::Agent, Trust::TightenOnly) => {
            Understood::Project(agent::project(text, place, faults))
        }
    }
}

/// The layer with its directories made absolute.
fn rooted(mut layer: Layer, places: &Places) -> Layer {
    for directory in &mut layer.directories {
        directory.text = absolute(&directory.text, &places.cwd, places.home.as_deref());
    }
    layer
}

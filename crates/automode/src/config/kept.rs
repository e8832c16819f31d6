//! Large settings files of agents, kept as they were understood.
//!
//! A file with thousands of rules takes longer to read than all the rest of a hook. What it
//! said is kept in the private state, under its name and what the system tells of it: device,
//! number, length, and both times to the nanosecond. Who changes a file cannot set the second
//! of them back, and a file that changed just now is not kept, so that no change hides within
//! a tick of the clock. Whatever does not fit, or is damaged, is read from the file itself.

use std::fs::{self, File, Metadata};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use automode_core::digest;
use automode_core::policy::{Bypass, FiledRules, Layer, List, Origin, ProjectPolicy, Written};
use serde_json::{Value, json};

use super::places::{Place, Trust};
use crate::state::State;

/// The smallest file that is worth it.
const LARGE: u64 = 64 * 1024;
/// The largest thing that is kept.
const MOST: u64 = 16 * 1024 * 1024;
/// A file that changed later than this ago may change again in the same tick.
const SETTLED: Duration = Duration::from_millis(100);
/// The same where the file system counts whole seconds, by twos at most.
const SETTLED_BY_SECONDS: Duration = Duration::from_secs(3);
/// What is kept by another version may have been understood otherwise.
const FORM: &str = concat!("automode ", env!("CARGO_PKG_VERSION"), " settings 1");

/// What a file says.
#[derive(Clone)]
pub(super) enum Understood {
    Layer(Layer),
    Project(ProjectPolicy),
}

/// A file as it was understood, with most of its rules filed.
pub(super) struct KeptSettings {
    pub(super) said: Understood,
    pub(super) deny: FiledRules,
    pub(super) ask: FiledRules,
    /// The digest of the file's text.
    pub(super) digest: String,
}

/// Where and under what a file is kept.
#[derive(PartialEq, Eq)]
pub(super) struct Shelf {
    file: PathBuf,
    /// What the system tells of the settings file.
    identity: String,
}

impl Shelf {
    /// Nothing where the file is small or changed just now.
    pub(super) fn of(place: &Place, about: &Metadata, state: &State) -> Option<Self> {
        if about.len() < LARGE || !is_settled(about) {
            return None;
        }
        let path = place.path.to_str()?;
        let (trust, name) = (place.trust(), digest(path));
        Some(Self {
            file: state.path("settings").join(name.get(..32)?),
            identity: format!(
                "{FORM} {trust:?} {} {} {} {}.{} {}.{} {path}",
                about.dev(),
                about.ino(),
                about.len(),
                about.mtime(),
                about.mtime_nsec(),
                about.ctime(),
                about.ctime_nsec(),
            ),
        })
    }

    /// What is kept of the file as it is now.
    pub(super) fn take(&self, place: &Place) -> Option<KeptSettings> {
        let file = File::open(&self.file).ok()?;
        let length = file.metadata().ok()?.len().min(MOST);
        // Room for one more byte, so that the end shows at once.
        let mut bytes = Vec::with_capacity(usize::try_from(length).ok()?.saturating_add(32));
        file.take(MOST).read_to_end(&mut bytes).ok()?;
        let start = memchr::memchr(b'\n', &bytes)?.checked_add(1)?;
        let head: Value = serde_json::from_slice(bytes.get(..start)?).ok()?;
        let told = head.get("told")?;
        let is_whole = head.get("of")?.as_str()? == self.identity
            && head.get("sum")?.as_str()? == digest(format!("{}{told}", self.identity));
        let split = usize::try_from(told.get("split")?.as_u64()?).ok()?;
        let split = start.checked_add(split).filter(|_| is_whole)?;
        let said = match place.trust() {
            Trust::Full => Understood::Layer(layer(told, place.origin())?),
            Trust::TightenOnly => Understood::Project(project(told, place.empty_project())?),
        };
        let (origin, root) = match &said {
            Understood::Layer(layer) => (&layer.origin, layer.root.as_deref()),
            Understood::Project(project) => (&project.origin, Some(project.root.as_str())),
        };
        let (deny, ask) = (start..split, split..bytes.len());
        let bytes = Arc::new(bytes);
        let open = |range| FiledRules::open(&bytes, range, origin.clone(), root);
        Some(KeptSettings {
            deny: open(deny)?,
            ask: open(ask)?,
            digest: told.get("digest")?.as_str()?.to_owned(),
            said,
        })
    }

    /// Keeps what a file said. Where that fails it is read again the next time.
    pub(super) fn keep(&self, state: &State, mut said: Understood, digest_of_text: &str) {
        let (deny, ask) = match &mut said {
            Understood::Layer(layer) => (&mut layer.deny, &mut layer.ask),
            Understood::Project(project) => (&mut project.deny, &mut project.ask),
        };
        let (filed_deny, filed_ask) = (FiledRules::pack(deny), FiledRules::pack(ask));
        let mut told = match &said {
            Understood::Layer(layer) => told_layer(layer),
            Understood::Project(project) => json!({
                "deny": told(&project.deny),
                "ask": told(&project.ask),
                "ignored": told(&project.ignored),
            }),
        };
        if let Value::Object(told) = &mut told {
            told.insert("split".to_owned(), json!(filed_deny.len()));
            told.insert("digest".to_owned(), json!(digest_of_text));
        }
        let sum = digest(format!("{}{told}", self.identity));
        let head = json!({ "of": self.identity, "sum": sum, "told": told });
        let write = || {
            state.directory("settings")?;
            let unfinished = self.file.with_extension(std::process::id().to_string());
            let mut options = File::options();
            let options = options.write(true).create_new(true).mode(0o600);
            let mut file = options.open(&unfinished)?;
            let written = file
                .write_all(format!("{head}\n").as_bytes())
                .and_then(|()| file.write_all(&filed_deny))
                .and_then(|()| file.write_all(&filed_ask));
            match written {
                Ok(()) => fs::rename(&unfinished, &self.file),
                Err(error) => fs::remove_file(&unfinished).and(Err(error)),
            }
        };
        write().unwrap_or_default();
    }
}

fn told_layer(layer: &Layer) -> Value {
    let prose = layer.prose.iter();
    let prose: Vec<Value> = prose
        .map(|(list, texts)| json!([list.name(), told(texts)]))
        .collect();
    json!({
        "deny": told(&layer.deny),
        "ask": told(&layer.ask),
        "allow": told(&layer.allow),
        "directories": told(&layer.directories),
        "prose": prose,
        "managed_allow_only": layer.managed_allow_only,
        "bypass": layer.bypass == Bypass::Open,
    })
}

fn layer(told: &Value, origin: Origin) -> Option<Layer> {
    let mut layer = Layer::empty(origin);
    layer.deny = written(told.get("deny")?)?;
    layer.ask = written(told.get("ask")?)?;
    layer.allow = written(told.get("allow")?)?;
    layer.directories = written(told.get("directories")?)?;
    for list in told.get("prose")?.as_array()? {
        let name = list.get(0)?.as_str()?;
        let known = List::ALL.into_iter().find(|known| known.name() == name)?;
        layer.prose.push((known, written(list.get(1)?)?));
    }
    layer.managed_allow_only = told.get("managed_allow_only")?.as_bool()?;
    layer.bypass = match told.get("bypass")?.as_bool()? {
        true => Bypass::Open,
        false => Bypass::Closed,
    };
    Some(layer)
}

fn project(told: &Value, mut project: ProjectPolicy) -> Option<ProjectPolicy> {
    project.deny = written(told.get("deny")?)?;
    project.ask = written(told.get("ask")?)?;
    project.ignored = written(told.get("ignored")?)?;
    Some(project)
}

/// Whether both times lie far enough back.
fn is_settled(about: &Metadata) -> bool {
    let is_fine = about.mtime_nsec() != 0 || about.ctime_nsec() != 0;
    let settled = if is_fine { SETTLED } else { SETTLED_BY_SECONDS };
    let since = |seconds: i64, nanoseconds: i64| {
        let seconds = Duration::from_secs(u64::try_from(seconds).ok()?);
        let time = seconds.checked_add(Duration::from_nanos(u64::try_from(nanoseconds).ok()?))?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.ok()?.checked_sub(time)
    };
    let changed = since(about.ctime(), about.ctime_nsec());
    let written = since(about.mtime(), about.mtime_nsec());
    changed.is_some_and(|ago| ago > settled) && written.is_some_and(|ago| ago > settled)
}

fn told(rules: &[Written]) -> Value {
    rules
        .iter()
        .map(|rule| json!([rule.text, rule.line]))
        .collect()
}

fn written(told: &Value) -> Option<Vec<Written>> {
    let one = |told: &Value| {
        Some(Written {
            text: told.get(0)?.as_str()?.to_owned(),
            line: u32::try_from(told.get(1)?.as_u64()?).ok()?,
        })
    };
    told.as_array()?.iter().map(one).collect()
}

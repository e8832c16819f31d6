//! Looking without touching.
//!
//! Ordinary places may be read wherever they lie; places of secrets may not, and
//! neither may a whole tree that contains some. Receiving from the network is a
//! read as long as the request carries nothing out.

use automode_shell::place::{Place, Zone, has_stores_below};
use automode_shell::{
    Act, CloudVerb, DatabaseVerb, Direction, Effect, Extent, Host, Taint, Target, Value, VcsOp,
};

use super::Exception;
use crate::PathKind;
use crate::effects::Url;
use crate::scene::{ENVIRONMENT, GIT_SETTINGS, Scene};

pub struct ReadOnly;

pub const ID: &str = "read-only";

impl Exception for ReadOnly {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("read_only.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        match &effect.act {
            // Names and metadata hold no secret.
            Act::List { .. } => true,
            Act::Read { target } => is_plain(scene, target),
            Act::Connect {
                host,
                direction: Direction::Receive,
                data,
            } => {
                is_public(host)
                    && carries_nothing(*data)
                    && addresses_are_plain(scene, effect)
                    && !asks_made_up_name(scene, effect, host)
            }
            Act::Connect {
                host: Host::Default(_) | Host::Loopback,
                direction: Direction::Send,
                data,
            } => carries_nothing(*data) && scene.only_asks(effect),
            Act::Cloud {
                verb: CloudVerb::Read,
                ..
            }
            | Act::Database {
                verb: DatabaseVerb::Read,
            }
            | Act::Vcs(VcsOp::Fetch) => true,
            // The rule on leaks speaks up where the agent would see it.
            Act::Credential { what, .. } => what == ENVIRONMENT || what == GIT_SETTINGS,
            _ => false,
        }
    }
}

/// Whether an effect is a read of a place without secrets.
#[must_use]
pub fn is_plain_read(scene: &Scene<'_>, effect: &Effect) -> bool {
    matches!(&effect.act, Act::Read { target } if is_plain(scene, target))
}

/// A place without secrets, as named and as resolved.
fn is_plain(scene: &Scene<'_>, target: &Target) -> bool {
    let known = match target.extent {
        Extent::Exact | Extent::Pattern | Extent::Below => true,
        Extent::Prefix | Extent::Unknown => false,
    };
    known
        && scene
            .places(target)
            .iter()
            .all(|place| place.secret.is_none() && holds_no_secrets(scene, target, place))
}

/// A tree so wide that secrets lie in it is not plain; a file in it is.
fn holds_no_secrets(scene: &Scene<'_>, target: &Target, place: &Place) -> bool {
    let tree = target.extent != Extent::Exact
        || scene
            .path(&target.path)
            .is_none_or(|fact| matches!(fact.kind, PathKind::Directory | PathKind::Link));
    match place.zone {
        Zone::InHome => !tree || (place.protected.is_none() && !holds_stores(scene, &target.path)),
        Zone::Root | Zone::Home | Zone::Ancestor => !tree,
        Zone::SystemTree => {
            !tree
                || !target.path.starts_with("/proc/")
                    && !matches!(target.path.as_str(), "/root" | "/home" | "/proc")
                    && !holds_stores(scene, &target.path)
        }
        Zone::Device => false,
        Zone::System => !tree || !holds_stores(scene, &target.path),
        Zone::Sink
        | Zone::Kernel
        | Zone::TempRoot
        | Zone::Temp
        | Zone::ProjectRoot
        | Zone::Project
        | Zone::Elsewhere => true,
        Zone::Unknown => false,
    }
}

/// Whether credentials are kept in a tree, as named or as resolved.
fn holds_stores(scene: &Scene<'_>, path: &str) -> bool {
    let canonical = scene.path(path).and_then(|fact| fact.canonical.as_deref());
    let home = scene.context.home.as_deref();
    let mut named = [Some(path), canonical].into_iter().flatten();
    named.any(|path| has_stores_below(path, home))
}

/// Addresses that everybody asks whether the network is there.
const RESOLVERS: &[&str] = &[
    "1.0.0.1",
    "1.1.1.1",
    "8.8.4.4",
    "8.8.8.8",
    "9.9.9.9",
    "208.67.220.220",
    "208.67.222.222",
];

/// A host by its public name. A bare address is nobody's name.
fn is_public(host: &Host) -> bool {
    match host {
        Host::Loopback | Host::Default(_) => true,
        Host::Named(name) => {
            let numeric =
                name.chars().all(|c| c.is_ascii_digit() || c == '.') || name.contains(':');
            RESOLVERS.contains(&name.as_str())
                || name.contains('.')
                    && !numeric
                    && !name.ends_with(".internal")
                    && !name.ends_with(".onion")
        }
        Host::Unknown => false,
    }
}

fn carries_nothing(data: Taint) -> bool {
    !data.has(Taint::SECRET)
        && !data.has(Taint::LOCAL)
        && !data.has(Taint::UNKNOWN)
        && !data.has(Taint::SESSION)
}

/// A name put together at run time can carry data out to whoever answers for it.
fn asks_made_up_name(scene: &Scene<'_>, effect: &Effect, host: &Host) -> bool {
    *host == Host::Default("resolver".to_owned())
        && scene
            .invocation(effect)
            .is_some_and(|start| start.argv.iter().any(Value::is_dynamic))
}

/// The addresses among a program's words hand nothing out.
fn addresses_are_plain(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene.invocation(effect).is_none_or(|start| {
        start.argv.iter().all(|word| match word.literal() {
            Some(text) if text.contains("://") => !Url::read(&text).carries_data(),
            Some(_) => true,
            None => !word.prefix().contains("://"),
        })
    })
}

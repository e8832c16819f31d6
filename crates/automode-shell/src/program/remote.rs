//! Other machines: URLs, hosts, `host:path`, and addresses to listen on.

use super::meaning::Meaning;
use crate::place::Place;
use crate::template::PathUse;
use crate::{Act, Direction, Dynamic, DynamicSource, Host, Interface, Piece, Taint, Target, Value};

/// Schemes by which a fetch hands words to a service that acts on them.
const SPEAKING: &[&str] = &[
    "dict", "gopher", "gophers", "imap", "imaps", "ldap", "ldaps", "mqtt", "mqtts", "pop3",
    "pop3s", "redis", "rediss", "rtmp", "rtsp", "smb", "smbs", "smtp", "smtps", "telnet", "tftp",
    "ws", "wss",
];

impl Meaning<'_> {
    pub(super) fn connect(&mut self, host: Host, direction: Direction, word: &Value) {
        let act = Act::Connect {
            host,
            direction,
            data: word.taint(),
        };
        self.effect(act, word.span);
    }

    /// A URL that is fetched or sent to; `file:` is a path.
    pub(super) fn url(&mut self, direction: Direction, word: &Value, cwd: Option<&str>) {
        if word.prefix().starts_with("file://") {
            return self.path(PathUse::Read, &word.after("file://".len()), cwd);
        }
        if word.prefix().starts_with("ext::") {
            return self.shell(word.after("ext::".len()), &[]);
        }
        // `lynx -dump .env`: without a scheme some programs open the file of that name.
        if let Some(text) = word.literal()
            && !text.contains("://")
        {
            let target = Target::locate(word, cwd);
            if Place::of(&target, self.context).secret.is_some() {
                return self.path(PathUse::Read, word, cwd);
            }
        }
        // Data of this machine inside a URL goes out with it.
        let carries = word.taint().has(Taint::LOCAL) || word.taint().has(Taint::SECRET);
        // `gopher://host:6379/_FLUSHALL` says whatever its path holds.
        let scheme = word
            .prefix()
            .split_once("://")
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        let speaks = scheme.is_some_and(|scheme| SPEAKING.contains(&scheme.as_str()));
        let direction = if carries || speaks {
            Direction::Send
        } else {
            direction
        };
        self.connect(host(word), direction, word);
    }

    /// `host:path`, or a path here.
    pub(super) fn remote(&mut self, used: PathUse, word: &Value, cwd: Option<&str>) {
        let prefix = word.prefix();
        let url = prefix.contains("://");
        let colon = prefix.find(':');
        let slash = prefix.find('/');
        let elsewhere = url
            || match (colon, slash) {
                (Some(colon), Some(slash)) => colon < slash,
                (Some(_), None) => true,
                (None, _) => false,
            };
        if !elsewhere {
            return if used == PathUse::DeleteBelow {
                self.delete_found(word, cwd)
            } else {
                self.path(used, word, cwd)
            };
        }
        let direction = match used {
            PathUse::Read | PathUse::List => Direction::Receive,
            PathUse::Write
            | PathUse::WriteBelow
            | PathUse::Append
            | PathUse::Edit
            | PathUse::Touch
            | PathUse::Delete
            | PathUse::DeleteTree
            | PathUse::DeleteBelow
            | PathUse::Attributes
            | PathUse::Link
            | PathUse::Raw => Direction::Send,
        };
        self.connect(host(word), direction, word);
    }

    /// A word that reads like more than a file's name is a gap.
    pub(super) fn plain(&mut self, value: &Value) {
        let prefix = value.prefix();
        if prefix.contains("://") {
            let host = host(value);
            self.connect(host, Direction::Receive, value);
        } else if prefix.contains(':') || prefix.starts_with(['@', '|']) {
            let gap = self.argument_gap(value);
            self.gap(gap);
        }
    }

    /// A database: `scheme://host/name`, `host=… dbname=…`, or a name on the usual server.
    pub(super) fn dsn(&mut self, value: &Value) {
        let prefix = value.prefix();
        let keyed = |key: &str| {
            prefix
                .split_whitespace()
                .find_map(|word| word.strip_prefix(key))
                .map(str::to_owned)
        };
        // The server may be told behind the address, or in a file under a name.
        let told = |key: &str| {
            prefix
                .split(['?', '&', ' '])
                .any(|word| word.starts_with(key))
        };
        let host = if told("service=") || prefix.contains("://") && told("host") {
            Host::Unknown
        } else if prefix.contains("://") {
            match host(value) {
                // `postgres:///name` is the local server.
                Host::Unknown if value.literal().is_some() => Host::Loopback,
                host @ (Host::Unknown | Host::Loopback | Host::Named(_) | Host::Default(_)) => host,
            }
        } else {
            match keyed("host=").or_else(|| keyed("hostaddr=")) {
                Some(host) if host.starts_with('/') => Host::Loopback,
                Some(host) => named(&host),
                None if value.begins_unknown() => Host::Unknown,
                None => Host::Default("database".to_owned()),
            }
        };
        self.connect(host, Direction::Send, value);
    }
}

/// The host of `scheme://user@host:port/path`, `user@host:path` or `host`.
pub(super) fn host(word: &Value) -> Host {
    let prefix = word.prefix();
    let (_, after_scheme) = prefix.split_once("://").unwrap_or(("", &prefix));
    let end = if after_scheme.starts_with('[') {
        after_scheme.find(']').map(|at| at.saturating_add(1))
    } else {
        after_scheme.find(['/', '?', '#'])
    };
    // An unknown rest may still belong to the host.
    let authority = match end {
        Some(end) => after_scheme.get(..end).unwrap_or_default(),
        None if word.literal().is_some() => after_scheme,
        None => match after_scheme.rsplit_once(':') {
            Some((host, _)) => host,
            None => return Host::Unknown,
        },
    };
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let bare = match host.strip_prefix('[') {
        Some(inner) => inner.trim_end_matches(']'),
        None => host.split(':').next().unwrap_or(host),
    };
    named(bare)
}

/// A host by its name or address alone.
pub(super) fn named(name: &str) -> Host {
    match name {
        "" => Host::Unknown,
        "localhost" | "::1" | "0.0.0.0" => Host::Loopback,
        name if name.starts_with("127.") || name.ends_with(".localhost") => Host::Loopback,
        name => Host::Named(name.to_ascii_lowercase()),
    }
}

/// The interface that an address to listen on names.
pub(super) fn interface(word: &Value) -> Interface {
    let Some(text) = word.literal() else {
        return Interface::Unstated;
    };
    let bare = text.rsplit_once("://").map_or(&*text, |(_, rest)| rest);
    if bare.starts_with("localhost") || bare.starts_with("127.") || bare.starts_with("[::1]") {
        return Interface::Loopback;
    }
    if bare == "::1" || bare.starts_with("unix") || bare.starts_with('/') {
        return Interface::Loopback;
    }
    if !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit()) {
        return Interface::Unstated;
    }
    Interface::Exposed
}

/// The interface that a published container port is reached on.
pub(super) fn published(word: &Value) -> Interface {
    let local = word
        .literal()
        .is_some_and(|text| text.starts_with("127.") || text.starts_with("localhost:"));
    if local {
        Interface::Loopback
    } else {
        Interface::Exposed
    }
}

/// The output of a command is a part of a host's name: asking for the name tells
/// it to whoever answers for the domain.
pub(super) fn tells(word: &Value) -> bool {
    let output = |piece: &Piece| {
        matches!(
            piece,
            Piece::Dynamic(Dynamic {
                source: DynamicSource::Output,
                ..
            })
        )
    };
    word.pieces.len() > 1 && word.pieces.iter().any(output)
}

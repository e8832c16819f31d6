//! Hosts that a person trusts: where any is named, every other one asks.

use automode_shell::{Act, Host};

use super::host::{self, HostPattern};
use super::subject::{Match, Subject};
use super::{Policy, Settings};
use crate::Action;

impl Policy {
    /// The first host that the call reaches and nobody trusts, where trust is a list. A URL whose
    /// host cannot be read in one way only is trusted by nobody.
    pub(super) fn untrusted(&self, subject: &Subject<'_>) -> Option<Match> {
        let Settings { hosts, .. } = &self.settings;
        if hosts.is_empty() {
            return None;
        }
        let patterns: Vec<HostPattern> =
            hosts.iter().map(|host| HostPattern::parse(host)).collect();
        let trusted = |host: &str| patterns.iter().any(|pattern| pattern.matches(host));
        let fetched = if let Action::Fetch { url, .. } = subject.action {
            match host::strict(url) {
                Some(host) => (!trusted(&host)).then_some(host),
                None => Some(url.chars().take(80).collect()),
            }
        } else {
            None
        };
        let connected = || {
            subject.effects.iter().find_map(|effect| {
                let Act::Connect {
                    host: Host::Named(name),
                    ..
                } = &effect.act
                else {
                    return None;
                };
                let host = crate::host::normal(name);
                (!trusted(&host)).then_some(host)
            })
        };
        let host = fetched.or_else(connected)?;
        let origin = self.provenance().settings.get("hosts");
        Some(Match {
            rule: format!("hosts: not {host}"),
            origin: origin.map(ToString::to_string).unwrap_or_default(),
        })
    }
}

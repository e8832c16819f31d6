//! Words with a small language of their own: client options, addresses, signals.

use super::meaning::Meaning;
use super::parse::FlagUse;
use super::remote;
use crate::template::PathUse;
use crate::{
    Act, Direction, Dynamic, DynamicSource, Gap, GapKind, Interface, Piece, ProcessScope,
    SystemChange, Value,
};

impl Meaning<'_> {
    pub(super) fn tar_action(&mut self, value: &Value) {
        match value.split_once('=') {
            Some((action, command)) if action == "exec" => self.shell(command, &[]),
            Some(_) => {}
            None if value.literal().is_some() => {}
            None => {
                let gap = self.dynamic_gap(value);
                self.gap(gap);
            }
        }
    }

    pub(super) fn ssh_option(&mut self, value: &Value, cwd: Option<&str>) {
        let pair = value.split_once('=').or_else(|| value.split_once(' '));
        let Some((key, setting)) = pair else {
            let gap = if value.literal().is_some() {
                self.argument_gap(value)
            } else {
                self.dynamic_gap(value)
            };
            return self.gap(gap);
        };
        match key.trim().to_ascii_lowercase().as_str() {
            "proxycommand" | "localcommand" | "knownhostscommand" => self.shell(setting, &[]),
            "remotecommand" => self.unseen("a command on another machine".to_owned(), value.span),
            "pkcs11provider" | "securitykeyprovider" | "xauthlocation" => self.load(&setting, cwd),
            "include" | "match" => {
                self.unseen("configuration of the client".to_owned(), value.span);
            }
            "controlpath" => self.path(PathUse::Edit, &setting, cwd),
            "hostname" => {
                let host = remote::host(&setting);
                self.connect(host, Direction::Send, &setting);
            }
            "identityfile" | "certificatefile" => self.path(PathUse::Read, &setting, cwd),
            "proxyjump" => {
                let host = remote::host(&setting);
                self.connect(host, Direction::Send, &setting);
            }
            "stricthostkeychecking" | "userknownhostsfile" => {
                let strict = setting
                    .literal()
                    .is_some_and(|text| matches!(&*text, "yes" | "ask" | "accept-new"));
                if !strict {
                    self.effect(Act::System(SystemChange::Trust), value.span);
                }
            }
            _ => {}
        }
    }

    /// `ExecStartPre=command` and its like run something; other keys do not.
    pub(super) fn unit_property(&mut self, value: &Value) {
        match value.split_once('=') {
            Some((key, command)) if key.starts_with("Exec") => self.shell(command, &[]),
            Some((key, _)) if key.contains("Environment") => {
                let gap = self.argument_gap(value);
                self.gap(gap);
            }
            Some(_) => {}
            None => {
                let gap = self.dynamic_gap(value);
                self.gap(gap);
            }
        }
    }

    pub(super) fn socat(&mut self, value: &Value, cwd: Option<&str>) {
        let Some((kind, rest)) = value.split_once(':') else {
            let quiet = value
                .literal()
                .is_some_and(|text| matches!(&*text, "-" | "STDIO" | "STDIN" | "STDOUT"));
            if !quiet {
                self.gap(Gap {
                    kind: GapKind::Argument {
                        program: self.program.to_owned(),
                        word: value.shown(),
                    },
                    span: value.span,
                });
            }
            return;
        };
        let kind = kind.to_ascii_uppercase();
        match kind.as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => self.network_shell(rest),
            "FILE" | "OPEN" | "GOPEN" | "CREATE" | "CREAT" | "UNIX" | "UNIX-CONNECT" => {
                let file = rest
                    .split_once(',')
                    .map_or(rest.clone(), |(file, _)| Value::text(file, rest.span));
                self.path(PathUse::Edit, &file, cwd);
            }
            listening if listening.contains("LISTEN") || listening.contains("RECV") => {
                let shown = rest.shown();
                let bound = shown.split(',').find_map(|part| part.strip_prefix("bind="));
                let interface = bound.map_or(Interface::Exposed, |address| {
                    remote::interface(&Value::text(address, rest.span))
                });
                self.effect(Act::Listen { interface }, value.span);
            }
            "PTY" | "FD" | "STDIO" => {}
            _ => {
                let host = remote::host(&rest);
                self.connect(host, Direction::Send, &rest);
            }
        }
    }

    pub(super) fn pid(&mut self, value: &Value) {
        let own = value.pieces.iter().any(|piece| {
            matches!(piece, Piece::Dynamic(Dynamic { source: DynamicSource::Variable(name), .. })
                if matches!(name.as_str(), "!" | "$"))
        });
        let scope = match value.literal().as_deref() {
            _ if own => ProcessScope::Own,
            Some(text) if text.starts_with('%') => ProcessScope::Own,
            Some("-1") => ProcessScope::All,
            Some(text) => ProcessScope::Pid(text.to_owned()),
            None => ProcessScope::Pid(value.shown()),
        };
        self.effect(Act::Process { scope }, value.span);
    }

    /// `kill -9` names a signal, the `-1` in `kill -9 -1` everything.
    pub(super) fn signal(&mut self, value: &Value) {
        // In nested text all words have one span, so the same words twice are taken for
        // what reaches further.
        let holds = |given: &&FlagUse| given.values.first() == Some(value);
        let mut same = self.parsed.given.iter().filter(holds);
        let first = same.next().is_some_and(|given| given.order == 1) && same.next().is_none();
        if !first {
            let group = Value::text(format!("-{}", value.shown()), value.span);
            self.pid(&group);
        }
    }
}

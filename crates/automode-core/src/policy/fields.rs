//! Every setting, as a table.
//!
//! One row a key: what it means, which values it takes, how it is read from and
//! written to [`Settings`](super::Settings). The loader, the JSON Schema, `config show` and
//! `config defaults` all read this table, so a setting exists once.

use std::time::Duration;

use super::{
    AskRules, Beside, OnLimit, OnUnavailable, PowerShell, ProjectCode, Strip,
    field::{Field, FieldKind, Value},
};
use crate::confine::{ConfineMode, Home, Undo};
use crate::{judge, transcript};

/// Longest wait or largest count that makes sense.
const LARGE: u64 = 1_000_000;

/// All settings, in the order people read them.
pub const FIELDS: &[Field] = &[
    Field {
        key: "strip",
        doc: "Which allow rules are set aside in auto mode: those that reach interpreters, shells and task runners, or also network, version control and cloud programs.",
        kind: FieldKind::Choice(&["standard", "strict"]),
        set: |s, v| {
            choose(
                &mut s.strip,
                v,
                &[("standard", Strip::Standard), ("strict", Strip::Strict)],
            )
        },
        get: |s| {
            text(match s.strip {
                Strip::Standard => "standard",
                Strip::Strict => "strict",
            })
        },
    },
    Field {
        key: "ask_rules",
        doc: "Who answers a matching ask rule in auto mode.",
        kind: FieldKind::Choice(&["person", "judge"]),
        set: |s, v| {
            choose(
                &mut s.ask_rules,
                v,
                &[("person", AskRules::Person), ("judge", AskRules::Judge)],
            )
        },
        get: |s| {
            text(match s.ask_rules {
                AskRules::Person => "person",
                AskRules::Judge => "judge",
            })
        },
    },
    Field {
        key: "project_code",
        doc: "Whether the project's own tests, builds and scripts run without the judge where nothing speaks against them.",
        kind: FieldKind::Choice(&["allow", "judge"]),
        set: |s, v| {
            choose(
                &mut s.project_code,
                v,
                &[("allow", ProjectCode::Allow), ("judge", ProjectCode::Judge)],
            )
        },
        get: |s| {
            text(match s.project_code {
                ProjectCode::Allow => "allow",
                ProjectCode::Judge => "judge",
            })
        },
    },
    Field {
        key: "powershell",
        doc: "Who decides about PowerShell commands in auto mode.",
        kind: FieldKind::Choice(&["ask", "judge"]),
        set: |s, v| {
            choose(
                &mut s.powershell,
                v,
                &[("ask", PowerShell::Ask), ("judge", PowerShell::Judge)],
            )
        },
        get: |s| {
            text(match s.powershell {
                PowerShell::Ask => "ask",
                PowerShell::Judge => "judge",
            })
        },
    },
    Field {
        key: "undo",
        doc: "Before which calls work that git does not have is kept: none, unread code that runs confined, or also a loss inside the project, which then needs no question where a person is there.",
        kind: FieldKind::Choice(&["off", "confined", "on"]),
        set: |s, v| {
            choose(
                &mut s.confine.undo,
                v,
                &[
                    ("off", Undo::Off),
                    ("confined", Undo::Confined),
                    ("on", Undo::On),
                ],
            )
        },
        get: |s| {
            text(match s.confine.undo {
                Undo::Off => "off",
                Undo::Confined => "confined",
                Undo::On => "on",
            })
        },
    },
    Field {
        key: "undo_limits.files",
        doc: "How many files and directories are kept for one call; one that could lose more asks.",
        kind: FieldKind::Count { min: 1, max: LARGE },
        set: |s, v| count(&mut s.confine.undo_limits.files, v),
        get: |s| Value::Count(s.confine.undo_limits.files.into()),
    },
    Field {
        key: "undo_limits.megabytes",
        doc: "How much is kept for one call; one that could lose more asks.",
        kind: FieldKind::Count { min: 1, max: 1_000 },
        set: |s, v| count(&mut s.confine.undo_limits.megabytes, v),
        get: |s| Value::Count(s.confine.undo_limits.megabytes.into()),
    },
    Field {
        key: "undo_limits.milliseconds",
        doc: "How long a call may wait until its files are kept; where that takes longer it asks.",
        kind: FieldKind::Count {
            min: 1,
            max: 10_000,
        },
        set: |s, v| count(&mut s.confine.undo_limits.milliseconds, v),
        get: |s| Value::Count(s.confine.undo_limits.milliseconds.into()),
    },
    Field {
        key: "confine.mode",
        doc: "Which commands run confined: none, those with code that was not read, or all that are allowed without a rule.",
        kind: FieldKind::Choice(&["off", "unread", "always"]),
        set: |s, v| {
            choose(
                &mut s.confine.mode,
                v,
                &[
                    ("off", ConfineMode::Off),
                    ("unread", ConfineMode::Unread),
                    ("always", ConfineMode::Always),
                ],
            )
        },
        get: |s| {
            text(match s.confine.mode {
                ConfineMode::Off => "off",
                ConfineMode::Unread => "unread",
                ConfineMode::Always => "always",
            })
        },
    },
    Field {
        key: "confine.home",
        doc: "What a confined command sees of the home: nothing but toolchains, or all but the places that hold secrets.",
        kind: FieldKind::Choice(&["empty", "hide"]),
        set: |s, v| {
            choose(
                &mut s.confine.home,
                v,
                &[("empty", Home::Empty), ("hide", Home::Hide)],
            )
        },
        get: |s| {
            text(match s.confine.home {
                Home::Empty => "empty",
                Home::Hide => "hide",
            })
        },
    },
    Field {
        key: "confine.read",
        doc: "Absolute paths beside the project that confined commands may read.",
        kind: FieldKind::Texts,
        set: |s, v| s.confine.read = texts(v),
        get: |s| Value::Texts(s.confine.read.clone()),
    },
    Field {
        key: "confine.write",
        doc: "Absolute paths beside the project that confined commands may change.",
        kind: FieldKind::Texts,
        set: |s, v| s.confine.write = texts(v),
        get: |s| Value::Texts(s.confine.write.clone()),
    },
    Field {
        key: "confine.net",
        doc: "Hosts that confined commands may reach at port 443; none turns the network off.",
        kind: FieldKind::Texts,
        set: |s, v| s.confine.net = texts(v),
        get: |s| Value::Texts(s.confine.net.clone()),
    },
    Field {
        key: "confine.loopback",
        doc: "Ports of this machine that confined commands may reach, where the backend shares its network.",
        kind: FieldKind::Texts,
        set: |s, v| s.confine.loopback = texts(v),
        get: |s| Value::Texts(s.confine.loopback.clone()),
    },
    Field {
        key: "on_unavailable",
        doc: "The verdict when the judge cannot answer and a person is there; without one it is a denial.",
        kind: FieldKind::Choice(&["deny", "ask"]),
        set: |s, v| {
            choose(
                &mut s.on_unavailable,
                v,
                &[("deny", OnUnavailable::Deny), ("ask", OnUnavailable::Ask)],
            )
        },
        get: |s| {
            text(match s.on_unavailable {
                OnUnavailable::Deny => "deny",
                OnUnavailable::Ask => "ask",
            })
        },
    },
    Field {
        key: "on_limit",
        doc: "What a run without a person does at the denial limit: end, or refuse the call and go on.",
        kind: FieldKind::Choice(&["stop", "deny"]),
        set: |s, v| {
            choose(
                &mut s.on_limit,
                v,
                &[("stop", OnLimit::Stop), ("deny", OnLimit::Deny)],
            )
        },
        get: |s| {
            text(match s.on_limit {
                OnLimit::Stop => "stop",
                OnLimit::Deny => "deny",
            })
        },
    },
    Field {
        key: "beside",
        doc: "Beside a client's own check (an auto mode, a reviewer): decide every call, or only stop calls and leave the rest to it.",
        kind: FieldKind::Choice(&["decide", "veto-only"]),
        set: |s, v| {
            choose(
                &mut s.beside,
                v,
                &[("decide", Beside::Decide), ("veto-only", Beside::VetoOnly)],
            )
        },
        get: |s| {
            text(match s.beside {
                Beside::Decide => "decide",
                Beside::VetoOnly => "veto-only",
            })
        },
    },
    Field {
        key: "hosts",
        doc: "Hosts that may be reached without a question, such as `docs.rs` and `*.example.com`; where any is named, every other host asks.",
        kind: FieldKind::Texts,
        set: |s, v| s.hosts = texts(v),
        get: |s| Value::Texts(s.hosts.clone()),
    },
    Field {
        key: "limits.consecutive",
        doc: "Denials of the judge in a row before a person is asked; any allow resets the count.",
        kind: FieldKind::Count { min: 1, max: LARGE },
        set: |s, v| count(&mut s.limits.consecutive, v),
        get: |s| Value::Count(s.limits.consecutive.into()),
    },
    Field {
        key: "limits.total",
        doc: "Denials of the judge in a whole session before a person is asked.",
        kind: FieldKind::Count { min: 1, max: LARGE },
        set: |s, v| count(&mut s.limits.total, v),
        get: |s| Value::Count(s.limits.total.into()),
    },
    Field {
        key: "limits.unavailable",
        doc: "Outages of the judge in a row before it is left alone for a while.",
        kind: FieldKind::Count { min: 1, max: LARGE },
        set: |s, v| count(&mut s.limits.unavailable, v),
        get: |s| Value::Count(s.limits.unavailable.into()),
    },
    Field {
        key: "limits.pause",
        doc: "How long a broken judge is left alone, in seconds.",
        kind: FieldKind::Count { min: 0, max: LARGE },
        set: |s, v| count(&mut s.limits.pause, v),
        get: |s| Value::Count(s.limits.pause.into()),
    },
    Field {
        key: "judge.protocol",
        doc: "The form of the judge's answer: a text form, or one forced tool call.",
        kind: FieldKind::Choice(&["xml", "tool"]),
        set: |s, v| {
            choose(
                &mut s.judge.protocol,
                v,
                &[
                    ("xml", judge::Protocol::Xml),
                    ("tool", judge::Protocol::Tool),
                ],
            )
        },
        get: |s| {
            text(match s.judge.protocol {
                judge::Protocol::Xml => "xml",
                judge::Protocol::Tool => "tool",
            })
        },
    },
    Field {
        key: "judge.mode",
        doc: "Which passes the judge makes: a fast one and, where that does not clear, a thinking one; or only one of them.",
        kind: FieldKind::Choice(&["both", "fast", "thinking"]),
        set: |s, v| {
            choose(
                &mut s.judge.mode,
                v,
                &[
                    ("both", judge::Mode::Both),
                    ("fast", judge::Mode::Fast),
                    ("thinking", judge::Mode::Thinking),
                ],
            )
        },
        get: |s| {
            text(match s.judge.mode {
                judge::Mode::Both => "both",
                judge::Mode::Fast => "fast",
                judge::Mode::Thinking => "thinking",
            })
        },
    },
    Field {
        key: "judge.redact",
        doc: "Whether secrets are replaced before anything leaves the machine.",
        kind: FieldKind::Flag,
        set: |s, v| {
            s.judge.redaction = if *v == Value::Flag(false) {
                judge::Redaction::Off
            } else {
                judge::Redaction::On
            }
        },
        get: |s| Value::Flag(s.judge.redaction == judge::Redaction::On),
    },
    Field {
        key: "judge.deadline",
        doc: "For the whole decision, all passes and retries together, in milliseconds.",
        kind: FieldKind::Count {
            min: 100,
            max: 600_000,
        },
        set: |s, v| wait(&mut s.service.deadline, v),
        get: |s| millis(s.service.deadline),
    },
    Field {
        key: "judge.fast_timeout",
        doc: "For one request of the fast pass, in milliseconds.",
        kind: FieldKind::Count {
            min: 100,
            max: 600_000,
        },
        set: |s, v| wait(&mut s.service.fast_timeout, v),
        get: |s| millis(s.service.fast_timeout),
    },
    Field {
        key: "judge.thinking_timeout",
        doc: "For one request of the thinking pass, in milliseconds.",
        kind: FieldKind::Count {
            min: 100,
            max: 600_000,
        },
        set: |s, v| wait(&mut s.service.thinking_timeout, v),
        get: |s| millis(s.service.thinking_timeout),
    },
    Field {
        key: "judge.dump",
        doc: "Keep each request and reply, redacted, in a file.",
        kind: FieldKind::Flag,
        set: |s, v| s.service.dump = *v == Value::Flag(true),
        get: |s| Value::Flag(s.service.dump),
    },
    Field {
        key: "judge.insist",
        doc: "Use a model although it failed its canaries.",
        kind: FieldKind::Flag,
        set: |s, v| s.service.insist = *v == Value::Flag(true),
        get: |s| Value::Flag(s.service.insist),
    },
    Field {
        key: "judge.hosts",
        doc: "Hosts at which an organisation's policy may have a judge asked, such as `judge.example.com`; those of the machine's own judges may be asked anyway.",
        kind: FieldKind::Texts,
        set: |s, v| s.service.hosts = texts(v),
        get: |s| Value::Texts(s.service.hosts.clone()),
    },
    Field {
        key: "judge.budget.session",
        doc: "The most money for one session: `\"$5\"`, or millionths of a dollar.",
        kind: FieldKind::Money,
        set: |s, v| s.service.budget.session = amount(v),
        get: |s| s.service.budget.session.map_or(Value::Unset, Value::Count),
    },
    Field {
        key: "judge.budget.day",
        doc: "The most money for one day: `\"$5\"`, or millionths of a dollar.",
        kind: FieldKind::Money,
        set: |s, v| s.service.budget.day = amount(v),
        get: |s| s.service.budget.day.map_or(Value::Unset, Value::Count),
    },
    Field {
        key: "judge.budget.over",
        doc: "What happens when the money is spent.",
        kind: FieldKind::Choice(&["ask", "deny", "local"]),
        set: |s, v| {
            choose(
                &mut s.service.budget.over,
                v,
                &[
                    ("ask", judge::OverBudget::Ask),
                    ("deny", judge::OverBudget::Deny),
                    ("local", judge::OverBudget::Local),
                ],
            )
        },
        get: |s| {
            text(match s.service.budget.over {
                judge::OverBudget::Ask => "ask",
                judge::OverBudget::Deny => "deny",
                judge::OverBudget::Local => "local",
            })
        },
    },
    Field {
        key: "judge.chain",
        doc: "Judges in the order they are asked; an outage of one goes to the next.",
        kind: FieldKind::Tables(super::chain::COLUMNS),
        set: |s, v| s.service.chain = super::chain::read(v),
        get: |s| super::chain::write(&s.service.chain),
    },
    Field {
        key: "transcript.window",
        doc: "Which entries of a session the judge sees: all within the budget, or the last few cut short.",
        kind: FieldKind::Choice(&["full", "recent"]),
        set: |s, v| {
            choose(
                &mut s.judge.transcript.window,
                v,
                &[
                    ("full", transcript::Window::Full),
                    ("recent", transcript::Window::RECENT),
                ],
            )
        },
        get: |s| {
            text(match s.judge.transcript.window {
                transcript::Window::Full => "full",
                transcript::Window::Recent { .. } => "recent",
            })
        },
    },
    Field {
        key: "transcript.form",
        doc: "How an entry is written for the judge.",
        kind: FieldKind::Choice(&["jsonl", "text"]),
        set: |s, v| {
            choose(
                &mut s.judge.transcript.form,
                v,
                &[
                    ("jsonl", transcript::Form::Jsonl),
                    ("text", transcript::Form::Text),
                ],
            )
        },
        get: |s| {
            text(match s.judge.transcript.form {
                transcript::Form::Jsonl => "jsonl",
                transcript::Form::Text => "text",
            })
        },
    },
    Field {
        key: "transcript.budget",
        doc: "The most text of a session in one request, in bytes.",
        kind: FieldKind::Count {
            min: 1000,
            max: 10_000_000,
        },
        set: |s, v| {
            if let Some(bytes) = amount(v).and_then(|n| usize::try_from(n).ok()) {
                s.judge.transcript.budget = bytes;
            }
        },
        get: |s| Value::Count(u64::try_from(s.judge.transcript.budget).unwrap_or(u64::MAX)),
    },
];

fn choose<T: Copy>(slot: &mut T, value: &Value, names: &[(&str, T)]) {
    if let Value::Text(text) = value
        && let Some((_, chosen)) = names.iter().find(|(name, _)| name == text)
    {
        *slot = *chosen;
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Texts(texts) => texts.clone(),
        Value::Text(_)
        | Value::Count(_)
        | Value::Flag(_)
        | Value::Map(_)
        | Value::Tables(_)
        | Value::Unset => Vec::new(),
    }
}

fn count(slot: &mut u32, value: &Value) {
    if let Some(number) = amount(value).and_then(|number| u32::try_from(number).ok()) {
        *slot = number;
    }
}

fn wait(slot: &mut Duration, value: &Value) {
    if let Some(number) = amount(value) {
        *slot = Duration::from_millis(number);
    }
}

fn amount(value: &Value) -> Option<u64> {
    match value {
        Value::Count(number) => Some(*number),
        Value::Text(_)
        | Value::Flag(_)
        | Value::Texts(_)
        | Value::Map(_)
        | Value::Tables(_)
        | Value::Unset => None,
    }
}

fn millis(duration: Duration) -> Value {
    Value::Count(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_are_unique() {
        let keys: BTreeSet<&str> = FIELDS.iter().map(|field| field.key).collect();
        assert_eq!(keys.len(), FIELDS.len());
    }

    /// Every value a field takes is the value it then shows.
    #[test]
    fn set_then_get() {
        for field in FIELDS {
            let values: Vec<Value> = match field.kind {
                FieldKind::Choice(names) => names.iter().map(|name| text(name)).collect(),
                FieldKind::Count { min, max } => vec![
                    Value::Count(min),
                    Value::Count(min.midpoint(max.min(LARGE))),
                ],
                FieldKind::Money => vec![Value::Count(0), Value::Count(5_000_000)],
                FieldKind::Flag => vec![Value::Flag(true), Value::Flag(false)],
                FieldKind::Text => vec![text("x")],
                FieldKind::Texts => vec![Value::Texts(vec!["x".to_owned()])],
                FieldKind::Map => vec![Value::Map([("a".to_owned(), "b".to_owned())].into())],
                FieldKind::Tables(_) => vec![Value::Tables(Vec::new())],
            };
            for value in values {
                field
                    .kind
                    .accepts(&value)
                    .unwrap_or_else(|why| panic!("{}: {why}", field.key));
                let mut settings = Settings::default();
                (field.set)(&mut settings, &value);
                assert_eq!(field.value(&settings), value, "{}", field.key);
            }
        }
    }

    #[test]
    fn defaults_are_acceptable() {
        for field in FIELDS {
            let value = field.value(&Settings::default());
            assert!(
                value == Value::Unset || field.kind.accepts(&value).is_ok(),
                "{}",
                field.key
            );
        }
    }

    #[test]
    fn wrong_values_are_refused() {
        let refused =
            |key: &str, value: Value| Field::find(key).expect(key).kind.accepts(&value).is_err();
        assert!(refused("strip", text("lax")));
        assert!(refused("strip", Value::Flag(true)));
        assert!(refused("limits.total", Value::Count(0)));
        assert!(refused("judge.dump", text("true")));
    }
}

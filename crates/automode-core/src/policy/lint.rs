//! What is odd about a policy: rules that never match, never matter, or are not
//! obeyed, and defaults that were replaced. Nothing here changes a verdict.

use std::sync::Arc;

use serde::Serialize;

use super::{
    Policy, Prose, Rule,
    glob::Glob,
    host::HostPattern,
    layer::List,
    nearest::nearest,
    path::Anchor,
    rule::{OWN_FIELDS, RuleTool, Specifier},
};
use crate::{rules, tool};

/// Something a person should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LintNote {
    pub kind: NoteKind,
    /// The rule, key or list.
    pub subject: String,
    pub origin: String,
    /// One sentence, then a hint where there is one.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// A file or rule could not be understood: nothing is allowed until it is fixed.
    Fault,
    /// Not a project's to say.
    Ignored,
    /// The rule can never match.
    Unused,
    /// A stricter rule always speaks first, or another says the same.
    Shadowed,
    /// Set aside in auto mode.
    Stripped,
    /// Switched off by an administrator.
    Unmanaged,
    /// A built-in list was replaced.
    ReplacedDefaults,
    /// A value that cannot be meant.
    Mistake,
    /// Text in a rule list that is no rule.
    Comment,
}

impl NoteKind {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Ignored => "ignored",
            Self::Unused => "unused",
            Self::Shadowed => "shadowed",
            Self::Stripped => "stripped",
            Self::Unmanaged => "unmanaged",
            Self::ReplacedDefaults => "replaced-defaults",
            Self::Mistake => "mistake",
            Self::Comment => "comment",
        }
    }
}

impl Policy {
    /// Everything odd, the worst first.
    #[must_use]
    pub fn lint(&self) -> Vec<LintNote> {
        let mut notes = provenance(self);
        notes.extend(settings(self));
        notes.extend(hard_deny(self));
        let [deny, ask, allow] = self.rules();
        // What auto mode sets aside covers nothing there.
        let kept: Vec<Arc<Rule>> = allow
            .iter()
            .filter(|rule| {
                !self
                    .provenance()
                    .stripped
                    .iter()
                    .any(|set| Arc::ptr_eq(&set.rule, rule))
            })
            .cloned()
            .collect();
        let on = |kind, rule: &Rule, text: String| LintNote {
            kind,
            subject: rule.text.to_string(),
            origin: rule.origin().to_string(),
            text,
        };
        for (rules, list) in [(deny, Use::Veto), (ask, Use::Veto), (allow, Use::Permit)] {
            for rule in rules {
                notes.extend(unused(rule, list).map(|why| on(NoteKind::Unused, rule, why)));
            }
        }
        let shadows = |rule: &Arc<Rule>, over: &[Arc<Rule>], name: &str| {
            let other = over
                .iter()
                .find(|other| !Arc::ptr_eq(other, rule) && other.covers(rule))?;
            Some(on(
                NoteKind::Shadowed,
                rule,
                format!(
                    "the {name} rule `{}` covers it ({})",
                    other.text,
                    other.origin()
                ),
            ))
        };
        for rule in allow {
            notes.extend(shadows(rule, deny, "deny").or_else(|| shadows(rule, ask, "ask")));
        }
        for rule in ask {
            notes.extend(shadows(rule, deny, "deny"));
        }
        for rules in [deny, ask, kept.as_slice()] {
            notes.extend(repeated(rules, &on));
        }
        notes.sort_by(|a, b| (a.kind, &a.origin).cmp(&(b.kind, &b.origin)));
        notes
    }
}

/// Rules of one list that an earlier rule of the list already covers.
fn repeated(
    rules: &[Arc<Rule>],
    on: &dyn Fn(NoteKind, &Rule, String) -> LintNote,
) -> Vec<LintNote> {
    let mut notes = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let wider = rules.iter().enumerate().find(|(other, wider)| {
            *other != at && wider.covers(rule) && (*other < at || !rule.covers(wider))
        });
        if let Some((_, wider)) = wider {
            let text = format!(
                "`{}` of the same list covers it ({})",
                wider.text,
                wider.origin()
            );
            notes.push(on(NoteKind::Shadowed, rule, text));
        }
    }
    notes
}

fn provenance(policy: &Policy) -> Vec<LintNote> {
    let known = policy.provenance();
    let mut notes = Vec::new();
    let mut note = |kind, subject: &str, origin: String, text: String| {
        notes.push(LintNote {
            kind,
            subject: subject.to_owned(),
            origin,
            text,
        });
    };
    for fault in &known.faults {
        note(NoteKind::Fault, "", String::new(), fault.clone());
    }
    for (key, origin) in &known.ignored {
        let text = "a project may add deny and ask rules, and tighten confinement; nothing else\nhint: put it into your own configuration".to_owned();
        note(NoteKind::Ignored, key, origin.to_string(), text);
    }
    for stripped in &known.stripped {
        let rule = &stripped.rule;
        note(
            NoteKind::Stripped,
            &rule.text,
            rule.origin().to_string(),
            format!("set aside in auto mode: {}", stripped.why),
        );
    }
    for rule in &known.unmanaged {
        let text = "an administrator accepts managed allow rules only".to_owned();
        note(
            NoteKind::Unmanaged,
            &rule.text,
            rule.origin().to_string(),
            text,
        );
    }
    for (text, origin) in &known.comments {
        note(
            NoteKind::Comment,
            text,
            origin.to_string(),
            "this is not a rule and is skipped".to_owned(),
        );
    }
    notes.extend(replaced_defaults(policy));
    notes
}

/// Lists that leave the built-in entries out.
fn replaced_defaults(policy: &Policy) -> Vec<LintNote> {
    let mut notes = Vec::new();
    for (list, entries) in lists(policy) {
        if entries.contains(&Prose::Defaults) {
            continue;
        }
        let (origin, text) = match entries.first() {
            Some(Prose::Entry { origin, .. }) => (
                origin.clone(),
                "the built-in entries are replaced\nhint: add \"$defaults\" to the list to keep them",
            ),
            Some(Prose::Defaults) | None => (
                String::new(),
                "the list is empty: the built-in entries are gone\nhint: add \"$defaults\" to keep them",
            ),
        };
        notes.push(LintNote {
            kind: NoteKind::ReplacedDefaults,
            subject: format!("auto_mode.{}", list.name()),
            origin,
            text: text.to_owned(),
        });
    }
    notes
}

/// Values that cannot be meant.
fn settings(policy: &Policy) -> Vec<LintNote> {
    let known = policy.provenance();
    let at = |key: &str| {
        known
            .settings
            .get(key)
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    let mut notes = Vec::new();
    let mut mistake = |subject: &str, origin: String, text: String| {
        notes.push(LintNote {
            kind: NoteKind::Mistake,
            subject: subject.to_owned(),
            origin,
            text,
        });
    };
    let service = &policy.settings.service;
    for provider in &service.chain {
        if let Some(url) = provider
            .base_url
            .as_deref()
            .filter(|url| !url.contains("://"))
        {
            let text = format!("`{url}` has no scheme\nhint: write `http://{url}`");
            mistake("judge.chain", at("judge.chain"), text);
        }
    }
    let budgets = [
        ("judge.budget.session", service.budget.session),
        ("judge.budget.day", service.budget.day),
    ];
    for (key, amount) in budgets {
        if let Some(amount) = amount.filter(|amount| (1..10_000).contains(amount)) {
            let text = format!(
                "{amount} millionths of a dollar are less than a cent\nhint: write `\"${amount}\"` for {amount} dollars"
            );
            mistake(key, at(key), text);
        }
    }
    let hosts = policy.settings.hosts.iter();
    for host in hosts.filter(|host| !HostPattern::parse(host).names_a_host()) {
        let text = format!(
            "no host is called `{host}`, so it trusts none\nhint: write the host alone, without scheme, port or path: `example.com`"
        );
        mistake("hosts", at("hosts"), text);
    }
    for (key, origin) in &known.misplaced {
        let text = "it means something in an administrator's file only\nhint: take it out, or ask whoever keeps `/etc/automode/config.toml`".to_owned();
        mistake(key, origin.to_string(), text);
    }
    notes
}

/// Entries of `hard_deny` that look like a rule's id and are none: the judge reads them, and
/// nothing becomes a denial.
fn hard_deny(policy: &Policy) -> Vec<LintNote> {
    let is_word = |text: &str| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        !text.is_empty() && text.chars().all(plain)
    };
    let ids = || rules::CATALOGUE.iter().map(|rule| rule.id());
    let entries = policy.auto_mode.hard_deny.iter();
    entries
        .filter_map(|prose| match prose {
            Prose::Defaults => None,
            Prose::Entry { text, origin } => Some((text, origin)),
        })
        .filter(|(text, _)| is_word(text) && !ids().any(|id| id == text.as_str()))
        .map(|(text, origin)| {
            let hint = match nearest(text, ids()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => {
                    "`automode rules list` shows them, or write a sentence for the judge".to_owned()
                }
            };
            LintNote {
                kind: NoteKind::Mistake,
                subject: text.clone(),
                origin: origin.clone(),
                text: format!(
                    "there is no rule `{text}`, so nothing becomes a denial\nhint: {hint}"
                ),
            }
        })
        .collect()
}

fn lists(policy: &Policy) -> [(List, &[Prose]); 4] {
    let lists = &policy.auto_mode;
    [
        (List::Allow, &lists.allow),
        (List::SoftDeny, &lists.soft_deny),
        (List::HardDeny, &lists.hard_deny),
        (List::Environment, &lists.environment),
    ]
}

/// Which way a rule is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Permit,
    Veto,
}

/// Why a rule can never match, or hardly ever as meant.
fn unused(rule: &Rule, list: Use) -> Option<String> {
    if let Some(field) = own_field(rule) {
        return Some(format!(
            "a rule on the raw text of `{field}` is not looked at\nhint: use the tool's own form, such as `Bash(rm *)`, `Read(./path)` or `WebFetch(domain:host)`"
        ));
    }
    match (&rule.tool, &rule.what) {
        (RuleTool::Pattern(_), _) if list == Use::Permit => Some(
            "an allow rule cannot have a pattern for its tool\nhint: name the tool, or the server as in `mcp__server__*`".to_owned(),
        ),
        (RuleTool::Named(name), _) if unknown(name) => {
            let meant = nearest(name, tool::TABLE.iter().map(|tool| tool.name));
            let hint = meant.map(|name| format!("\nhint: did you mean `{name}`?")).unwrap_or_default();
            Some(format!("there is no tool `{name}`{hint}"))
        }
        (RuleTool::Fetch, Specifier::Name(_)) => {
            Some("a fetch rule speaks of a host\nhint: write `WebFetch(domain:example.com)`".to_owned())
        }
        (_, Specifier::Host(host)) if !host.names_a_host() => {
            Some("no host has this name\nhint: write the host alone, without scheme, port or path: `WebFetch(domain:example.com)`".to_owned())
        }
        (RuleTool::Named(name), Specifier::Name(_)) if list == Use::Permit && name != "Skill" => {
            Some(format!("an allow rule on `{name}` cannot speak of its input\nhint: write `{name}` to allow every use"))
        }
        (RuleTool::Mcp { .. }, Specifier::Name(_)) if list == Use::Permit => {
            Some("an allow rule on a server's tool cannot speak of its input".to_owned())
        }
        (RuleTool::Bash | RuleTool::PowerShell, Specifier::Command(glob)) if list == Use::Permit => compound(glob),
        (_, Specifier::Path(pattern)) => path(rule, pattern.anchor),
        _ => None,
    }
}

fn own_field(rule: &Rule) -> Option<&'static str> {
    let (_, body) = rule.text.split_once('(')?;
    let (field, value) = body.split_once(':')?;
    let taken =
        !matches!(rule.tool, RuleTool::Bash | RuleTool::PowerShell) || !value.starts_with("*)");
    OWN_FIELDS
        .iter()
        .find(|own| **own == field.trim() && taken)
        .copied()
}

/// A tool whose name looks like a slip: agents may have tools that we do not know,
/// but those are spelled with underscores or come from a server.
fn unknown(name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "Skill",
        "LS",
        "KillShell",
        "BashOutput",
        "SlashCommand",
        "Cd",
        "Monitor",
        "REPL",
    ];
    !name.contains('_')
        && !OTHERS.contains(&name)
        && !tool::TABLE
            .iter()
            .any(|tool| tool.name == name || tool.aliases.contains(&name))
}

fn compound(glob: &Glob) -> Option<String> {
    let operator = ["&&", "||", ";", "|"]
        .iter()
        .find(|operator| glob.prefix().contains(**operator))?;
    glob.exact().is_none().then(|| {
        format!("a command is matched part by part, so a pattern across `{operator}` never matches\nhint: write one rule for each part")
    })
}

fn path(rule: &Rule, anchor: Anchor) -> Option<String> {
    const TOPS: &[&str] = &[
        "/home/", "/Users/", "/etc/", "/usr/", "/var/", "/tmp/", "/opt/", "/root/",
    ];
    let body = rule
        .text
        .split_once('(')
        .map_or("", |(_, body)| body.trim_end_matches(')'));
    if anchor == Anchor::Settings && TOPS.iter().any(|top| body.starts_with(top)) {
        return Some(format!(
            "`{body}` is relative to the project's root\nhint: write `/{body}` for a path from the file system's root"
        ));
    }
    if body.contains('{') && body.contains(',') {
        return Some("braces are plain characters in a path pattern\nhint: write one rule for each alternative".to_owned());
    }
    body.starts_with('!')
        .then(|| "a path pattern cannot be negated".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::fixture;

    fn notes(deny: &[&str], allow: &[&str]) -> Vec<(NoteKind, String)> {
        let policy = Policy::new(fixture::sources(deny, &[], allow));
        policy
            .lint()
            .into_iter()
            .map(|note| (note.kind, note.subject))
            .collect()
    }

    #[track_caller]
    fn check(deny: &[&str], allow: &[&str], expected: &[(NoteKind, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, text)| (*kind, (*text).to_owned()))
            .collect();
        assert_eq!(
            notes(deny, allow),
            expected,
            "deny {deny:?} allow {allow:?}"
        );
    }

    #[test]
    fn rules_that_never_match() {
        let unused = |rule: &'static str| check(&[], &[rule], &[(NoteKind::Unused, rule)]);
        unused("mcp__*");
        unused("B*");
        unused("Bsh(x)");
        unused("WebFetch(https://example.com)");
        unused("WebFetch(domain:https://example.com)");
        unused("WebFetch(domain:example.com/path)");
        unused("WebFetch(domain:example.com:443)");
        unused("WebSearch(rust)");
        unused("Bash(cd x && ls *)");
        unused("Read(/home/dev/x)");
        unused("Edit(src/{a,b}.rs)");
        unused("Read(!x)");
        unused("Bash(command:rm *)");
        check(
            &["mcp__*", "WebSearch(rust)"],
            &["Bash(git status)", "Skill(x)", "Read(//home/dev/x)"],
            &[],
        );
    }

    #[test]
    fn shadowed_rules() {
        check(
            &["Bash(git *)"],
            &["Bash(git status)"],
            &[(NoteKind::Shadowed, "Bash(git status)")],
        );
        check(
            &["Bash"],
            &["Bash(git status)"],
            &[(NoteKind::Shadowed, "Bash(git status)")],
        );
        check(
            &["Edit"],
            &["Write(/src/**)"],
            &[(NoteKind::Shadowed, "Write(/src/**)")],
        );
        check(&["Bash(git push *)"], &["Bash(git status)"], &[]);
        check(
            &[],
            &["Bash(git *)", "Bash(git status)"],
            &[(NoteKind::Shadowed, "Bash(git status)")],
        );
        check(
            &[],
            &["Bash(git status)", "Bash(git *)"],
            &[(NoteKind::Shadowed, "Bash(git status)")],
        );
        check(&[], &["Read", "Read"], &[(NoteKind::Shadowed, "Read")]);
    }

    #[test]
    fn a_stripped_rule_covers_nothing() {
        check(
            &[],
            &["Bash(python *)", "Bash(python tests.py)"],
            &[(NoteKind::Stripped, "Bash(python *)")],
        );
        check(
            &["WebFetch(evil.com)"],
            &[],
            &[(NoteKind::Unused, "WebFetch(evil.com)")],
        );
    }

    #[test]
    fn stripped_rules() {
        check(
            &[],
            &["Bash(python *)"],
            &[(NoteKind::Stripped, "Bash(python *)")],
        );
    }
}

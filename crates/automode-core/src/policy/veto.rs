//! Does a deny or ask rule match any part of a call?
//!
//! A veto errs on the side of matching: it looks through every wrapper and nested
//! script, at links and their targets, without case, and at raw text where the
//! analysis has gaps. A rule that only may match (a word is not known before the
//! command runs) is a maybe, which asks instead of denying.

use std::borrow::Borrow;

use automode_shell::{Act, Analysis, Effect, Extent, GapKind, Host, Touch, VcsOp, WriteHow};
use serde_json::Value;

use super::{
    Scope, Subject,
    glob::Glob,
    history, host,
    index::{RuleIndex, Shell},
    powershell,
    reach::{RuleReach, files, filled, inside, reached, touches, tracked},
    rule::{EDITING, READING, Rule, RuleTool, Specifier},
    suspect,
};
use crate::tool::READ_RESOURCE;
use crate::{Action, PathKind};

/// How sure a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hit {
    Maybe,
    Sure,
}

/// The surest match among the rules of each voice; the earliest of equals.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VetoFound<'a> {
    pub person: Option<(&'a Rule, Hit)>,
    pub project: Option<(&'a Rule, Hit)>,
}

impl<'a> VetoFound<'a> {
    fn note(&mut self, rule: &'a Rule, hit: Hit) {
        let best = match rule.scope() {
            Scope::Project => &mut self.project,
            Scope::AgentUser
            | Scope::User
            | Scope::Chosen
            | Scope::AgentManaged
            | Scope::Managed => &mut self.person,
        };
        if best.is_none_or(|(_, known)| hit > known) {
            *best = Some((rule, hit));
        }
    }
}

/// What the rules of a list say of a call.
pub(super) fn find<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
) -> VetoFound<'a> {
    let mut found = VetoFound::default();
    let mut note = |rule: &'a Rule, hit: Option<Hit>| {
        if let Some(hit) = hit {
            found.note(rule, hit);
        }
    };
    for rule in index.parameters() {
        note(rule, parameter(rule, subject));
    }
    for rule in index.patterns() {
        note(rule, pattern(rule, subject));
    }
    for rule in index
        .mcp(subject.tool)
        .into_iter()
        .chain(index.named(subject.tool))
    {
        note(rule, by_name(rule, subject));
    }
    if let Some(named) = resource_tool(subject) {
        let asked = Subject {
            tool: &named,
            ..*subject
        };
        for rule in index.patterns() {
            note(rule, pattern(rule, &asked));
        }
        for rule in index.mcp(&named) {
            note(rule, by_name(rule, &asked));
        }
    }
    by_action(index, subject, &mut note);
    // A rule speaks of what is done, not of the tool that does it.
    if !matches!(subject.action, Action::Shell { .. } | Action::Opaque { .. }) {
        effects(index, subject, subject.effects, &mut note);
    }
    found
}

/// A client's own tool that reads a resource asks the server that it names.
fn resource_tool(subject: &Subject<'_>) -> Option<String> {
    let server = subject.input.get("server")?.as_str()?;
    (subject.tool == "ReadMcpResource").then(|| format!("mcp__{server}__{READ_RESOURCE}"))
}

/// What the rules on this kind of call say.
fn by_action<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    note: VetoNote<'_, 'a>,
) {
    match subject.action {
        Action::Shell { command } => shell(index, subject, command, note),
        Action::PowerShell { command } => power_shell(index, command, note),
        Action::Read { path } => files(index.reading(), &[path], subject, note),
        Action::Search { pattern, path } => {
            let place = path.as_deref().unwrap_or(".");
            let found = inside(place);
            let named = [place, &found, pattern];
            files(index.reading(), &named, subject, note);
        }
        Action::Edit { path, .. } | Action::Write { path, .. } | Action::Notebook { path, .. } => {
            files(index.editing(), &[path], subject, note);
        }
        Action::Fetch { url, .. } => {
            for rule in index.fetching() {
                note(rule, fetch(rule, url));
            }
        }
        Action::Spawn { kind, .. } => {
            let kind = kind.as_deref().unwrap_or("general-purpose");
            for rule in index.agents() {
                note(rule, name(rule, kind));
            }
        }
        Action::Opaque { .. } => opaque(index, subject, note),
        Action::WebSearch { .. }
        | Action::Schedule { .. }
        | Action::Message { .. }
        | Action::Configure { .. }
        | Action::Mcp { .. }
        | Action::Interact
        | Action::Inert => {}
    }
}

pub(super) type VetoNote<'n, 'a> = &'n mut dyn FnMut(&'a Rule, Option<Hit>);

/// A rule on one field of the input.
fn parameter(rule: &Rule, subject: &Subject<'_>) -> Option<Hit> {
    let (field, glob) = rule.parameter.as_ref()?;
    if !speaks_of(&rule.tool, subject) {
        return None;
    }
    let text = match subject.input.get(field)? {
        Value::String(text) => text.clone(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    glob.matches(&text).then_some(Hit::Sure)
}

fn speaks_of(tool: &RuleTool, subject: &Subject<'_>) -> bool {
    match tool {
        RuleTool::Bash => subject.tool == "Bash",
        RuleTool::PowerShell => subject.tool == "PowerShell",
        RuleTool::Read => subject.tool == "Read" || READING.contains(&subject.tool),
        RuleTool::Edit => subject.tool == "Edit" || EDITING.contains(&subject.tool),
        RuleTool::Fetch => subject.tool == "WebFetch",
        RuleTool::Agent => subject.tool == "Agent",
        RuleTool::Mcp { server, tool } => subject
            .tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.strip_prefix(server.as_str()))
            .and_then(|rest| rest.strip_prefix("__"))
            .is_some_and(|name| tool.matches(name)),
        RuleTool::Named(name) => name == subject.tool,
        RuleTool::Pattern(glob) => glob.matches(subject.tool),
    }
}

fn pattern(rule: &Rule, subject: &Subject<'_>) -> Option<Hit> {
    let bare = rule.what == Specifier::Any && rule.parameter.is_none();
    (bare && speaks_of(&rule.tool, subject)).then_some(Hit::Sure)
}

/// A tool known by name: every use, its path, or a name somewhere in its input.
fn by_name(rule: &Rule, subject: &Subject<'_>) -> Option<Hit> {
    match &rule.what {
        Specifier::Any => Some(Hit::Sure),
        Specifier::Path(pattern) => {
            let path = match subject.action {
                Action::Search {
                    pattern: sought,
                    path,
                } => {
                    let place = path.as_deref().unwrap_or(".");
                    return touches(rule, pattern, place, subject)
                        .or_else(|| touches(rule, pattern, sought, subject));
                }
                Action::Read { path } => Some(path.as_str()),
                action => action.edited_file(),
            };
            path.map_or(Some(Hit::Maybe), |path| {
                touches(rule, pattern, path, subject)
            })
        }
        Specifier::Name(glob) | Specifier::Command(glob) => subject
            .input
            .values()
            .filter_map(Value::as_str)
            .any(|text| glob.matches(text))
            .then_some(Hit::Sure),
        Specifier::Host(_) => None,
    }
}

fn name(rule: &Rule, name: &str) -> Option<Hit> {
    let hit = match &rule.what {
        Specifier::Any => true,
        Specifier::Name(glob) => glob.matches(name) || glob.matches(&name.to_lowercase()),
        Specifier::Command(_) | Specifier::Path(_) | Specifier::Host(_) => false,
    };
    hit.then_some(Hit::Sure)
}

fn fetch(rule: &Rule, url: &str) -> Option<Hit> {
    match &rule.what {
        Specifier::Any => Some(Hit::Sure),
        Specifier::Host(pattern) => match host::lenient(url) {
            Some(host) => pattern.matches(&host).then_some(Hit::Sure),
            None => Some(Hit::Maybe),
        },
        Specifier::Name(glob) => glob.matches(url).then_some(Hit::Sure),
        Specifier::Command(_) | Specifier::Path(_) => None,
    }
}

/// The input does not have the tool's shape: a rule on its content may match.
fn opaque<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    note: VetoNote<'_, 'a>,
) {
    for rule in index.all() {
        let by_name = matches!(
            rule.tool,
            RuleTool::Named(_) | RuleTool::Mcp { .. } | RuleTool::Pattern(_)
        );
        if !by_name && rule.parameter.is_none() && speaks_of(&rule.tool, subject) {
            let hit = if rule.what == Specifier::Any {
                Hit::Sure
            } else {
                Hit::Maybe
            };
            note(rule, Some(hit));
        }
    }
}

fn power_shell<'a, R: Borrow<Rule>>(index: &'a RuleIndex<R>, text: &str, note: VetoNote<'_, 'a>) {
    for rule in index.all_commands(Shell::PowerShell) {
        note(rule, Some(Hit::Sure));
    }
    if index.speaks_of_commands(Shell::PowerShell) {
        for suspect in powershell::suspects(text) {
            commands(index, Shell::PowerShell, &suspect, note);
        }
    }
}

fn commands<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    shell: Shell,
    text: &str,
    note: VetoNote<'_, 'a>,
) {
    for rule in index.commands(shell, text) {
        if let Specifier::Command(glob) = &rule.what {
            note(rule, command_hit(glob, text));
        }
    }
}

fn command_hit(glob: &Glob, text: &str) -> Option<Hit> {
    if glob.matches(text) {
        // A star of the rule may stand for the unknown part.
        Some(Hit::Sure)
    } else {
        glob.may_match(text).then_some(Hit::Maybe)
    }
}

fn shell<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    text: &str,
    note: VetoNote<'_, 'a>,
) {
    for rule in index.all_commands(Shell::Bash) {
        note(rule, Some(Hit::Sure));
    }
    if index.speaks_of_commands(Shell::Bash) {
        commands(index, Shell::Bash, text.trim(), note);
        for invocation in subject
            .analysis
            .iter()
            .flat_map(|analysis| &analysis.invocations)
        {
            for suspect in suspect::suspects(invocation, invocation.span.of(text).trim()) {
                commands(index, Shell::Bash, &suspect, note);
            }
        }
        if subject.analysis.is_none_or(unsplit) {
            match suspect::raw_suspects(text) {
                Some(suspects) => {
                    for suspect in suspects {
                        commands(index, Shell::Bash, &suspect, note);
                    }
                }
                None => {
                    for rule in index.commands(Shell::Bash, "\0") {
                        note(rule, Some(Hit::Maybe));
                    }
                }
            }
        }
    }
    if let Some(analysis) = subject.analysis {
        effects(index, subject, &analysis.effects, note);
        history::shown(index, subject, note);
    }
}

/// Whether commands may have escaped the analysis.
pub(super) fn unsplit(analysis: &Analysis) -> bool {
    analysis.coverage.gaps().iter().any(|gap| match gap.kind {
        GapKind::Refused(_) | GapKind::Syntax(_) | GapKind::Budget => true,
        GapKind::Program(_)
        | GapKind::DynamicProgram
        | GapKind::Argument { .. }
        | GapKind::DynamicWord { .. }
        | GapKind::Unseen(_)
        | GapKind::Call { .. } => false,
    })
}

/// File and host rules on what a command would do.
fn effects<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    all: &[Effect],
    note: VetoNote<'_, 'a>,
) {
    for effect in all {
        match effect.act.touches() {
            Some((Touch::Read | Touch::Run, target)) => {
                for rule in index.reading() {
                    note(rule, reached(rule, target, RuleReach::Content, subject));
                }
            }
            Some((touch @ (Touch::Write | Touch::Delete | Touch::DeleteTree), target)) => {
                let reach = match touch {
                    Touch::DeleteTree => RuleReach::Tree,
                    Touch::List | Touch::Read | Touch::Run | Touch::Write | Touch::Delete => {
                        RuleReach::Path
                    }
                };
                let folder = filled_folder(&effect.act, subject);
                for rule in index.editing().chain(index.named("Write")) {
                    let within = || filled(rule, folder?, subject);
                    let hit = reached(rule, target, reach, subject).or_else(within);
                    note(rule, hit);
                }
            }
            Some((Touch::List, _)) | None => {}
        }
        // What git puts back, it writes.
        if let Act::Vcs(VcsOp::DiscardChanges {
            target: Some(target),
        }) = &effect.act
        {
            for rule in index.editing().chain(index.named("Write")) {
                note(rule, reached(rule, target, RuleReach::Path, subject));
            }
        }
        if changes_tracked(effect, subject) {
            for rule in index.editing().chain(index.named("Write")) {
                note(rule, tracked(rule, subject));
            }
        }
        if let Act::Connect { host, .. } = &effect.act {
            for name in hosts(host, subject) {
                for rule in index.fetching() {
                    if let Specifier::Host(pattern) = &rule.what {
                        let hit = pattern.matches(&crate::host::normal(&name));
                        note(rule, hit.then_some(Hit::Sure));
                    }
                }
            }
        }
    }
}

/// The folder of which a write may change anything: an unpacked archive, a formatter's tree.
fn filled_folder<'s>(act: &'s Act, subject: &Subject<'_>) -> Option<&'s str> {
    let Act::Write { target, how, .. } = act else {
        return None;
    };
    let fact = subject.facts.paths.get(&target.path);
    let whole = match target.extent {
        Extent::Below => true,
        Extent::Exact => fact.is_some_and(|fact| fact.kind == PathKind::Directory),
        Extent::Pattern | Extent::Prefix | Extent::Unknown => false,
    };
    let rewrites = !matches!(how, WriteHow::Touch | WriteHow::Attributes);
    (whole && rewrites).then_some(target.path.as_str())
}

/// Whether any file that git has may be another afterwards.
fn changes_tracked(effect: &Effect, subject: &Subject<'_>) -> bool {
    /// Words of git that bring the files to another point of the history.
    const MOVING: &[&str] = &[
        "am",
        "apply",
        "bisect",
        "checkout",
        "checkout-index",
        "cherry-pick",
        "merge",
        "pull",
        "read-tree",
        "rebase",
        "reset",
        "restore",
        "revert",
        "stash",
        "switch",
    ];
    /// A new branch stands where the old one does.
    const STAYING: &[&str] = &["-b", "-c", "--create"];
    let Act::Vcs(op) = &effect.act else {
        return false;
    };
    let moves = || {
        let analysis = subject.analysis?;
        let start = analysis.invocations.get(effect.by)?;
        let words: Vec<_> = start
            .argv
            .iter()
            .skip(1)
            .map(automode_shell::Value::shown)
            .collect();
        let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        Some(is(MOVING) && !is(STAYING))
    };
    match op {
        VcsOp::Apply | VcsOp::Rewrite | VcsOp::DiscardChanges { target: None } => true,
        VcsOp::Local => moves().unwrap_or(true),
        VcsOp::DiscardChanges { target: Some(_) }
        | VcsOp::Clean { .. }
        | VcsOp::DropHistory
        | VcsOp::Fetch
        | VcsOp::Push { .. }
        | VcsOp::Remote { .. }
        | VcsOp::Config { .. } => false,
    }
}

/// The hosts that a connection reaches, by their names: a remote's is in its address.
fn hosts(host: &Host, subject: &Subject<'_>) -> Vec<String> {
    match host {
        Host::Named(name) => vec![name.clone()],
        Host::Default(remote) => {
            let repos = subject.facts.repos.values();
            repos
                .flat_map(|repo| &repo.remotes)
                .filter(|known| known.name == *remote)
                .map(|known| address_host(&known.url).to_owned())
                .collect()
        }
        Host::Loopback | Host::Unknown => Vec::new(),
    }
}

/// The host of `https://host/path`, `ssh://user@host:22/path` and `user@host:path`.
fn address_host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let bare = authority
        .rsplit_once('@')
        .map_or(authority, |(_, bare)| bare);
    bare.split(':').next().unwrap_or_default()
}

//! Does an allow rule cover the whole of a call?
//!
//! A permit errs on the side of not matching: every typed part of a command must
//! be covered, with its variables and redirections; a path must be covered as
//! typed and as resolved, and one that was not observed is not covered; a host
//! must be readable in one way only. What cannot be split is not permitted.

use std::borrow::Borrow;
use std::mem::{Discriminant, discriminant};

use automode_shell::{
    Act, Analysis, Code, Extent, GapKind, Invocation, Layer, Nature, Redirect, Span, Target,
    analyse, natures_of,
    place::{Place, Zone},
};
use serde_json::Value;

use super::{
    Subject, command,
    glob::Glob,
    host,
    index::{RuleIndex, Shell},
    path::{Anchor, PathPattern, below},
    plain, powershell, prefix,
    rule::{Rule, Specifier},
    veto::unsplit,
};
use crate::{
    Action,
    path::{Case, absolute},
};

/// The rules that together cover the call.
pub(super) fn find<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
) -> Option<Vec<&'a Rule>> {
    let one = |rule: Option<&'a Rule>| rule.map(|rule| vec![rule]);
    match subject.action {
        Action::Shell { command } => shell(index, subject, command),
        Action::PowerShell { command } => power_shell(index, command),
        Action::Read { path } => one(file(index.reading(), index, subject, path)),
        Action::Search { pattern, path } => {
            let place = path.as_deref().unwrap_or(&subject.context.cwd);
            // A pattern that leads out of the place is a place of its own.
            let leads_out =
                pattern.starts_with(['/', '~']) || pattern.split('/').any(|name| name == "..");
            let place = if leads_out && subject.tool == "Glob" {
                pattern
            } else {
                place
            };
            one(file(index.reading(), index, subject, place))
        }
        Action::Edit { path, .. } | Action::Write { path, .. } | Action::Notebook { path, .. } => {
            one(file(index.editing(), index, subject, path))
        }
        Action::Fetch { url, .. } => one(index.fetching().find(|rule| match &rule.what {
            Specifier::Any => true,
            Specifier::Host(pattern) => {
                host::strict(url).is_some_and(|host| pattern.matches(&host))
            }
            Specifier::Command(_) | Specifier::Path(_) | Specifier::Name(_) => false,
        })),
        Action::Spawn { kind, .. } => one(index.agents().find(|rule| match (&rule.what, kind) {
            (Specifier::Any, _) => true,
            (Specifier::Name(glob), Some(kind)) => glob.matches(kind),
            (
                Specifier::Name(_)
                | Specifier::Command(_)
                | Specifier::Path(_)
                | Specifier::Host(_),
                _,
            ) => false,
        })),
        Action::Mcp { .. } => one(index
            .mcp(subject.tool)
            .into_iter()
            .find(|rule| rule.what == Specifier::Any)),
        Action::WebSearch { .. }
        | Action::Schedule { .. }
        | Action::Message { .. }
        | Action::Configure { .. }
        | Action::Interact
        | Action::Inert
        | Action::Opaque { .. } => one(named(index, subject)),
    }
}

/// A rule on a tool by its name; a specifier is understood for skills only.
fn named<'a, R: Borrow<Rule>>(index: &'a RuleIndex<R>, subject: &Subject<'_>) -> Option<&'a Rule> {
    let skill = || {
        ["skill", "name"]
            .iter()
            .find_map(|field| subject.input.get(*field).and_then(Value::as_str))
    };
    index.named(subject.tool).find(|rule| match &rule.what {
        Specifier::Any => true,
        Specifier::Name(glob) => {
            subject.tool == "Skill" && skill().is_some_and(|name| glob.matches(name))
        }
        Specifier::Command(_) | Specifier::Path(_) | Specifier::Host(_) => false,
    })
}

fn file<'a, R: Borrow<Rule>>(
    family: impl Iterator<Item = &'a Rule>,
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    path: &str,
) -> Option<&'a Rule> {
    family
        .chain(index.named(subject.tool))
        .find(|rule| match &rule.what {
            Specifier::Any => true,
            Specifier::Path(pattern) => covers(rule, pattern, subject, path),
            Specifier::Command(_) | Specifier::Host(_) | Specifier::Name(_) => false,
        })
}

/// Whether the path as typed and as resolved both lie in what the rule names.
fn covers(rule: &Rule, pattern: &PathPattern, subject: &Subject<'_>, path: &str) -> bool {
    let context = subject.context;
    let path = absolute(path, &context.cwd, context.home.as_deref());
    let project = context
        .roots
        .first()
        .map_or(context.cwd.as_str(), String::as_str);
    let anchor = match pattern.anchor {
        Anchor::Root => "/",
        Anchor::Home => match context.home.as_deref() {
            Some(home) => home,
            None => return false,
        },
        Anchor::Settings => rule.root.as_deref().unwrap_or(project),
        // Not the working directory, which the agent may move.
        Anchor::Here => project,
    };
    let resolved = |path: &str| {
        subject
            .facts
            .paths
            .get(path)
            .and_then(|fact| fact.canonical.clone())
    };
    let fits = |path: &str, anchor: &str| {
        below(path, anchor, Case::Matters)
            .is_some_and(|names| pattern.matches(&names, Case::Matters))
    };
    let Some(canonical) = resolved(&path) else {
        return false;
    };
    fits(&path, anchor)
        && (fits(&canonical, anchor)
            || resolved(anchor).is_some_and(|anchor| fits(&canonical, &anchor)))
}

fn power_shell<'a, R: Borrow<Rule>>(index: &'a RuleIndex<R>, text: &str) -> Option<Vec<&'a Rule>> {
    if let Some(rule) = index.all_commands(Shell::PowerShell).next() {
        return Some(vec![rule]);
    }
    let parts = powershell::split(text)?;
    parts
        .iter()
        .map(|part| {
            index
                .commands(Shell::PowerShell, part)
                .find(|rule| command_glob(rule).is_some_and(|glob| glob.matches(part)))
        })
        .collect()
}

fn command_glob(rule: &Rule) -> Option<&Glob> {
    match &rule.what {
        Specifier::Command(glob) => Some(glob),
        Specifier::Any | Specifier::Path(_) | Specifier::Host(_) | Specifier::Name(_) => None,
    }
}

fn shell<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    text: &str,
) -> Option<Vec<&'a Rule>> {
    let Some(analysis) = subject.analysis else {
        return by_text(index, text);
    };
    let meddles = |act: &Act| matches!(act, Act::Environment { .. });
    if analysis.effects.iter().any(|effect| meddles(&effect.act)) {
        return None;
    }
    if let Some(rule) = index.all_commands(Shell::Bash).next() {
        return Some(vec![rule]);
    }
    // A person wrote down exactly this command.
    if let Some(rule) = index
        .commands(Shell::Bash, text.trim())
        .find(|rule| command_glob(rule).and_then(Glob::exact) == Some(text.trim()))
    {
        return Some(vec![rule]);
    }
    let splits = !unsplit(analysis) && !analysis.invocations.is_empty();
    splits
        .then(|| parts(index, subject, analysis, text))
        .flatten()
}

fn parts<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    analysis: &Analysis,
    text: &str,
) -> Option<Vec<&'a Rule>> {
    let typed = |invocation: &&Invocation| {
        invocation.layers.iter().all(|layer| match layer {
            // The body of a function is typed here too.
            Layer::Function(_) => true,
            // The shell's own, which stands for what is behind it.
            Layer::Wrapper(name) if name == "command" => true,
            Layer::Wrapper(_)
            | Layer::Text(_)
            | Layer::File(_)
            | Layer::Task(_)
            | Layer::Remote(_) => false,
        })
    };
    let mut rules = Vec::new();
    for invocation in analysis.invocations.iter().filter(typed) {
        if !invocation
            .redirects
            .iter()
            .all(|redirect| harmless(redirect, index, subject))
        {
            return None;
        }
        if walks(invocation, subject, analysis) {
            continue;
        }
        let typed = invocation.span.of(text).trim();
        let covers = |rule: &Rule| !brings_code(rule, invocation, subject, analysis);
        rules.push(part(index, invocation, typed, &covers)?);
    }
    (!rules.is_empty()).then_some(rules)
}

/// The kinds of code that run. Which task of the project runs is what the open end is for.
fn kinds_of_code(analysis: &Analysis, within: Option<Span>) -> Vec<Discriminant<Code>> {
    let effects = analysis.effects.iter();
    effects
        .filter(|effect| within.is_none_or(|span| is_within(effect.span, span)))
        .filter_map(|effect| effect.act.executes())
        .filter(|(code, _)| !matches!(code, Code::Task { .. }))
        .map(|(code, _)| discriminant(code))
        .collect()
}

/// Whether something runs that stands as text in a word, here or on another machine.
fn has_nested_text(analysis: &Analysis, within: Option<Span>) -> bool {
    let is_text = |layer: &Layer| match layer {
        Layer::Text(_) | Layer::Remote(_) => true,
        Layer::Wrapper(_) | Layer::File(_) | Layer::Task(_) | Layer::Function(_) => false,
    };
    analysis.invocations.iter().any(|start| {
        within.is_none_or(|span| is_within(start.span, span)) && start.layers.iter().any(is_text)
    })
}

/// Whether the open end of a rule lets code in that the rule does not speak of: an option
/// that loads a file, starts a program or takes settings (`--script-shell=x`, `-p x`).
fn brings_code(
    rule: &Rule,
    invocation: &Invocation,
    subject: &Subject<'_>,
    analysis: &Analysis,
) -> bool {
    let Some(glob) = command_glob(rule).filter(|glob| glob.exact().is_none()) else {
        return false;
    };
    let plain = analyse(glob.prefix().trim(), subject.context, &subject.facts.shell);
    if names_code_elsewhere(invocation, subject, analysis) {
        return true;
    }
    let known = kinds_of_code(&plain, None);
    if kinds_of_code(analysis, Some(invocation.span))
        .iter()
        .any(|kind| !known.contains(kind))
    {
        return true;
    }
    if has_nested_text(analysis, Some(invocation.span)) && !has_nested_text(&plain, None) {
        return true;
    }
    // The rule itself leaves open which file runs.
    if known.contains(&discriminant(&Code::File(Target::unknown("")))) {
        return false;
    }
    let tasks: Vec<String> = analysis
        .effects
        .iter()
        .filter_map(|effect| {
            let Act::Execute {
                code: Code::Task { runner, name },
                ..
            } = &effect.act
            else {
                return None;
            };
            Some(format!("{runner} {name}"))
        })
        .collect();
    analysis.coverage.gaps().iter().any(|gap| {
        matches!(&gap.kind, GapKind::Unseen(what)
            if is_within(gap.span, invocation.span)
                && !tasks.iter().any(|task| what.starts_with(task.as_str()))
                && !plain.coverage.gaps().iter().any(|own| own.kind == gap.kind))
    })
}

/// Whether a runner of the project's code is told of code that lies elsewhere
/// (`mvn -f /tmp/x/pom.xml`, `jest --globalSetup=/tmp/x.js`).
fn names_code_elsewhere(
    invocation: &Invocation,
    subject: &Subject<'_>,
    analysis: &Analysis,
) -> bool {
    const CODE: &[&str] = &[
        "js", "mjs", "cjs", "ts", "mts", "cts", "py", "rb", "php", "sh", "gradle", "kts", "groovy",
        "jar", "mk", "cmake", "toml", "exs", "lua",
    ];
    /// What is left behind there, and not taken from there.
    const LEFT: &[&str] = &[
        "out", "report", "junit", "cov", "log", "temp", "cache", "dest",
    ];
    let runs = analysis.effects.iter().any(|effect| {
        let task = matches!(
            &effect.act,
            Act::Execute {
                code: Code::Task { .. },
                ..
            }
        );
        task && is_within(effect.span, invocation.span)
    });
    let cwd = invocation.cwd.as_deref();
    let mut before = String::new();
    let mut elsewhere = false;
    for word in invocation.argv.iter().skip(1) {
        let Some(text) = word.literal() else {
            continue;
        };
        let (option, path) = match text.split_once('=') {
            Some((option, path)) if option.starts_with('-') => (option.to_owned(), path.to_owned()),
            Some(_) | None => (before.clone(), text.to_string()),
        };
        before = if text.starts_with('-') {
            text.to_string()
        } else {
            String::new()
        };
        let leads = path.starts_with(['/', '~']) || path.starts_with("../");
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let code = CODE.contains(&ending) || path.ends_with("pom.xml");
        if !leads || !code || LEFT.iter().any(|word| option.contains(word)) {
            continue;
        }
        let target = Target::locate(&automode_shell::Value::text(path, word.span), cwd);
        elsewhere |= !subject.context.is_inside(&target.path);
    }
    runs && elsewhere
}

fn is_within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The rule that covers one simple command.
fn part<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    invocation: &Invocation,
    typed: &str,
    covers: &dyn Fn(&Rule) -> bool,
) -> Option<&'a Rule> {
    let readings = command::readings(&invocation.argv);
    let program = invocation.argv.first()?.literal()?;
    let unsafe_names = || {
        invocation
            .env
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !prefix::safe_variable(name))
    };
    let mut covering = None;
    for words in &readings {
        let mut forms: Vec<&[String]> = vec![words];
        while let Some(inner) = forms.last().and_then(|words| prefix::unwrapped(words)) {
            forms.push(inner);
        }
        let fits = |rule: &Rule, text: &str| {
            let Some(glob) = command_glob(rule) else {
                return false;
            };
            let spelled_out = |name: &str| {
                glob.prefix()
                    .split(' ')
                    .any(|word| word.split_once('=').is_some_and(|(own, _)| own == name))
            };
            let whole_program =
                !program.contains('/') || glob.prefix().contains('/') || glob.prefix().is_empty();
            let open = glob.exact().is_none();
            glob.matches(text)
                && whole_program
                && !(open && forms.iter().any(|words| command::hides(words)))
                && unsafe_names().all(spelled_out)
                && covers(rule)
        };
        let by_words = forms.iter().find_map(|words| {
            let text = command::quoted(words);
            index
                .commands(Shell::Bash, &text)
                .find(|rule| fits(rule, &text))
        });
        let by_typing = || {
            index
                .commands(Shell::Bash, typed)
                .find(|rule| fits(rule, typed))
        };
        covering = Some(by_words.or_else(by_typing)?);
    }
    covering
}

/// A change of directory inside the project, or nothing at all. Next to git a
/// change of directory is not nothing: it picks the repository and its hooks.
fn walks(invocation: &Invocation, subject: &Subject<'_>, analysis: &Analysis) -> bool {
    let words: Vec<_> = invocation
        .argv
        .iter()
        .map_while(|word| word.literal())
        .collect();
    if words.len() != invocation.argv.len() || !invocation.env.is_empty() {
        return false;
    }
    let git = |other: &Invocation| {
        other
            .argv
            .first()
            .is_some_and(|word| natures_of(&word.prefix()).contains(Nature::Git))
    };
    match words
        .iter()
        .map(AsRef::as_ref)
        .collect::<Vec<&str>>()
        .as_slice()
    {
        ["true" | "false" | ":"] => true,
        ["cd", directory] if !directory.starts_with('-') => {
            let cwd = invocation.cwd.as_deref().unwrap_or(&subject.context.cwd);
            let path = absolute(directory, cwd, subject.context.home.as_deref());
            let canonical = subject
                .facts
                .paths
                .get(&path)
                .and_then(|fact| fact.canonical.as_deref());
            let inside = |path: &str| {
                subject
                    .context
                    .roots
                    .iter()
                    .any(|root| below(path, root, Case::Matters).is_some())
            };
            inside(&path) && canonical.is_none_or(inside) && !analysis.invocations.iter().any(git)
        }
        _ => false,
    }
}

/// Whether a redirection loses and changes nothing that a rule on the command
/// does not speak of.
fn harmless<R: Borrow<Rule>>(
    redirect: &Redirect,
    index: &RuleIndex<R>,
    subject: &Subject<'_>,
) -> bool {
    if redirect.input {
        return true;
    }
    if redirect.target.extent != Extent::Exact {
        return false;
    }
    let path = redirect.target.path.as_str();
    let place = Place::of(&redirect.target, subject.context);
    if place.zone == Zone::Sink {
        return true;
    }
    let scratch = || {
        let resolved = subject
            .facts
            .paths
            .get(path)
            .and_then(|fact| fact.canonical.as_deref());
        place.zone == Zone::Temp
            && place.protected.is_none()
            && resolved.is_some_and(|path| Place::of_path(path, subject.context).zone == Zone::Temp)
    };
    scratch()
        || index
            .editing()
            .chain(index.named("Write"))
            .any(|rule| match &rule.what {
                Specifier::Path(pattern) => covers(rule, pattern, subject, path),
                Specifier::Any
                | Specifier::Command(_)
                | Specifier::Host(_)
                | Specifier::Name(_) => false,
            })
}

/// Without an analysis: only text that needs none.
fn by_text<'a, R: Borrow<Rule>>(index: &'a RuleIndex<R>, text: &str) -> Option<Vec<&'a Rule>> {
    let parts = plain::split(text)?;
    parts
        .iter()
        .map(|words| {
            if let Some(rule) = index.all_commands(Shell::Bash).next() {
                return Some(rule);
            }
            let mut forms: Vec<&[String]> = vec![words];
            while let Some(inner) = forms.last().and_then(|words| prefix::unwrapped(words)) {
                forms.push(inner);
            }
            forms.iter().find_map(|words| {
                let text = command::quoted(words);
                index.commands(Shell::Bash, &text).find(|rule| {
                    command_glob(rule).is_some_and(|glob| {
                        glob.matches(&text) && (glob.exact().is_some() || !command::hides(words))
                    })
                })
            })
        })
        .collect()
}

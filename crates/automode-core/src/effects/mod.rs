//! What an action does, in the words of effects.
//!
//! Every action has effects: a shell command those of its analysis, a read or a
//! write of a file the obvious one, a fetch a connection, a tool of a server what
//! its name says. So the rules and the exceptions see one vocabulary, whichever
//! tool was called. What an action is not understood to do lowers the coverage.

mod body;
mod content;
mod kept_value;
mod outward;
mod service;
mod url;
mod verb;

pub use body::Body;
pub use content::{Content, Runs, starting_commands};
pub(crate) use content::{exercised, lent};
pub(crate) use kept_value::spells_kept_value;
pub use outward::reaches_out;
pub use url::{Url, is_loopback};
pub use verb::Verb;

use automode_shell::{
    Act, Analysis, Certainty, Context, Coverage, Direction, Effect, Extent, Facts, Gap, GapKind,
    Host, Span, Taint, Target, Value as Word, WriteHow, analyse,
};
use serde_json::{Map, Value};

use crate::escape::percent_decoded;
use crate::redact::redact;
use crate::{Action, NamePattern, tool};

/// The effects of an action, and of the code that it would leave behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    pub analysis: Analysis,
    pub content: Vec<Content>,
    /// Files whose new text is in the action itself.
    pub writes: Vec<Body>,
}

impl Effects {
    /// Nothing is known, which is never in favour.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            analysis: opaque("not analysed", 0),
            content: Vec::new(),
            writes: Vec::new(),
        }
    }

    /// Everything that either of two readings of the same action says.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let own = &mut self.analysis;
        let shift = own.invocations.len();
        own.effects
            .extend(other.analysis.effects.into_iter().map(|effect| Effect {
                by: effect.by.saturating_add(shift),
                ..effect
            }));
        own.invocations.extend(other.analysis.invocations);
        own.needs.extend(other.analysis.needs);
        let coverage = std::mem::replace(&mut own.coverage, Coverage::Complete);
        own.coverage = coverage.and(other.analysis.coverage);
        self.content.extend(other.content);
        self.writes.extend(other.writes);
        self
    }
}

/// Reads an action for its effects.
#[must_use]
pub fn of(action: &Action, context: &Context, facts: &Facts) -> Effects {
    let analysis = match action {
        Action::Shell { command } => analyse(command, context, facts),
        Action::PowerShell { command } => opaque("PowerShell is not analysed", command.len()),
        Action::Read { path } => known(Act::Read {
            target: locate(path, context),
        }),
        Action::Search { path, .. } => {
            let place = path.as_deref().unwrap_or(&context.cwd);
            let places = unbraced(place).into_iter();
            let reads = places.flat_map(|place| {
                let hidden = hidden_by_glob(&place).map(|file| locate(&file, context));
                [Some(searched(&place, context)), hidden]
            });
            all_known(reads.flatten().map(|target| Act::Read { target }))
        }
        Action::Edit { path, .. } | Action::Notebook { path, .. } => {
            known(write(path, WriteHow::Edit, context))
        }
        Action::Write { path, .. } => known(write(path, WriteHow::Replace, context)),
        Action::Fetch { url, prompt } => known(match (fetch(url, context), prompt) {
            (Act::Connect { host, .. }, prompt)
                if prompt
                    .as_ref()
                    .is_some_and(|prompt| redact(prompt) != *prompt)
                    || spells_kept_value(url, facts) =>
            {
                Act::Connect {
                    host,
                    direction: Direction::Send,
                    data: Taint::SECRET,
                }
            }
            (act, _) => act,
        }),
        Action::WebSearch { query } => known(search(query)),
        Action::Mcp {
            server,
            tool,
            input,
        } => service::of(server, tool, input, context, facts),
        Action::Spawn { .. } => opaque("a subagent acts on its own", 0),
        Action::Schedule { .. } => opaque("what a scheduled prompt leads to", 0),
        Action::Message { .. } => opaque("what a message leads to", 0),
        Action::Configure { .. } => opaque("what a setting changes", 0),
        Action::Interact | Action::Inert => done(Vec::new(), Coverage::Complete),
        Action::Opaque { tool, input } => {
            return suspected(tool, input, context, facts);
        }
    };
    let writes = body::of(action, &analysis, context, facts);
    Effects {
        content: content::of(&writes, context, facts),
        analysis,
        writes,
    }
}

/// Nothing is known of an opaque action; what a known tool may do with the input is
/// there for the vetoes.
fn suspected(name: &str, input: &Map<String, Value>, context: &Context, facts: &Facts) -> Effects {
    let unknown = Effects {
        analysis: opaque(&format!("unknown tool {name}"), 0),
        ..Effects::unknown()
    };
    tool::suspects(name, input)
        .iter()
        .map(|action| of(action, context, facts))
        .fold(unknown, Effects::and)
}

fn locate(path: &str, context: &Context) -> Target {
    // Clients take the blanks around a path away.
    let path = path.trim();
    let expanded = match (path.strip_prefix('~'), &context.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home.trim_end_matches('/'))
        }
        (Some(_) | None, _) => path.to_owned(),
    };
    Target::locate(&Word::text(expanded, Span::default()), Some(&context.cwd))
}

/// A filter of a search takes hidden and ignored files too: `*env` is also `.env`.
fn hidden_by_glob(place: &str) -> Option<String> {
    let (folder, names) = place.rsplit_once('/')?;
    let folder = folder.trim_end_matches("/**");
    let pattern = format!("/d/{}", without_classes(names));
    let all = names == "**";
    let named = || NamePattern::read(&pattern).is_some_and(|names| names.may_take(".env"));
    let takes = names.contains(['*', '?', '[', '{']) && (all || named());
    takes.then(|| format!("{folder}/.env"))
}

/// `[.]env` is `?env`, which takes no less.
fn without_classes(names: &str) -> String {
    let mut shown = String::new();
    let mut rest = names;
    while let Some((before, class)) = rest.split_once('[') {
        shown.push_str(before);
        // A `]` right behind the bracket is one of the letters.
        let first = class.chars().next().map_or(0, char::len_utf8);
        let end = class.get(first..).and_then(|class| class.find(']'));
        let Some(end) = end else {
            return names.to_owned();
        };
        shown.push('?');
        let after = first.saturating_add(end).saturating_add(1);
        rest = class.get(after..).unwrap_or_default();
    }
    shown.push_str(rest);
    shown
}

/// What a search reads: a place, or what a pattern below it matches.
fn searched(path: &str, context: &Context) -> Target {
    let target = locate(path, context);
    // The environments of processes lie below.
    if target.path == "/proc" || target.path.starts_with("/proc/") {
        return locate("/proc/self/environ", context);
    }
    if path.contains(['*', '?', '[', '{']) {
        return Target {
            extent: Extent::Pattern,
            ..target
        };
    }
    target
}

fn write(path: &str, how: WriteHow, context: &Context) -> Act {
    Act::Write {
        target: locate(path, context),
        how,
        data: Taint::NONE,
    }
}

/// A search only receives, unless its words are a secret.
fn search(query: &str) -> Act {
    let (host, direction, data) = if redact(query) == query {
        let engine = Host::Default("the search engine".to_owned());
        (engine, Direction::Receive, Taint::NONE)
    } else {
        let engine = Host::Named("the search engine".to_owned());
        (engine, Direction::Send, Taint::SECRET)
    };
    Act::Connect {
        host,
        direction,
        data,
    }
}

/// A fetch only receives, unless its address carries data.
fn fetch(address: &str, context: &Context) -> Act {
    let url = Url::read(address);
    if url.scheme.eq_ignore_ascii_case("file") {
        return Act::Read {
            target: locate(
                &percent_decoded(&format!("/{}", url.path.trim_start_matches('/'))),
                context,
            ),
        };
    }
    let (direction, data) = if redact(address) != address {
        (Direction::Send, Taint::SECRET)
    } else if url.carries_data() || !url.is_web() {
        (Direction::Send, Taint::UNKNOWN)
    } else {
        (Direction::Receive, Taint::NONE)
    };
    // Other tongues than the web's speak to services that a page does not reach.
    let host = match url.host() {
        Host::Loopback if !url.is_web() => Host::Unknown,
        host => host,
    };
    Act::Connect {
        host,
        direction,
        data,
    }
}

fn known(act: Act) -> Analysis {
    all_known([act])
}

fn all_known(acts: impl IntoIterator<Item = Act>) -> Analysis {
    let effect = |act| Effect {
        act,
        // No program starts: the index leads nowhere.
        by: usize::MAX,
        span: Span::default(),
        certainty: Certainty::Always,
    };
    done(acts.into_iter().map(effect).collect(), Coverage::Complete)
}

/// The most places that one pattern is read as.
const MOST_PLACES: usize = 32;

/// The patterns that `a{b,c}` stands for, and itself where there are too many.
fn unbraced(pattern: &str) -> Vec<String> {
    let mut found = vec![pattern.to_owned()];
    while let Some(at) = found.iter().position(|text| braces(text).is_some()) {
        let text = found.swap_remove(at);
        let Some((before, choices, after)) = braces(&text) else {
            break;
        };
        found.extend(
            choices
                .split(',')
                .map(|choice| format!("{before}{choice}{after}")),
        );
        if found.len() > MOST_PLACES {
            return vec![pattern.to_owned()];
        }
    }
    found
}

/// What stands before, in and after the first innermost braces that hold choices.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let close = text.find('}')?;
    let open = text.get(..close)?.rfind('{')?;
    let inside = text.get(open.saturating_add(1)..close)?;
    let before = text.get(..open)?;
    let after = text.get(close.saturating_add(1)..)?;
    Some((before, inside, after))
}

fn opaque(why: &str, length: usize) -> Analysis {
    let gap = Gap {
        kind: GapKind::Unseen(why.to_owned()),
        span: Span::new(0, length),
    };
    done(Vec::new(), Coverage::Opaque(gap))
}

fn done(effects: Vec<Effect>, coverage: Coverage) -> Analysis {
    Analysis {
        invocations: Vec::new(),
        effects,
        coverage,
        needs: Vec::new(),
        steps: 0,
    }
}

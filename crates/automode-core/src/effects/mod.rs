//! What an action does, in the words of effects.
//!
//! Every action has effects: a shell command those of its analysis, a read or a
//! write of a file the obvious one, a fetch a connection, a tool of a server what
//! its name says. So the rules and the exceptions see one vocabulary, whichever
//! tool was called. What an action is not understood to do lowers the coverage.

mod body;
mod content;
mod service;
mod url;
mod verb;

pub use body::Body;
pub(crate) use content::exercised;
pub use content::{Content, Runs, starting_commands};
pub use url::{Url, is_loopback};
pub use verb::Verb;

use automode_shell::{
    Act, Analysis, Certainty, Context, Coverage, Direction, Effect, Extent, Facts, Gap, GapKind,
    Host, Span, Taint, Target, Value as Word, WriteHow, analyse,
};
use serde_json::{Map, Value};

use crate::escape::percent_decoded;
use crate::redact::redact;
use crate::{Action, tool};

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
        own.coverage = match (&own.coverage, &other.analysis.coverage) {
            (Coverage::Complete, coverage) | (coverage, Coverage::Complete) => coverage.clone(),
            (Coverage::Opaque(gap), _) | (_, Coverage::Opaque(gap)) => {
                Coverage::Opaque(gap.clone())
            }
            (Coverage::Partial(gaps), Coverage::Partial(others)) => {
                Coverage::Partial(gaps.iter().chain(others).cloned().collect())
            }
        };
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
        Action::Search { path, .. } => known(Act::Read {
            target: searched(path.as_deref().unwrap_or(&context.cwd), context),
        }),
        Action::Edit { path, .. } | Action::Notebook { path, .. } => {
            known(write(path, WriteHow::Edit, context))
        }
        Action::Write { path, .. } => known(write(path, WriteHow::Replace, context)),
        Action::Fetch { url, .. } => known(fetch(url, context)),
        Action::WebSearch { .. } => known(Act::Connect {
            host: Host::Default("the search engine".to_owned()),
            direction: Direction::Receive,
            data: Taint::NONE,
        }),
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
    let expanded = match (path.strip_prefix("~/"), &context.home) {
        (Some(rest), Some(home)) => format!("{}/{rest}", home.trim_end_matches('/')),
        _ => path.to_owned(),
    };
    Target::locate(&Word::text(expanded, Span::default()), Some(&context.cwd))
}

/// What a search reads: a place, or what a pattern below it matches.
fn searched(path: &str, context: &Context) -> Target {
    let target = locate(path, context);
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
    Act::Connect {
        host: url.host(),
        direction,
        data,
    }
}

fn known(act: Act) -> Analysis {
    let effect = Effect {
        act,
        // No program starts: the index leads nowhere.
        by: usize::MAX,
        span: Span::default(),
        certainty: Certainty::Always,
    };
    done(vec![effect], Coverage::Complete)
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
    }
}

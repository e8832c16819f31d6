//! Everything a rule may look at, with short ways to the usual questions.

use automode_shell::place::Place;
use automode_shell::{
    Act, Analysis, Context, DatabaseVerb, Effect, Invocation, Nature, Span, Stdout, Taint, Target,
    VcsOp,
};

use super::{ProjectState, report};
use crate::effects::Content;
use crate::{Action, Facts, Finding, PathFact, Session, Weight, WrittenFile};

/// One action in its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub action: &'a Action,
    /// What the action itself does: the effects of a shell command, of a read, of a write.
    pub analysis: Option<&'a Analysis>,
    /// What the code that a write leaves behind would do once it runs.
    pub content: &'a [Content],
    pub context: &'a Context,
    pub facts: &'a Facts,
    pub session: &'a Session,
    /// What is known of the code that the project would load.
    pub project: &'a ProjectState,
}

impl<'a> Scene<'a> {
    /// The effects of the action itself.
    pub fn effects(&self) -> impl Iterator<Item = &'a Effect> + use<'a> {
        self.analysis
            .into_iter()
            .flat_map(|analysis| analysis.effects.iter())
    }

    /// The programs that the action starts.
    pub fn invocations(&self) -> impl Iterator<Item = &'a Invocation> + use<'a> {
        self.analysis
            .into_iter()
            .flat_map(|analysis| analysis.invocations.iter())
    }

    /// The program start an effect belongs to.
    #[must_use]
    pub fn invocation(&self, effect: &Effect) -> Option<&'a Invocation> {
        self.analysis?.invocations.get(effect.by)
    }

    /// Whether an effect belongs to a program of this kind.
    #[must_use]
    pub fn is_by(&self, effect: &Effect, nature: Nature) -> bool {
        self.invocation(effect)
            .is_some_and(|start| start.is_a(nature))
    }

    /// The part of the command that a person would point at for an effect: the
    /// program start it belongs to, or the effect's own text.
    #[must_use]
    pub fn part(&self, effect: &Effect) -> Span {
        self.invocation(effect)
            .map_or(effect.span, |start| start.span)
    }

    /// The part of the command from the first stage of a pipe to the effect's own.
    #[must_use]
    pub fn pipeline(&self, effect: &Effect) -> Span {
        let own = self.part(effect);
        let before: Vec<&Invocation> = self.invocations().take(effect.by).collect();
        let start = before
            .into_iter()
            .rev()
            .take_while(|stage| matches!(stage.stdout, Stdout::Pipe))
            .map(|stage| stage.span.start)
            .chain([own.start])
            .min()
            .unwrap_or(own.start);
        Span {
            start,
            end: own.end,
        }
    }

    /// Marks of files that this action itself writes before it reads them.
    #[must_use]
    pub fn passed_on(&self, path: &str) -> Taint {
        self.effects()
            .fold(self.carried(path), |taint, effect| match &effect.act {
                Act::Write { target, data, .. } if target.path == path => taint.with(*data),
                _ => taint,
            })
    }

    /// The text that spans point into.
    #[must_use]
    pub fn text(&self) -> &'a str {
        match self.action {
            Action::Shell { command } | Action::PowerShell { command } => command,
            Action::Write { content, .. } => content,
            Action::Edit { new, .. } => new,
            Action::Notebook { source, .. } => source,
            Action::Read { path } => path,
            Action::Fetch { url, .. } => url,
            Action::Spawn { prompt, .. } | Action::Schedule { prompt, .. } => prompt,
            Action::Search { .. }
            | Action::WebSearch { .. }
            | Action::Message { .. }
            | Action::Configure { .. }
            | Action::Mcp { .. }
            | Action::Interact
            | Action::Inert
            | Action::Opaque { .. } => "",
        }
    }

    /// The kind of place a target is, by its name.
    #[must_use]
    pub fn place(&self, target: &Target) -> Place {
        Place::of(target, self.context)
    }

    /// The places a target may be: as named, and as resolved through links.
    #[must_use]
    pub fn places(&self, target: &Target) -> Vec<Place> {
        let mut places = vec![self.place(target)];
        if let Some(canonical) = self.elsewhere(target) {
            let resolved = Target {
                path: canonical.to_owned(),
                ..target.clone()
            };
            places.push(Place::of(
                &resolved,
                &super::resolve(self.context, self.facts),
            ));
        }
        places
    }

    /// Where links lead, if that is not where the target is named.
    #[must_use]
    pub fn elsewhere(&self, target: &Target) -> Option<&'a str> {
        let canonical = self.path(&target.path)?.canonical.as_deref()?;
        (canonical != target.path).then_some(canonical)
    }

    /// The place of a path that is already resolved.
    #[must_use]
    pub fn resolved_place(&self, canonical: &str) -> Place {
        Place::of_path(canonical, &super::resolve(self.context, self.facts))
    }

    /// What was observed about a path.
    #[must_use]
    pub fn path(&self, path: &str) -> Option<&'a PathFact> {
        self.facts.paths.get(path)
    }

    /// The session's record of a file it wrote.
    #[must_use]
    pub fn written(&self, path: &str) -> Option<&'a WrittenFile> {
        self.session
            .written
            .iter()
            .rev()
            .find(|file| file.path == path)
    }

    /// Marks that a file carries from earlier calls of this session.
    #[must_use]
    pub fn carried(&self, path: &str) -> Taint {
        self.written(path).map_or(Taint::NONE, |file| {
            file.taint
                .iter()
                .fold(Taint::NONE, |taint, name| taint.with(mark(name)))
        })
    }

    /// Whether what a program prints comes back to the agent.
    #[must_use]
    pub fn is_shown(&self, effect: &Effect) -> bool {
        self.invocation(effect)
            .is_none_or(|invocation| matches!(invocation.stdout, Stdout::Shown))
    }

    /// Whether another program reads what this one prints, and stops it when it has enough.
    #[must_use]
    pub fn is_fed_on(&self, effect: &Effect) -> bool {
        self.invocation(effect)
            .is_some_and(|start| matches!(start.stdout, Stdout::Pipe | Stdout::Captured))
    }

    /// Whether a connection belongs to a push, which has rules of its own.
    #[must_use]
    pub fn is_push(&self, connection: &Effect) -> bool {
        self.effects().any(|effect| {
            effect.by == connection.by && matches!(effect.act, Act::Vcs(VcsOp::Push { .. }))
        })
    }

    /// Whether a connection belongs to a client of a database that only reads there.
    #[must_use]
    pub fn only_asks(&self, connection: &Effect) -> bool {
        let mut verbs = self
            .effects()
            .filter(|effect| effect.by == connection.by)
            .filter_map(|effect| match &effect.act {
                Act::Database { verb } => Some(*verb),
                _ => None,
            })
            .peekable();
        verbs.peek().is_some() && verbs.all(|verb| verb == DatabaseVerb::Read)
    }

    /// No consent makes this routine.
    #[must_use]
    pub fn veto(&self, rule: &'static str, span: Span, what: &str, instead: &str) -> Finding {
        self.finding(rule, Weight::Veto, span, what, instead)
    }

    /// Consent decides.
    #[must_use]
    pub fn evidence(&self, rule: &'static str, span: Span, what: &str, instead: &str) -> Finding {
        self.finding(rule, Weight::Evidence, span, what, instead)
    }

    /// Consent decides, unless an exception proves it routine.
    #[must_use]
    pub fn soft(&self, rule: &'static str, span: Span, what: &str, instead: &str) -> Finding {
        self.finding(rule, Weight::Soft, span, what, instead)
    }

    fn finding(
        &self,
        rule: &'static str,
        weight: Weight,
        span: Span,
        what: &str,
        instead: &str,
    ) -> Finding {
        Finding {
            rule,
            weight,
            span,
            evidence: report::evidence(span.of(self.text()), what),
            instead: report::line(instead),
        }
    }
}

/// Absolute paths in the words of a command: `X`, `--in=X`, `@X`, `file://X`.
pub fn named_paths(start: &Invocation) -> impl Iterator<Item = String> + '_ {
    start.argv.iter().skip(1).filter_map(|word| {
        let word = word.literal()?;
        let at = word.find('/')?;
        let before = word.get(..at)?;
        let path = word.get(at..)?;
        let lead = before.is_empty()
            || before.ends_with(['=', '@', ':', '<', ',', '+', '"', '\''])
            || (before.starts_with('-') && before.chars().count() == 2);
        let path = if before.ends_with("file:") {
            path.trim_start_matches("//")
        } else {
            path
        };
        let path = path.split(['"', '\'', ' ', ',', ':']).next()?;
        lead.then(|| path.to_owned())
    })
}

/// A mark by the name under which the session keeps it.
fn mark(name: &str) -> Taint {
    match name {
        "secret" => Taint::SECRET,
        "network" => Taint::NETWORK,
        "decoded" => Taint::DECODED,
        "session" => Taint::SESSION,
        "local" => Taint::LOCAL,
        _ => Taint::UNKNOWN,
    }
}

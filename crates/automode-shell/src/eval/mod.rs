//! An abstract run of a script.
//!
//! Walks the tree as bash would, with values that may be partly unknown. Every
//! command that could run is recorded as an invocation, every branch is taken,
//! and what is assigned differently on two ways is kept as a choice or given up.
//! Work is bounded by fuel: where it runs out the result says so.
//! Nothing is ever dropped in silence: what is not followed becomes a gap.

mod arithmetic;
mod assign;
mod builtin;
mod climb;
mod command;
mod compound;
mod condition;
mod declare;
mod dialect;
mod directory;
mod expand;
mod field;
mod file;
mod flow;
mod input;
mod listing;
mod nested;
mod operation;
mod option;
mod output;
mod parameter;
mod pattern;
mod prepared_command;
mod print;
mod redirect;
mod reopened;
mod repeat;
mod secret_tree;
mod setting;
mod shell_state;
mod sought;
mod source;
mod stream;
mod text;
mod variable;
mod word_list;

use crate::guard::{self, Admitted};
use crate::ir::{
    Act, Analysis, Certainty, Context, Coverage, Effect, Facts, FileChange, Gap, GapKind,
    Invocation, Need, Span, Touch, WriteHow,
};
use crate::syntax::{self, Script, TextOrigin};
use reopened::Reopened;
use shell_state::ShellState;

/// Steps of one analysis: commands, words and pieces, also of nested code.
const FUEL: u32 = 20_000;
/// One gap is enough to be partial; more than this nobody reads.
const MAX_GAPS: usize = 128;
/// How deep code may run code: functions, `eval`, scripts, wrappers.
const MAX_DEPTH: u32 = 16;

/// Analyses shell text. Total and bounded: whatever the text, it answers.
///
/// [`Facts`] may be empty at first; the needs of the answer say which files
/// would sharpen it.
#[must_use]
pub fn analyse(text: &str, context: &Context, facts: &Facts) -> Analysis {
    let whole = Span::new(0, text.len());
    let admitted = match guard::admit(text) {
        Ok(admitted) => admitted,
        Err(refusal) => return opaque(GapKind::Refused(refusal.to_string()), whole),
    };
    let (script, broken) = syntax::parse_lines(admitted, TextOrigin::Typed);
    let broken = broken.map(|error| (GapKind::Syntax(error.message.to_owned()), error.span));
    let mut evaluator = Evaluator::new(context, facts);
    match broken {
        Some((kind, span)) if script.items.is_empty() => return opaque(kind, span),
        Some((kind, span)) => evaluator.gap(kind, span),
        None => {}
    }
    evaluator.note_disguise(admitted, None);
    let mut shell = ShellState::new(context);
    evaluator.script(&script, &mut shell);
    evaluator.traps(&mut shell);
    evaluator.open_streams_again();
    evaluator.secrets_in_trees();
    evaluator.look_where_paths_climb();
    evaluator.finish()
}

fn opaque(kind: GapKind, span: Span) -> Analysis {
    Analysis {
        invocations: Vec::new(),
        effects: Vec::new(),
        coverage: Coverage::Opaque(Gap { kind, span }),
        needs: Vec::new(),
        steps: 0,
    }
}

/// What has been recorded so far, and what may still be spent.
pub(super) struct Evaluator<'c> {
    pub(super) context: &'c Context,
    pub(super) facts: &'c Facts,
    pub(super) invocations: Vec<Invocation>,
    pub(super) effects: Vec<Effect>,
    pub(super) gaps: Vec<Gap>,
    pub(super) needs: Vec<Need>,
    pub(super) steps: usize,
    fuel: u32,
    pub(super) depth: u32,
    /// Commands inside commands, across functions and nested text.
    pub(super) frames: u32,
    /// How many inputs there were, and of which some has been read.
    inputs: u32,
    consumed: Vec<u32>,
    /// Streams that redirections write by their names.
    reopened: Vec<Reopened>,
}

/// What is read or changed behind a link that the same command has made lies where
/// the link leads; so does a second link under its name, where the first leads to a folder.
fn through_links<'e>(effects: impl Iterator<Item = &'e Effect>) -> Vec<Gap> {
    let mut links: Vec<&str> = Vec::new();
    let mut gaps = Vec::new();
    for effect in effects {
        let touched = match effect.act.touches() {
            Some((Touch::Read | Touch::Write | Touch::Delete | Touch::DeleteTree, target)) => {
                &target.path
            }
            Some((Touch::List | Touch::Run, _)) | None => continue,
        };
        let behind = links.iter().any(|link| {
            touched
                .strip_prefix(link)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if let FileChange::Write {
            target,
            how: WriteHow::Link,
            ..
        } = effect.act.file_change()
        {
            links.push(&target.path);
        }
        if behind {
            gaps.push(Gap {
                kind: GapKind::Unseen("where the link leads".to_owned()),
                span: effect.span,
            });
        }
    }
    gaps
}

/// A place in the record to go back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    invocations: usize,
    effects: usize,
    gaps: usize,
    needs: usize,
}

impl<'c> Evaluator<'c> {
    fn new(context: &'c Context, facts: &'c Facts) -> Self {
        Self {
            context,
            facts,
            invocations: Vec::new(),
            effects: Vec::new(),
            gaps: Vec::new(),
            needs: Vec::new(),
            steps: 0,
            fuel: FUEL,
            depth: 0,
            frames: 0,
            inputs: 0,
            consumed: Vec::new(),
            reopened: Vec::new(),
        }
    }

    fn finish(self) -> Analysis {
        let mut gaps: Vec<Gap> = Vec::new();
        let through_links = through_links(self.effects.iter());
        for gap in self.gaps.into_iter().chain(through_links) {
            if !gaps.contains(&gap) {
                gaps.push(gap);
            }
        }
        let mut needs = self.needs;
        needs.sort();
        needs.dedup();
        Analysis {
            invocations: self.invocations,
            effects: self.effects,
            coverage: if gaps.is_empty() {
                Coverage::Complete
            } else {
                Coverage::Partial(gaps)
            },
            needs,
            steps: self.steps,
        }
    }

    /// Spends one step; `false` once nothing is left, which is also noted.
    pub(super) fn spend(&mut self, span: Span) -> bool {
        match self.fuel.checked_sub(1) {
            Some(rest) => {
                self.fuel = rest;
                true
            }
            None => {
                self.gap(GapKind::Budget, span);
                false
            }
        }
    }

    /// Spends what handling this many bytes or entries costs.
    pub(super) fn spend_on(&mut self, size: usize, span: Span) -> bool {
        let steps = u32::try_from(size / 64).unwrap_or(u32::MAX);
        match self.fuel.checked_sub(steps) {
            Some(rest) => {
                self.fuel = rest;
                true
            }
            None => {
                self.fuel = 0;
                self.gap(GapKind::Budget, span);
                false
            }
        }
    }

    /// Goes one level into nested code, or notes that it is too deep.
    pub(super) fn deeper<T: Default>(&mut self, span: Span, run: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.gap(GapKind::Budget, span);
            return T::default();
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    pub(super) fn gap(&mut self, kind: GapKind, span: Span) {
        let gap = Gap { kind, span };
        if self.gaps.len() < MAX_GAPS && self.gaps.last() != Some(&gap) {
            self.gaps.push(gap);
        }
    }

    pub(super) fn effect(&mut self, act: Act, by: usize, span: Span, certainty: Certainty) {
        // A variable that is set once is seen by every program after it.
        let again = |effect: &Effect| effect.span == span && effect.act == act;
        if matches!(act, Act::Environment { .. }) && self.effects.iter().any(again) {
            return;
        }
        self.effects.push(Effect {
            act,
            by,
            span,
            certainty,
        });
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            invocations: self.invocations.len(),
            effects: self.effects.len(),
            gaps: self.gaps.len(),
            needs: self.needs.len(),
        }
    }

    /// Forgets what was recorded since the mark.
    pub(super) fn rewind(&mut self, mark: Mark) {
        self.invocations.truncate(mark.invocations);
        self.effects.truncate(mark.effects);
        self.gaps.truncate(mark.gaps);
        self.needs.truncate(mark.needs);
    }

    /// Parses nested shell text; what is not understood becomes a gap.
    pub(super) fn parse(&mut self, text: &str, span: Span) -> Option<Script> {
        let admitted = match guard::admit(text) {
            Ok(admitted) => admitted,
            Err(refusal) => {
                self.gap(GapKind::Refused(refusal.to_string()), span);
                return None;
            }
        };
        self.note_disguise(admitted, Some(span));
        let (script, broken) = syntax::parse_lines(admitted, TextOrigin::Within(span));
        if let Some(error) = broken {
            self.gap(GapKind::Syntax(error.message.to_owned()), span);
            return Some(script).filter(|script| !script.items.is_empty());
        }
        Some(script)
    }

    fn note_disguise(&mut self, admitted: Admitted<'_>, within: Option<Span>) {
        if let Some(span) = admitted.disguise() {
            let kind = GapKind::Refused("a character that hides or reorders text".to_owned());
            self.gap(kind, within.unwrap_or(span));
        }
    }
}

//! What a parsed command line does.
//!
//! Conditions are settled first, then each flag, then the operands by their
//! places, then what the command does as such. Roles are in `role`, acts in
//! `act`; this module keeps the state they share and `outcome`
//! closes the account.

use std::ops::Range;

use super::ProgramEffects;
use super::layout::layout;
use super::parse::{FlagUse, Operand, Parsed, fits};
use super::table::{Choice, Group, Role, Test, When};
use crate::{
    Act, Context, Extent, Facts, Gap, GapKind, Invocation, Layer, Span, Stdin, Taint, Target, Value,
};

/// Everything that follows from a parsed command line.
pub(super) fn read(
    program: &str,
    parsed: Parsed,
    invocation: &Invocation,
    context: &Context,
    facts: &Facts,
) -> ProgramEffects {
    let mut seen: Vec<u16> = parsed.given.iter().map(|given| given.flag.id).collect();
    seen.sort_unstable();
    seen.dedup();
    let mut meaning = Meaning {
        program,
        changes: changes(&parsed),
        seen,
        parsed,
        invocation,
        context,
        facts,
        out: ProgramEffects::default(),
        env: Vec::new(),
        placeholder: None,
        task_file: None,
        open_mount: false,
        claimed: Vec::new(),
        marks: Taint::NONE,
    };
    meaning.out.gaps = std::mem::take(&mut meaning.parsed.gaps);
    meaning.flags();
    if !meaning.parsed.ends {
        meaning.operands();
        meaning.clauses();
        meaning.flag_unclaimed_places();
    }
    meaning.close()
}

/// How far back a repeated effect or gap is noticed: the cost stays linear.
pub(super) const RECENT: usize = 16;

/// More changes of directory than this, and the directory counts as unknown.
const CHANGES: usize = 64;

/// The state of one reading.
pub(super) struct Meaning<'a> {
    pub program: &'a str,
    pub parsed: Parsed,
    /// The flags that were given, sorted.
    seen: Vec<u16>,
    changes: Vec<Change>,
    pub invocation: &'a Invocation,
    pub context: &'a Context,
    pub facts: &'a Facts,
    pub out: ProgramEffects,
    /// Variables that flags set for what runs inside.
    pub env: Vec<(String, Value)>,
    /// What stands for an item of the input.
    pub placeholder: Option<String>,
    pub task_file: Option<Value>,
    /// A mount opens the container towards this machine.
    pub open_mount: bool,
    /// Words that a role has spoken about.
    pub claimed: Vec<Value>,
    /// Marks of what it reads where no act says so: the environment, an endless device.
    pub marks: Taint,
}

/// A flag that changes the directory.
struct Change {
    to: Value,
    order: usize,
    /// For flags too, not for operands alone.
    everything: bool,
}

fn changes(parsed: &Parsed) -> Vec<Change> {
    let has = |given: &FlagUse, role: Role| {
        let first = given.flag.values.first().copied().unwrap_or_default();
        first.iter().any(|choice| choice.roles.contains(&role))
    };
    parsed
        .given
        .iter()
        .filter(|given| has(given, Role::Cd) || has(given, Role::CdOperands))
        .filter_map(|given| {
            Some(Change {
                to: given.values.first()?.clone(),
                order: given.order,
                everything: has(given, Role::Cd),
            })
        })
        .collect()
}

/// Words that share a role.
pub(super) struct Words<'a> {
    pub values: &'a [Value],
    /// Arguments of the code that the words hold.
    pub arguments: &'a [Value],
    pub cwd: Option<String>,
}

impl Meaning<'_> {
    fn flags(&mut self) {
        for index in 0..self.parsed.given.len() {
            let given = self.parsed.given.get(index);
            let Some(given) = given.filter(|given| !given.flag.values.is_empty()) else {
                continue;
            };
            let (flag, values, rest, order) = (
                given.flag,
                given.values.clone(),
                given.rest.clone(),
                given.order,
            );
            let cwd = self.cwd_at(order, Side::Flag);
            for (place, choices) in flag.values.iter().enumerate() {
                let Some(choice) = self.choose(choices) else {
                    continue;
                };
                let last = place.saturating_add(1) == flag.values.len();
                let words = match values.get(place) {
                    Some(value) => std::slice::from_ref(value),
                    None if last => rest.as_slice(),
                    None => &[],
                };
                if choice.roles == [Role::None] {
                    self.check_inert_values(words);
                }
                if !words.is_empty() {
                    self.apply(
                        choice,
                        &Words {
                            values: words,
                            arguments: &rest,
                            cwd: cwd.clone(),
                        },
                    );
                } else if choice.roles.contains(&Role::Unseen) {
                    // `gawk -D`: what it brings about does not hang on the value.
                    let what = format!("what an option of `{}` brings about", self.program);
                    self.unseen(what, self.invocation.span);
                }
            }
        }
    }

    /// Hands the operands to their places.
    fn operands(&mut self) {
        let slots = self.parsed.command.operands.unwrap_or_default();
        let active: Vec<Choice> = slots.iter().filter_map(|slot| self.choose(slot)).collect();
        let layout = layout(&active, self.parsed.operands.len());
        self.check_places(&active, layout.taken);
        let values = self.operand_values();
        let arguments = active
            .iter()
            .zip(&layout.ranges)
            .find(|(choice, _)| choice.roles.contains(&Role::Args))
            .and_then(|(_, range)| values.get(range.clone()))
            .unwrap_or_default();
        for (choice, range) in active.iter().zip(&layout.ranges) {
            let order = self
                .parsed
                .operands
                .get(range.start)
                .map_or(usize::MAX, |operand| operand.order);
            let cwd = self.cwd_at(order, Side::Operand);
            let words = values.get(range.clone()).unwrap_or_default();
            let before = values.get(..range.start).unwrap_or_default();
            let arguments = match choice.roles {
                [Role::Into] => before,
                _ => arguments,
            };
            if !words.is_empty() {
                self.apply(
                    *choice,
                    &Words {
                        values: words,
                        arguments,
                        cwd,
                    },
                );
            }
        }
        self.overflow(&active, &layout.ranges, &values);
    }

    /// A word that stands for several fills the places behind its own too: `xxd a/*` shows the
    /// first file and writes over the second.
    fn overflow(&mut self, active: &[Choice], ranges: &[Range<usize>], values: &[Value]) {
        let front = active.iter().take_while(|choice| !choice.many).count();
        for (place, range) in ranges.iter().enumerate().take(front) {
            let words = values.get(range.clone()).unwrap_or_default();
            if !words.iter().any(|word| word.may_split) {
                continue;
            }
            let own = active.get(place).map(|choice| choice.roles);
            let behind = active.iter().skip(place.saturating_add(1));
            for choice in behind.filter(|choice| Some(choice.roles) != own) {
                let words = Words {
                    values: words,
                    arguments: &[],
                    cwd: self.cwd_at(usize::MAX, Side::Operand),
                };
                self.apply(*choice, &words);
            }
        }
    }

    /// Gaps for operands that have no place, or whose place is not certain.
    fn check_places(&mut self, active: &[Choice], taken: usize) {
        let described =
            self.parsed.command.operands.is_some() || self.parsed.command.subs.is_empty();
        let extra: Vec<Gap> = self
            .parsed
            .operands
            .iter()
            .skip(taken)
            .filter(|_| described)
            .map(|operand| self.argument_gap(&operand.value))
            .collect();
        let uneven = active.len() > 1;
        let shifting: Vec<Gap> = self
            .parsed
            .operands
            .iter()
            .filter(|operand| uneven && splits(operand))
            .map(|operand| self.dynamic_gap(&operand.value))
            .collect();
        for gap in extra.into_iter().chain(shifting) {
            self.gap(gap);
        }
    }

    pub fn choose(&self, choices: &[Choice]) -> Option<Choice> {
        choices
            .iter()
            .find(|choice| self.holds(choice.when))
            .copied()
    }

    pub fn holds(&self, when: When) -> bool {
        when.iter().all(|group| match group {
            Group::Any(tests) => tests.iter().any(|test| self.passes(test)),
            Group::None(tests) => !tests.iter().any(|test| self.excuses(test, tests)),
        })
    }

    /// Whether a test of `unless` holds: a value excuses only where every use of its
    /// option has one of the values that are named.
    fn excuses(&self, test: &Test, tests: &[Test]) -> bool {
        let Test::Value(id, _) = test else {
            return self.passes(test);
        };
        let named = |given: &FlagUse| {
            tests.iter().any(
                |test| matches!(test, Test::Value(other, text) if other == id && with_value(given, text)),
            )
        };
        let mut uses = self
            .parsed
            .given
            .iter()
            .filter(|given| given.flag.id == *id)
            .peekable();
        uses.peek().is_some() && uses.all(named)
    }

    /// Whether the command only says what it would do.
    pub fn rehearses(&self) -> bool {
        let Some(dry) = self.parsed.command.dry else {
            return false;
        };
        let matches = |given: &FlagUse, test: &Test| match test {
            Test::Value(id, text) => given.flag.id == *id && with_value(given, text),
            Test::Flag(id) => given.flag.id == *id,
            Test::Count(_)
            | Test::AtLeast(_)
            | Test::Operand(..)
            | Test::Every(_)
            | Test::Some(_)
            | Test::Fed
            | Test::Piped => false,
        };
        let speaks = |given: &FlagUse| {
            dry.tests.iter().any(|test| match test {
                Test::Value(id, _) | Test::Flag(id) => given.flag.id == *id,
                Test::Count(_)
                | Test::AtLeast(_)
                | Test::Operand(..)
                | Test::Every(_)
                | Test::Some(_)
                | Test::Fed
                | Test::Piped => false,
            })
        };
        let mut uses = self
            .parsed
            .given
            .iter()
            .filter(|given| speaks(given))
            .peekable();
        uses.peek().is_some()
            && uses.all(|given| dry.tests.iter().any(|test| matches(given, test)))
            && !dry
                .cancels
                .iter()
                .any(|id| self.seen.binary_search(id).is_ok())
    }

    fn passes(&self, test: &Test) -> bool {
        let parsed = &self.parsed;
        match test {
            Test::Flag(id) => self.seen.binary_search(id).is_ok(),
            Test::Value(id, text) => parsed
                .given
                .iter()
                .filter(|given| given.flag.id == *id)
                .any(|given| with_value(given, text)),
            Test::Count(count) => parsed.operands.len() == *count,
            Test::AtLeast(count) => parsed.operands.len() >= *count,
            Test::Operand(place, text) => parsed
                .operands
                .get(place.saturating_sub(1))
                .is_some_and(|operand| is(&operand.value, text)),
            Test::Every(words) => parsed.operands.iter().all(|operand| {
                let known = |word: &&str| match *word {
                    "<name>" => operand
                        .value
                        .literal()
                        .is_some_and(|text| !text.contains('=')),
                    "<plain>" => operand
                        .value
                        .literal()
                        .is_some_and(|text| !text.contains('=') && !text.starts_with('-')),
                    "<assignment>" => operand.value.prefix().contains('='),
                    word => is(&operand.value, word),
                };
                words.iter().any(known)
            }),
            Test::Some(words) => parsed.operands.iter().any(|operand| {
                let may_be = operand.value.literal().is_none();
                may_be || words.iter().any(|word| is(&operand.value, word))
            }),
            Test::Fed => match &self.invocation.stdin {
                Stdin::Inherited => false,
                Stdin::Text(text) => text.literal().is_none_or(|text| !text.is_empty()),
                Stdin::File(_) | Stdin::Pipe(_) => true,
            },
            Test::Piped => !matches!(self.invocation.stdin, Stdin::Inherited),
        }
    }

    /// The directory that words at this place are seen from.
    pub fn cwd_at(&self, order: usize, side: Side) -> Option<String> {
        if self.changes.len() > CHANGES {
            return None;
        }
        let mut cwd = self.invocation.cwd.clone();
        for change in self.changes.iter().filter(|change| change.order < order) {
            if change.everything || side == Side::Operand {
                let target = Target::locate(&change.to, cwd.as_deref());
                cwd = (target.extent == Extent::Exact).then_some(target.path);
            }
        }
        cwd
    }

    /// The directory that a flag asks for, as a word.
    pub fn cwd_flag(&self) -> Option<Value> {
        self.changes
            .iter()
            .rev()
            .find(|change| change.everything)
            .map(|change| change.to.clone())
    }

    /// Whether a flag was given under any of its spellings.
    pub fn has(&self, spelling: &str) -> bool {
        let flag = self.parsed.command.flags.find(spelling);
        flag.is_some_and(|flag| self.seen.binary_search(&flag.id).is_ok())
    }

    /// The uses of flags that have one of these spellings, in their order.
    pub fn given(&self, spellings: &[&str]) -> impl Iterator<Item = &FlagUse> {
        let flags = &self.parsed.command.flags;
        let ids: Vec<u16> = spellings
            .iter()
            .filter_map(|spelling| flags.find(spelling))
            .map(|flag| flag.id)
            .collect();
        let given = self.parsed.given.iter();
        given.filter(move |given| ids.contains(&given.flag.id))
    }

    pub fn operand_values(&self) -> Vec<Value> {
        let operands = self.parsed.operands.iter();
        operands.map(|operand| operand.value.clone()).collect()
    }

    /// The last value of a flag, by its spellings, where it is known.
    pub fn flag_text(&self, spellings: &[&str]) -> Option<String> {
        spellings
            .iter()
            .find_map(|spelling| self.spelled_text(spelling))
    }

    fn spelled_text(&self, spelling: &str) -> Option<String> {
        let flag = self.parsed.command.flags.find(spelling)?;
        let text = self.flag_value(flag.id)?.literal()?;
        Some(text.into_owned())
    }

    /// The last value of a flag.
    pub fn flag_value(&self, id: u16) -> Option<&Value> {
        self.parsed
            .given
            .iter()
            .rev()
            .find(|given| given.flag.id == id)
            .and_then(|given| given.values.first())
    }

    pub fn effect(&mut self, act: Act, span: Span) {
        let recent = self.out.effects.iter().rev().take(RECENT);
        if !recent.into_iter().any(|(known, _)| *known == act) {
            self.out.effects.push((act, span));
        }
    }

    pub fn gap(&mut self, gap: Gap) {
        if !self
            .out
            .gaps
            .iter()
            .rev()
            .take(RECENT)
            .any(|known| *known == gap)
        {
            self.out.gaps.push(gap);
        }
    }

    pub fn argument_gap(&self, word: &Value) -> Gap {
        Gap {
            kind: GapKind::Argument {
                program: self.program.to_owned(),
                word: word.shown(),
            },
            span: word.span,
        }
    }

    pub fn dynamic_gap(&self, word: &Value) -> Gap {
        Gap {
            kind: GapKind::DynamicWord {
                program: self.program.to_owned(),
                word: word.shown(),
            },
            span: word.span,
        }
    }

    pub fn unseen(&mut self, what: String, span: Span) {
        self.gap(Gap {
            kind: GapKind::Unseen(what),
            span,
        });
    }

    pub fn wrapper(&self) -> Layer {
        Layer::Wrapper(self.program.to_owned())
    }

    fn clauses(&mut self) {
        for clause in self.parsed.command.clauses {
            if self.holds(clause.when) {
                self.act(clause.what);
            }
        }
    }
}

/// Whose working directory is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Flag,
    Operand,
}

fn splits(operand: &Operand) -> bool {
    operand.value.may_split && operand.value.is_dynamic()
}

/// Whether an option was given with this value; an empty one is none at all.
fn with_value(given: &FlagUse, text: &str) -> bool {
    match given.values.first() {
        Some(value) if text == "<blank>" => {
            value.literal().is_some_and(|text| text.trim().is_empty())
        }
        Some(value) => is(value, text),
        None => text.is_empty(),
    }
}

fn is(value: &Value, pattern: &str) -> bool {
    value.literal().is_some_and(|text| fits(pattern, &text))
}

//! The end of a reading: dry runs, marks on data that is written or sent, the output.

use super::meaning::Meaning;
use super::table::OutputKind;
use super::{Output, ProgramEffects, text};
use crate::place::taint_of_input;
use crate::{Act, Code, Direction, Host, Stdout, Taint, Value, WriteHow, taint_of};

impl Meaning<'_> {
    /// Dry runs, marks, output.
    pub(super) fn close(mut self) -> ProgramEffects {
        if self.rehearses() {
            self.out.effects.retain(|(act, _)| survives_dry_run(act));
            for (act, _) in &mut self.out.effects {
                if let Act::Connect { direction, .. } = act {
                    *direction = Direction::Receive;
                }
            }
        }
        let rule = self
            .parsed
            .command
            .output
            .iter()
            .find(|rule| self.holds(rule.when))
            .map(|rule| rule.kind);
        let read = self.read();
        self.out.output = self.output(rule, read);
        self.mark_data(rule, read);
        self.note_endless();
        self.out
    }

    /// An endless source that nothing bounds fills what it is written to.
    fn note_endless(&mut self) {
        let written = self
            .out
            .effects
            .iter()
            .any(|(act, _)| matches!(act, Act::Write { data, .. } if data.has(Taint::ENDLESS)));
        let mut shown = self.out.output.taint;
        if self.out.output.passes_input {
            shown = shown.with(self.input());
        }
        let kept = match self.invocation.stdout {
            Stdout::Shown | Stdout::Captured | Stdout::File(_) => shown.has(Taint::ENDLESS),
            Stdout::Pipe | Stdout::Null => false,
        };
        if written || kept {
            self.effect(Act::Exhaust, self.invocation.span);
        }
    }

    /// The marks of what comes in.
    fn input(&self) -> Taint {
        taint_of_input(&self.invocation.stdin, Taint::NONE)
    }

    /// The marks of what is read here.
    fn read(&self) -> Taint {
        let acts = self.out.effects.iter().map(|(act, _)| read_by(act));
        acts.fold(self.marks, Taint::with)
    }

    fn output(&self, rule: Option<OutputKind>, read: Taint) -> Output {
        let acts = self.out.effects.iter().map(|(act, _)| received_by(act));
        let own = acts.fold(read, Taint::with);
        let operands: Vec<&Value> = self
            .parsed
            .operands
            .iter()
            .map(|operand| &operand.value)
            .collect();
        let said = operands
            .iter()
            .fold(Taint::NONE, |taint, value| taint.with(value.taint()));
        let plain = |text: Option<Value>| Output {
            taint: said,
            passes_input: false,
            text,
        };
        let rule = match rule {
            Some(OutputKind::Revision) => match text::revision(&self.invocation.argv) {
                Some(commit) => return plain(Some(commit)),
                None => None,
            },
            rule => rule,
        };
        match rule {
            Some(OutputKind::None) => Output::default(),
            // Who is no filter may answer to an endless input, but does not hand it on.
            None if self.input().has(Taint::ENDLESS) => Output {
                taint: own.with(self.input().without(Taint::ENDLESS)),
                passes_input: false,
                text: None,
            },
            None | Some(OutputKind::Pass | OutputKind::Revision) => Output {
                taint: own,
                passes_input: true,
                text: None,
            },
            Some(OutputKind::Endless) => Output {
                taint: Taint::ENDLESS,
                passes_input: false,
                text: None,
            },
            Some(OutputKind::Bounded) => Output {
                taint: own.with(self.input()).without(Taint::ENDLESS),
                passes_input: false,
                text: None,
            },
            Some(OutputKind::Decode) => Output {
                taint: own.with(Taint::DECODED),
                passes_input: true,
                text: None,
            },
            Some(OutputKind::Network) => Output {
                taint: own.with(Taint::NETWORK),
                passes_input: true,
                text: None,
            },
            Some(OutputKind::Exchange) => Output {
                taint: own.with(Taint::NETWORK).with(self.said()),
                passes_input: true,
                text: None,
            },
            Some(OutputKind::Secret) => Output {
                taint: own.with(Taint::SECRET),
                passes_input: true,
                text: None,
            },
            Some(OutputKind::Echo) => plain(text::echo(&operands)),
            Some(OutputKind::Printf) => plain(text::printf(&operands)),
            Some(OutputKind::Basename) => plain(text::basename(&operands)),
            Some(OutputKind::Dirname) => plain(text::dirname(&operands)),
            Some(OutputKind::Temporary) => plain(Some(text::temporary(self.invocation.span))),
            Some(OutputKind::Name) => plain(text::about_machine(&self.invocation.argv)),
            Some(OutputKind::Date) => plain(text::date(&self.invocation.argv)),
            Some(OutputKind::Count) => plain(text::count(&self.invocation.argv)),
            Some(OutputKind::Program) => plain(text::program(&self.invocation.argv)),
            Some(OutputKind::Cwd) => plain(
                self.invocation
                    .cwd
                    .as_ref()
                    .map(|cwd| Value::text(cwd.clone(), self.invocation.span)),
            ),
        }
    }

    /// The marks of all words.
    fn said(&self) -> Taint {
        let given = self.parsed.given.iter().flat_map(|given| &given.values);
        given
            .chain(self.parsed.operands.iter().map(|operand| &operand.value))
            .fold(Taint::NONE, |taint, value| taint.with(value.taint()))
    }

    /// What is written or sent carries the marks of what was read.
    fn mark_data(&mut self, rule: Option<OutputKind>, read: Taint) {
        let mut flow = read;
        if self.out.output.passes_input {
            flow = flow.with(self.input());
        }
        if rule == Some(OutputKind::Decode) {
            flow = flow.with(Taint::DECODED);
        }
        let mut received = Taint::NONE;
        // A build gets the packages that the project declares, and writes what it made.
        let builds = self.out.effects.iter().any(|(act, _)| {
            matches!(
                act,
                Act::Execute {
                    code: Code::Task { .. },
                    ..
                }
            )
        });
        for (act, _) in &self.out.effects {
            // What answers a request comes in too, where the program is made to fetch.
            let fetches = matches!(rule, Some(OutputKind::Network | OutputKind::Exchange))
                || is_receiving(act);
            if fetches && !is_local(act) && !(builds && is_registry(act)) {
                received = received.with(received_by(act));
            }
        }
        if rule == Some(OutputKind::Bounded) {
            flow = flow.with(self.input()).without(Taint::ENDLESS);
        }
        let said = self.said();
        for (act, _) in &mut self.out.effects {
            if let Act::Write { how, data, .. } = act {
                match how {
                    WriteHow::Replace | WriteHow::Append | WriteHow::Raw => {
                        *data = data.with(flow).with(received);
                    }
                    // A tool that changes a part of a file does not put what it received there:
                    // a package manager adds a name to a manifest.
                    WriteHow::Edit => *data = data.with(flow),
                    WriteHow::Touch | WriteHow::Attributes | WriteHow::Link => {}
                }
            } else if let Act::Connect {
                direction, data, ..
            } = act
            {
                // An address or a header that is put together at run time carries its parts.
                *data = match direction {
                    Direction::Send => data.with(flow).with(said),
                    Direction::Receive => data.with(said),
                };
            }
        }
    }
}

/// The marks of what an act reads here.
fn read_by(act: &Act) -> Taint {
    if let Act::Read { target } = act {
        taint_of(target)
    } else {
        Taint::NONE
    }
}

/// The marks of what an act brings in from elsewhere.
fn received_by(act: &Act) -> Taint {
    if matches!(act, Act::Connect { .. }) {
        Taint::NETWORK
    } else {
        Taint::NONE
    }
}

fn is_registry(act: &Act) -> bool {
    matches!(act, Act::Connect { host: Host::Default(name), .. } if name == "registry")
}

fn is_receiving(act: &Act) -> bool {
    matches!(
        act,
        Act::Connect {
            direction: Direction::Receive,
            ..
        }
    )
}

fn is_local(act: &Act) -> bool {
    matches!(
        act,
        Act::Connect {
            host: Host::Loopback,
            ..
        }
    )
}

fn survives_dry_run(act: &Act) -> bool {
    matches!(
        act,
        Act::Read { .. }
            | Act::List { .. }
            | Act::Connect { .. }
            | Act::Execute { .. }
            | Act::Environment { .. }
    )
}

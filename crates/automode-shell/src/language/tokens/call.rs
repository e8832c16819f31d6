//! What a described call does, with the arguments as they stand in the text.

use super::Lexeme;
use super::scan::Scan;
use crate::language::library::{
    Argument, ArgumentPlace, CallBehaviour, CallEffect, CallResult, written_marks,
};
use crate::language::reading::{host_of, interface_of};
use crate::template::{PathUse, Performer, PlaceEffect, perform};
use crate::{Act, Direction, Language, Taint, Value, WriteHow};

/// A call on its way.
struct TokenCall<'c, 'r, 'a> {
    scan: &'c mut Scan<'r, 'a>,
    arguments: &'c [&'c [Lexeme]],
}

impl Performer<Argument> for TokenCall<'_, '_, '_> {
    fn text(&self, words: Argument) -> Option<String> {
        let value = self.scan.value_of(words, self.arguments)?;
        value.literal().map(|text| text.into_owned())
    }

    fn happens(&mut self, act: Act) {
        if matches!(act, Act::Cloud { .. }) {
            self.scan.reading.saw(Taint::NETWORK);
        }
        self.scan.reading.act(act);
    }

    fn use_path(&mut self, used: PathUse, place: Argument) {
        self.scan.use_path(used, place, self.arguments);
    }

    fn connect_to(&mut self, direction: Direction, other: Argument) {
        match direction {
            Direction::Receive => self.scan.receive(other, self.arguments),
            Direction::Send => self.scan.send(other, self.arguments),
        }
    }
}

impl Scan<'_, '_> {
    /// Does what the table says; `given` is nothing where the name is only mentioned.
    pub(super) fn perform(
        &mut self,
        behaviour: CallBehaviour,
        given: Option<&[&[Lexeme]]>,
        label: &str,
    ) -> &'static str {
        let unknown: [&[Lexeme]; 1] = [&[]];
        // A function that is handed around may be called with anything.
        let arguments = match given {
            Some(given) => given,
            None if self.language == Language::Ruby || self.language == Language::Perl => &[],
            None => &unknown,
        };
        let mut gives = behaviour.gives;
        for effect in behaviour.effects {
            match effect {
                CallEffect::CallResult(CallResult::Module) => {
                    gives = self.module(arguments, label).unwrap_or(gives);
                }
                CallEffect::Act(template) => {
                    let mut call = TokenCall {
                        scan: self,
                        arguments,
                    };
                    perform(*template, &mut call);
                }
                effect => self.apply_effect(effect, arguments, label),
            }
        }
        gives
    }

    pub(super) fn value_of(&self, wanted: Argument, arguments: &[&[Lexeme]]) -> Option<Value> {
        match wanted.place {
            ArgumentPlace::Position(at) => arguments
                .get(usize::from(at))
                .map(|tokens| self.value(tokens)),
            ArgumentPlace::Keyword | ArgumentPlace::Receiver => None,
            ArgumentPlace::Itself => Some(self.reading.word(wanted.name)),
        }
    }

    /// The place that an argument names; nothing where it may be missing and is.
    pub(super) fn place_of(&self, wanted: Argument, arguments: &[&[Lexeme]]) -> Option<Value> {
        match self.value_of(wanted, arguments) {
            Some(value) => Some(value),
            None if wanted.optional => None,
            None => Some(self.reading.unknown_word(Taint::UNKNOWN)),
        }
    }

    fn use_path(&mut self, used: PathUse, at: Argument, arguments: &[&[Lexeme]]) {
        match used.happens() {
            PlaceEffect::Read => {
                if let Some(place) = self.place_of(at, arguments) {
                    self.reading.reads(&place);
                }
            }
            PlaceEffect::List => {
                if let Some(place) = self.place_of(at, arguments) {
                    self.reading.lists(&place);
                }
            }
            PlaceEffect::Write(how) => {
                let data = written_marks(how, self.reading.seen());
                self.write(self.place_of(at, arguments), how, data);
            }
            // `rmSync(x, {recursive: true})` takes a tree.
            PlaceEffect::Delete { tree } => {
                self.delete(at, arguments, tree || arguments.get(1).is_some());
            }
        }
    }

    fn apply_effect(&mut self, effect: &CallEffect, arguments: &[&[Lexeme]], label: &str) {
        match effect {
            CallEffect::Unpack(at) => {
                let place = self.place_of(*at, arguments);
                self.write(place, WriteHow::Replace, Taint::DECODED);
            }
            CallEffect::Open(file, mode) => self.open(*file, *mode, arguments, label),
            CallEffect::Put(_) | CallEffect::Local => self.reading.saw(Taint::LOCAL),
            CallEffect::Shell(at) | CallEffect::Remote(at) => {
                let text = self.text_of(*at, arguments);
                self.run_shell(text);
            }
            CallEffect::ShellOrWords | CallEffect::Words(_) => self.system(arguments),
            CallEffect::Program(at) | CallEffect::ProcessWords(at) | CallEffect::Argv(at) => {
                self.spawn(*at, arguments)
            }
            CallEffect::Callback(at) => self.callback(*at, arguments, label),
            CallEffect::Code(at) => self.code(*at, arguments, label),
            CallEffect::Load(at) => self.load(*at, arguments),
            CallEffect::Reach(at) => self.send(*at, arguments),
            CallEffect::Bind(at) | CallEffect::Serve(at) => {
                let host = self
                    .value_of(*at, arguments)
                    .and_then(|host| host.literal().map(|host| host.into_owned()));
                self.reading.listens(interface_of(host.as_deref()));
            }
            CallEffect::Sql(at) => match self
                .value_of(*at, arguments)
                .and_then(|text| text.literal().map(|text| text.into_owned()))
            {
                Some(statement) => crate::language::sql::read(&statement, self.reading),
                None => self.reading.unknown_call("SQL that the program makes"),
            },
            CallEffect::Directory(_) => {
                // The order of calls is not followed: from here on nothing is known.
                let place = self.reading.unknown_word(Taint::NONE);
                self.reading.moves(&place);
            }
            CallEffect::Decode => self.reading.saw(Taint::DECODED),
            CallEffect::Secret => self.reading.saw(Taint::SECRET),
            CallEffect::Network => self.reading.saw(Taint::NETWORK),
            CallEffect::Input => {
                let input = self.reading.source.input;
                self.reading.passes_input();
                self.reading.saw(input);
            }
            CallEffect::Unknown => self.reading.unknown_call(label),
            CallEffect::Act(_) | CallEffect::CallResult(_) => {}
        }
    }

    fn receive(&mut self, at: Argument, arguments: &[&[Lexeme]]) {
        let url = self.text_of(at, arguments);
        // `fetch(url, {method, body})` sends.
        let options = self.language == Language::JavaScript && arguments.len() > 1;
        if options || !url.taint().is_none() {
            return self.send(at, arguments);
        }
        self.reading
            .connects(host_of(&url), Direction::Receive, Taint::NONE);
        self.reading.saw(Taint::NETWORK);
    }

    fn send(&mut self, at: Argument, arguments: &[&[Lexeme]]) {
        let url = self.text_of(at, arguments);
        let seen = self.reading.seen();
        self.reading.connects(host_of(&url), Direction::Send, seen);
        self.reading.saw(Taint::NETWORK);
    }

    pub(super) fn text_of(&self, at: Argument, arguments: &[&[Lexeme]]) -> Value {
        self.value_of(at, arguments)
            .unwrap_or_else(|| self.reading.unknown_word(self.reading.seen()))
    }

    fn write(&mut self, place: Option<Value>, how: WriteHow, data: Taint) {
        if let Some(place) = place {
            self.reading.writes(&place, how, data);
        }
    }

    fn delete(&mut self, at: Argument, arguments: &[&[Lexeme]], tree: bool) {
        // Ruby and Perl delete every word of the list.
        let many = matches!(self.language, Language::Ruby | Language::Perl) && arguments.len() > 1;
        let places: Vec<Value> = if many {
            arguments.iter().map(|tokens| self.value(tokens)).collect()
        } else {
            self.place_of(at, arguments).into_iter().collect()
        };
        let tree = tree && !many;
        for place in places {
            self.reading.deletes(&place, tree);
        }
    }
}

//! What a described call does, with the arguments as they stand in the text.

use super::Lexeme;
use super::scan::Scan;
use crate::language::known::{Argument, Behaviour, Deed, Fold, Place};
use crate::language::reading::{host_of, interface_of};
use crate::{Account, Act, DatabaseVerb, Direction, Language, Taint, Value, WriteHow};

impl Scan<'_, '_> {
    /// Does what the table says; `given` is nothing where the name is only mentioned.
    pub(super) fn perform(
        &mut self,
        behaviour: Behaviour,
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
        for deed in behaviour.deeds {
            match deed {
                Deed::Fold(Fold::Module) => {
                    gives = self.module(arguments, label).unwrap_or(gives);
                }
                deed => self.act_out(deed, arguments, label),
            }
        }
        gives
    }

    pub(super) fn value_of(&self, wanted: Argument, arguments: &[&[Lexeme]]) -> Option<Value> {
        match wanted.place {
            Place::Position(at) => arguments
                .get(usize::from(at))
                .map(|tokens| self.value(tokens)),
            Place::Keyword | Place::Receiver => None,
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

    fn act_out(&mut self, deed: &Deed, arguments: &[&[Lexeme]], label: &str) {
        let seen = self.reading.seen();
        let place = |scan: &Self, at: &Argument| scan.place_of(*at, arguments);
        match deed {
            Deed::Read(at) => {
                if let Some(place) = place(self, at) {
                    self.reading.reads(&place);
                }
            }
            Deed::List(at) => {
                if let Some(place) = place(self, at) {
                    self.reading.lists(&place);
                }
            }
            Deed::Write(at) => self.write(place(self, at), WriteHow::Replace, seen),
            Deed::Append(at) => self.write(place(self, at), WriteHow::Append, seen),
            Deed::Edit(at) => self.write(place(self, at), WriteHow::Edit, seen),
            Deed::Touch(at) => self.write(place(self, at), WriteHow::Touch, Taint::NONE),
            Deed::Attributes(at) => self.write(place(self, at), WriteHow::Attributes, Taint::NONE),
            Deed::Link(at) => self.write(place(self, at), WriteHow::Link, Taint::NONE),
            Deed::Unpack(at) => self.write(place(self, at), WriteHow::Replace, Taint::DECODED),
            Deed::Delete(at) => {
                // `rmSync(x, {recursive: true})` takes a tree.
                let tree = arguments.get(1).is_some();
                self.delete(*at, arguments, tree);
            }
            Deed::DeleteTree(at) => self.delete(*at, arguments, true),
            Deed::Open(file, mode) => self.open(*file, *mode, arguments, label),
            Deed::Put(_) | Deed::Local => self.reading.saw(Taint::LOCAL),
            Deed::Shell(at) | Deed::Remote(at) => {
                let text = self.text_of(*at, arguments);
                self.run_shell(text);
            }
            Deed::System | Deed::Words(_) => self.system(arguments),
            Deed::Program(at) | Deed::Process(at) | Deed::Argv(at) => self.spawn(*at, arguments),
            Deed::Callback(at) => self.callback(*at, arguments, label),
            Deed::Code(at) => self.code(*at, arguments, label),
            Deed::Load(at) => self.load(*at, arguments),
            Deed::Receive(at) => {
                let url = self.text_of(*at, arguments);
                // `fetch(url, {method, body})` sends.
                let options = self.language == Language::JavaScript && arguments.len() > 1;
                let more = options || !url.taint().is_none();
                let direction = if more {
                    Direction::Send
                } else {
                    Direction::Receive
                };
                let data = if more { seen } else { Taint::NONE };
                self.reading.connects(host_of(&url), direction, data);
                self.reading.saw(Taint::NETWORK);
            }
            Deed::Send(at) | Deed::Reach(at) => {
                let url = self.text_of(*at, arguments);
                self.reading.connects(host_of(&url), Direction::Send, seen);
                self.reading.saw(Taint::NETWORK);
            }
            Deed::Listen(at) | Deed::Serve(at) => {
                let host = self
                    .value_of(*at, arguments)
                    .and_then(|host| host.literal().map(|host| host.into_owned()));
                self.reading.listens(interface_of(host.as_deref()));
            }
            Deed::Sql(at) => match self
                .value_of(*at, arguments)
                .and_then(|text| text.literal().map(|text| text.into_owned()))
            {
                Some(statement) => crate::language::sql::read(&statement, self.reading),
                None => self.reading.unknown_call("SQL that the program makes"),
            },
            Deed::Kill(at) => {
                let pid = self.value_of(*at, arguments);
                self.reading
                    .signals(pid.and_then(|pid| pid.literal().map(|pid| pid.into_owned())));
            }
            Deed::Environment(at) => {
                let name = self
                    .value_of(*at, arguments)
                    .and_then(|name| name.literal().map(|name| name.into_owned()));
                self.reading.act(Act::Environment {
                    name: name.unwrap_or_else(|| "…".to_owned()),
                });
            }
            Deed::Directory(_) => {
                // The order of calls is not followed: from here on nothing is known.
                let place = self.reading.unknown_word(Taint::NONE);
                self.reading.moves(&place);
            }
            Deed::Database(_) => self.reading.database(DatabaseVerb::Admin),
            Deed::Cloud(service) | Deed::Message(service) => self.reading.act(Act::Message {
                service: (*service).to_owned(),
            }),
            Deed::Decode => self.reading.saw(Taint::DECODED),
            Deed::Secret => self.reading.saw(Taint::SECRET),
            Deed::Network => self.reading.saw(Taint::NETWORK),
            Deed::Input => {
                let input = self.reading.source.input;
                self.reading.passes_input();
                self.reading.saw(input);
            }
            Deed::Elevate => self.reading.act(Act::Privilege(Account::Elevate)),
            Deed::Unknown => self.reading.unknown_call(label),
            Deed::Fold(_) => {}
        }
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

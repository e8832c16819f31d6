//! What a described call does.

use super::super::known::{Argument, Behaviour, Deed, Place};
use super::super::reading::interface_of;
use super::Program;
use super::file::{Mode, mode_of, origin_of};
use super::given::{Given, text_of};
use super::value::{Form, Held, Object, Text, Thing, unknown_piece};
use crate::{
    Account, Act, CloudVerb, Code, DatabaseVerb, Direction, Layer, NestedStdin, Origin, Taint,
    Value, WriteHow,
};
use std::rc::Rc;

impl Program<'_, '_> {
    /// Does what the table says and gives what the table names.
    pub(super) fn perform(
        &mut self,
        behaviour: Behaviour,
        receiver: Option<&Thing>,
        given: &Given,
        label: &str,
        site: usize,
    ) -> Thing {
        let mut taint = self.given_taint(given);
        if let Some(receiver) = receiver {
            taint = taint.with(self.taint(receiver));
        }
        let mut result = None;
        for deed in behaviour.deeds {
            if let Deed::Fold(fold) = deed {
                result = Some(self.fold(*fold, receiver, given, label, site));
            } else {
                let more = self.act_out(deed, receiver, given, label);
                taint = taint.with(more);
            }
        }
        self.escape_all(given, taint);
        match result {
            Some(result) => result,
            None => self.gives(
                behaviour.gives,
                receiver,
                given,
                taint,
                behaviour.deeds,
                site,
            ),
        }
    }

    fn gives(
        &mut self,
        kind: &'static str,
        receiver: Option<&Thing>,
        given: &Given,
        taint: Taint,
        deeds: &[Deed],
        site: usize,
    ) -> Thing {
        let (kind, many) = match kind.strip_suffix("[]") {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let thing = match kind {
            "data" => Thing::Data(taint),
            "number" => Thing::Number(None),
            "none" => Thing::None,
            "unknown" => Thing::Unknown(taint),
            "same" => match receiver {
                Some(Thing::Object(object)) => Thing::Object(Object {
                    taint: object.taint.with(taint),
                    ..object.clone()
                }),
                Some(receiver) => receiver.clone(),
                None => Thing::Data(taint),
            },
            "path" => Thing::Text(Text {
                pieces: vec![unknown_piece(taint)],
                form: Form::Path,
            }),
            "argv" => return self.arguments(),
            // All variables together hold whatever secret is among them.
            "environ" => Thing::object("environ", Taint::SECRET),
            "dict" => {
                return self.hold(
                    site,
                    Held::Dict {
                        entries: std::collections::BTreeMap::new(),
                        rest: (!taint.is_none()).then_some(Thing::Data(taint)),
                    },
                );
            }
            kind => {
                let opened = deeds.iter().find_map(|deed| match deed {
                    Deed::Open(file, mode) => {
                        let how = self
                            .argument(*mode, receiver, given)
                            .as_ref()
                            .map_or(Mode::Read, |mode| {
                                mode_of(super::text::constant(mode).as_deref())
                            });
                        Some((self.argument(*file, receiver, given), how.written()))
                    }
                    Deed::Write(file) | Deed::Edit(file) => Some((
                        self.argument(*file, receiver, given),
                        Some(WriteHow::Replace),
                    )),
                    Deed::Read(_)
                    | Deed::List(_)
                    | Deed::Append(_)
                    | Deed::Touch(_)
                    | Deed::Attributes(_)
                    | Deed::Delete(_)
                    | Deed::DeleteTree(_)
                    | Deed::Link(_)
                    | Deed::Unpack(_)
                    | Deed::Put(_)
                    | Deed::Shell(_)
                    | Deed::Process(_)
                    | Deed::Argv(_)
                    | Deed::Program(_)
                    | Deed::System
                    | Deed::Callback(_)
                    | Deed::Words(_)
                    | Deed::Code(_)
                    | Deed::Load(_)
                    | Deed::Receive(_)
                    | Deed::Send(_)
                    | Deed::Reach(_)
                    | Deed::Remote(_)
                    | Deed::Listen(_)
                    | Deed::Serve(_)
                    | Deed::Sql(_)
                    | Deed::Kill(_)
                    | Deed::Environment(_)
                    | Deed::Directory(_)
                    | Deed::Cloud(_)
                    | Deed::Message(_)
                    | Deed::Database(_)
                    | Deed::Decode
                    | Deed::Secret
                    | Deed::Network
                    | Deed::Local
                    | Deed::Input
                    | Deed::Elevate
                    | Deed::Unknown
                    | Deed::Fold(_) => None,
                });
                let (origin, written) = match opened {
                    Some((Some(Thing::Text(text)), written)) => (Some(Rc::new(text)), written),
                    Some((_, written)) => (None, written),
                    None => (None, None),
                };
                Thing::Object(Object {
                    kind,
                    taint,
                    origin,
                    written,
                })
            }
        };
        if many {
            self.list(site, Vec::new(), Some(thing))
        } else {
            thing
        }
    }

    /// `sys.argv`: the script and what follows it on the command line.
    pub(super) fn arguments(&mut self) -> Thing {
        let script = self
            .files
            .first()
            .cloned()
            .flatten()
            .unwrap_or_else(|| "-c".to_owned());
        let mut items = vec![Thing::text(script)];
        items.extend(self.reading.source.arguments.iter().map(|word| {
            Thing::Text(Text {
                pieces: word.pieces.clone(),
                form: Form::Plain,
            })
        }));
        self.list(usize::MAX / 128, items, None)
    }

    /// The argument that a deed concerns.
    pub(super) fn argument(
        &self,
        wanted: Argument,
        receiver: Option<&Thing>,
        given: &Given,
    ) -> Option<Thing> {
        let found = match wanted.place {
            Place::Receiver => receiver,
            Place::Position(at) => given.positional.get(usize::from(at)),
            Place::Keyword => None,
        };
        found
            .or_else(|| {
                given
                    .keyword(wanted.name)
                    .filter(|_| !wanted.name.is_empty())
            })
            .or(given.more.as_ref())
            .map(|thing| self.settle(thing))
            .filter(|thing| !(wanted.optional && matches!(thing, Thing::None)))
    }

    /// The place that an argument names; `None` where it is not given and need not be.
    pub(super) fn place(
        &self,
        wanted: Argument,
        receiver: Option<&Thing>,
        given: &Given,
    ) -> Option<Value> {
        match self.argument(wanted, receiver, given) {
            // A descriptor or an open file was opened before.
            Some(Thing::Number(_)) => None,
            Some(Thing::Object(object)) => match (object.kind, object.origin) {
                ("file" | "buffer" | "tempfile", _) => None,
                (_, Some(origin)) => Some(self.word(&Thing::Text((*origin).clone()))),
                (_, None) => Some(self.reading.unknown_word(object.taint)),
            },
            Some(thing) => Some(self.word(&thing)),
            None if wanted.optional => None,
            None => Some(self.reading.unknown_word(Taint::UNKNOWN)),
        }
    }

    /// Gives the marks that the deed adds to the result.
    fn act_out(
        &mut self,
        deed: &Deed,
        receiver: Option<&Thing>,
        given: &Given,
        label: &str,
    ) -> Taint {
        let data = self.given_taint(given);
        match deed {
            Deed::Read(at) => {
                if let Some(Thing::Object(object)) = self.argument(*at, receiver, given) {
                    return object.taint;
                }
                match self.place(*at, receiver, given) {
                    Some(place) => self.reading.reads(&place),
                    None => Taint::NONE,
                }
            }
            Deed::List(at) => {
                if let Some(place) = self.place(*at, receiver, given) {
                    self.reading.lists(&place);
                }
                Taint::NONE
            }
            Deed::Write(at) => self.write(*at, receiver, given, WriteHow::Replace, data),
            Deed::Append(at) => self.write(*at, receiver, given, WriteHow::Append, data),
            Deed::Edit(at) => self.write(*at, receiver, given, WriteHow::Edit, data),
            Deed::Touch(at) => self.write(*at, receiver, given, WriteHow::Touch, Taint::NONE),
            Deed::Attributes(at) => {
                self.write(*at, receiver, given, WriteHow::Attributes, Taint::NONE)
            }
            Deed::Link(at) => self.write(*at, receiver, given, WriteHow::Link, Taint::NONE),
            Deed::Unpack(at) => {
                let place = self
                    .place(*at, receiver, given)
                    .unwrap_or_else(|| self.reading.word("."));
                let taint = receiver.map_or(Taint::LOCAL, |receiver| self.taint(receiver));
                self.reading
                    .writes(&place, WriteHow::Replace, taint.with(Taint::DECODED));
                Taint::NONE
            }
            Deed::Delete(at) => self.delete(*at, receiver, given, false),
            Deed::DeleteTree(at) => self.delete(*at, receiver, given, true),
            Deed::Open(file, mode) => self.open(*file, *mode, receiver, given),
            Deed::Put(at) => {
                let said = self.given_taint(given);
                self.reading.saw(said);
                self.put(*at, receiver, given);
                Taint::NONE
            }
            Deed::System | Deed::Callback(_) => Taint::NONE,
            Deed::Shell(at) => {
                let text = self.argument_word(*at, receiver, given);
                self.reading.shell(text, NestedStdin::Same);
                self.ran()
            }
            Deed::Process(at) | Deed::Program(at) => self.process(*at, receiver, given),
            Deed::Argv(at) => {
                let argv = self.argv(self.argument(*at, receiver, given));
                self.reading
                    .command(argv, Vec::new(), None, NestedStdin::Same);
                self.ran()
            }
            Deed::Words(at) => {
                let Place::Position(from) = at.place else {
                    return Taint::NONE;
                };
                let mut argv: Vec<Value> = given
                    .positional
                    .iter()
                    .skip(usize::from(from))
                    .map(|thing| self.word(thing))
                    .collect();
                if let Some(more) = &given.more {
                    let mut word = self.word(more);
                    word.may_split = true;
                    argv.push(word);
                }
                self.reading
                    .command(argv, Vec::new(), None, NestedStdin::Same);
                self.ran()
            }
            Deed::Code(at) => {
                let code = self.argument(*at, receiver, given);
                self.run_code(code);
                Taint::NONE
            }
            Deed::Load(at) => {
                let taint = self
                    .argument(*at, receiver, given)
                    .map_or(Taint::UNKNOWN, |thing| self.taint(&thing));
                self.reading
                    .hidden_code(Code::Inline { language: "python" }, label, taint);
                taint
            }
            Deed::Receive(at) => self.receive(*at, receiver, given),
            Deed::Send(at) => {
                let host = self.host(*at, receiver, given);
                let sent = receiver.map_or(data, |receiver| data.with(self.taint(receiver)));
                self.reading.connects(host, Direction::Send, sent);
                self.reading.saw(Taint::NETWORK);
                Taint::NETWORK
            }
            Deed::Reach(at) => {
                let host = self.host(*at, receiver, given);
                self.reading.connects(host, Direction::Send, Taint::NONE);
                self.reading.saw(Taint::NETWORK);
                Taint::NETWORK
            }
            Deed::Remote(at) => {
                let text = self.argument_word(*at, receiver, given);
                let host = origin_of(receiver).unwrap_or_default();
                let layer = Layer::Remote(host.clone());
                self.reading.act(Act::Execute {
                    code: Code::Remote { host },
                    origin: Origin {
                        seen: text.literal().is_some(),
                        taint: text.taint(),
                    },
                });
                self.reading.runs(crate::Nested::Shell {
                    text,
                    arguments: Vec::new(),
                    cwd: None,
                    stdin: NestedStdin::Empty,
                    layer,
                });
                Taint::NETWORK
            }
            Deed::Listen(at) => {
                let address = self.argument(*at, receiver, given);
                let host = match &address {
                    Some(thing @ Thing::Heap(_)) => self
                        .items(thing)
                        .and_then(|items| items.first().map(|host| text_of(Some(host))))
                        .unwrap_or(Some(String::new())),
                    other => Some(text_of(other.as_ref()).unwrap_or_default()),
                };
                self.reading.listens(interface_of(host.as_deref()));
                Taint::NETWORK
            }
            Deed::Serve(host) => {
                let host = self.argument(*host, receiver, given);
                let interface = match host {
                    Some(host) => interface_of(Some(&text_of(Some(&host)).unwrap_or_default())),
                    None => interface_of(None),
                };
                self.reading.listens(interface);
                Taint::NETWORK
            }
            Deed::Sql(at) => {
                self.sql(*at, receiver, given);
                Taint::LOCAL
            }
            Deed::Kill(at) => {
                let pid = self.argument(*at, receiver, given);
                let pid = match pid {
                    Some(Thing::Number(Some(pid))) => Some(pid.to_string()),
                    pid => text_of(pid.as_ref()),
                };
                self.reading.signals(pid);
                Taint::NONE
            }
            Deed::Environment(at) => {
                let name = text_of(self.argument(*at, receiver, given).as_ref());
                self.set_variable(name.as_deref());
                Taint::NONE
            }
            Deed::Directory(at) => {
                let place = if self.branch > 0 || self.weak > 0 {
                    self.reading.unknown_word(Taint::NONE)
                } else {
                    self.argument_word(*at, receiver, given)
                };
                self.reading.moves(&place);
                Taint::NONE
            }
            Deed::Cloud(service) => {
                self.reading.act(Act::Cloud {
                    service: (*service).to_owned(),
                    verb: CloudVerb::Read,
                });
                self.reading.saw(Taint::NETWORK);
                Taint::NETWORK
            }
            Deed::Message(service) => {
                self.reading.act(Act::Message {
                    service: (*service).to_owned(),
                });
                Taint::NETWORK
            }
            Deed::Database(verb) => {
                self.reading.database(match *verb {
                    "read" => DatabaseVerb::Read,
                    "insert" => DatabaseVerb::Insert,
                    "change" => DatabaseVerb::Change,
                    "destroy" => DatabaseVerb::Destroy,
                    "schema" => DatabaseVerb::Schema,
                    _ => DatabaseVerb::Admin,
                });
                Taint::LOCAL
            }
            Deed::Decode => Taint::DECODED,
            Deed::Secret => {
                self.reading.saw(Taint::SECRET);
                Taint::SECRET
            }
            Deed::Network => Taint::NETWORK,
            Deed::Local => {
                self.reading.saw(Taint::LOCAL);
                Taint::LOCAL
            }
            Deed::Input => {
                let input = self.reading.source.input;
                self.reading.passes_input();
                self.reading.saw(input);
                input
            }
            Deed::Elevate => {
                self.reading.act(Act::Privilege(Account::Elevate));
                Taint::NONE
            }
            Deed::Unknown => {
                self.reading.unknown_call(label);
                Taint::UNKNOWN
            }
            Deed::Fold(_) => Taint::NONE,
        }
    }

    fn argument_word(&self, at: Argument, receiver: Option<&Thing>, given: &Given) -> Value {
        match self.argument(at, receiver, given) {
            Some(thing) => self.word(&thing),
            None => self.reading.unknown_word(Taint::UNKNOWN),
        }
    }

    /// The output of a command is not known here.
    pub(super) fn ran(&mut self) -> Taint {
        self.reading.saw(Taint::UNKNOWN);
        Taint::UNKNOWN
    }
}

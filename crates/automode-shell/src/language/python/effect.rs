//! What a described call does.

use super::super::library::{Argument, ArgumentPlace, CallBehaviour, CallEffect, written_marks};
use super::super::reading::interface_of;
use super::PyProgram;
use super::arguments::{CallArguments, text_of};
use super::file::{OpenMode, mode_of, origin_of};
use super::value::{HeapObject, PyObject, PyText, PyValue, TextForm, unknown_piece};
use crate::program::steers;
use crate::template::{PathUse, Performer, PlaceEffect, UNKNOWN, perform};
use crate::{Act, Code, Direction, Layer, NestedStdin, Origin, Taint, Value, WriteHow};
use std::rc::Rc;

/// Words that make a call do more than its row says.
const FURTHER: &[(&str, &str)] = &[
    ("venv.create", "clear"),
    ("venv.EnvBuilder", "clear"),
    ("unittest.main", "module"),
];

/// A call on its way, and the marks that what happens leaves on its result.
struct PyCall<'c, 'r, 'a> {
    program: &'c mut PyProgram<'r, 'a>,
    receiver: Option<&'c PyValue>,
    given: &'c CallArguments,
    label: &'c str,
    marks: Taint,
}

impl Performer<Argument> for PyCall<'_, '_, '_> {
    fn text(&self, words: Argument) -> Option<String> {
        match self.program.argument(words, self.receiver, self.given) {
            Some(PyValue::Number(Some(number))) => Some(number.to_string()),
            other => text_of(other.as_ref()),
        }
    }

    fn happens(&mut self, act: Act) {
        // Other variables of its own are the program's business.
        if let Act::Environment { name } = &act
            && name != UNKNOWN
            && !steers(name)
        {
            return;
        }
        if matches!(act, Act::Cloud { .. }) {
            // What is asked for is told to the service.
            let data = self.program.given_taint(self.given);
            let told = [Taint::SECRET, Taint::LOCAL, Taint::UNKNOWN];
            if told.into_iter().any(|mark| data.has(mark)) {
                self.program.reading.unknown_call(self.label);
            }
            self.program.reading.saw(Taint::NETWORK);
        }
        if matches!(act, Act::Cloud { .. } | Act::Message { .. }) {
            self.marks = Taint::NETWORK;
        }
        if matches!(act, Act::Database { .. }) {
            self.marks = Taint::LOCAL;
        }
        self.program.reading.act(act);
    }

    fn use_path(&mut self, used: PathUse, place: Argument) {
        self.marks = self
            .program
            .use_path(used, place, self.receiver, self.given);
    }

    fn connect_to(&mut self, direction: Direction, other: Argument) {
        self.marks = self
            .program
            .connect(direction, other, self.receiver, self.given);
    }
}

impl PyProgram<'_, '_> {
    /// Does what the table says and gives what the table names.
    pub(super) fn perform(
        &mut self,
        behaviour: CallBehaviour,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        let mut taint = self.given_taint(given);
        if let Some(receiver) = receiver {
            taint = taint.with(self.taint(receiver));
        }
        let further = FURTHER
            .iter()
            .any(|(call, word)| *call == label && given.keyword(word).is_some());
        // The first word of `unittest.main` is a module that it loads.
        if further || (label == "unittest.main" && !given.positional.is_empty()) {
            self.reading.unknown_call(label);
        }
        let mut result = None;
        for effect in behaviour.effects {
            if let CallEffect::CallResult(fold) = effect {
                result = Some(self.fold(*fold, receiver, given, label, site));
            } else {
                let more = match effect {
                    CallEffect::Act(template) => {
                        let mut call = PyCall {
                            program: self,
                            receiver,
                            given,
                            label,
                            marks: Taint::NONE,
                        };
                        perform(*template, &mut call);
                        call.marks
                    }
                    effect => self.apply_effect(effect, receiver, given, label),
                };
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
                behaviour.effects,
                site,
            ),
        }
    }

    fn gives(
        &mut self,
        kind: &'static str,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        taint: Taint,
        effects: &[CallEffect],
        site: usize,
    ) -> PyValue {
        let (kind, many) = match kind.strip_suffix("[]") {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let thing = match kind {
            "data" => PyValue::Data(taint),
            "number" => PyValue::Number(None),
            "none" => PyValue::None,
            "unknown" => PyValue::Unknown(taint),
            "same" => match receiver {
                Some(PyValue::Object(object)) => PyValue::Object(PyObject {
                    taint: object.taint.with(taint),
                    ..object.clone()
                }),
                Some(receiver) => receiver.clone(),
                None => PyValue::Data(taint),
            },
            "path" => PyValue::Text(PyText {
                pieces: vec![unknown_piece(taint)],
                form: TextForm::Path,
            }),
            "argv" => return self.arguments(),
            // All variables together hold whatever secret is among them.
            "environ" => PyValue::object("environ", Taint::SECRET),
            "dict" => {
                return self.hold(
                    site,
                    HeapObject::Dict {
                        entries: std::collections::BTreeMap::new(),
                        rest: (!taint.is_none()).then_some(PyValue::Data(taint)),
                    },
                );
            }
            kind => self.object(kind, taint, effects, receiver, given),
        };
        if many {
            self.list(site, Vec::new(), Some(thing))
        } else {
            thing
        }
    }

    /// A thing of a kind, with the file behind it where the call opens one.
    fn object(
        &self,
        kind: &'static str,
        taint: Taint,
        effects: &[CallEffect],
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> PyValue {
        let opened = effects.iter().find_map(CallEffect::opens);
        let (file, written) = match opened {
            Some((file, Some(mode))) => {
                let mode = self.argument(mode, receiver, given);
                let how = mode.as_ref().map_or(OpenMode::Read, |mode| {
                    mode_of(super::text::constant(mode).as_deref())
                });
                (self.argument(file, receiver, given), how.written())
            }
            Some((file, None)) => {
                let file = self.argument(file, receiver, given);
                (file, Some(WriteHow::Replace))
            }
            None => (None, None),
        };
        let origin = match file {
            Some(PyValue::Text(text)) => Some(Rc::new(text)),
            Some(_) | None => None,
        };
        PyValue::Object(PyObject {
            kind,
            taint,
            origin,
            written,
        })
    }

    /// `sys.argv`: the script and what follows it on the command line.
    pub(super) fn arguments(&mut self) -> PyValue {
        let script = self
            .files
            .first()
            .cloned()
            .flatten()
            .unwrap_or_else(|| "-c".to_owned());
        // Whoever changes the list changes which files are opened.
        if self.reads_arguments() {
            self.reading.unknown_call("sys.argv beside fileinput");
        }
        let mut items = vec![PyValue::text(script)];
        items.extend(self.reading.source.arguments.iter().map(|word| {
            PyValue::Text(PyText {
                pieces: word.pieces.clone(),
                form: TextForm::Plain,
            })
        }));
        self.list(usize::MAX / 128, items, None)
    }

    /// The argument that an effect concerns.
    pub(super) fn argument(
        &self,
        wanted: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Option<PyValue> {
        let found = match wanted.place {
            ArgumentPlace::Receiver => receiver,
            ArgumentPlace::Position(at) => given.positional.get(usize::from(at)),
            ArgumentPlace::Keyword => None,
            ArgumentPlace::Itself => return Some(PyValue::text(wanted.name.to_owned())),
        };
        found
            .or_else(|| {
                given
                    .keyword(wanted.name)
                    .filter(|_| !wanted.name.is_empty())
            })
            .or(given.more.as_ref())
            .map(|thing| self.settle(thing))
            .filter(|thing| !(wanted.optional && matches!(thing, PyValue::None)))
    }

    /// The place that an argument names; `None` where it is not given and need not be.
    pub(super) fn place(
        &self,
        wanted: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Option<Value> {
        match self.argument(wanted, receiver, given) {
            // A descriptor or an open file was opened before.
            Some(PyValue::Number(_)) => None,
            Some(PyValue::Object(object)) => match (object.kind, object.origin) {
                ("file" | "buffer" | "tempfile", _) => None,
                (_, Some(origin)) => Some(self.word(&PyValue::Text((*origin).clone()))),
                (_, None) => Some(self.reading.unknown_word(object.taint)),
            },
            Some(thing) => Some(self.word(&thing)),
            None if wanted.optional => None,
            None => Some(self.reading.unknown_word(Taint::UNKNOWN)),
        }
    }

    /// Gives the marks that the use adds to the result.
    fn use_path(
        &mut self,
        used: PathUse,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Taint {
        match used.happens() {
            PlaceEffect::Read => self.read(at, receiver, given),
            PlaceEffect::List => {
                if let Some(place) = self.place(at, receiver, given) {
                    self.reading.lists(&place);
                }
                Taint::NONE
            }
            PlaceEffect::Write(how) => {
                let data = written_marks(how, self.given_taint(given));
                self.write(at, receiver, given, how, data)
            }
            PlaceEffect::Delete { tree } => self.delete(at, receiver, given, tree),
        }
    }

    /// Gives the marks that the effect adds to the result.
    fn apply_effect(
        &mut self,
        effect: &CallEffect,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        label: &str,
    ) -> Taint {
        match effect {
            CallEffect::Unpack(at) => self.unpack(*at, receiver, given),
            CallEffect::Open(file, mode) => self.open(*file, *mode, receiver, given),
            CallEffect::Put(at) => {
                let said = self.given_taint(given);
                self.reading.saw(said);
                self.put(*at, receiver, given);
                Taint::NONE
            }
            CallEffect::Act(_) | CallEffect::ShellOrWords | CallEffect::Callback(_) => Taint::NONE,
            CallEffect::Shell(at) => {
                let text = self.argument_word(*at, receiver, given);
                self.reading.shell(text, NestedStdin::Same);
                self.ran()
            }
            CallEffect::ProcessWords(at) | CallEffect::Program(at) => {
                self.process(*at, receiver, given)
            }
            CallEffect::Argv(at) => {
                let argv = self.argv(self.argument(*at, receiver, given));
                self.reading
                    .command(argv, Vec::new(), None, NestedStdin::Same);
                self.ran()
            }
            CallEffect::Words(at) => self.run_words(*at, given),
            CallEffect::Code(at) => {
                let code = self.argument(*at, receiver, given);
                self.run_code(code);
                Taint::NONE
            }
            CallEffect::Load(at) if at.optional && self.is_off(*at, receiver, given) => Taint::NONE,
            CallEffect::Load(_) if makes_plain_data(label, given) => Taint::LOCAL,
            CallEffect::Load(at) => self.load(*at, receiver, given, label),
            CallEffect::Reach(at) => {
                let host = self.host(*at, receiver, given);
                self.reading.connects(host, Direction::Send, Taint::NONE);
                self.reading.saw(Taint::NETWORK);
                Taint::NETWORK
            }
            CallEffect::Remote(at) => self.remote(*at, receiver, given),
            CallEffect::Bind(at) => self.bind_address(*at, receiver, given),
            CallEffect::Serve(host) => self.serve(*host, receiver, given),
            CallEffect::Sql(at) => {
                self.sql(*at, receiver, given);
                Taint::LOCAL
            }
            CallEffect::Directory(at) => self.change_directory(*at, receiver, given),
            CallEffect::Decode => Taint::DECODED,
            CallEffect::Secret => {
                self.reading.saw(Taint::SECRET);
                Taint::SECRET
            }
            CallEffect::Network => Taint::NETWORK,
            CallEffect::Local => {
                self.reading.saw(Taint::LOCAL);
                Taint::LOCAL
            }
            CallEffect::Input => {
                let input = self.reading.source.input;
                self.reading.passes_input();
                self.reading.saw(input);
                input
            }
            CallEffect::Unknown => {
                self.reading.unknown_call(label);
                Taint::UNKNOWN
            }
            CallEffect::CallResult(_) => Taint::NONE,
        }
    }

    fn read(&mut self, at: Argument, receiver: Option<&PyValue>, given: &CallArguments) -> Taint {
        if let Some(PyValue::Object(object)) = self.argument(at, receiver, given) {
            return object.taint;
        }
        match self.place(at, receiver, given) {
            Some(place) => self.reading.reads(&place),
            None => Taint::NONE,
        }
    }

    fn unpack(&mut self, at: Argument, receiver: Option<&PyValue>, given: &CallArguments) -> Taint {
        let place = self
            .place(at, receiver, given)
            .unwrap_or_else(|| self.reading.word("."));
        let taint = receiver.map_or(Taint::LOCAL, |receiver| self.taint(receiver));
        self.reading
            .writes(&place, WriteHow::Replace, taint.with(Taint::DECODED));
        Taint::NONE
    }

    fn run_words(&mut self, at: Argument, given: &CallArguments) -> Taint {
        let ArgumentPlace::Position(from) = at.place else {
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

    fn load(
        &mut self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        label: &str,
    ) -> Taint {
        let taint = self
            .argument(at, receiver, given)
            .map_or(Taint::UNKNOWN, |thing| self.taint(&thing));
        self.reading
            .hidden_code(Code::Inline { language: "python" }, label, taint);
        taint
    }

    fn remote(&mut self, at: Argument, receiver: Option<&PyValue>, given: &CallArguments) -> Taint {
        let text = self.argument_word(at, receiver, given);
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

    fn bind_address(
        &mut self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Taint {
        let address = self.argument(at, receiver, given);
        let host = match &address {
            Some(thing @ PyValue::Heap(_)) => self
                .items(thing)
                .and_then(|items| items.first().map(|host| text_of(Some(host))))
                .unwrap_or(Some(String::new())),
            other => Some(text_of(other.as_ref()).unwrap_or_default()),
        };
        self.reading.listens(interface_of(host.as_deref()));
        Taint::NETWORK
    }

    fn serve(
        &mut self,
        host: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Taint {
        let host = self.argument(host, receiver, given);
        let interface = match host {
            Some(host) => interface_of(Some(&text_of(Some(&host)).unwrap_or_default())),
            None => interface_of(None),
        };
        self.reading.listens(interface);
        Taint::NETWORK
    }

    fn change_directory(
        &mut self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Taint {
        let place = if self.branch > 0 || self.weak > 0 {
            self.reading.unknown_word(Taint::NONE)
        } else {
            self.argument_word(at, receiver, given)
        };
        self.reading.moves(&place);
        Taint::NONE
    }

    /// Whether a switch is not given, or given as off.
    fn is_off(&self, at: Argument, receiver: Option<&PyValue>, given: &CallArguments) -> bool {
        match self.argument(at, receiver, given) {
            None => true,
            Some(PyValue::Number(Some(number))) => number == 0,
            Some(_) => false,
        }
    }

    fn argument_word(
        &self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Value {
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

/// `yaml.load(text, Loader=yaml.SafeLoader)` makes numbers, text and lists, and no objects.
fn makes_plain_data(label: &str, given: &CallArguments) -> bool {
    let loader = given.keyword("Loader").or(given.positional.get(1));
    matches!(label, "yaml.load" | "yaml.load_all")
        && given.more.is_none()
        && matches!(loader, Some(PyValue::Name(name))
            if matches!(&**name, "yaml.SafeLoader" | "yaml.CSafeLoader" | "yaml.BaseLoader"))
}

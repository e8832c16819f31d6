//! What a described call does, with the arguments as they stand in the text.

use super::scan::{Scan, plain, program, split};
use super::{Lexeme, Token};
use crate::language::known::{Argument, Behaviour, Deed, Fold, Place};
use crate::language::reading::{host_of, interface_of};
use crate::{
    Account, Act, Code, DatabaseVerb, Direction, FileFact, Language, NestedStdin, Origin, Taint,
    Target, Value, WriteHow,
};

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

    fn value_of(&self, wanted: Argument, arguments: &[&[Lexeme]]) -> Option<Value> {
        match wanted.place {
            Place::Position(at) => arguments
                .get(usize::from(at))
                .map(|tokens| self.value(tokens)),
            Place::Keyword | Place::Receiver => None,
        }
    }

    /// The place that an argument names; nothing where it may be missing and is.
    fn place_of(&self, wanted: Argument, arguments: &[&[Lexeme]]) -> Option<Value> {
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

    fn text_of(&self, at: Argument, arguments: &[&[Lexeme]]) -> Value {
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

    fn run_shell(&mut self, text: Value) {
        self.reading.shell(text, NestedStdin::Same);
        self.reading.saw(Taint::UNKNOWN);
    }

    /// One argument is shell text, several are words.
    fn system(&mut self, arguments: &[&[Lexeme]]) {
        match arguments {
            [] => {
                let text = self.reading.unknown_word(Taint::UNKNOWN);
                self.run_shell(text);
            }
            [only] => {
                let text = self.value(only);
                self.run_shell(text);
            }
            several => {
                let argv = several.iter().map(|tokens| self.value(tokens)).collect();
                self.reading
                    .command(argv, Vec::new(), None, NestedStdin::Same);
                self.reading.saw(Taint::UNKNOWN);
            }
        }
    }

    /// A program and a list of its words.
    fn spawn(&mut self, at: Argument, arguments: &[&[Lexeme]]) {
        let program = self.text_of(at, arguments);
        let shell = arguments
            .iter()
            .skip(1)
            .flat_map(|tokens| tokens.iter())
            .any(|lexeme| matches!(&lexeme.token, Token::Name(name) if name == "shell"));
        let mut argv = vec![program.clone()];
        if let Some(list) = arguments.get(1) {
            let brackets = matches!(
                (
                    list.first().map(|lexeme| &lexeme.token),
                    list.last().map(|lexeme| &lexeme.token)
                ),
                (Some(Token::Mark("[")), Some(Token::Mark("]")))
            );
            let options = matches!(
                list.first().map(|lexeme| &lexeme.token),
                Some(Token::Mark("{"))
            );
            if brackets {
                let inside = list
                    .get(1..list.len().saturating_sub(1))
                    .unwrap_or_default();
                argv.extend(split(inside).iter().map(|tokens| self.value(tokens)));
            } else if !options {
                let mut rest = self.reading.unknown_word(self.reading.seen());
                rest.may_split = true;
                argv.push(rest);
            }
        }
        if shell {
            let words: Option<Vec<String>> = argv
                .iter()
                .map(|word| word.literal().map(|word| word.into_owned()))
                .collect();
            let text = match words {
                Some(words) => self.reading.word(&words.join(" ")),
                None => self.reading.unknown_word(self.reading.seen()),
            };
            return self.run_shell(text);
        }
        self.reading
            .command(argv, Vec::new(), None, NestedStdin::Same);
        self.reading.saw(Taint::UNKNOWN);
    }

    /// A function that is called by its name or given as code.
    fn callback(&mut self, at: Argument, arguments: &[&[Lexeme]], label: &str) {
        let Place::Position(at) = at.place else {
            return;
        };
        let Some(tokens) = arguments.get(usize::from(at)) else {
            return;
        };
        let code = tokens.iter().take(3).any(|lexeme| {
            matches!(&lexeme.token, Token::Name(word) if word == "function" || word == "fn")
        });
        if code {
            return;
        }
        let name = self.value(tokens).literal().map(|name| name.into_owned());
        match name.as_deref().map(|name| (name, self.lore.call(name))) {
            Some((_, Some(behaviour))) if behaviour.deeds.is_empty() => {}
            Some((name, Some(behaviour))) => {
                self.perform(behaviour, None, name);
            }
            Some((name, None)) if self.is_own(name) => {}
            Some((_, None)) | None => self
                .reading
                .unknown_call(&format!("{label} with a function by name")),
        }
    }

    fn code(&mut self, at: Argument, arguments: &[&[Lexeme]], label: &str) {
        match self
            .value_of(at, arguments)
            .and_then(|text| text.literal().map(|text| text.into_owned()))
        {
            Some(text) => program(&text, self.reading, self.depth.saturating_add(1)),
            None => {
                let taint = self.reading.seen();
                let language = self.language.name();
                self.reading
                    .hidden_code(Code::Inline { language }, label, taint);
            }
        }
    }

    /// A file of the same language that runs in place.
    fn load(&mut self, at: Argument, arguments: &[&[Lexeme]]) {
        let path = self.text_of(at, arguments);
        let Some(literal) = path.literal().map(|path| path.into_owned()) else {
            let language = self.language.name();
            return self.reading.hidden_code(
                Code::Inline { language },
                "a file that the program names",
                Taint::UNKNOWN,
            );
        };
        self.file(&literal);
    }

    fn file(&mut self, path: &str) {
        let base = match self
            .reading
            .source
            .file
            .and_then(|file| file.rsplit_once('/'))
        {
            Some((directory, _)) if path.starts_with('.') => Some(directory.to_owned()),
            Some(_) | None => self.reading.directory().map(str::to_owned),
        };
        let target = Target::locate(&self.reading.word(path), base.as_deref());
        let endings: &[&str] = match self.language {
            Language::JavaScript => &[
                "",
                ".js",
                ".mjs",
                ".cjs",
                ".ts",
                ".json",
                "/index.js",
                "/index.ts",
            ],
            Language::Ruby => &["", ".rb"],
            _ => &[""],
        };
        for ending in endings {
            let place = format!("{}{ending}", target.path);
            if let Some(FileFact::Text { body, session }) = self.reading.file(&place) {
                if place.ends_with(".json") {
                    return;
                }
                let taint = if *session {
                    Taint::SESSION
                } else {
                    Taint::NONE
                };
                self.reading.act(Act::Execute {
                    code: Code::File(Target::locate(&self.reading.word(&place), None)),
                    origin: Origin { seen: true, taint },
                });
                return program(body, self.reading, self.depth.saturating_add(1));
            }
        }
        self.reading
            .hidden_code(Code::File(target), path, Taint::LOCAL);
    }

    /// `require('m')`: what its members are called.
    fn module(&mut self, arguments: &[&[Lexeme]], label: &str) -> Option<&'static str> {
        let name = match arguments.first().copied() {
            Some(
                [
                    Lexeme {
                        token: Token::Text(pieces),
                        ..
                    },
                ],
            ) => plain(pieces),
            // `use List::Util qw(sum)` and `require JSON`.
            Some(tokens) => {
                let parts: Vec<&str> = tokens
                    .iter()
                    .map_while(|lexeme| match &lexeme.token {
                        Token::Name(name) => Some(name.as_str()),
                        Token::Mark("::") => Some("."),
                        _ => None,
                    })
                    .collect();
                (!parts.is_empty() && self.language == Language::Perl).then(|| parts.concat())
            }
            None => None,
        };
        let Some(name) = name else {
            self.reading.unknown_call(label);
            return None;
        };
        if name.starts_with(['.', '/']) {
            self.file(&name);
            return None;
        }
        let name = name.trim_start_matches("node:").replace('/', ".");
        match self.lore.module(&name) {
            Some(module) => Some(module),
            None => {
                self.reading.unknown_call(&format!("{label} {name}"));
                None
            }
        }
    }

    fn open(&mut self, file: Argument, mode: Argument, arguments: &[&[Lexeme]], label: &str) {
        let mode_word = self
            .value_of(mode, arguments)
            .and_then(|mode| mode.literal().map(|mode| mode.into_owned()));
        let given = self.value_of(mode, arguments).is_some();
        if self.language == Language::Perl && label == "open" {
            return self.perl_open(arguments);
        }
        let Some(place) = self.place_of(file, arguments) else {
            return;
        };
        // Ruby's `open("|command")` starts a program.
        if self.language == Language::Ruby && label == "open" {
            if let Some(command) = place.prefix().strip_prefix('|') {
                let text = self.reading.word(command);
                return self.run_shell(text);
            }
            if place.prefix().contains("://") {
                self.reading
                    .connects(host_of(&place), Direction::Receive, Taint::NONE);
                return self.reading.saw(Taint::NETWORK);
            }
        }
        self.opened(
            &place,
            mode_word
                .as_deref()
                .unwrap_or(if given { "+" } else { "r" }),
        );
    }

    fn opened(&mut self, place: &Value, mode: &str) {
        let seen = self.reading.seen();
        if mode.contains(['a']) {
            self.reading.writes(place, WriteHow::Append, seen);
        } else if mode.contains(['w', 'x', 'c']) {
            self.reading.writes(place, WriteHow::Replace, seen);
        } else if mode.contains('+') {
            self.reading.writes(place, WriteHow::Edit, seen);
            self.reading.reads(place);
        } else {
            self.reading.reads(place);
        }
    }

    /// `open(F, ">x")`, `open(F, "<", "x")`, `open(F, "cmd|")`, `open(F, "-|", "cmd")`.
    fn perl_open(&mut self, arguments: &[&[Lexeme]]) {
        let text = |scan: &Self, at: usize| arguments.get(at).map(|tokens| scan.value(tokens));
        let (mode, place) = (text(self, 1), text(self, 2));
        let Some(mode) = mode else {
            return self.reading.unknown_call("open");
        };
        let Some(literal) = mode.literal().map(|mode| mode.trim().to_owned()) else {
            // One word for mode and name: it may be anything, a command too.
            return self
                .reading
                .unknown_call("open with a mode that is not known");
        };
        let (mode, place) = match place {
            Some(place) => (literal, place),
            None => {
                let name = literal.trim_start_matches(['<', '>', '+', '|', '-', ' ']);
                let name = name.trim_end_matches(['|', ' ']);
                let mode = if literal.starts_with('|') || literal.ends_with('|') {
                    "-|".to_owned()
                } else {
                    literal
                        .chars()
                        .take_while(|c| matches!(c, '<' | '>' | '+'))
                        .collect()
                };
                (mode, self.reading.word(name))
            }
        };
        if mode.contains('|') {
            return self.run_shell(place);
        }
        let mode = mode.split(':').next().unwrap_or_default().trim();
        self.opened(
            &place,
            match mode {
                ">>" | "+>>" => "a",
                ">" | "+>" => "w",
                "+<" => "+",
                _ => "r",
            },
        );
    }
}

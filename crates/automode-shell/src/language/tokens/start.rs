//! Calls that start programs or run code: shells, commands, callbacks, modules.

use super::row::{plain, split};
use super::scan::{Scan, program};
use super::{Lexeme, ScriptToken};
use crate::language::library::{Argument, ArgumentPlace};
use crate::{Act, Code, FileFact, Language, NestedStdin, Origin, Taint, Target, Value};

impl Scan<'_, '_> {
    pub(super) fn run_shell(&mut self, text: Value) {
        self.reading.shell(text, NestedStdin::Same);
        self.reading.saw(Taint::UNKNOWN);
    }

    /// One argument is shell text, several are words.
    pub(super) fn system(&mut self, arguments: &[&[Lexeme]]) {
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
    pub(super) fn spawn(&mut self, at: Argument, arguments: &[&[Lexeme]]) {
        let program = self.text_of(at, arguments);
        let shell = arguments
            .iter()
            .skip(1)
            .flat_map(|tokens| tokens.iter())
            .any(|lexeme| matches!(&lexeme.token, ScriptToken::Name(name) if name == "shell"));
        let mut argv = vec![program.clone()];
        if let Some(list) = arguments.get(1) {
            let brackets = matches!(
                (
                    list.first().map(|lexeme| &lexeme.token),
                    list.last().map(|lexeme| &lexeme.token)
                ),
                (Some(ScriptToken::Mark("[")), Some(ScriptToken::Mark("]")))
            );
            let options = matches!(
                list.first().map(|lexeme| &lexeme.token),
                Some(ScriptToken::Mark("{"))
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
    pub(super) fn callback(&mut self, at: Argument, arguments: &[&[Lexeme]], label: &str) {
        let ArgumentPlace::Position(at) = at.place else {
            return;
        };
        let Some(tokens) = arguments.get(usize::from(at)) else {
            return;
        };
        let code = tokens.iter().take(3).any(|lexeme| {
            matches!(&lexeme.token, ScriptToken::Name(word) if word == "function" || word == "fn")
        });
        if code {
            return;
        }
        let name = self.value(tokens).literal().map(|name| name.into_owned());
        match name.as_deref().map(|name| (name, self.library.call(name))) {
            Some((_, Some(behaviour))) if behaviour.effects.is_empty() => {}
            Some((name, Some(behaviour))) => {
                self.perform(behaviour, None, name);
            }
            Some((name, None)) if self.is_own(name) => {}
            Some((_, None)) | None => self
                .reading
                .unknown_call(&format!("{label} with a function by name")),
        }
    }

    pub(super) fn code(&mut self, at: Argument, arguments: &[&[Lexeme]], label: &str) {
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
    pub(super) fn load(&mut self, at: Argument, arguments: &[&[Lexeme]]) {
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

    pub(super) fn file(&mut self, path: &str) {
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
        let endings: &[&str] = if self.language == Language::JavaScript {
            &[
                "",
                ".js",
                ".mjs",
                ".cjs",
                ".ts",
                ".json",
                "/index.js",
                "/index.ts",
            ]
        } else if self.language == Language::Ruby {
            &["", ".rb"]
        } else {
            &[""]
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
    pub(super) fn module(&mut self, arguments: &[&[Lexeme]], label: &str) -> Option<&'static str> {
        let name = match arguments.first().copied() {
            Some(
                [
                    Lexeme {
                        token: ScriptToken::Text(pieces),
                        ..
                    },
                ],
            ) => plain(pieces),
            // `use List::Util qw(sum)` and `require JSON`.
            Some(tokens) => {
                let parts: Vec<&str> = tokens
                    .iter()
                    .map_while(|lexeme| match &lexeme.token {
                        ScriptToken::Name(name) => Some(name.as_str()),
                        ScriptToken::Mark("::") => Some("."),
                        ScriptToken::Text(_)
                        | ScriptToken::Command(_)
                        | ScriptToken::Number(_)
                        | ScriptToken::Regex
                        | ScriptToken::Mark(_)
                        | ScriptToken::Line => None,
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
        match self.library.module(&name) {
            Some(module) => Some(module),
            None => {
                self.reading.unknown_call(&format!("{label} {name}"));
                None
            }
        }
    }
}

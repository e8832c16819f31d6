//! Calls that open files.

use super::Lexeme;
use super::scan::Scan;
use crate::language::library::Argument;
use crate::language::reading::host_of;
use crate::{Direction, Language, Taint, Value, WriteHow};

impl Scan<'_, '_> {
    pub(super) fn open(
        &mut self,
        file: Argument,
        mode: Argument,
        arguments: &[&[Lexeme]],
        label: &str,
    ) {
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
        // Ruby's `open("|command")` and `IO.read("|command")` start a program.
        if self.language == Language::Ruby && (label == "open" || label.starts_with("IO.")) {
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

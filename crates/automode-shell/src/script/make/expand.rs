//! `$(…)` in a Makefile.

use super::super::steps::TaskSteps;
use super::parse::{Makefile, closing};
use crate::{Dynamic, DynamicSource, Piece, Taint, Value};

/// Variables inside variables.
const DEPTH: usize = 24;

/// Text that one expansion may grow to.
const LENGTH: usize = 64 * 1024;

pub(super) struct MakeScope<'a> {
    makefile: &'a Makefile,
    directory: &'a str,
    goals: &'a [String],
    /// `NAME=value` words of the command: they win over the file.
    given: Vec<(String, Value)>,
}

/// What `$@`, `$<`, `$^` and `$*` stand for.
pub(super) struct Automatic {
    pub(super) target: String,
    pub(super) needs: Vec<String>,
    pub(super) stem: String,
}

/// Variables that make sets by itself.
const BUILT_IN: &[(&str, &str)] = &[
    ("CC", "cc"),
    ("CXX", "g++"),
    ("CPP", "cc -E"),
    ("AR", "ar"),
    ("AS", "as"),
    ("LD", "ld"),
    ("RM", "rm -f"),
    ("MAKE", "make"),
    ("SHELL", "/bin/sh"),
    ("MAKEFLAGS", ""),
    ("ARFLAGS", "rv"),
    ("CFLAGS", ""),
    ("CXXFLAGS", ""),
    ("CPPFLAGS", ""),
    ("LDFLAGS", ""),
    ("LDLIBS", ""),
    ("MAKEFILE_LIST", "Makefile"),
];

/// Functions whose result holds nothing but the words they are given.
const WORDLY: &[&str] = &[
    "addprefix",
    "addsuffix",
    "abspath",
    "basename",
    "dir",
    "filter",
    "filter-out",
    "findstring",
    "firstword",
    "join",
    "lastword",
    "notdir",
    "patsubst",
    "realpath",
    "sort",
    "strip",
    "suffix",
    "word",
    "wordlist",
    "words",
    "wildcard",
    "if",
    "or",
    "and",
];

impl<'a> MakeScope<'a> {
    pub(super) fn new(
        makefile: &'a Makefile,
        directory: &'a str,
        goals: &'a [String],
        steps: &TaskSteps<'_>,
    ) -> Self {
        let words = steps.request.arguments.iter().filter_map(|word| {
            let known = word.prefix();
            let (name, _) = known.split_once('=')?;
            let mut value = word.clone();
            if let Some(Piece::Text(text)) = value.pieces.first_mut() {
                *text = text
                    .split_once('=')
                    .map(|(_, value)| value.to_owned())
                    .unwrap_or_default();
            }
            Some((name.trim_end_matches([':', '?', '+']).to_owned(), value))
        });
        Self {
            makefile,
            directory,
            goals,
            given: words.collect(),
        }
    }

    pub(super) fn expand(
        &self,
        text: &str,
        automatic: Option<&Automatic>,
        steps: &mut TaskSteps<'_>,
    ) -> Value {
        let mut pieces = Vec::new();
        self.into(text, automatic, steps, &mut pieces, 0);
        let mut value = Value {
            pieces: Vec::new(),
            span: steps.request.span,
            may_split: false,
        };
        for piece in pieces {
            match (value.pieces.last_mut(), piece) {
                (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
                (_, piece) => value.pieces.push(piece),
            }
        }
        if value.pieces.is_empty() {
            value.pieces.push(Piece::Text(String::new()));
        }
        value
    }

    /// Puts what the Makefile exports in front of a recipe.
    pub(super) fn export_into(&self, text: &mut Value, steps: &mut TaskSteps<'_>) {
        for name in &self.makefile.exported {
            let Some(variable) = self.makefile.variables.get(name) else {
                continue;
            };
            let value = match variable.values.as_slice() {
                [only] => self.expand(only, None, steps),
                _ => continue,
            };
            let Some(value) = value.literal() else {
                continue;
            };
            let quoted = value.replace('\'', "'\\''");
            text.pieces
                .insert(0, Piece::Text(format!("export {name}='{quoted}'; ")));
        }
        let merged: Option<String> = text.literal().map(|text| text.into_owned());
        if let Some(merged) = merged {
            text.pieces = vec![Piece::Text(merged)];
        }
    }

    fn into(
        &self,
        text: &str,
        automatic: Option<&Automatic>,
        steps: &mut TaskSteps<'_>,
        pieces: &mut Vec<Piece>,
        depth: usize,
    ) {
        if depth > DEPTH || pieces.len() > LENGTH / 8 || text.len() > LENGTH {
            steps.unclear("variables that lead too deep");
            return pieces.push(unknown());
        }
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            pieces.push(Piece::Text(before.to_owned()));
            let mut letters = after.chars();
            match letters.next() {
                Some('$') => {
                    pieces.push(Piece::Text("$".to_owned()));
                    rest = letters.as_str();
                }
                Some(open @ ('(' | '{')) => {
                    let inside = letters.as_str();
                    let Some(end) = closing(inside, open == '(') else {
                        steps.unclear("unclosed variable");
                        return pieces.push(unknown());
                    };
                    self.reference(
                        inside.get(..end).unwrap_or_default(),
                        automatic,
                        steps,
                        pieces,
                        depth,
                    );
                    rest = inside.get(end.saturating_add(1)..).unwrap_or_default();
                }
                Some(letter) => {
                    self.named(&letter.to_string(), automatic, steps, pieces, depth);
                    rest = letters.as_str();
                }
                None => rest = "",
            }
        }
        pieces.push(Piece::Text(rest.to_owned()));
    }

    fn reference(
        &self,
        inside: &str,
        automatic: Option<&Automatic>,
        steps: &mut TaskSteps<'_>,
        pieces: &mut Vec<Piece>,
        depth: usize,
    ) {
        let deeper = depth.saturating_add(1);
        let (word, arguments) = inside.split_once([' ', '\t', ',']).unwrap_or((inside, ""));
        match word {
            // The shell can run it in the same place.
            "shell" => {
                pieces.push(Piece::Text("$(".to_owned()));
                self.into(arguments, automatic, steps, pieces, deeper);
                pieces.push(Piece::Text(")".to_owned()));
            }
            "info" | "warning" | "error" => {}
            "wildcard" => self.into(arguments, automatic, steps, pieces, deeper),
            "strip" => self.into(arguments, automatic, steps, pieces, deeper),
            word if WORDLY.contains(&word) && inside.len() > word.len() => {
                let mut inner = Vec::new();
                self.into(arguments, automatic, steps, &mut inner, deeper);
                let tame = inner.iter().all(|piece| match piece {
                    Piece::Text(text) => !text.contains([';', '|', '&', '<', '>', '`', '$', '\n']),
                    Piece::Glob(_) => true,
                    Piece::Dynamic(dynamic) => dynamic.taint.is_none(),
                });
                if tame {
                    // Some of these words: the shell sees them as an unknown variable.
                    pieces.push(Piece::Text("${MAKE_WORDS}".to_owned()));
                } else {
                    steps.unclear(&format!("$({word} …)"));
                    pieces.push(unknown());
                }
            }
            word if inside.len() > word.len() => {
                steps.unclear(&format!("$({word} …)"));
                pieces.push(unknown());
            }
            // `$(SRC:.c=.o)` and `$(@D)`.
            word if word.contains(':') => {
                let name = word.split(':').next().unwrap_or_default();
                let mut inner = Vec::new();
                self.named(name, automatic, steps, &mut inner, deeper);
                pieces.push(Piece::Text("${MAKE_WORDS}".to_owned()));
            }
            word if word.contains('$') => {
                steps.unclear(&format!("$({word})"));
                pieces.push(unknown());
            }
            word => self.named(word, automatic, steps, pieces, depth),
        }
    }

    /// A variable that is set in several ways: one of them, where all are known.
    fn one_of(
        &self,
        several: &[String],
        automatic: Option<&Automatic>,
        steps: &mut TaskSteps<'_>,
    ) -> Piece {
        let text = |text: &String| {
            let value = self.expand(text, automatic, steps);
            value.literal().map(|text| text.into_owned())
        };
        let texts: Vec<String> = several.iter().filter_map(text).collect();
        if texts.len() < several.len() {
            return unknown();
        }
        Piece::Dynamic(Dynamic {
            source: DynamicSource::OneOf(texts),
            taint: Taint::NONE,
        })
    }

    fn named(
        &self,
        name: &str,
        automatic: Option<&Automatic>,
        steps: &mut TaskSteps<'_>,
        pieces: &mut Vec<Piece>,
        depth: usize,
    ) {
        if let Some(automatic) = automatic
            && let Some(text) = automatic.value(name)
        {
            return pieces.push(Piece::Text(text));
        }
        if let Some((_, value)) = self.given.iter().find(|(given, _)| given == name) {
            return pieces.extend(value.pieces.clone());
        }
        let environment = steps
            .request
            .environment
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone());
        let variable = self.makefile.variables.get(name);
        if let Some(value) = environment
            && variable.is_none_or(|variable| variable.default)
        {
            return pieces.extend(value.pieces);
        }
        if let Some(variable) = variable {
            return match variable.values.as_slice() {
                [only] => self.into(only, automatic, steps, pieces, depth.saturating_add(1)),
                several => pieces.push(self.one_of(several, automatic, steps)),
            };
        }
        match name {
            "CURDIR" | "PWD" => pieces.push(Piece::Text(self.directory.to_owned())),
            "MAKECMDGOALS" => pieces.push(Piece::Text(self.goals.join(" "))),
            name => match BUILT_IN.iter().find(|(known, _)| *known == name) {
                Some((_, text)) => pieces.push(Piece::Text((*text).to_owned())),
                // Unset here: the environment decides, as for a variable of the shell.
                None if is_plain(name) => pieces.push(Piece::Text(format!("${{{name}}}"))),
                None => pieces.push(unknown()),
            },
        }
    }
}

impl Automatic {
    fn value(&self, name: &str) -> Option<String> {
        let first = self.needs.first().cloned().unwrap_or_default();
        let directory = |path: &str| {
            path.rsplit_once('/')
                .map_or(".", |(directory, _)| directory)
                .to_owned()
        };
        let file = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        Some(match name {
            "@" => self.target.clone(),
            "<" => first,
            "^" | "?" | "+" => self.needs.join(" "),
            "*" => self.stem.clone(),
            "@D" => directory(&self.target),
            "@F" => file(&self.target),
            "<D" => directory(&first),
            "<F" => file(&first),
            "|" => String::new(),
            _ => return None,
        })
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn unknown() -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Unknown,
        taint: Taint::UNKNOWN,
    })
}

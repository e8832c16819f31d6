//! Results that can be worked out: paths, texts, lists of these.

use super::super::known::Fold;
use super::Program;
use super::call::{Given, text_of};
use super::express::{constant, merged, number_piece};
use super::value::{Form, Held, Text, Thing, unknown_piece};
use crate::{Piece, Taint};

impl Program<'_, '_> {
    pub(super) fn fold(
        &mut self,
        fold: Fold,
        receiver: Option<&Thing>,
        given: &Given,
        label: &str,
        site: usize,
    ) -> Thing {
        let first = receiver
            .or(given.positional.first())
            .or(given.more.as_ref());
        let first = first.map(|thing| self.settle(thing));
        let second = match receiver {
            Some(_) => given.positional.first(),
            None => given.positional.get(1),
        };
        let taint = match receiver {
            Some(receiver) => self.given_taint(given).with(self.taint(receiver)),
            None => self.given_taint(given),
        };
        let data = Thing::Data(taint);
        let Some(first) = first else {
            return self.fold_nothing(fold, given, label, site);
        };
        match fold {
            Fold::Same => given.positional.first().cloned().unwrap_or(data),
            Fold::Receiver => first,
            Fold::Path => self.joined_path(&self.parts(given), Form::Path),
            Fold::Join => match receiver {
                Some(receiver) => {
                    let mut parts = vec![receiver.clone()];
                    parts.extend(self.parts(given));
                    self.joined_path(&parts, Form::Path)
                }
                None => self.joined_path(&self.parts(given), Form::Plain),
            },
            Fold::Base => match text_of(Some(&first)) {
                Some(path) => Thing::text(
                    path.trim_end_matches('/')
                        .rsplit('/')
                        .next()
                        .unwrap_or_default(),
                ),
                None => match last_name(&first) {
                    Some(pieces) => Thing::Text(Text {
                        pieces,
                        form: Form::Plain,
                    }),
                    None => data,
                },
            },
            Fold::Parent => parent(&first, taint),
            Fold::Sibling => {
                let directory = parent(&first, taint);
                let form = form_of(&first);
                self.joined_path(&[directory, Thing::Number(None)], form)
            }
            Fold::Home => self.home(Form::Path),
            Fold::Expand => self.expanded(&first),
            Fold::Cwd | Fold::Temporary => self.fold_nothing(fold, given, label, site),
            Fold::Names => {
                let place = self.word(&first);
                self.reading.lists(&place);
                let element = match &first {
                    Thing::Text(text) if text.form == Form::Path => {
                        self.joined_path(&[first.clone(), glob("*")], Form::Path)
                    }
                    _ => glob("*"),
                };
                self.list(site, Vec::new(), Some(element))
            }
            Fold::Walk => self.walk(&first, site),
            Fold::Glob => self.globbed(receiver, given, site),
            Fold::Text => match first {
                Thing::Text(text) => Thing::Text(text.with_form(Form::Plain)),
                Thing::Number(_) => Thing::Text(Text {
                    pieces: vec![number_piece()],
                    form: Form::Plain,
                }),
                _ => data,
            },
            Fold::Glue => self.glue(&first, second, taint),
            Fold::Split => self.split(&first, second, taint, site),
            Fold::Words => self.words(&first, taint, site),
            Fold::Format => match &first {
                Thing::Text(format) => self.formatted(format, given, taint),
                _ => data,
            },
            Fold::Replace => match (
                text_of(Some(&first)),
                text_of(second),
                text_of(given.positional.get(1)),
            ) {
                (Some(text), Some(from), Some(to)) if !from.is_empty() => {
                    Thing::text(text.replace(&from, &to))
                }
                _ => data,
            },
            Fold::Trim => match (text_of(Some(&first)), second) {
                (Some(text), None) => Thing::text(text.trim()),
                _ => data,
            },
            Fold::Elements => match self.items(&first) {
                Some(items) => self.list(site, items, None),
                None => {
                    let element = self.element(&first);
                    self.list(site, Vec::new(), Some(element))
                }
            },
            Fold::Pairs => {
                let enumerates = label.ends_with("enumerate");
                let mut parts: Vec<Thing> = Vec::new();
                if enumerates {
                    parts.push(Thing::Number(None));
                }
                let count = if enumerates {
                    1
                } else {
                    given.positional.len()
                };
                for over in given.positional.clone().iter().take(count) {
                    parts.push(self.element(over));
                }
                let pair = self.list(site.saturating_add(1), parts, None);
                self.list(site, Vec::new(), Some(pair))
            }
            Fold::Merge => {
                let mut entries: std::collections::BTreeMap<String, Thing> =
                    given.keywords.iter().cloned().collect();
                let mut rest = None;
                match &first {
                    Thing::Heap(at) => match self.state.heap.get(at) {
                        Some(Held::Dict {
                            entries: more,
                            rest: others,
                        }) => {
                            entries.extend(more.clone());
                            rest.clone_from(others);
                        }
                        Some(Held::List { .. } | Held::Instance { .. }) | None => {
                            rest = Some(Thing::Data(taint));
                        }
                    },
                    Thing::Name(_) => {}
                    _ => rest = Some(Thing::Data(taint)),
                }
                self.hold(site, Held::Dict { entries, rest })
            }
            Fold::Item => {
                let over = self.element(&first);
                match second {
                    Some(default) => over.join(default),
                    None => over,
                }
            }
            Fold::Variable => {
                let name = match receiver {
                    Some(_) => second,
                    None => Some(&first),
                };
                let name = text_of(name);
                self.variable(name.as_deref())
            }
            Fold::Member => match (second, text_of(second)) {
                (_, Some(name)) => {
                    let found = self.attribute(&first, &name, site);
                    match given.positional.get(2) {
                        Some(default) => found.join(default),
                        None => found,
                    }
                }
                _ if self.state.is_plain(&first) => data,
                _ => Thing::Unknown(taint),
            },
            Fold::Module => match text_of(Some(&first)) {
                Some(name) => self.resolve(&name),
                None => self.unknown(label, given),
            },
            // A directory where modules are looked for from now on.
            Fold::Search => {
                match text_of(given.positional.last()) {
                    Some(directory) => self.search.push(directory),
                    None => self.reading.unknown_call(label),
                }
                Thing::None
            }
            Fold::Partial => match given.positional.split_first() {
                // Called later with anything: walk it now, and what is left is harmless.
                Some((function, rest)) => {
                    let called = Given {
                        positional: rest.to_vec(),
                        keywords: given.keywords.clone(),
                        more: Some(Thing::Data(taint)),
                    };
                    self.apply(&function.clone(), called, label, site);
                    Thing::name("len")
                }
                None => data,
            },
        }
    }

    fn fold_nothing(&mut self, fold: Fold, given: &Given, label: &str, site: usize) -> Thing {
        match fold {
            Fold::Cwd => match self.reading.directory().map(str::to_owned) {
                Some(directory) if label.contains("Path") => {
                    Thing::Text(Text::plain(directory).with_form(Form::Path))
                }
                Some(directory) => Thing::text(directory),
                None => Thing::Data(Taint::NONE),
            },
            Fold::Home => self.home(Form::Path),
            Fold::Path => Thing::Text(Text::plain(".").with_form(Form::Path)),
            Fold::Temporary => {
                let form = Form::Plain;
                self.joined_path(&[Thing::text("/tmp"), Thing::Number(None)], form)
            }
            Fold::Names => {
                let place = self.reading.word(".");
                self.reading.lists(&place);
                self.list(site, Vec::new(), Some(glob("*")))
            }
            Fold::Merge => {
                let entries = given.keywords.iter().cloned().collect();
                self.hold(
                    site,
                    Held::Dict {
                        entries,
                        rest: None,
                    },
                )
            }
            Fold::Elements => self.list(site, Vec::new(), None),
            Fold::Same
            | Fold::Receiver
            | Fold::Join
            | Fold::Base
            | Fold::Parent
            | Fold::Expand
            | Fold::Walk
            | Fold::Glob
            | Fold::Sibling
            | Fold::Text
            | Fold::Glue
            | Fold::Split
            | Fold::Words
            | Fold::Format
            | Fold::Replace
            | Fold::Trim
            | Fold::Pairs
            | Fold::Item
            | Fold::Variable
            | Fold::Member
            | Fold::Module
            | Fold::Search
            | Fold::Partial => Thing::Data(self.given_taint(given)),
        }
    }

    fn parts(&self, given: &Given) -> Vec<Thing> {
        given
            .positional
            .iter()
            .chain(&given.more)
            .map(|part| self.settle(part))
            .collect()
    }

    /// Parts of a path put together: an absolute part starts anew.
    pub(super) fn joined_path(&self, parts: &[Thing], form: Form) -> Thing {
        let mut pieces: Vec<Piece> = Vec::new();
        for part in parts {
            let next = self.pieces(part);
            match next.first() {
                Some(Piece::Text(text)) if text.starts_with('/') => pieces.clear(),
                // What is not known may be absolute: nothing in front of it holds.
                Some(Piece::Dynamic(dynamic))
                    if !pieces.is_empty() && !is_name(&dynamic.source) =>
                {
                    pieces = vec![unknown_piece(self.taint(part))];
                    continue;
                }
                Some(Piece::Text(_) | Piece::Glob(_) | Piece::Dynamic(_)) | None => {}
            }
            let slash = match pieces.last() {
                None => false,
                Some(Piece::Text(text)) => !text.ends_with('/') && !text.is_empty(),
                Some(Piece::Glob(_) | Piece::Dynamic(_)) => true,
            };
            if slash {
                pieces.push(Piece::Text("/".to_owned()));
            }
            pieces.extend(next);
        }
        Thing::Text(Text {
            pieces: merged(pieces),
            form,
        })
    }

    fn home(&self, form: Form) -> Thing {
        match &self.reading.context.home {
            Some(home) => Thing::Text(Text::plain(home).with_form(form)),
            None => Thing::Text(Text {
                pieces: vec![unknown_piece(Taint::NONE)],
                form,
            }),
        }
    }

    /// `~` at the start of a path.
    fn expanded(&self, path: &Thing) -> Thing {
        let Thing::Text(text) = path else {
            return path.clone();
        };
        let (Some(Piece::Text(start)), Some(home)) =
            (text.pieces.first(), &self.reading.context.home)
        else {
            return path.clone();
        };
        match start.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let mut pieces = text.pieces.clone();
                if let Some(first) = pieces.first_mut() {
                    *first = Piece::Text(format!("{home}{rest}"));
                }
                Thing::Text(Text {
                    pieces,
                    form: text.form,
                })
            }
            Some(_) => Thing::Text(Text {
                pieces: vec![unknown_piece(Taint::NONE)],
                form: text.form,
            }),
            None => path.clone(),
        }
    }

    /// A variable of the environment.
    pub(super) fn variable(&mut self, name: Option<&str>) -> Thing {
        let Some(name) = name else {
            self.reading.saw(Taint::SECRET);
            return Thing::Data(Taint::SECRET);
        };
        if name == "HOME"
            && let Some(home) = &self.reading.context.home
        {
            return Thing::text(home);
        }
        let known = self
            .reading
            .context
            .variables
            .iter()
            .find(|(known, _)| known == name);
        if let Some((_, value)) = known {
            return Thing::text(value);
        }
        let upper = name.to_ascii_uppercase();
        let secret = [
            "KEY",
            "TOKEN",
            "SECRET",
            "PASS",
            "CREDENTIAL",
            "AUTH",
            "COOKIE",
            "PRIVATE",
        ]
        .iter()
        .any(|word| upper.contains(word));
        let taint = if secret { Taint::SECRET } else { Taint::NONE };
        self.reading.saw(taint);
        Thing::Data(taint)
    }

    fn walk(&mut self, root: &Thing, site: usize) -> Thing {
        let place = self.word(root);
        self.reading.lists(&place);
        let form = form_of(root);
        let below = self.joined_path(&[root.clone(), glob("**")], form);
        let names = self.list(site.saturating_add(1), Vec::new(), Some(glob("*")));
        let row = self.list(
            site.saturating_add(2),
            vec![below, names.clone(), names],
            None,
        );
        self.list(site.saturating_add(3), Vec::new(), Some(row))
    }

    fn globbed(&mut self, receiver: Option<&Thing>, given: &Given, site: usize) -> Thing {
        let pattern = given.positional.first().cloned().unwrap_or(Thing::None);
        let pattern = match &pattern {
            Thing::Text(text) => Thing::Text(Text {
                pieces: text
                    .pieces
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) if text.contains(['*', '?', '[']) => {
                            Piece::Glob(text.clone())
                        }
                        piece => piece.clone(),
                    })
                    .collect(),
                form: Form::Plain,
            }),
            other => other.clone(),
        };
        let element = match receiver {
            Some(root) => self.joined_path(&[root.clone(), pattern], Form::Path),
            None => pattern,
        };
        let place = self.word(&element);
        self.reading.lists(&place);
        self.list(site, Vec::new(), Some(element))
    }

    fn glue(&mut self, separator: &Thing, over: Option<&Thing>, taint: Taint) -> Thing {
        let items = over.and_then(|over| self.items(over));
        let (Some(separator), Some(items)) = (constant(separator), items) else {
            let element = match over {
                Some(over) => self.element(over),
                None => Thing::None,
            };
            return Thing::Data(taint.with(self.taint(&element)));
        };
        let mut pieces = Vec::new();
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                pieces.push(Piece::Text(separator.clone()));
            }
            pieces.extend(self.pieces(item));
        }
        Thing::Text(Text {
            pieces: merged(pieces),
            form: Form::Plain,
        })
    }

    fn split(
        &mut self,
        text: &Thing,
        separator: Option<&Thing>,
        taint: Taint,
        site: usize,
    ) -> Thing {
        let parts: Option<Vec<Thing>> = match (constant(text), separator.map(constant)) {
            (Some(text), None) => Some(text.split_whitespace().map(Thing::text).collect()),
            (Some(text), Some(Some(separator))) if !separator.is_empty() => {
                Some(text.split(separator.as_str()).map(Thing::text).collect())
            }
            _ => None,
        };
        match parts {
            Some(parts) => self.list(site, parts, None),
            None => self.list(site, Vec::new(), Some(Thing::Data(taint))),
        }
    }

    /// `shlex.split`.
    fn words(&mut self, text: &Thing, taint: Taint, site: usize) -> Thing {
        match constant(text).and_then(|text| shell_words(&text)) {
            Some(words) => {
                let words = words.into_iter().map(Thing::text).collect();
                self.list(site, words, None)
            }
            None => self.list(site, Vec::new(), Some(Thing::Data(taint))),
        }
    }

    /// `"…%s…" % value`.
    pub(super) fn percent(&mut self, format: &Text, values: &Thing) -> Thing {
        let taint = format.taint().with(self.taint(values));
        let Some(text) = format.literal() else {
            return Thing::Data(taint);
        };
        let mut values = self
            .items(values)
            .unwrap_or_else(|| vec![values.clone()])
            .into_iter();
        let mut pieces = Vec::new();
        let mut parts = text.split('%');
        pieces.push(Piece::Text(parts.next().unwrap_or_default().to_owned()));
        while let Some(part) = parts.next() {
            let mut letters = part.chars();
            match letters.next() {
                Some('s') => {
                    match values.next() {
                        Some(value) => pieces.extend(self.pieces(&value)),
                        None => pieces.push(unknown_piece(taint)),
                    }
                    pieces.push(Piece::Text(letters.as_str().to_owned()));
                }
                Some('d' | 'i') => {
                    values.next();
                    pieces.push(number_piece());
                    pieces.push(Piece::Text(letters.as_str().to_owned()));
                }
                None => {
                    pieces.push(Piece::Text("%".to_owned()));
                    pieces.push(Piece::Text(parts.next().unwrap_or_default().to_owned()));
                }
                Some(_) => return Thing::Data(taint),
            }
        }
        Thing::Text(Text {
            pieces: merged(pieces),
            form: Form::Plain,
        })
    }

    /// `"…{}…".format(…)` with plain fields.
    fn formatted(&mut self, format: &Text, given: &Given, taint: Taint) -> Thing {
        let Some(text) = format.literal() else {
            return Thing::Data(taint);
        };
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        let mut next = 0_usize;
        while let Some((before, after)) = rest.split_once('{') {
            if before.contains('}') || after.starts_with('{') {
                return Thing::Data(taint);
            }
            let Some((field, after)) = after.split_once('}') else {
                return Thing::Data(taint);
            };
            pieces.push(Piece::Text(before.to_owned()));
            let value = match field.parse::<usize>() {
                Ok(at) => given.positional.get(at),
                Err(_) if field.is_empty() => {
                    next = next.saturating_add(1);
                    given.positional.get(next.saturating_sub(1))
                }
                Err(_) => given.keyword(field),
            };
            match value {
                Some(value) => pieces.extend(self.pieces(value)),
                None => pieces.push(unknown_piece(taint)),
            }
            rest = after;
        }
        if rest.contains('}') {
            return Thing::Data(taint);
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Thing::Text(Text {
            pieces: merged(pieces),
            form: Form::Plain,
        })
    }
}

fn glob(pattern: &str) -> Thing {
    Thing::Text(Text {
        pieces: vec![Piece::Glob(pattern.to_owned())],
        form: Form::Plain,
    })
}

fn form_of(thing: &Thing) -> Form {
    match thing {
        Thing::Text(text) => text.form,
        _ => Form::Plain,
    }
}

/// A part that cannot be an absolute path.
const fn is_name(source: &crate::DynamicSource) -> bool {
    matches!(source, crate::DynamicSource::Number)
}

/// The pieces after the last slash, where one is seen.
fn last_name(thing: &Thing) -> Option<Vec<Piece>> {
    let Thing::Text(text) = thing else {
        return None;
    };
    let at = text.pieces.iter().rposition(|piece| match piece {
        Piece::Text(text) => text.contains('/'),
        Piece::Glob(_) | Piece::Dynamic(_) => false,
    })?;
    let after = text.pieces.iter().skip(at.saturating_add(1));
    if after
        .clone()
        .any(|piece| matches!(piece, Piece::Dynamic(dynamic) if !is_name(&dynamic.source)))
    {
        return None;
    }
    let Some(Piece::Text(with_slash)) = text.pieces.get(at) else {
        return None;
    };
    let mut pieces = vec![Piece::Text(
        with_slash.rsplit('/').next().unwrap_or_default().to_owned(),
    )];
    pieces.extend(after.cloned());
    Some(pieces)
}

/// The directory of a path.
fn parent(thing: &Thing, taint: Taint) -> Thing {
    let Thing::Text(text) = thing else {
        return Thing::Data(taint);
    };
    if let Some(path) = text.literal() {
        let path = path.trim_end_matches('/');
        let directory = match path.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((directory, _)) => directory,
            None if text.form == Form::Path && !path.is_empty() => ".",
            None => "",
        };
        // The parent of `.` leads up, not to itself.
        if path == "." || path == ".." || path.ends_with("/..") {
            return Thing::Text(Text::plain(format!("{path}/..")).with_form(text.form));
        }
        return Thing::Text(Text::plain(directory).with_form(text.form));
    }
    match text.pieces.last() {
        Some(Piece::Glob(pattern)) if !pattern.contains('/') && pattern != "**" => {
            let mut pieces = text.pieces.clone();
            pieces.pop();
            Thing::Text(Text {
                pieces,
                form: text.form,
            })
        }
        _ => Thing::Text(Text {
            pieces: vec![unknown_piece(taint)],
            form: text.form,
        }),
    }
}

/// Words of shell text with plain quotes; nothing where it is more than that.
fn shell_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' | '#' => return None,
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '\\' if letter == '"' => return None,
                        inside => word.push(inside),
                    }
                }
            }
            letter if letter.is_whitespace() => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

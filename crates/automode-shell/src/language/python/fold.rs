//! Results that can be worked out: paths, texts, lists of these.

use super::super::known::Fold;
use super::Program;
use super::given::{Given, text_of};
use super::path::{form_of, glob, last_name, parent};
use super::text::number_piece;
use super::value::{Form, Held, Text, Thing};
use crate::Taint;

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
                    Thing::None
                    | Thing::Number(_)
                    | Thing::Text(_)
                    | Thing::Data(_)
                    | Thing::Name(_)
                    | Thing::Module(_)
                    | Thing::Object(_)
                    | Thing::Heap(_)
                    | Thing::Function(_)
                    | Thing::Class(_)
                    | Thing::Method(..)
                    | Thing::Either(_)
                    | Thing::Unknown(_) => glob("*"),
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
                Thing::None
                | Thing::Data(_)
                | Thing::Name(_)
                | Thing::Module(_)
                | Thing::Object(_)
                | Thing::Heap(_)
                | Thing::Function(_)
                | Thing::Class(_)
                | Thing::Method(..)
                | Thing::Either(_)
                | Thing::Unknown(_) => data,
            },
            Fold::Glue => self.glue(&first, second, taint),
            Fold::Split => self.split(&first, second, taint, site),
            Fold::Words => self.words(&first, taint, site),
            Fold::Format => match &first {
                Thing::Text(format) => self.formatted(format, given, taint),
                Thing::None
                | Thing::Number(_)
                | Thing::Data(_)
                | Thing::Name(_)
                | Thing::Module(_)
                | Thing::Object(_)
                | Thing::Heap(_)
                | Thing::Function(_)
                | Thing::Class(_)
                | Thing::Method(..)
                | Thing::Either(_)
                | Thing::Unknown(_) => data,
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
                    Thing::None
                    | Thing::Number(_)
                    | Thing::Text(_)
                    | Thing::Data(_)
                    | Thing::Module(_)
                    | Thing::Object(_)
                    | Thing::Function(_)
                    | Thing::Class(_)
                    | Thing::Method(..)
                    | Thing::Either(_)
                    | Thing::Unknown(_) => rest = Some(Thing::Data(taint)),
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
}

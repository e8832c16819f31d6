//! Files that the script itself has written, so that it can be seen when it runs them.

use std::collections::BTreeMap;

use crate::ir::{Extent, Facts, FileFact, Taint, Target, Value};
use crate::shared::Shared;

/// By absolute path.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(Shared<BTreeMap<String, FileContent>>);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileContent {
    /// The whole text, where the script spelled it out.
    pub(super) text: Option<Value>,
    pub(super) taint: Taint,
    pub(super) kind: FileKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    File,
    Directory,
    /// Any of the files that the path stands for: a pattern, a beginning, anything.
    Any(Extent),
}

impl Files {
    pub(super) fn get(&self, target: &Target) -> Option<&FileContent> {
        match target.extent {
            Extent::Exact => self.0.get(&target.path).or_else(|| {
                let mut all = self.0.iter();
                all.find(|(set, content)| content.may_be(set, &target.path))
                    .map(|(_, content)| content)
            }),
            Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => None,
        }
    }

    pub(super) fn has_directory(&self, path: &str) -> bool {
        self.0
            .get(path)
            .is_some_and(|content| content.kind == FileKind::Directory)
    }

    /// Whether a directory holds what this script had fetched: it is below a
    /// tree that was written from the network, or is one.
    pub(super) fn is_fetched(&self, directory: &str) -> bool {
        self.0.iter().any(|(path, content)| {
            let rest = directory.strip_prefix(path.as_str());
            content.kind == FileKind::Directory
                && content.taint.has(Taint::NETWORK)
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Notes a write. Where it is not sure to happen, the old content may remain.
    pub(super) fn write(&mut self, target: &Target, content: FileContent) {
        match target.extent {
            Extent::Exact => {
                self.lose(target);
                self.0.insert(target.path.clone(), content);
            }
            Extent::Below => {
                self.lose(target);
                let tree = FileContent {
                    text: None,
                    kind: FileKind::Directory,
                    ..content
                };
                self.0.insert(target.path.clone(), tree);
            }
            Extent::Pattern | Extent::Prefix | Extent::Unknown => {
                self.lose(target);
                // Which of them carries the marks of the data, nobody can tell.
                let any = FileContent {
                    text: None,
                    taint: Taint::SESSION,
                    kind: FileKind::Any(target.extent),
                };
                self.0.insert(target.path.clone(), any);
            }
        }
    }

    /// What a target covers may hold something else from now on.
    pub(super) fn lose(&mut self, target: &Target) {
        let covers = |path: &str| may_cover(target.extent, &target.path, path);
        let known = |content: &FileContent| content.text.is_some();
        if !self
            .0
            .iter()
            .any(|(path, content)| known(content) && covers(path))
        {
            return;
        }
        for (path, content) in self.0.iter_mut() {
            if covers(path) {
                content.text = None;
            }
        }
    }

    pub(super) fn append(&mut self, target: &Target, content: FileContent) {
        let content = match self.get(target) {
            // What was in the file before this command is not known.
            None => FileContent {
                text: None,
                ..content
            },
            Some(before) => FileContent {
                text: before
                    .text
                    .clone()
                    .zip(content.text)
                    .map(|(mut first, second)| {
                        first.pieces.extend(second.pieces);
                        first
                    }),
                taint: before.taint.with(content.taint),
                kind: FileKind::File,
            },
        };
        self.write(target, content);
    }

    /// One way or the other may have been taken.
    pub(super) fn join(&mut self, other: &Self) {
        if self.0.is(&other.0) {
            return;
        }
        for (path, content) in other.0.iter() {
            match self.0.get(path) {
                Some(mine) if mine == content => continue,
                Some(_) | None => {}
            }
            self.0
                .entry(path.clone())
                .and_modify(|mine| {
                    mine.text = None;
                    mine.taint = mine.taint.with(content.taint);
                })
                // On the other way the file is what it was.
                .or_insert_with(|| FileContent {
                    text: None,
                    ..content.clone()
                });
        }
        for (path, content) in self.0.iter_mut() {
            if !other.0.contains_key(path) {
                content.text = None;
            }
        }
    }

    /// The facts with the texts that the script has written laid over them.
    pub(super) fn over(&self, facts: &Facts) -> Option<Facts> {
        let mut laid = None;
        for (path, content) in self.0.iter() {
            match content.kind {
                FileKind::File => {}
                FileKind::Directory => continue,
                // Any of them may hold something else by now.
                FileKind::Any(_) => {
                    let known = facts.files.keys().filter(|known| {
                        content.may_be(path, known) && !self.0.contains_key(*known)
                    });
                    for known in known {
                        laid.get_or_insert_with(|| facts.clone())
                            .files
                            .insert(known.clone(), FileFact::Unreadable);
                    }
                    continue;
                }
            }
            let text = content.text.as_ref().and_then(|value| value.literal());
            let fact = match text {
                Some(text) => FileFact::Text {
                    body: text.into_owned(),
                    session: true,
                },
                None => FileFact::Unreadable,
            };
            laid.get_or_insert_with(|| facts.clone())
                .files
                .insert(path.clone(), fact);
        }
        laid
    }
}

impl FileContent {
    /// Whether what was written to a set of names may have been written to this file.
    fn may_be(&self, set: &str, path: &str) -> bool {
        match self.kind {
            FileKind::Any(extent) => may_cover(extent, set, path),
            FileKind::File | FileKind::Directory => false,
        }
    }
}

/// Whether a target stands for this path, or may.
fn may_cover(extent: Extent, target: &str, path: &str) -> bool {
    match extent {
        Extent::Exact | Extent::Below => {
            let rest = path.strip_prefix(target);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) || target == "/"
        }
        Extent::Pattern => {
            const OPEN: [char; 4] = ['*', '?', '[', ']'];
            let start = target.split(OPEN).next().unwrap_or_default();
            let end = target.rsplit(OPEN).next().unwrap_or_default();
            // What a search finds may be the place that it starts at.
            let itself = target.strip_suffix("/**") == Some(path);
            itself || (path.starts_with(start) && path.ends_with(end))
        }
        Extent::Prefix => path.starts_with(target),
        Extent::Unknown => true,
    }
}

//! Files that the script itself has written, so that it can be seen when it runs them.

use std::collections::BTreeMap;

use super::shared::Shared;
use crate::ir::{Extent, Facts, FileFact, Taint, Target, Value};

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
}

impl Files {
    pub(super) fn get(&self, target: &Target) -> Option<&FileContent> {
        match target.extent {
            Extent::Exact => self.0.get(&target.path),
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
            Extent::Pattern | Extent::Prefix | Extent::Unknown => self.lose(target),
        }
    }

    /// What a target covers may hold something else from now on.
    pub(super) fn lose(&mut self, target: &Target) {
        let covers = |path: &str| match target.extent {
            Extent::Exact | Extent::Below => {
                let rest = path.strip_prefix(target.path.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    || target.path == "/"
            }
            Extent::Pattern => {
                let cut = target
                    .path
                    .find(['*', '?', '['])
                    .unwrap_or(target.path.len());
                path.starts_with(target.path.get(..cut).unwrap_or_default())
            }
            Extent::Prefix => path.starts_with(target.path.as_str()),
            Extent::Unknown => true,
        };
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
            if content.kind == FileKind::Directory {
                continue;
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

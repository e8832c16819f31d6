//! Files that are packed, unpacked or turned into others beside themselves.

use super::meaning::Meaning;
use crate::Value;
use crate::template::PathUse;

/// Endings of packed files, and what stands there afterwards.
const ENDINGS: &[(&str, &str)] = &[
    (".tgz", ".tar"),
    (".tbz2", ".tar"),
    (".tbz", ".tar"),
    (".txz", ".tar"),
    (".tlz", ".tar"),
    (".tzst", ".tar"),
    (".gz", ""),
    (".bz2", ""),
    (".bz", ""),
    (".xz", ""),
    (".lzma", ""),
    (".zst", ""),
    (".lz4", ""),
    (".lzo", ""),
    (".lz", ""),
    (".br", ""),
    (".Z", ""),
    (".z", ""),
];

impl Meaning<'_> {
    /// The packed file that is made of this one.
    pub(super) fn packed(&mut self, ending: &str, value: &Value, cwd: Option<&str>) {
        let end = Value::text(ending, value.span);
        let packed = Value {
            pieces: value.pieces.iter().cloned().chain(end.pieces).collect(),
            ..value.clone()
        };
        let packed = match packed.literal() {
            Some(text) => Value::text(text.into_owned(), value.span),
            None => packed,
        };
        self.path(PathUse::Write, &packed, cwd);
    }

    /// The file with another ending that is made of this one.
    pub(super) fn beside(&mut self, ending: &str, value: &Value, cwd: Option<&str>) {
        let made = value.literal().map(|text| {
            let (folder, name) = text.rsplit_once('/').map_or(("", &*text), |parts| parts);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let slash = if folder.is_empty() && !text.starts_with('/') {
                ""
            } else {
                "/"
            };
            format!("{folder}{slash}{stem}{ending}")
        });
        match made {
            Some(made) => self.path(PathUse::Write, &Value::text(made, value.span), cwd),
            None => self.unseen(format!("the file beside `{}`", value.shown()), value.span),
        }
    }

    /// The file that is made of this packed one.
    pub(super) fn unpacked(&mut self, value: &Value, cwd: Option<&str>) {
        let plain = value.literal().and_then(|text| {
            ENDINGS.iter().find_map(|(ending, instead)| {
                let stem = text.strip_suffix(ending)?;
                Some(format!("{stem}{instead}"))
            })
        });
        match plain {
            Some(plain) => self.path(PathUse::Write, &Value::text(plain, value.span), cwd),
            // Without an ending that it knows, the program adds or asks for one.
            None => self.path(PathUse::Write, value, cwd),
        }
    }
}

//! Files that are packed or unpacked beside themselves.

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

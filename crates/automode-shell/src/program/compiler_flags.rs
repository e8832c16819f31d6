//! Flags that a tool hands to a C compiler: those that load, write or name a program are
//! not among the known ones.

use super::meaning::Meaning;
use crate::Value;

/// Beginnings of flags that only say how the code is read.
const KNOWN: &[&str] = &[
    "-D", "-I", "-O", "-U", "-W", "-f", "-g", "-m", "-std=", "-x",
];

/// Flags with a known beginning that do more.
const TELLING: &[&str] = &[
    "-Wa,",
    "-Wl,",
    "-Wp,",
    "-fplugin",
    "-fpass-plugin",
    "-fmodule",
    "-fdump",
    "-fprofile",
];

impl Meaning<'_> {
    pub(super) fn compiler_flag(&mut self, value: &Value) {
        let begins = |text: &str, list: &[&str]| list.iter().any(|flag| text.starts_with(flag));
        let known = value
            .literal()
            .is_some_and(|text| begins(&text, KNOWN) && !begins(&text, TELLING));
        if !known {
            self.unseen(format!("flags in `{}`", value.shown()), value.span);
        }
    }
}

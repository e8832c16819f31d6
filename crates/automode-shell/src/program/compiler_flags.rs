//! Flags that a tool hands to a C compiler, or a compiler to its linker: those that load,
//! write or name a program are not among the known ones.

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

/// Flags of a linker that only say how the program is put together.
const LINKS: &[&str] = &[
    "allow-multiple-definition",
    "as-needed",
    "Bdynamic",
    "Bstatic",
    "Bsymbolic",
    "Bsymbolic-functions",
    "build-id",
    "copy-dt-needed-entries",
    "dead_strip",
    "demangle",
    "disable-new-dtags",
    "E",
    "eh-frame-hdr",
    "enable-new-dtags",
    "end-group",
    "export-dynamic",
    "export_dynamic",
    "fatal-warnings",
    "gc-sections",
    "hash-style",
    "headerpad_max_install_names",
    "icf",
    "ld_classic",
    "no-allow-shlib-undefined",
    "no-as-needed",
    "no-copy-dt-needed-entries",
    "no-gc-sections",
    "no-pie",
    "no_pie",
    "no-relax",
    "no-undefined",
    "no-whole-archive",
    "O0",
    "O1",
    "O2",
    "pie",
    "print-gc-sections",
    "print-memory-usage",
    "s",
    "S",
    "search_paths_first",
    "sort-common",
    "stack_size",
    "start-group",
    "strip-all",
    "strip-debug",
    "warn-common",
    "warn-unresolved-symbols",
    "whole-archive",
];

/// The same with a word after them.
const LINKS_WITH: &[&str] = &[
    "defsym",
    "exclude-libs",
    "framework",
    "install_name",
    "rpath",
    "rpath-link",
    "soname",
    "u",
    "undefined",
    "z",
];

/// Whether every one of the words in `-Wl,a,b,c` only says how the program is put together.
fn are_links_known(text: &str) -> bool {
    let mut words = text.split(',');
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            return false;
        };
        let (name, value) = flag
            .split_once('=')
            .map_or((flag, None), |(name, value)| (name, Some(value)));
        if LINKS_WITH.contains(&name) {
            if value.is_none() && words.next().is_none_or(|value| value.starts_with('-')) {
                return false;
            }
        } else if !LINKS.contains(&name) {
            return false;
        }
    }
    true
}

impl Meaning<'_> {
    /// What stands behind `-Wl,`.
    pub(super) fn linker_flags(&mut self, value: &Value) {
        if !value.literal().is_some_and(|text| are_links_known(&text)) {
            self.unseen(
                format!("flags for the linker in `{}`", value.shown()),
                value.span,
            );
        }
    }

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

#[cfg(test)]
mod tests {
    use super::are_links_known;

    #[test]
    fn a_linker_is_told_how_and_not_where() {
        let check = |text: &str, fine: bool| assert_eq!(are_links_known(text), fine, "{text}");
        check("-rpath,/opt/x", true);
        check("-rpath=$ORIGIN,--as-needed", true);
        check("-z,relro,-z,now", true);
        check("--gc-sections", true);
        check("-o,notes.txt", false);
        check("--as-needed,-o,notes.txt", false);
        check("-rpath,-o,notes.txt", false);
        check("--output=notes.txt", false);
        check("@evil", false);
        check("-Map=notes.txt", false);
        check("--plugin,x.so", false);
    }
}

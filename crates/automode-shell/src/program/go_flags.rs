//! Flags that `go` hands to its compiler and linker: a few are known to name neither a
//! program nor a file.

use super::meaning::Meaning;
use crate::Value;

/// Flags of the linker and the compiler that only shape what is built.
const KNOWN: &[&str] = &[
    "-s",
    "-w",
    "-v",
    "-N",
    "-l",
    "-B",
    "-m",
    "-S",
    "-race",
    "-msan",
    "-asan",
    "all=-N",
    "all=-l",
    "-buildid=",
    "-compressdwarf=false",
    "-linkmode=internal",
];

impl Meaning<'_> {
    pub(super) fn go_flags(&mut self, value: &Value) {
        let known = value.literal().is_some_and(|text| {
            let mut words = text.split_whitespace();
            let mut known = true;
            while let Some(word) = words.next() {
                known &= match word {
                    // The value of a variable of the program.
                    "-X" => words.next().is_some_and(|word| word.contains('=')),
                    word => KNOWN.contains(&word) || word.starts_with("-X="),
                };
            }
            known
        });
        if !known {
            self.unseen(format!("flags in `{}`", value.shown()), value.span);
        }
    }
}

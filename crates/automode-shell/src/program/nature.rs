//! What kind of program a name belongs to, for readers that must not know names.
//!
//! `nature = ["shell", …]` in a knowledge file says it for all names of the file,
//! `"shell: sh bash"` for these names only.

use super::table::{Program, known_program};
use crate::ir::{Natures, Value};

/// What kind of program this name belongs to, without its folder and its version.
#[must_use]
pub fn natures_of_version(program: &str) -> Natures {
    natures_of(program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.'))
}

/// What kind of program this name belongs to, without its folder.
#[must_use]
pub fn natures_of(program: &str) -> Natures {
    let name = match program.bytes().rposition(|byte| byte == b'/') {
        Some(at) => program.get(at.saturating_add(1)..).unwrap_or_default(),
        None => program,
    };
    known_program(name).map_or(Natures::default(), Program::natures)
}

/// What kind of program a start names; nothing where its name is not known.
pub(crate) fn natures_of_start(argv: &[Value]) -> Natures {
    let name = argv.first().and_then(Value::literal);
    name.map_or(Natures::default(), |name| natures_of(&name))
}

#[cfg(test)]
mod tests {
    use super::super::table::PROGRAMS;
    use super::natures_of;
    use crate::ir::{Nature, Natures};

    #[test]
    fn every_name_is_found() {
        // A name with a folder is asked for without it.
        for known in PROGRAMS.iter().filter(|known| !known.name.contains('/')) {
            let (name, natures) = (known.name, known.natures());
            assert_eq!(natures_of(name), natures, "{name}");
            assert_eq!(natures_of(&format!("/usr/bin/{name}")), natures, "{name}");
            let other = format!("{name}\u{1}");
            assert_eq!(natures_of(&other), Natures::default(), "{name}");
        }
    }

    #[test]
    fn a_name_tells_its_nature() {
        let check = |name: &str, nature: Nature, held: bool| {
            assert_eq!(natures_of(name).contains(nature), held, "{name}");
        };
        check("bash", Nature::Shell, true);
        check("/bin/zsh", Nature::Shell, true);
        check("grep", Nature::TextSearch, true);
        check("grep", Nature::Shell, false);
        check("source", Nature::Source, true);
        check("no-such-program", Nature::Shell, false);
    }
}

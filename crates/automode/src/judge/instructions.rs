//! Files of standing instructions, which the judge reads as context.
//!
//! They are looked for when a judge is about to be asked, in the session's roots
//! and the user's home. Whatever they say, they are never consent.

use std::collections::BTreeSet;
use std::path::Path;

use automode_agents::CLIENTS;
use automode_core::Session;
use automode_core::transcript::Instruction;

use crate::ports::Recall;

/// The name in a project that agents share.
const SHARED: &str = "AGENTS.md";
/// How much of a file is read.
const MAX_FILE: u64 = 64 * 1024;

/// Nothing but the session's own record and its instruction files.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstructionFiles;

impl Recall for InstructionFiles {
    fn instructions(&self, session: &Session) -> Vec<Instruction> {
        instructions(session)
    }
}

/// The instruction files of a session.
#[must_use]
pub fn instructions(session: &Session) -> Vec<Instruction> {
    let in_home = || CLIENTS.iter().flat_map(|own| own.files.home_instructions);
    let own = || CLIENTS.iter().flat_map(|own| own.files.instructions);
    let in_project = || std::iter::once(&SHARED).chain(own());
    let home = session.home.iter();
    let home = home.flat_map(|home| in_home().map(move |name| Path::new(home).join(name)));
    let roots = session.roots.iter();
    let roots = roots.flat_map(|root| in_project().map(move |name| Path::new(root).join(name)));
    // Several clients share a file: it is shown once.
    let mut seen = BTreeSet::new();
    home.chain(roots)
        .filter(|path| seen.insert(path.clone()))
        .filter_map(|path| read(&path))
        .collect()
}

/// A regular file with something in it; what is not text in it is replaced.
fn read(path: &Path) -> Option<Instruction> {
    let bytes = crate::observe::first_bytes(path, MAX_FILE)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.trim().is_empty()).then(|| Instruction {
        path: path.display().to_string(),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_project_are_found_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::write(root.join("CLAUDE.md"), "use cargo").unwrap();
        std::fs::write(root.join("AGENTS.md"), b"be \xff kind").unwrap();
        std::fs::write(root.join("GEMINI.md"), "  \n").unwrap();
        std::fs::create_dir(root.join("QWEN.md")).unwrap();
        let session = Session {
            roots: vec![root.display().to_string()],
            ..Session::default()
        };
        let texts: Vec<_> = instructions(&session)
            .into_iter()
            .map(|file| file.text)
            .collect();
        assert_eq!(texts, ["be \u{fffd} kind", "use cargo"]);
    }
}

//! What kind of program a name belongs to, for readers that must not know names.
//!
//! `nature = ["shell", …]` in a knowledge file says it for all names of the file,
//! `"shell: sh bash"` for these names only. A nature is never a reason to allow by
//! its absence: who asks for one treats a program without it as the stricter case.

use super::table::{NATURE_STARTS, NATURES};
use crate::Invocation;

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nature {
    /// Reads commands of a shell language: `bash`, `fish`, `pwsh`.
    Shell,
    /// Has the builtins and variables of `bash`, which `sh` need not have: `bash`, `zsh`.
    Bash,
    /// Runs a command line with other rights: `sudo`, `su`.
    Elevate,
    /// Prints its words and nothing else: `echo`.
    Talker,
    /// Prints its first word with the escapes in it undone: `printf`.
    Formats,
    /// Compares words: `test`, `[`.
    Test,
    /// Looks for a pattern in text: `grep`, `rg`.
    TextSearch,
    /// Hands on some lines of its input as they are: `grep`, `head`, `sort`.
    LineFilter,
    /// Looks for files: `find`, `fd`, `locate`.
    FileSearch,
    /// Asks a prepared index of all files: `locate`.
    FileIndex,
    /// Prints names of files: `ls`, `find`.
    Listing,
    /// Starts a command for the items that it reads: `xargs`.
    RunsItems,
    /// Fetches what an address names: `curl`, `wget`.
    Fetch,
    /// Fetches tools of any kind by name, toolchains among them: `mise`, `volta`.
    FetchesAnyTool,
    /// Its packages are toolchains: `rustup`, `nvm`.
    ToolchainManager,
    /// Leaves files under names of its own, which the next run makes again or which
    /// never take a name that is there: a compiler, a downloader.
    NamesItsOutput,
    /// Rewrites code without changing what it says: `prettier`.
    Formatter,
    /// Changes files as a text says: `patch`.
    AppliesPatch,
    /// Its words are goals of the project, each of which runs: `mvn`, `make`.
    RunsGoals,
    /// Moves files: `mv`.
    FileMove,
    /// Becomes another user's shell without further words: `su`.
    LoginShell,
    /// `git` itself.
    Git,
    /// Prints variables of the environment: `env`, `printenv`, `export`.
    PrintsEnvironment,
    /// Prints the variables that its words name: `printenv`.
    PrintsNamedVariables,
    /// Tells where a program or its process is: `which`, `pgrep`.
    ProgramLookup,
    /// This program.
    Automode,
    /// Copies in blocks of a size that is told: `dd`.
    BlockCopy,
    /// Takes a part of a source, or only looks at its name: `head`, `stat`.
    Bounded,
    /// Copies whole files: `cp`, `rsync`.
    FileCopy,
    /// Never ends by itself: `yes`.
    Endless,
    /// Signals processes by number: `kill`.
    Kill,
    /// Lists processes: `ps`.
    ProcessList,
    /// Runs a file in the shell itself: `source`.
    Source,
    /// Makes a file of a size that is told: `truncate`.
    SizedFile,
    /// Copies its input to its output: `cat`.
    Concatenate,
    /// Copies its input to files: `tee`.
    Tee,
    /// Runs code of its words in a language: `python`, `node`.
    Interpreter,
    /// Goes through whole directories and shows what the files in them say: `diff`.
    TreeReader,
    /// Packs files, to its output where it is told so: `tar`.
    Archiver,
    /// Shows what was typed before: `history`.
    History,
}

/// What kind of program this name belongs to, without its folder.
#[must_use]
pub fn natures_of(program: &str) -> &'static [Nature] {
    let name = match program.bytes().rposition(|byte| byte == b'/') {
        Some(at) => program.get(at.saturating_add(1)..).unwrap_or_default(),
        None => program,
    };
    // Asked for every start by every rule: the names of one letter are few.
    let alike = name.bytes().next().and_then(|first| {
        let at = usize::from(first);
        let from = NATURE_STARTS.get(at).copied()?;
        let to = NATURE_STARTS.get(at.saturating_add(1)).copied()?;
        NATURES.get(usize::from(from)..usize::from(to))
    });
    let alike = alike.unwrap_or_default();
    // They are in order: those with the same second letter lie together.
    let second = name.as_bytes().get(1);
    let from = alike.partition_point(|(known, _)| known.as_bytes().get(1) < second);
    let alike = alike.get(from..).unwrap_or_default().iter();
    alike
        .take_while(|(known, _)| known.as_bytes().get(1) == second)
        .find(|(known, _)| *known == name)
        .map_or(&[], |(_, natures)| *natures)
}

impl Invocation {
    /// What kind of program is started; nothing where its name is not known.
    #[must_use]
    pub fn natures(&self) -> &'static [Nature] {
        let name = self.argv.first().and_then(crate::Value::literal);
        name.map_or(&[], |name| natures_of(&name))
    }

    /// Whether a program of this kind is started.
    #[must_use]
    pub fn is_a(&self, nature: Nature) -> bool {
        self.natures().contains(&nature)
    }
}

#[cfg(test)]
mod tests {
    use super::{NATURES, Nature, natures_of};

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(NATURES.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn every_name_is_found() {
        for (name, natures) in NATURES {
            assert_eq!(natures_of(name), *natures, "{name}");
            assert_eq!(natures_of(&format!("/usr/bin/{name}")), *natures, "{name}");
            assert_ne!(natures_of(&format!("{name}\u{1}")), *natures, "{name}");
        }
    }

    #[test]
    fn a_name_tells_its_nature() {
        let check = |name: &str, nature: Nature, held: bool| {
            assert_eq!(natures_of(name).contains(&nature), held, "{name}");
        };
        check("bash", Nature::Shell, true);
        check("/bin/zsh", Nature::Shell, true);
        check("grep", Nature::TextSearch, true);
        check("grep", Nature::Shell, false);
        check("source", Nature::Source, true);
        check("no-such-program", Nature::Shell, false);
    }
}

//! Kinds of programs, for readers that must not know names.
//!
//! A nature is never a reason to allow by its absence: who asks for one treats a
//! program without it as the stricter case.

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nature {
    /// Reads commands of a shell language: `bash`, `fish`, `pwsh`.
    Shell,
    /// Has the builtins and variables of `bash`, which `sh` need not have: `bash`, `zsh`.
    Bash,
    /// Reads what `sh` reads, and perhaps more: `dash`, `ksh`, `bash`.
    PosixShell,
    /// Reads some of what `bash` reads in its own way: `zsh`.
    ReadsOtherwise,
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
    /// Tells figures of the files that it reads, and nothing of what they say: `wc`.
    Summary,
    /// Goes through whole directories and shows what the files in them say: `diff`.
    TreeReader,
    /// Packs files, to its output where it is told so: `tar`.
    Archiver,
    /// Shows what was typed before: `history`.
    History,
    /// As a word to another program it asks for more than to compute and to show: `rm`, `ssh`.
    AsksForMore,
    /// Everybody who may run it with its owner's rights has them: `bash`, `vim`, `tar`.
    LendsRights,
    /// Starts a shell for whoever is at the other end of a connection: `nc`, `socat`.
    ServesShell,
    /// Makes a program of sources and of nothing else: `gcc`, `rustc`.
    Compiler,
    /// Takes in the files that its sources name, and shows them: `gcc`, `nasm`.
    IncludesFiles,
    /// Only sets the shell for what follows: `cd`, `export`.
    SetsShell,
    /// The packages that it adds are built, and run while they are, with the project: `cargo`.
    BuildsDependencies,
    /// Writes the project's list of dependencies itself, and nothing else into it: `go`.
    KeepsDependencyList,
    /// `run` builds and starts the program that the project is: `cargo`, `zig`.
    RunsProject,
    /// Rolls out a preview unless it is told otherwise: `vercel`.
    Previews,
    /// Runs containers: `docker`, `podman-compose`.
    ContainerEngine,
    /// A build tool's own script, checked in beside the build file: `gradlew`.
    BuildWrapper,
    /// Runs the hooks that a project declares for its own commits: `husky`.
    GitHookManager,
    /// Its words are recipes that people write for themselves: `make`, `just`.
    RunsRecipes,
    /// Runs a class by its name: `java`.
    RunsClasses,
    /// Runs a program by the address of its source: `go`.
    RunsAddresses,
    /// Comes as a toolchain from its maker: `node`, `cargo`.
    Toolchain,
    /// `-m NAME` runs a module as a program: `python`.
    RunsModules,
    /// `-r NAME` loads a library first: `ruby`.
    RequiresLibraries,
    /// A first word `+NAME` chooses a toolchain: `cargo`.
    TakesToolchain,
    /// Tests, lints, documents or packs a project: `pytest`, `tox`.
    ProjectTool,
    /// Its name in a sentence speaks of packages: `pip`, `npm`.
    PackageManager,
}

/// The kinds of a program: every rule asks them of every start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Natures(u128);

impl Natures {
    pub(crate) const fn of(mut natures: &[Nature]) -> Self {
        let mut set = 0;
        while let [first, rest @ ..] = natures {
            set |= 1 << *first as u128;
            natures = rest;
        }
        Self(set)
    }

    /// Whether a kind is among them.
    #[must_use]
    pub const fn contains(self, nature: Nature) -> bool {
        self.0 & (1 << nature as u128) != 0
    }
}

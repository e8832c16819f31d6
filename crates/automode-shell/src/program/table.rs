//! The shape of compiled command knowledge.
//!
//! The build script turns every file under `knowledge/` into these tables; the
//! words are those of `knowledge/README.md`. Everything is `const`: a lookup is
//! a binary search, and nothing is parsed or allocated at start-up. Options are
//! by far the most: they are rows of eight bytes, without an address in them.

use super::name_digest::name_digest;
use crate::ir::Runner;
use crate::ir::{Nature, Natures};
use crate::template::{ActTemplate, Freedom, PathUse, Scoped};
use crate::{
    Account, CloudVerb, DatabaseVerb, Direction, Interface, Language, PackageOp, PersistKind,
    Scope, SystemChange,
};

/// What is known under the name of a program.
#[derive(Debug)]
pub(crate) struct Program {
    pub name: &'static str,
    pub command: Option<&'static Command>,
    /// The place of its kinds among [`NATURE_SETS`]: most programs have none, or those of others.
    pub nature_set: u16,
}

impl Program {
    /// What kind of program it is.
    pub fn natures(&self) -> Natures {
        let at = usize::from(self.nature_set);
        NATURE_SETS.get(at).copied().unwrap_or_default()
    }
}

/// What is known under a name.
pub(super) fn known_program(name: &str) -> Option<&'static Program> {
    let slots = PROGRAM_SLOTS.len();
    let mut at = name_digest(name) as usize % slots;
    loop {
        let place = usize::from(*PROGRAM_SLOTS.get(at)?).checked_sub(1)?;
        let known = PROGRAMS.get(place)?;
        if known.name == name {
            return Some(known);
        }
        at = at.wrapping_add(1) % slots;
    }
}

/// A program or one of its subcommands.
#[derive(Debug)]
pub(crate) struct Command {
    pub style: Style,
    /// Sorted by spelling; inherited flags included.
    pub flags: Flags,
    /// Flags that are recognised by how they begin (`-D*`, `+*`).
    pub prefixes: Flags,
    /// Words that, standing alone, make the command print something and end.
    pub ends: &'static [&'static str],
    /// When the command only says what it would do.
    pub dry: Option<&'static Rehearsal>,
    pub operands: Option<&'static [Slot]>,
    pub clauses: &'static [Clause],
    pub output: &'static [OutputRule],
    /// Sorted by name.
    pub subs: &'static [(&'static str, &'static Command)],
    /// Names with a `*` at one end.
    pub patterns: &'static [(&'static str, &'static Command)],
    /// No option, listed or not, changes what the operands mean or does more than read.
    pub dynamic_options_are_inert: bool,
}

/// Options that make a command only say what it would do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rehearsal {
    /// It holds where one test does for every use of its option.
    pub tests: &'static [Test],
    /// Options that take it back wherever they stand.
    pub cancels: &'static [u16],
}

/// How a command line is split into flags and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Flags anywhere, short ones bundled, `--name=value`.
    Gnu,
    /// As `Gnu`, but the first operand ends the flags.
    Posix,
    /// As `Posix`, and a lone dash ends the flags too: `bash -s - x`.
    Shell,
    /// A single dash before a long name, no bundles.
    Long,
    /// As `Long`, but the first operand ends the flags.
    LongPosix,
    /// `key=value` operands.
    Keys,
    /// As `Gnu`; the first word is a bundle even without its dash.
    Bundle,
    /// Every word is an operand.
    Plain,
}

/// Some of the compiled rows, each an option under one of its spellings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    pub first: u32,
    pub count: u16,
}

impl Flags {
    /// The flag with this spelling.
    pub fn find(self, spelling: &str) -> Option<Flag> {
        let rows = self.rows();
        let at = rows.binary_search_by(|row| row_spelling(row).cmp(spelling));
        rows.get(at.ok()?).map(row_flag)
    }

    /// The spellings with their flags, in their order.
    pub fn iter(self) -> impl Iterator<Item = (&'static str, Flag)> {
        let rows = self.rows().iter();
        rows.map(|row| (row_spelling(row), row_flag(row)))
    }

    fn rows(self) -> &'static [FlagRow] {
        let (rows, _) = FLAG_ROWS.as_chunks();
        let first = self.first as usize;
        let last = first.saturating_add(usize::from(self.count));
        rows.get(first..last).unwrap_or_default()
    }
}

/// An option under one spelling: where the spelling begins and how long it is, the number of
/// the option, how it takes its values and which roles they have. The build script packs it.
type FlagRow = [u8; 8];

static FLAG_ROWS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/flag-rows.bin"));
static FLAG_SPELLINGS: &str = include_str!(concat!(env!("OUT_DIR"), "/flag-spellings.txt"));

fn row_spelling(row: &FlagRow) -> &'static str {
    let [a, b, c, length, ..] = *row;
    let start = u32::from_le_bytes([a, b, c, 0]) as usize;
    let end = start.saturating_add(usize::from(length));
    FLAG_SPELLINGS.get(start..end).unwrap_or_default()
}

fn row_flag(row: &FlagRow) -> Flag {
    let [.., id_low, id_high, low, high] = *row;
    let packed = usize::from(u16::from_le_bytes([low, high]));
    Flag {
        id: u16::from_le_bytes([id_low, id_high]),
        // What no row says takes everything that follows.
        takes: TAKES.get(packed & 7).copied().unwrap_or(Takes::Rest),
        values: FLAG_VALUES.get(packed >> 3).copied().unwrap_or_default(),
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    /// Unique among the flags of a subcommand and those of the commands before it.
    pub id: u16,
    pub takes: Takes,
    /// One list of choices for every value.
    pub values: &'static [&'static [Choice]],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// A value only where it is glued on: `-i.bak`, `--color=always`.
    Glued,
    /// Digits that are glued on: `-0777`; other letters after it are flags again.
    Digits,
    /// Perhaps the next word: the line is read both ways.
    Perhaps,
    /// As many words as there are values.
    Words,
    /// The values, then everything that is left.
    Rest,
    /// Everything up to `;` or `+`.
    Until,
}

/// In the order in which the build script counts them.
const TAKES: [Takes; 7] = [
    Takes::Nothing,
    Takes::Glued,
    Takes::Digits,
    Takes::Perhaps,
    Takes::Words,
    Takes::Rest,
    Takes::Until,
];

/// What a word is, as long as a condition holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub roles: &'static [Role],
    /// It takes all the operands that no other place takes.
    pub many: bool,
    pub when: When,
}

/// A place among the operands: the first choice that holds.
pub(crate) type Slot = &'static [Choice];

/// Holds where every group does.
pub(crate) type When = &'static [Group];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Group {
    Any(&'static [Test]),
    None(&'static [Test]),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    /// The flag was given.
    Flag(u16),
    /// The flag was given with this value; a `*` at the end matches any rest.
    Value(u16, &'static str),
    /// There are exactly this many operands.
    Count(usize),
    /// There are at least this many operands.
    AtLeast(usize),
    /// The operand at this place is this word.
    Operand(usize, &'static str),
    /// Every operand is one of these words.
    Every(&'static [&'static str]),
    /// Some operand is, or may be, one of these words.
    Some(&'static [&'static str]),
    /// Something other than the terminal is on standard input.
    Piped,
    /// Something is on standard input, and it holds something: not `/dev/null`.
    Fed,
}

/// What a word means to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Text, a pattern, a number, a name.
    None,
    /// Text that is looked for: it names nothing.
    Pattern,
    Path(PathUse),
    /// Read and then gone from there.
    Move,
    /// The place that the files named before it go to.
    Into,
    /// A file whose code runs.
    Run(Option<Language>),
    /// A file that may make the program run or change anything.
    Config,
    /// A library or plugin that is loaded.
    Load,
    /// The rest is a command line.
    Command,
    /// The rest is a command line that runs inside a container.
    ContainerCommand,
    /// The rest is a command line that is run for every item on standard input.
    Each,
    /// As `Each`, through a shell.
    EachShell,
    /// What stands for the item.
    Placeholder,
    /// The rest is the command line of a program with this in front of its name.
    Prefixed(&'static str),
    /// The rest is the command line of a program that may be fetched first.
    Package,
    /// Shell text, joined with the words after it.
    Shell,
    /// Every word is shell text of its own.
    ShellEach,
    /// Shell text that reads from a connection.
    NetworkShell,
    /// Shell text for another machine, joined with the words after it.
    RemoteShell,
    Code(Language),
    /// Arguments of the code before it.
    Args,
    /// `NAME=value` for what runs inside.
    Assign,
    /// Everything named after it is below this directory.
    Cd,
    /// As `Cd`, but only for operands.
    CdOperands,
    Url(Direction),
    Host(Direction),
    /// `host:path`, or a path here.
    Remote(PathUse),
    Bind,
    /// A port of a container that is opened: `[address:]port:port`.
    BindPort,
    Pid,
    /// A signal as the first word, a process group elsewhere.
    Signal,
    ProcessName,
    Task(Runner),
    /// The file that tasks are read from.
    TaskFile,
    /// `host:container[:ro]`.
    Mount,
    /// Text, or `@file`.
    AtFile,
    /// `name=@file` or `name=<file`.
    FormFile,
    /// `name=file`.
    KeyedFile,
    /// `key=value` of git's configuration.
    GitConfig,
    /// The name or the address of a repository.
    GitRemote(Direction),
    /// What tar does at a checkpoint: `exec=command`.
    TarAction,
    /// `name=value`, or a file of cookies.
    Cookie,
    /// `Key=value` of an ssh client's configuration.
    SshOption,
    /// An address of the kind `TYPE:rest` (socat).
    Socat,
    /// A mode such as `u+s` or `777`.
    Mode,
    /// Commands of an editor.
    Editor,
    /// Commands of a debugger.
    Debugger,
    /// Code that the analysis cannot look into.
    Unseen,
    /// `name@file`, `@file`, or text.
    EncodedFile,
    /// What curl prints at the end: a format that may name files.
    WriteOut,
    /// A query that may read the environment and files (jq, yq).
    Query,
    /// A database by its URL, its `host=…` words or its name.
    Dsn,
    /// `file://…` or `file:…` names a file; anything else is text.
    FileScheme,
    /// `Key=value` of a unit: some keys hold commands.
    UnitProperty,
    /// A file by a plain name: a scheme or a mark in front makes it something else.
    Plain,
    /// A name that perl opens: with a `|` at an end it is a command.
    MagicOpen,
    /// A package that is fetched and runs.
    Fetched,
    /// `source:destination` of git: what is fetched into a branch rewrites it.
    Refspec,
    /// Words of a terminal multiplexer, which may hold commands.
    TerminalFormat,
    /// Keys that are typed into a terminal.
    Keys,
    /// Flags that `go` hands to its compiler and linker.
    GoFlags,
    /// A graph of media filters.
    MediaFilter,
    /// Flags that are handed to a C compiler.
    CompilerFlags,
    /// Flags that a compiler hands to its linker.
    LinkerFlags,
    /// How the names of the files begin that are written.
    WriteBeginning,
    /// Settings of a tool: fine where they belong to the project.
    OwnConfig,
    /// The packed file that stands beside this one, with this ending.
    Packed(&'static str),
    /// A file beside which one is written with this ending in place of its own.
    Beside(&'static str),
    /// The file that comes out of this packed one.
    Unpacked,
}

/// Something that happens, as long as a condition holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clause {
    pub what: ProgramAct,
    pub when: When,
}

/// Text with places for words of the command line.
pub(crate) type Text = &'static [Part];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Text(&'static str),
    /// The operand at this place, from 1.
    Operand(usize),
    /// All operands from this place on.
    From(usize),
    /// The last value of a flag.
    Flag(u16),
}

/// What a command does as such.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProgramAct {
    /// What a call of a language may do too.
    Act(ActTemplate<Text>),
    Vcs(Vcs),
    Package(PackageOp, Source, Scope, Text),
    ExecuteProgram(Text),
    ExecutePackage(Text),
    ExecuteRemote(Text),
    ExecuteContainer(Text, Walls),
    ExecuteFile(Text),
    Task(Runner, Text),
    /// The project's own code, run by a tool's own verb: `cargo test`, `pytest`.
    Project(Text),
    /// The scripts that run by themselves around an installation.
    Install(Runner),
    /// The scripts that run by themselves around publishing.
    Publishing(Runner),
    Input(Language),
    /// The commands of an editor on standard input.
    EditorInput,
    /// The same, where something is fed to it; a person types otherwise.
    FedEditorInput,
    /// Code that the analysis cannot see.
    Unseen(Text),
    Git(Git),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Declared,
    Registry,
    Elsewhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walls {
    Isolated,
    Open,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Vcs {
    Local,
    Discard(Text),
    Clean,
    CleanIgnored,
    DropHistory,
    Rewrite,
    Fetch,
    Remote(Text),
    Apply,
}

/// What git does beyond words: it takes code to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Git {
    Push,
    Config,
    Checkout,
    /// A branch is set to another commit.
    ResetBranch,
    /// A merge or a rebase is given up.
    Abort,
    Remove,
    /// A subcommand that git does not bring itself.
    Extension,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputRule {
    pub kind: OutputKind,
    pub when: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// Nothing of what it reads comes out.
    None,
    /// The input comes through.
    Pass,
    /// The input comes through, and its text was hidden before.
    Decode,
    /// What comes out came from the network.
    Network,
    /// The same, beside the request as it was sent, with all its words.
    Exchange,
    /// What comes out may hold secrets.
    Secret,
    /// It never ends by itself.
    Endless,
    /// The input comes through, but only so much of it.
    Bounded,
    /// The operands, as `echo` prints them.
    Echo,
    Printf,
    Basename,
    Dirname,
    /// A new path below the folder for temporary files.
    Temporary,
    /// The working directory.
    Cwd,
    /// One name of the machine or its user, where one is asked for.
    Name,
    /// The clock in a format that is told.
    Date,
    /// The name of a commit, where one is asked for; otherwise what it read.
    Revision,
    /// Numbers, one a line.
    Count,
    /// Where a program lies that is named, as the search path has it.
    Program,
}

/// A variable that may stand in front of a program.
#[derive(Debug)]
pub(crate) struct Variable {
    /// A `*` at the end matches any rest.
    pub name: &'static str,
    pub runs: VariableRuns,
    /// Whole values that do no harm, with a class such as `<number>` at their end.
    pub fine: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableRuns {
    /// Only tunes or informs.
    Nothing,
    /// Changes what other programs find or load.
    Something,
    /// The value is a command.
    Shell,
    /// The value is a file that is run by a shell.
    File,
}

/// A key of git's configuration that is known.
#[derive(Debug)]
pub(crate) struct Setting {
    pub start: &'static str,
    /// What the key ends with where its middle may be anything.
    pub end: Option<&'static str>,
    pub kind: SettingKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingKind {
    /// Only tunes or informs.
    Nothing,
    /// The value is a command.
    Shell,
    /// The value is a command where it begins with `!`.
    Alias,
    /// A program, or a folder that holds some.
    Program,
    Read,
    Write,
    /// The address of a repository.
    Remote,
    Host,
    /// Changes what else happens.
    Something,
}

include!(concat!(env!("OUT_DIR"), "/knowledge.rs"));

//! What happens, as data: the acts that the knowledge of programs and that of calls share.
//!
//! A template says which act it is and where the words stand that fill it: in a text with
//! places for the words of a command line (`program`), or in an argument of a call
//! (`language`). [`perform`] is the only reading of it; whoever performs fills the words in.

use crate::ir::{
    Account, Act, CloudVerb, DatabaseVerb, Direction, Interface, PersistKind, ProcessScope,
    SystemChange, WriteHow,
};

/// An act with the places of the words that fill it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ActTemplate<W> {
    Path(PathUse, W),
    Connect(Direction, W),
    Listen(Interface),
    Process(Scoped, W),
    Privilege(Account),
    Persist(PersistKind),
    System(SystemChange),
    Cloud(W, CloudVerb),
    Database(DatabaseVerb),
    Credential(W, Direction),
    Publish(W),
    Message(W),
    Agent(W, Freedom),
    Environment(W),
    Exhaust,
}

/// How a path is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathUse {
    Read,
    List,
    Write,
    WriteBelow,
    Append,
    Edit,
    Touch,
    Delete,
    DeleteTree,
    DeleteBelow,
    Attributes,
    Link,
    Raw,
}

/// What a use of a path does to the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceEffect {
    Read,
    List,
    Write(WriteHow),
    Delete { tree: bool },
}

/// Which processes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scoped {
    Named,
    Pid,
    All,
    Attach,
}

/// Whether an agent asks before it acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    Asks,
    Unrestricted,
}

/// What stands for a word that only the run tells.
pub(crate) const UNKNOWN: &str = "…";

/// Someone who does what a template says: a command line, or a call.
pub(crate) trait Performer<W> {
    /// The words at a place as one text, where they are known.
    fn text(&self, words: W) -> Option<String>;

    /// Takes an act down, with what it means for the rest.
    fn happens(&mut self, act: Act);

    fn use_path(&mut self, used: PathUse, place: W);

    fn connect_to(&mut self, direction: Direction, other: W);
}

/// Does what a template says.
pub(crate) fn perform<W>(template: ActTemplate<W>, performer: &mut impl Performer<W>) {
    let act = match template {
        ActTemplate::Path(used, place) => return performer.use_path(used, place),
        ActTemplate::Connect(direction, other) => return performer.connect_to(direction, other),
        ActTemplate::Listen(interface) => Act::Listen { interface },
        ActTemplate::Process(scope, words) => Act::Process {
            scope: scope.of(performer.text(words)),
        },
        ActTemplate::Privilege(account) => Act::Privilege(account),
        ActTemplate::Persist(kind) => Act::Persist { kind },
        ActTemplate::System(change) => Act::System(change),
        ActTemplate::Cloud(words, verb) => Act::Cloud {
            service: text(performer, words),
            verb,
        },
        ActTemplate::Database(verb) => Act::Database { verb },
        ActTemplate::Credential(words, direction) => Act::Credential {
            what: text(performer, words),
            direction,
        },
        ActTemplate::Publish(words) => Act::Publish {
            registry: text(performer, words),
        },
        ActTemplate::Message(words) => Act::Message {
            service: text(performer, words),
        },
        ActTemplate::Agent(words, freedom) => Act::Agent {
            program: text(performer, words),
            unrestricted: freedom == Freedom::Unrestricted,
        },
        ActTemplate::Environment(words) => Act::Environment {
            name: text(performer, words),
        },
        ActTemplate::Exhaust => Act::Exhaust,
    };
    performer.happens(act);
}

fn text<W>(performer: &impl Performer<W>, words: W) -> String {
    let known = performer.text(words);
    known.unwrap_or_else(|| UNKNOWN.to_owned())
}

impl Scoped {
    /// A process that is not known by its number is somebody else's.
    fn of(self, told: Option<String>) -> ProcessScope {
        match self {
            Self::Named => ProcessScope::Named(told.unwrap_or_else(|| UNKNOWN.to_owned())),
            Self::Pid => match told {
                Some(pid) if pid == "-1" => ProcessScope::All,
                Some(pid) => ProcessScope::Pid(pid),
                None => ProcessScope::Pid("?".to_owned()),
            },
            Self::All => ProcessScope::All,
            Self::Attach => ProcessScope::Attach,
        }
    }
}

impl PathUse {
    /// The same for a program's operand and for the argument of a call.
    pub(crate) const fn happens(self) -> PlaceEffect {
        match self {
            Self::Read => PlaceEffect::Read,
            Self::List => PlaceEffect::List,
            Self::Write | Self::WriteBelow => PlaceEffect::Write(WriteHow::Replace),
            Self::Append => PlaceEffect::Write(WriteHow::Append),
            Self::Edit => PlaceEffect::Write(WriteHow::Edit),
            Self::Touch => PlaceEffect::Write(WriteHow::Touch),
            Self::Attributes => PlaceEffect::Write(WriteHow::Attributes),
            Self::Link => PlaceEffect::Write(WriteHow::Link),
            Self::Raw => PlaceEffect::Write(WriteHow::Raw),
            Self::Delete => PlaceEffect::Delete { tree: false },
            Self::DeleteTree | Self::DeleteBelow => PlaceEffect::Delete { tree: true },
        }
    }
}

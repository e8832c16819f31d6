//! What a reader has found so far.
//!
//! All readers report through a [`CodeReading`]: it turns words into targets, keeps
//! the marks of everything that was read, and ends as a [`ProgramEffects`].
//! What is sent carries the marks of all that was read before it.

use super::CodeSource;
use crate::{
    Act, Code, Context, DatabaseVerb, Direction, DynamicSource, Extent, Facts, FileFact, Gap,
    GapKind, Host, Interface, Need, Nested, NestedStdin, Origin, Output, Piece, ProgramEffects,
    Taint, Target, Value, WriteHow, taint_of,
};

/// More findings than this say nothing new.
const FINDINGS: usize = 4096;

pub(crate) struct CodeReading<'a> {
    pub(crate) source: &'a CodeSource<'a>,
    pub(super) context: &'a Context,
    pub(super) facts: &'a Facts,
    found: ProgramEffects,
    /// Marks of everything read up to here.
    seen: Taint,
    /// The working directory as the code changed it, where it is still known.
    directory: Option<String>,
    /// Whether the code changed its working directory.
    moved: bool,
    /// Off while a loop is run ahead to find out what its variables may hold.
    muted: bool,
    /// The module of the project that is being loaded: what is not understood of it there says
    /// nothing of the code that takes it in.
    loading: Option<String>,
}

impl<'a> CodeReading<'a> {
    pub(in crate::language) fn new(
        source: &'a CodeSource<'a>,
        context: &'a Context,
        facts: &'a Facts,
    ) -> Self {
        Self {
            source,
            context,
            facts,
            found: ProgramEffects::default(),
            seen: Taint::NONE,
            directory: source.cwd.map(str::to_owned),
            moved: false,
            muted: false,
            loading: None,
        }
    }

    /// Names the module whose own statements run from here on; hands back the one before.
    pub(in crate::language) fn load(&mut self, module: Option<String>) -> Option<String> {
        std::mem::replace(&mut self.loading, module)
    }

    /// The module whose own statements run.
    pub(in crate::language) fn loading(&self) -> Option<&str> {
        self.loading.as_deref()
    }

    /// Whether what is found now is left out.
    pub(in crate::language) const fn is_muted(&self) -> bool {
        self.muted
    }

    pub(in crate::language) fn finish(mut self) -> ProgramEffects {
        self.found.output = Output {
            taint: self.seen,
            ..self.found.output
        };
        self.found
    }

    pub(in crate::language) const fn seen(&self) -> Taint {
        self.seen
    }

    /// Adds marks to everything that is sent or shown from here on.
    pub(in crate::language) fn saw(&mut self, taint: Taint) {
        self.seen = self.seen.with(taint);
    }

    pub(in crate::language) fn mute(&mut self, muted: bool) -> bool {
        std::mem::replace(&mut self.muted, muted)
    }

    /// Counts what a reader did to get here.
    pub(in crate::language) fn took(&mut self, steps: usize) {
        self.found.steps = self.found.steps.saturating_add(steps);
    }

    /// Standard input comes through to standard output.
    pub(in crate::language) fn passes_input(&mut self) {
        self.found.output.passes_input = true;
    }

    pub(crate) fn act(&mut self, act: Act) {
        if self.muted {
            return;
        }
        // One write to a place carries the marks of all that is written there.
        let known = self
            .found
            .effects
            .iter_mut()
            .any(|(other, _)| match (other, &act) {
                (
                    Act::Write { target, how, data },
                    Act::Write {
                        target: place,
                        how: way,
                        data: more,
                    },
                ) if target == place && how == way => {
                    *data = data.with(*more);
                    true
                }
                (other, act) => other == act,
            });
        if !known {
            if self.found.effects.len() >= FINDINGS {
                return self.gap(GapKind::Budget);
            }
            self.found.effects.push((act, self.source.span));
        }
    }

    pub(crate) fn gap(&mut self, kind: GapKind) {
        let kind = match (&self.loading, kind) {
            (Some(module), GapKind::Call { .. }) => GapKind::of_module(module),
            (_, kind) => kind,
        };
        let known = self.found.gaps.iter().any(|gap| gap.kind == kind);
        if !self.muted && !known && self.found.gaps.len() < FINDINGS {
            self.found.gaps.push(Gap {
                kind,
                span: self.source.span,
            });
        }
    }

    /// A call that the knowledge does not cover.
    pub(in crate::language) fn unknown_call(&mut self, name: &str) {
        let name = name.chars().take(60).collect();
        self.gap(GapKind::Call {
            language: self.source.language.name(),
            name,
        });
    }

    pub(in crate::language) fn syntax(&mut self, what: &str) {
        let language = self.source.language.name();
        self.gap(GapKind::Syntax(format!("{language}: {what}")));
    }

    pub(in crate::language) fn need(&mut self, path: String) {
        let need = Need::File(path);
        if !self.found.needs.contains(&need) {
            self.found.needs.push(need);
        }
    }

    /// The observed state of a file; asks for it where nobody looked yet.
    pub(in crate::language) fn file(&mut self, path: &str) -> Option<&'a FileFact> {
        let fact = self.facts.files.get(path);
        if fact.is_none() {
            self.need(path.to_owned());
        }
        fact
    }

    pub(in crate::language) fn word(&self, text: &str) -> Value {
        Value::text(text, self.source.span)
    }

    pub(in crate::language) fn unknown_word(&self, taint: Taint) -> Value {
        Value::dynamic(DynamicSource::Unknown, taint, self.source.span)
    }

    fn targets(&self, place: &Value) -> Vec<Target> {
        Target::locate_each(place, self.directory.as_deref())
    }

    /// The working directory at this point of the code.
    pub(in crate::language) fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// Moves to another directory; a place that is not exact leaves none known.
    pub(in crate::language) fn moves(&mut self, place: &Value) {
        let target = Target::locate(place, self.directory.as_deref());
        self.moved = true;
        self.directory = match target.extent {
            Extent::Exact => Some(target.path),
            Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => None,
        };
    }

    fn nested_directory(&self) -> Option<Value> {
        self.moved.then(|| match &self.directory {
            Some(directory) => self.word(directory),
            None => self.unknown_word(Taint::NONE),
        })
    }

    /// Reads a file and gives the marks of its content.
    pub(in crate::language) fn reads(&mut self, place: &Value) -> Taint {
        let mut taint = Taint::NONE;
        for target in self.targets(place) {
            taint = taint.with(taint_of(&target));
            self.act(Act::Read { target });
        }
        self.saw(taint);
        taint
    }

    pub(in crate::language) fn lists(&mut self, place: &Value) {
        for target in self.targets(place) {
            self.act(Act::List { target });
        }
    }

    pub(in crate::language) fn writes(&mut self, place: &Value, how: WriteHow, data: Taint) {
        for target in self.targets(place) {
            self.act(Act::Write { target, how, data });
        }
    }

    pub(in crate::language) fn deletes(&mut self, place: &Value, tree: bool) {
        let mut place = place.clone();
        // `os.remove(f"temp_{i}")` takes names of one kind, not the directory.
        for piece in &mut place.pieces {
            if !tree
                && matches!(piece, Piece::Dynamic(dynamic) if dynamic.source == DynamicSource::Number)
            {
                *piece = Piece::Glob("[0-9]*".to_owned());
            }
        }
        for target in self.targets(&place) {
            self.act(Act::Delete { target, tree });
        }
    }

    pub(in crate::language) fn connects(&mut self, host: Host, direction: Direction, data: Taint) {
        let data = match direction {
            Direction::Receive => data,
            Direction::Send => data.with(self.seen),
        };
        self.act(Act::Connect {
            host,
            direction,
            data,
        });
    }

    /// All variables of the environment are shown, secrets among them.
    pub(in crate::language) fn shows_environment(&mut self) {
        self.saw(Taint::SECRET);
        self.act(Act::Credential {
            what: "environment".to_owned(),
            direction: Direction::Receive,
        });
    }

    pub(in crate::language) fn listens(&mut self, interface: Interface) {
        self.act(Act::Listen { interface });
    }

    pub(in crate::language) fn database(&mut self, verb: DatabaseVerb) {
        self.act(Act::Database { verb });
    }

    /// Shell text that the code runs.
    pub(in crate::language) fn shell(&mut self, text: Value, stdin: NestedStdin) {
        self.runs(Nested::Shell {
            text,
            arguments: Vec::new(),
            cwd: self.nested_directory(),
            stdin,
            layer: self.source.layer.clone(),
        });
    }

    /// A program that the code starts without a shell.
    pub(in crate::language) fn command(
        &mut self,
        argv: Vec<Value>,
        env: Vec<(String, Value)>,
        cwd: Option<Value>,
        stdin: NestedStdin,
    ) {
        let cwd = cwd.or_else(|| self.nested_directory());
        self.runs(Nested::Command {
            argv,
            env,
            cwd,
            stdin,
            layer: self.source.layer.clone(),
        });
    }

    pub(in crate::language) fn runs(&mut self, nested: Nested) {
        if !self.muted && !self.found.runs.contains(&nested) {
            if self.found.runs.len() >= FINDINGS {
                return self.gap(GapKind::Budget);
            }
            self.found.runs.push(nested);
        }
    }

    /// Code that is only known when it runs.
    pub(in crate::language) fn hidden_code(&mut self, code: Code, what: &str, taint: Taint) {
        self.act(Act::Execute {
            code,
            origin: Origin { seen: false, taint },
        });
        self.gap(GapKind::Unseen(what.to_owned()));
    }
}

/// The other end that a URL or `host:port` names.
pub(in crate::language) fn host_of(url: &Value) -> Host {
    let known = url.prefix();
    let whole = url.literal().is_some();
    let after = known
        .split_once("://")
        .map_or(known.as_ref(), |(_, rest)| rest);
    let end = after.find(['/', '?', '#']);
    // Without an end the host may go on in the unknown part: `http://example.com` + x.
    if end.is_none() && !whole {
        return Host::Unknown;
    }
    let authority = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    named(host)
}

/// A host by its name or address.
pub(in crate::language) fn named(host: &str) -> Host {
    let lower = host.to_ascii_lowercase();
    let loopback = lower == "localhost"
        || lower.ends_with(".localhost")
        || lower == "::1"
        || (lower.starts_with("127.") && lower.chars().all(|c| c.is_ascii_digit() || c == '.'));
    if host.is_empty() {
        Host::Unknown
    } else if loopback {
        Host::Loopback
    } else {
        Host::Named(lower)
    }
}

/// The interface that an address to bind names.
pub(in crate::language) fn interface_of(address: Option<&str>) -> Interface {
    match address {
        Some("" | "0.0.0.0" | "::" | "*") => Interface::Exposed,
        Some(address) if named(address) == Host::Loopback => Interface::Loopback,
        Some(_) => Interface::Exposed,
        None => Interface::Unstated,
    }
}

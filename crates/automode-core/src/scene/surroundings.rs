//! Everything a rule may look at, with short ways to the usual questions.

use automode_shell::place::{Place, Zone};
use automode_shell::{
    Act, Analysis, Context, DatabaseVerb, Effect, Extent, FileChange, FileFact, Invocation, Nature,
    Span, Stdout, Taint, Target, VcsOp,
};

use super::change::is_resolved;
use super::{KnownPlaces, ProjectState, report};
use crate::effects::{Body, Content};
use crate::{
    Action, Facts, FileEdit, Finding, FolderFile, GitState, NamePattern, PathFact, PathKind,
    Session, Tracking, Weight, WrittenFile, digest,
};

/// One action in its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub action: &'a Action,
    /// What the action itself does: the effects of a shell command, of a read, of a write.
    pub analysis: Option<&'a Analysis>,
    /// What the code that a write leaves behind would do once it runs.
    pub content: &'a [Content],
    /// Files whose new text is in the action itself.
    pub writes: &'a [Body],
    pub context: &'a Context,
    pub facts: &'a Facts,
    pub session: &'a Session,
    /// What is known of the code that the project would load.
    pub project: &'a ProjectState,
    /// The places in this context that were looked up before.
    pub known_places: &'a KnownPlaces,
}

impl<'a> Scene<'a> {
    /// The effects of the action itself.
    pub fn effects(&self) -> impl Iterator<Item = &'a Effect> + use<'a> {
        self.analysis
            .into_iter()
            .flat_map(|analysis| analysis.effects.iter())
    }

    /// The programs that the action starts.
    pub fn invocations(&self) -> impl Iterator<Item = &'a Invocation> + use<'a> {
        self.analysis
            .into_iter()
            .flat_map(|analysis| analysis.invocations.iter())
    }

    /// The program start an effect belongs to.
    #[must_use]
    pub fn invocation(&self, effect: &Effect) -> Option<&'a Invocation> {
        self.analysis?.invocations.get(effect.by)
    }

    /// Whether an effect belongs to a program of this kind.
    #[must_use]
    pub fn is_by(&self, effect: &Effect, nature: Nature) -> bool {
        self.invocation(effect)
            .is_some_and(|start| start.is_a(nature))
    }

    /// The part of the command that a person would point at for an effect: the
    /// program start it belongs to, or the effect's own text.
    #[must_use]
    pub fn part(&self, effect: &Effect) -> Span {
        self.invocation(effect)
            .map_or(effect.span, |start| start.span)
    }

    /// The part of the command from the first stage of a pipe to the effect's own.
    #[must_use]
    pub fn pipeline(&self, effect: &Effect) -> Span {
        let own = self.part(effect);
        let before: Vec<&Invocation> = self.invocations().take(effect.by).collect();
        let start = before
            .into_iter()
            .rev()
            .take_while(|stage| matches!(stage.stdout, Stdout::Pipe))
            .map(|stage| stage.span.start)
            .chain([own.start])
            .min()
            .unwrap_or(own.start);
        Span {
            start,
            end: own.end,
        }
    }

    /// Marks of files that this action itself writes before it reads them.
    #[must_use]
    pub fn passed_on(&self, path: &str) -> Taint {
        self.effects().fold(self.carried(path), |taint, effect| {
            if let Act::Write { target, data, .. } = &effect.act
                && target.path == path
            {
                taint.with(*data)
            } else {
                taint
            }
        })
    }

    /// The text that spans point into.
    #[must_use]
    pub fn text(&self) -> &'a str {
        match self.action {
            Action::Shell { command } | Action::PowerShell { command } => command,
            Action::Write { content, .. } => content,
            Action::Edit { new, .. } => new,
            Action::Notebook { source, .. } => source,
            Action::Read { path } => path,
            Action::Fetch { url, .. } => url,
            Action::Spawn { prompt, .. } | Action::Schedule { prompt, .. } => prompt,
            Action::Search { .. }
            | Action::WebSearch { .. }
            | Action::Message { .. }
            | Action::Configure { .. }
            | Action::Mcp { .. }
            | Action::Interact
            | Action::Inert
            | Action::Opaque { .. } => "",
        }
    }

    /// The kind of place a target is, by its name.
    #[must_use]
    pub fn place(&self, target: &Target) -> Place {
        let mut place = self.known_places.of(target, self.context);
        if place.secret.is_some() && self.takes_no_secret(target, place.zone) {
            place.secret = None;
        }
        place
    }

    /// A pattern that may take a secret, in a directory of the project where it takes none.
    fn takes_no_secret(&self, target: &Target, zone: Zone) -> bool {
        let is_open = |path: &String| {
            let canonical = self.path(path).and_then(|fact| fact.canonical.as_deref());
            self.place_of(path).secret.is_none()
                && canonical.is_some_and(|path| self.resolved_place(path).secret.is_none())
        };
        target.extent == Extent::Pattern
            && zone == Zone::Project
            && self
                .taken(&target.path)
                .is_some_and(|paths| paths.iter().all(is_open))
    }

    /// Whether nothing in the call puts a name under a pattern before the pattern is used.
    fn leaves_names(&self, pattern: &str) -> bool {
        let Some(names) = NamePattern::read(pattern) else {
            return false;
        };
        let effects = || self.effects();
        let deleted = effects().any(
            |effect| matches!(&effect.act, Act::Delete { target, .. } if target.path == pattern),
        );
        effects().all(|effect| match effect.act.file_change() {
            FileChange::Write { target, .. } if target.path == pattern => !deleted,
            FileChange::Write { target, .. } => {
                let name = target
                    .path
                    .strip_prefix(names.directory)
                    .and_then(|rest| rest.strip_prefix('/'));
                let elsewhere = name.is_none_or(|name| !names.may_take(name));
                target.extent == Extent::Exact && elsewhere
            }
            FileChange::Nothing | FileChange::Delete { .. } => true,
            // What code does that was read stands in the list itself.
            FileChange::Untold => effect.act.executes().is_some_and(|(_, origin)| origin.seen),
            FileChange::Repository(_) => false,
        })
    }

    /// The kind of place a path is, by its name.
    #[must_use]
    pub fn place_of(&self, path: &str) -> Place {
        self.known_places.of_path(path, self.context)
    }

    /// The places a target may be: as named, and as resolved through links.
    #[must_use]
    pub fn places(&self, target: &Target) -> Vec<Place> {
        let mut places = vec![self.place(target)];
        if let Some(resolved) = self.resolved(target) {
            places.push(self.place_among_resolved(&resolved));
        }
        places
    }

    /// The places a target may be, and those of what its link leads to by the name that has.
    /// A veto looks at all of them, whether the session knows its roots by a link or not.
    #[must_use]
    pub fn all_places(&self, target: &Target) -> Vec<Place> {
        let mut places = vec![self.place(target)];
        let resolved = self.resolved(target);
        if let Some(resolved) = &resolved {
            places.push(self.place(resolved));
        }
        let is_known = self
            .path(&target.path)
            .is_some_and(|fact| fact.canonical.is_some());
        if is_known {
            places.push(self.place_among_resolved(resolved.as_ref().unwrap_or(target)));
        }
        places
    }

    /// The target that links lead to, if that is another.
    fn resolved(&self, target: &Target) -> Option<Target> {
        let canonical = self.elsewhere(target)?;
        Some(Target {
            path: canonical.to_owned(),
            ..target.clone()
        })
    }

    /// The place of a resolved target, held against roots with their own links resolved.
    fn place_among_resolved(&self, resolved: &Target) -> Place {
        if is_resolved(self.context, self.facts) {
            return self.place(resolved);
        }
        Place::of(resolved, &super::resolve(self.context, self.facts))
    }

    /// Where links lead, if that is not where the target is named.
    #[must_use]
    pub fn elsewhere(&self, target: &Target) -> Option<&'a str> {
        let canonical = self.path(&target.path)?.canonical.as_deref()?;
        (canonical != target.path).then_some(canonical)
    }

    /// The place of a path that is already resolved.
    #[must_use]
    pub fn resolved_place(&self, canonical: &str) -> Place {
        if is_resolved(self.context, self.facts) {
            return self.place_of(canonical);
        }
        Place::of_path(canonical, &super::resolve(self.context, self.facts))
    }

    /// What was observed about a path.
    #[must_use]
    pub fn path(&self, path: &str) -> Option<&'a PathFact> {
        self.facts.paths.get(path)
    }

    /// What a pattern of names takes, where its directory was looked at and the call itself
    /// does not put other names there.
    #[must_use]
    pub fn taken(&self, pattern: &str) -> Option<&'a [String]> {
        let names = self.facts.matches.get(pattern).map(Vec::as_slice);
        names.filter(|_| self.leaves_names(pattern))
    }

    /// The session's record of a file it wrote.
    #[must_use]
    pub fn written(&self, path: &str) -> Option<WrittenFile> {
        self.session.written.find(path)
    }

    /// Every file below a directory, where all of them were looked at.
    #[must_use]
    pub fn folder(&self, path: &str) -> Option<&'a [FolderFile]> {
        let canonical = self.path(path).and_then(|fact| fact.canonical.as_deref());
        let files = self.facts.folders.get(canonical.unwrap_or(path));
        files.map(Vec::as_slice)
    }

    /// Whether a file that lies in a folder is one that this session made, as it left it.
    #[must_use]
    pub fn is_own_file(&self, file: &FolderFile) -> bool {
        self.written(&file.path).is_some_and(|own| {
            let same = own.digest.is_empty() || own.digest == file.digest;
            own.created && !own.is_moved() && same
        })
    }

    /// Whether a tool writes a whole file that holds exactly that already: nothing is lost.
    #[must_use]
    pub fn writes_what_is_there(&self, path: &str) -> bool {
        let there = match self.facts.shell.files.get(path) {
            Some(FileFact::Text { body, .. }) => Some(body.as_str()),
            Some(FileFact::Directory | FileFact::Absent | FileFact::Unreadable) | None => None,
        };
        match self.action.file_edit() {
            Some(FileEdit::Write { content, .. }) => there == Some(content),
            Some(FileEdit::Replace { .. } | FileEdit::Notebook { .. }) | None => false,
        }
    }

    /// Whether this session made all of a file, and nobody changed it since as far as it was
    /// looked at.
    #[must_use]
    pub fn is_still_own(&self, path: &str) -> bool {
        let Some(record) = self.written(path).filter(WrittenFile::is_own) else {
            return false;
        };
        // A folder is the session's with all that lies in it.
        let fact = self.path(path);
        if fact.is_some_and(|fact| fact.kind == PathKind::Directory) {
            let files = self.folder(path);
            return files.is_some_and(|files| files.iter().all(|file| self.is_own_file(file)));
        }
        match self.facts.shell.files.get(path) {
            Some(FileFact::Text { body, .. }) if !record.digest.is_empty() => {
                digest(body) == record.digest
            }
            Some(FileFact::Text { .. } | FileFact::Unreadable | FileFact::Directory) => {
                record.created
            }
            Some(FileFact::Absent) | None => true,
        }
    }

    /// Marks that a file carries from earlier calls of this session: its own, and those of
    /// a folder that was brought as a whole.
    #[must_use]
    pub fn carried(&self, path: &str) -> Taint {
        let canonical = self.path(path).and_then(|fact| fact.canonical.as_deref());
        let is_it = |file: &&WrittenFile| {
            let own = |path: &str| match file.path.strip_suffix('/') {
                Some(folder) => is_below(path, folder) && !self.is_unchanged(path),
                None => file.path == path,
            };
            own(path) || canonical.is_some_and(own)
        };
        self.session
            .written
            .marked()
            .filter(is_it)
            .flat_map(|file| &file.taint)
            .fold(Taint::NONE, |taint, name| taint.with(mark(name)))
    }

    /// The names of all marks at a target and below it.
    pub fn marks_at<'t>(&'t self, target: &'t Target) -> impl Iterator<Item = &'a String> + 't {
        let below = target.extent != Extent::Exact;
        let whole = super::certain(&target.path);
        self.session
            .written
            .marked()
            .filter(move |file| {
                let own = file.path.trim_end_matches('/');
                let folder = file.path.ends_with('/');
                own == target.path
                    || is_below(own, &target.path)
                    || (below && is_below(own, &whole))
                    || (folder && is_below(&target.path, own) && !self.is_unchanged(&target.path))
            })
            .flat_map(|file| &file.taint)
    }

    /// Whether a file is as it was when the session began: git has it, and no list of what
    /// changed since names it.
    fn is_unchanged(&self, path: &str) -> bool {
        let listed = self
            .facts
            .changes
            .values()
            .flat_map(|changes| &changes.files)
            .any(|file| file.path == path || is_below(path, file.path.trim_end_matches('/')));
        let known = self
            .facts
            .changes
            .values()
            .any(|changes| changes.tracking == Tracking::Whole);
        let clean = self
            .path(path)
            .is_some_and(|fact| fact.git == GitState::Clean);
        known && clean && !listed
    }

    /// An address among the words of a program that was no remote of the project when the
    /// session began. The same host is not enough: many people have a repository there.
    #[must_use]
    pub fn stranger(&self, start: &Invocation) -> Option<String> {
        let remotes = || self.session.repo.iter().flat_map(|repo| &repo.remotes);
        let own =
            |address: &str| remotes().any(|own| plain_address(&own.url) == plain_address(address));
        start
            .argv
            .iter()
            .skip(1)
            .filter_map(|word| word.literal())
            .find(|word| is_address(word) && !own(word))
            .map(std::borrow::Cow::into_owned)
    }

    /// Whether a remote, by name or address, is one that the project had when the session began
    /// and that leads where it led then. Without a name, that holds for all there are.
    #[must_use]
    pub fn is_own_remote(&self, remote: Option<&str>) -> bool {
        let Some(start) = &self.session.repo else {
            return false;
        };
        let current = || self.facts.repos.values().flat_map(|repo| &repo.remotes);
        let moved =
            |name: &str| current().any(|now| now.name == name && !start.remotes.contains(now));
        match remote {
            None => !start.remotes.is_empty() && current().all(|now| start.remotes.contains(now)),
            Some(named) => start
                .remotes
                .iter()
                .any(|own| own.url == named || own.name == named && !moved(named)),
        }
    }

    /// Whether what a program prints comes back to the agent.
    #[must_use]
    pub fn is_shown(&self, effect: &Effect) -> bool {
        self.invocation(effect)
            .is_none_or(|invocation| matches!(invocation.stdout, Stdout::Shown))
    }

    /// Whether another program reads what this one prints, and stops it when it has enough. A
    /// shell that captures it never has.
    #[must_use]
    pub fn is_fed_on(&self, effect: &Effect) -> bool {
        self.invocation(effect)
            .is_some_and(|start| matches!(start.stdout, Stdout::Pipe))
    }

    /// Whether a connection belongs to a push, which has rules of its own.
    #[must_use]
    pub fn is_push(&self, connection: &Effect) -> bool {
        self.effects().any(|effect| {
            effect.by == connection.by && matches!(effect.act, Act::Vcs(VcsOp::Push { .. }))
        })
    }

    /// Whether a connection belongs to a client of a database that only reads there.
    #[must_use]
    pub fn only_asks(&self, connection: &Effect) -> bool {
        let mut verbs = self
            .effects()
            .filter(|effect| effect.by == connection.by)
            .filter_map(|effect| {
                let Act::Database { verb } = &effect.act else {
                    return None;
                };
                Some(*verb)
            })
            .peekable();
        verbs.peek().is_some() && verbs.all(|verb| verb == DatabaseVerb::Read)
    }

    /// No consent makes this routine.
    #[must_use]
    pub fn veto(&self, rule: &'static str, span: Span, what: &str, instead: &str) -> Finding {
        self.finding(rule, Weight::Veto, span, what, instead)
    }

    /// Consent decides.
    #[must_use]
    pub fn evidence(&self, rule: &'static str, span: Span, what: &str, instead: &str) -> Finding {
        self.finding(rule, Weight::Evidence, span, what, instead)
    }

    /// Consent decides, unless an exception proves it routine.
    #[must_use]
    pub fn soft(&self, rule: &'static str, span: Span, what: &str, instead: &str) -> Finding {
        self.finding(rule, Weight::Soft, span, what, instead)
    }

    fn finding(
        &self,
        rule: &'static str,
        weight: Weight,
        span: Span,
        what: &str,
        instead: &str,
    ) -> Finding {
        Finding {
            rule,
            weight,
            span,
            evidence: report::evidence(span.of(self.text()), what),
            instead: report::line(instead),
        }
    }
}

/// Absolute paths in the words of a command: `X`, `--in=X`, `@X`, `file://X`.
pub fn named_paths(start: &Invocation) -> impl Iterator<Item = String> + '_ {
    start.argv.iter().skip(1).filter_map(|word| {
        let word = word.literal()?;
        let at = word.find('/')?;
        let before = word.get(..at)?;
        let path = word.get(at..)?;
        let lead = before.is_empty()
            || before.ends_with(['=', '@', ':', '<', ',', '+', '"', '\''])
            || (before.starts_with('-') && before.chars().count() == 2);
        let path = if before.ends_with("file:") {
            path.trim_start_matches("//")
        } else {
            path
        };
        let path = path.split(['"', '\'', ' ', ',', ':']).next()?;
        lead.then(|| path.to_owned())
    })
}

/// A repository elsewhere: `https://host/x`, `git@host:x`.
fn is_address(word: &str) -> bool {
    let remote_path = word
        .split_once(':')
        .is_some_and(|(host, path)| host.contains('@') && !host.contains('/') && !path.is_empty());
    !word.starts_with('-') && (word.contains("://") || remote_path)
}

/// An address without what may be spelled in several ways.
fn plain_address(address: &str) -> String {
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let (before, rest) = rest.split_once('@').unwrap_or(("", rest));
    let rest = if before.contains('/') { address } else { rest };
    rest.trim_end_matches('/')
        .trim_end_matches(".git")
        .replace(':', "/")
        .to_lowercase()
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// A mark by the name under which the session keeps it.
fn mark(name: &str) -> Taint {
    match name {
        "secret" => Taint::SECRET,
        "network" => Taint::NETWORK,
        "decoded" => Taint::DECODED,
        "session" => Taint::SESSION,
        "local" => Taint::LOCAL,
        // It says what is in a folder, not where that comes from.
        WrittenFile::COPIED => Taint::NONE,
        _ => Taint::UNKNOWN,
    }
}

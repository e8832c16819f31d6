//! Promises of a decision, kept before it counts.
//!
//! A promise that cannot be kept is not made: the engine is told beforehand what this
//! machine and this client can keep, and what fails all the same turns the allow that rests
//! on it into a question. A client that ran something else than it was told loses the trust
//! for the rest of the session.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use automode::state::State;
use automode::{Decision, Ground, Presence, ToolCall, Verdict, permit};
use automode_agents::{Enforcement, HookPhase, Rewriting};
use automode_confine::undo::{EntryKind, Snapshot, SnapshotLimits, TakeError, UndoStore};
use automode_confine::{
    Machine, Refusal, RunRecord, Ticket, known_backend, may_confine, mend_left_behind,
    renewing_backend,
};
use automode_core::confine::{
    ConfineMode, ConfineSettings, Confinement, Enforces, Network, Protection, Rewritten, Undo,
    UndoLimits, is_secret_path, rewrite,
};
use serde_json::{Map, Value};

use super::decide;
use super::serve::HookContext;
use crate::setup;

/// What could be kept for this call, by the settings, the client and the last self-test.
///
/// No more is looked at: most calls are allowed or stopped without a promise, and what one
/// rests on is looked at by [`stands`].
pub fn wanted(context: &HookContext<'_>, settings: &ConfineSettings) -> Enforces {
    let Some(state) = context.state.as_ref() else {
        return Enforces::default();
    };
    let decides = context.options.enforcement == Enforcement::Enforce
        && context.event.kind.phase() == HookPhase::BeforeTool;
    let confines = match settings.mode {
        ConfineMode::Off => false,
        ConfineMode::Unread | ConfineMode::Always => true,
    };
    let rewrites = match context.options.agent.client().rewriting {
        Rewriting::Honoured | Rewriting::HonouredWithoutRules(_) => true,
        Rewriting::Ignored => false,
    };
    Enforces {
        confinement: decides && confines && rewrites && may_confine(state.root()),
        snapshots: decides && settings.undo != Undo::Off,
        undo: decides && context.attended,
    }
}

/// A session begins: what was found to confine before the machine was started anew is tried
/// again beside it, so that the first call that needs it finds an answer.
pub fn prepare(state: &State) {
    if may_confine(state.root())
        && let Some(machine) = Machine::here(state.root().to_owned())
    {
        let _ = renewing_backend(&machine);
    }
}

/// Whether a promise that a decision was made with can be kept.
pub enum Standing {
    /// It can, or none was made.
    Holds,
    /// It can, and a person opened these hosts to this one call.
    Opened(Vec<String>),
    /// It cannot: the call is decided as if there were no confinement.
    Unconfined,
    /// It ran confined before, and was refused these: a person decides.
    Refused(Vec<Refusal>),
}

/// Looks at what a decision's confinement rests on: the client, the machine, and what came
/// of the same call before.
pub fn stands(
    context: &HookContext<'_>,
    call: &ToolCall,
    print: &str,
    decision: &Decision,
) -> Standing {
    let (Some(state), Some(_)) = (
        context.state.as_ref(),
        decision.protection.confinement.as_ref(),
    ) else {
        return Standing::Holds;
    };
    if is_permitted(state, call, decision) {
        return Standing::Unconfined;
    }
    if !is_rewritten(context) || distrust(state.root(), &context.event.session).exists() {
        return Standing::Unconfined;
    }
    let opened = opened_hosts(state, call);
    let refused = refused_before(context, state.root(), print, rests_on_it(decision));
    if opened.is_empty() && !refused.is_empty() {
        return Standing::Refused(refused);
    }
    // What was found before the machine was started anew is tried again beside this call, which
    // does not wait for it.
    let machine = Machine::here(state.root().to_owned());
    match machine.as_ref().and_then(renewing_backend) {
        // Without files of its own, what runs can destroy the repository's history, which nobody
        // keeps: such a backend tightens what is allowed anyway, and turns no question into an allow.
        Some(backend) if rests_on_it(decision) && !backend.has_own_files() => Standing::Unconfined,
        Some(backend) if !backend.can_write(&project(context)) => Standing::Unconfined,
        Some(_) if !opened.is_empty() => Standing::Opened(opened),
        Some(_) => Standing::Holds,
        None => Standing::Unconfined,
    }
}

/// The hosts that a person opened to this one call, which it then has had.
fn opened_hosts(state: &State, call: &ToolCall) -> Vec<String> {
    if !has_permits(state) {
        return Vec::new();
    }
    permit::redeem_hosts(state, &permit::bound(call), SystemTime::now())
}

fn has_permits(state: &State) -> bool {
    let permits = std::fs::read_dir(state.path("permits"));
    permits.is_ok_and(|mut permits| permits.next().is_some())
}

/// Lets a call that is confined reach hosts that a person opened to it.
pub fn open(decision: &mut Decision, hosts: Vec<String>) {
    if let Some(confinement) = &mut decision.protection.confinement {
        let mut all = confinement.network.hosts().to_vec();
        all.extend(hosts);
        confinement.network = Network::Registries(all);
    }
}

/// Whether the allow is one by confinement alone.
fn rests_on_it(decision: &Decision) -> bool {
    decision.ground == Ground::FastPath("confined")
}

/// Whether a person permitted this one call, which means the call as it is.
fn is_permitted(state: &State, call: &ToolCall, decision: &Decision) -> bool {
    if !has_permits(state) {
        return false;
    }
    let print = permit::bound(call);
    if rests_on_it(decision) {
        // Without its confinement it asks, and then the permit is used.
        return permit::is_granted(state, &print);
    }
    permit::redeem(state, &print, SystemTime::now()).is_some()
}

/// Makes a question of an allow: what was refused may be what the call was really about.
pub fn ask_about_refusals(context: &HookContext<'_>, decision: &mut Decision) {
    if decision.verdict == Verdict::Allow && !matches!(decision.ground, Ground::Permit(_)) {
        ask(context, decision, "it ran confined and failed");
    }
}

/// Whether the client runs what it is told, and its own rules lose nothing by it.
fn is_rewritten(context: &HookContext<'_>) -> bool {
    match context.options.agent.client().rewriting {
        Rewriting::Honoured => true,
        Rewriting::Ignored => false,
        Rewriting::HonouredWithoutRules(places) => {
            let home = setup::home().map(PathBuf::from);
            let tops = [home, Some(project(context))].into_iter().flatten();
            let named = places.iter().filter_map(|place| {
                let directory = std::env::var_os(place.directory_variable?)?;
                Some((PathBuf::from(directory).join(place.name), place.words))
            });
            let mut files = named.chain(tops.flat_map(|top| {
                places.iter().map(move |place| {
                    let path = top.join(place.directory).join(place.name);
                    (path, place.words)
                })
            }));
            !files.any(|(path, words)| has_rules(&path, words))
        }
    }
}

/// Whether a file, or one in a directory, holds one of the words. What cannot be read may.
fn has_rules(path: &Path, words: &[&str]) -> bool {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else {
            return true;
        };
        return entries
            .flatten()
            .any(|entry| has_rules(&entry.path(), words));
    }
    match std::fs::read_to_string(path) {
        Ok(text) => words.iter().any(|word| text.contains(word)),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// What this very call was refused when it last ran confined in this session.
///
/// Of a call that is allowed by itself only where it failed: what it can do without, it does
/// without again.
fn refused_before(
    context: &HookContext<'_>,
    state: &Path,
    print: &str,
    rests_on_it: bool,
) -> Vec<Refusal> {
    let memory = decide::remembered(context);
    let before = memory
        .calls
        .iter()
        .rev()
        .find(|known| known.note.print == print);
    before
        .and_then(|known| RunRecord::read(state, &known.note.decision))
        .filter(|record| rests_on_it || record.code != 0)
        .map(|record| record.report.refusals)
        .unwrap_or_default()
        .into_iter()
        .filter(|refusal| !matches!(refusal, Refusal::Vanished(_)))
        .collect()
}

/// Adds what was refused before to a question.
pub fn explain(decision: &mut Decision, refused: &[Refusal]) {
    if decision.verdict == Verdict::Allow {
        return;
    }
    for refusal in refused.iter().take(3) {
        let what = match refusal {
            Refusal::Network(host) => format!("network to {host}"),
            Refusal::Write(path) | Refusal::Vanished(path) => {
                format!("write to {}", path.display())
            }
            Refusal::Hidden(path) => format!("reading {}", path.display()),
        };
        decision
            .reason
            .push_str(&format!("; when it ran confined, {what} was refused"));
    }
}

/// Keeps what a decision promises; the input that must run in place of the call's own.
pub fn keep(
    context: &HookContext<'_>,
    call: &ToolCall,
    id: &str,
    settings: &ConfineSettings,
    decision: &mut Decision,
) -> Option<Map<String, Value>> {
    let protection = std::mem::take(&mut decision.protection);
    if decision.verdict != Verdict::Allow {
        decision.protection.possible = protection.possible;
        return None;
    }
    let mut hidden = Vec::new();
    if let Some(plan) = protection.snapshot {
        let state = context.state.as_ref()?;
        let project = project(context);
        let command = call.text("command").unwrap_or_default();
        let store = UndoStore::new(state.root());
        let taken = store.take(id, &project, command, &plan, limits(settings.undo_limits));
        match taken {
            Ok(snapshot) => {
                hidden = secrets(&snapshot);
                decision.protection.snapshot = Some(plan);
            }
            // Git has everything that confined code could change.
            Err(TakeError::Nothing) if protection.confinement.is_some() => {}
            Err(why) => {
                ask(
                    context,
                    decision,
                    &format!("what could be lost cannot be kept: {why}"),
                );
                return None;
            }
        }
    }
    let mut confinement = protection.confinement?;
    confinement.hide.extend(hidden);
    match wrapped(context, call, id, &confinement) {
        Some(input) => {
            decision.protection.confinement = Some(confinement);
            Some(input)
        }
        None => {
            // An allow of its own stands without it; one that rests on it does not.
            if rests_on_it(decision) {
                ask(context, decision, "it cannot be confined here");
            }
            None
        }
    }
}

/// The files that hold secrets among those that git does not have. What it has is no secret of
/// this project.
fn secrets(snapshot: &Snapshot) -> Vec<PathBuf> {
    let home = setup::home();
    let files = snapshot.before.iter().filter(|entry| match entry.kind {
        EntryKind::File { .. } => true,
        EntryKind::Absent
        | EntryKind::Link { .. }
        | EntryKind::Directory { .. }
        | EntryKind::Other => false,
    });
    files
        .map(|entry| entry.path.clone())
        .filter(|path| is_secret_path(&path.to_string_lossy(), home.as_deref()))
        .collect()
}

/// Writes the promise down and gives the input that keeps it.
fn wrapped(
    context: &HookContext<'_>,
    call: &ToolCall,
    id: &str,
    confinement: &Confinement,
) -> Option<Map<String, Value>> {
    let state = context.state.as_ref()?;
    let machine = Machine::here(state.root().to_owned())?;
    let command = call.text("command")?;
    let program = machine.program.to_str()?;
    let text = rewrite(program, id, command)?;
    let ticket = Ticket {
        id: id.to_owned(),
        session: context.event.session.clone(),
        command: command.to_owned(),
        confinement: confinement.clone(),
        backend: known_backend(&machine)
            .filter(|backend| confinement.hide.is_empty() || backend.has_own_files())?,
    };
    ticket.write(state.root()).ok()?;
    let mut input = call.input.clone();
    input.insert("command".to_owned(), Value::String(text));
    Some(input)
}

fn limits(settings: UndoLimits) -> SnapshotLimits {
    SnapshotLimits {
        files: usize::try_from(settings.files).unwrap_or(usize::MAX),
        bytes: u64::from(settings.megabytes).saturating_mul(1_000_000),
        time: Duration::from_millis(settings.milliseconds.into()),
    }
}

fn ask(context: &HookContext<'_>, decision: &mut Decision, why: &str) {
    decision.protection = Protection::default();
    decision.verdict = match context.presence {
        Presence::Interactive => Verdict::Ask,
        Presence::Headless => Verdict::Deny,
    };
    decision.reason = format!("{}; {why}", decision.reason);
}

fn project(context: &HookContext<'_>) -> PathBuf {
    let (standing, _) = decide::standing(context);
    PathBuf::from(standing.cwd.unwrap_or_else(|| context.event.cwd.clone()))
}

/// A call as it was before it was rewritten, with the id of its promise.
pub fn original(context: &HookContext<'_>, call: &ToolCall) -> Option<(ToolCall, String)> {
    let Rewritten { id, original } = Rewritten::parse(call.text("command")?)?;
    let state = context.state.as_ref()?;
    // Only what was really promised here counts: anybody can write such a text.
    let ticket = Ticket::read(state.root(), &id, &original).ok()?;
    if ticket.session != context.event.session {
        return None;
    }
    let mut call = call.clone();
    call.input
        .insert("command".to_owned(), Value::String(original));
    Some((call, id))
}

/// A call has ended: its snapshot is sealed, and whether it ran as promised is seen.
pub fn ended(context: &HookContext<'_>, decision: &str, ran_as_promised: bool) {
    let Some(state) = context.state.as_ref() else {
        return;
    };
    // Without a seal everything goes beside: nothing is lost by missing it.
    UndoStore::new(state.root())
        .seal(decision)
        .unwrap_or_default();
    // A run that was killed is mended now rather than by the next one.
    drop(mend_left_behind(state.root()));
    if Ticket::exists(state.root(), decision) && !ran_as_promised {
        // Whatever ran, it was not what was promised: the original, or another hook's text.
        let path = distrust(state.root(), &context.event.session);
        std::fs::write(path, decision).unwrap_or_default();
    }
}

/// The mark of a session whose client does not run what it is told.
fn distrust(state: &Path, session: &str) -> PathBuf {
    let name: String = session
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .take(100)
        .collect();
    state.join("confined").join(format!("distrusted.{name}"))
}

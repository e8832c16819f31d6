//! A call: decided, logged, remembered.
//!
//! The verdict is settled before anything is written, and nothing that is written
//! changes it: a log that fails costs the record and is told to the person.

use std::cell::OnceCell;
use std::mem::ManuallyDrop;
use std::time::{SystemTime, UNIX_EPOCH};

use automode::audit::{self, Circumstance, Entry};
use automode::engine::{ProjectStep, Settlement};
use automode::ports::{FileSystem, SessionRecord};
use automode::session::{self, CallNote, Memory, Note, SessionSummary};
use automode::{Decision, Ground, Mode, Presence, Query, Session, ToolCall, Verdict, permit};
use automode_agents::{Answer, Enforcement, HookPhase};
use automode_confine::Refusal;
use automode_core::confine::ConfineSettings;
use automode_core::policy::Beside;
use automode_core::{Ledger, Outcome, WrittenFile};

use super::broker;
use super::promise::{self, Standing};
use super::recall::{self, FromTranscript};
use super::record;
use super::serve::HookContext;
use crate::{effects, judge, setup};

/// Decides a call that is about to run.
pub fn call(context: &HookContext<'_>, call: &ToolCall, id: Option<&str>) -> Answer {
    let (mut standing, mut trouble) = standing(context);
    let mut notes = begin(context, &mut standing);
    let project = project(context, &standing);
    let began = standing.repo.as_ref().and_then(|repo| repo.head.clone());
    if let Some(project) = &project {
        add_project(&mut standing, project);
    }
    let own = standing.ledger;
    if let Some(state) = &context.state {
        standing.ledger = session::Outages::of(state).seen_by(own);
    }
    let print = context.print.clone();
    let print = print.unwrap_or_else(|| permit::fingerprint(call));
    let settled = settle(context, call, &print, &standing);
    let Settled {
        mut settlement,
        config,
        price,
        beside,
        refused,
        confine,
    } = match settled {
        Ok(settled) => settled,
        Err(why) => return Answer::failure(&why, context.options.enforcement),
    };
    let permitted = matches!(settlement.decision.ground, Ground::Permit(_));
    let name = name(&print);
    let brief = &settlement.call.brief;
    broker::consult(context, call, (&name, brief), &mut settlement.decision);
    promise::explain(&mut settlement.decision, &refused);
    let rewritten = promise::keep(context, call, &name, &confine, &mut settlement.decision);
    // What is not allowed may be permitted, as it is now; so may what is refused inside.
    let permitted_print = match settlement.decision.verdict {
        Verdict::Allow if rewritten.is_none() => print.clone(),
        Verdict::Allow | Verdict::Ask | Verdict::Deny => permit::bound(call),
    };
    let mut log = Entry::new(
        &settlement.decision,
        &Circumstance {
            time: now(),
            id: &name,
            agent: context.options.agent.name(),
            session: &context.event.session,
            subagent: context.event.subagent.as_ref().map(|by| by.id.as_str()),
            tool: &settlement.call.tool,
            brief: &settlement.call.brief,
            cwd: &call.cwd,
            presence: context.presence,
            shadow: context.options.enforcement == Enforcement::Shadow,
            latency: context.started.elapsed().as_secs_f64() * 1000.0,
            judged: settlement.judged.as_ref(),
            price,
            config: &config,
            print: &permitted_print,
            permission: permit::narrowest(call),
        },
    );
    log.mode = context.event.mode.map(|mode| mode.name().to_owned());
    let mut writes = settlement.written.clone();
    record::still_own(&standing, &mut writes);
    // What is denied does not run, and what is asked about is kept once it has run.
    if settlement.decision.verdict == Verdict::Allow {
        trouble |= !keep_marks(context, project.as_ref(), &writes);
        trouble |= !keep_base(context, project.as_ref(), began, settlement.project);
    }
    notes.extend(learned(
        context,
        standing.ledger,
        (&settlement, price),
        CallNote {
            id: id.map(str::to_owned),
            print,
            tool: settlement.call.tool.clone(),
            brief: settlement.call.brief.clone(),
            verdict: settlement.decision.verdict,
            decision: name.clone(),
            // A permit used up by a request for permission has nothing left for another one.
            permitted: permitted && context.event.kind.phase() == HookPhase::BeforeTool,
            by: context.event.subagent.as_ref().map(|by| by.id.clone()),
            writes,
            project: settlement.project,
        },
    ));
    trouble |= keep(context, &notes, &log).is_err();
    let trouble = match (standing.lost, trouble) {
        (true, _) => HookTrouble::Lost,
        (false, true) => HookTrouble::Unwritten,
        (false, false) => HookTrouble::None,
    };
    let left = rewritten.is_none() && is_left(context, beside, &settlement.decision);
    // The process ends with this call: what the analysis found is not taken apart.
    let settlement = ManuallyDrop::new(settlement);
    if left && matches!(trouble, HookTrouble::None) {
        return Answer::Neutral;
    }
    let mut answer = answer(context, call, &settlement.decision, &name, trouble);
    if let Answer::Ruling(ruling) = &mut answer {
        ruling.rewritten = rewritten;
    }
    answer
}

/// Decides a request for permission. A call that was just decided is not decided again where that was a no or a question.
pub fn permission(context: &HookContext<'_>, call: &ToolCall) -> Answer {
    if let Some((_, id)) = promise::original(context, call) {
        let decision = repeated(Verdict::Allow, &id, None);
        return answer(context, call, &decision, &id, HookTrouble::None);
    }
    let memory = remembered(context);
    let print = permit::fingerprint(call);
    let before = memory
        .calls
        .iter()
        .rev()
        .find(|known| known.note.print == print);
    let state = context.state.as_ref();
    let granted = state.is_some_and(|state| {
        permit::are_given(state) && permit::is_granted(state, &permit::bound(call))
    });
    let verdict = match before {
        Some(known) if known.note.permitted && known.outcome == Outcome::Pending => Verdict::Allow,
        Some(known)
            if known.note.verdict != Verdict::Allow && !granted && !may_be_left(context) =>
        {
            known.note.verdict
        }
        Some(_) | None => return self::call(context, call, None),
    };
    let name = before
        .map(|known| known.note.decision.clone())
        .unwrap_or_default();
    // What was said then is said again: a person reads this prompt, not the one before.
    let told = state.and_then(|state| audit::Log::new(state).find(&name));
    let decision = repeated(verdict, &name, told.map(|(entry, _)| entry));
    answer(context, call, &decision, &name, HookTrouble::None)
}

/// Whether what was a question before may have been left to the client's own check.
fn may_be_left(context: &HookContext<'_>) -> bool {
    let checked = context.options.agent.client().own_check;
    checked.holds_in(context.event.mode) && {
        let (standing, _) = standing(context);
        let root = standing.cwd.as_deref().unwrap_or(&context.event.cwd);
        let gate = setup::judgeless_gate(root, None);
        gate.policy().settings.beside == Beside::VetoOnly
    }
}

/// The decision that was made when the call itself came, with what the log has of it.
fn repeated(verdict: Verdict, name: &str, told: Option<Entry>) -> Decision {
    let by_rule = told.as_ref().is_none_or(|entry| entry.ground == "policy");
    let ground = match by_rule {
        true => Ground::Policy {
            rule: name.to_owned(),
            origin: "the decision before this request".to_owned(),
        },
        // Nothing of this is logged: it says what a person can do about it.
        false => Ground::NoJudge,
    };
    Decision {
        verdict,
        ground,
        reason: told.map_or_else(
            || format!("as decided before ({name})"),
            |entry| entry.reason,
        ),
        findings: Vec::new(),
        stop: false,
        trace: automode_core::Trace::default(),
        protection: automode_core::confine::Protection::default(),
    }
}

/// Everything that is known of the session.
pub fn remembered(context: &HookContext<'_>) -> Memory {
    context
        .log
        .as_ref()
        .and_then(|log| log.read().ok())
        .unwrap_or_default()
}

/// How the session stands, and whether knowing it failed. A record that is there and cannot be
/// read is lost; without a state there never was one.
pub fn standing(context: &HookContext<'_>) -> (SessionSummary, bool) {
    match context.log.as_ref().map(session::Log::glance) {
        Some(Ok(standing)) => (standing, false),
        Some(Err(_)) => (SessionSummary::lost(), true),
        None => (SessionSummary::default(), true),
    }
}

/// The record of the project that a session works in, where there is a state to keep it in.
pub fn project(context: &HookContext<'_>, standing: &SessionSummary) -> Option<session::Log> {
    let repo = standing.repo.as_ref().and_then(|repo| repo.root.as_deref());
    let root = repo.or(standing.cwd.as_deref())?;
    session::Log::of_project(context.state.as_ref()?, root).ok()
}

/// Adds what the project's other sessions left behind. A record of it that is damaged closes the
/// project's code: what it forgot may have been downloaded.
fn add_project(standing: &mut SessionSummary, project: &session::Log) {
    match project.glance() {
        Ok(known) if !known.lost => standing.add_project(known, record::still_holds),
        Ok(_) | Err(_) => standing.forgot_the_project(),
    }
}

/// Keeps what counts against later calls where the project's other sessions find it.
pub fn keep_marks(
    context: &HookContext<'_>,
    project: Option<&session::Log>,
    files: &[WrittenFile],
) -> bool {
    let marked: Vec<WrittenFile> = files
        .iter()
        .filter(|file| file.is_marked())
        .cloned()
        .collect();
    let (Some(project), false) = (project, marked.is_empty()) else {
        return true;
    };
    let note = Note::Done {
        id: None,
        print: String::new(),
        outcome: Outcome::Succeeded,
        files: marked,
    };
    project.append(&[note], context.patience()).is_ok()
}

/// Keeps from which commit on the project's code is to be read: a commit, a merge or a checkout
/// does not make it the person's in the eyes of the next session. A run of all that was read
/// and is clean settles it.
pub fn keep_base(
    context: &HookContext<'_>,
    project: Option<&session::Log>,
    began: Option<String>,
    step: ProjectStep,
) -> bool {
    let commit = match (step, began) {
        (ProjectStep::MovesHistory, Some(began)) => Some(began),
        (ProjectStep::RunsRead, _) => None,
        (ProjectStep::Nothing | ProjectStep::MovesHistory | ProjectStep::RunsUnread, _) => {
            return true;
        }
    };
    let Some(project) = project else {
        return true;
    };
    // Most calls find it as they would leave it.
    let known = project.glance().map(|known| known.base);
    if known.is_ok_and(|known| known.is_some() == commit.is_some()) {
        return true;
    }
    let note = Note::Base { commit };
    project.append(&[note], context.patience()).is_ok()
}

/// The first contact with a session fixes where it began and its repository's remotes.
pub fn begin(context: &HookContext<'_>, standing: &mut SessionSummary) -> Vec<Note> {
    if standing.cwd.is_some() {
        return Vec::new();
    }
    let cwd = &context.event.cwd;
    let facts = automode::observe::Machine.observe(&[Query::Repo(cwd.clone())]);
    standing.cwd = Some(cwd.clone());
    standing.repo = facts.repos.into_values().next();
    vec![Note::Start {
        agent: context.options.agent.name().to_owned(),
        session: context.event.session.clone(),
        cwd: cwd.clone(),
        repo: standing.repo.clone(),
    }]
}

/// The session as the engine sees it. automode decides in every mode of the client but plan mode, which is stricter.
/// Words and calls are left to who recalls them.
pub fn session(context: &HookContext<'_>, standing: &SessionSummary) -> Session {
    let (mode, presence) = match context.event.mode {
        Some(Mode::Plan) => (Mode::Plan, context.presence),
        Some(Mode::DontAsk) => (Mode::Auto, Presence::Headless),
        Some(Mode::Default | Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions) | None => {
            (Mode::Auto, context.presence)
        }
    };
    Session {
        home: setup::home(),
        variables: setup::variables(),
        own: automode::own::paths(),
        ..standing.session(mode, presence)
    }
}

/// Whether the client's own check decides: automode was told to leave it what no veto stops,
/// and in this mode it has one.
fn is_left(context: &HookContext<'_>, beside: Beside, decision: &Decision) -> bool {
    let checked = context.options.agent.client().own_check;
    match beside {
        Beside::Decide => return false,
        Beside::VetoOnly if !checked.holds_in(context.event.mode) => return false,
        Beside::VetoOnly => {}
    }
    match (&decision.ground, decision.verdict) {
        // A person's word for this one call counts.
        (Ground::Permit(_), _) => false,
        (_, Verdict::Allow) => true,
        (Ground::NoJudge, Verdict::Ask | Verdict::Deny) => true,
        (
            Ground::Policy { .. }
            | Ground::Guard(_)
            | Ground::FastPath(_)
            | Ground::Rule(_)
            | Ground::Judge(_)
            | Ground::Mode(_)
            | Ground::Limit
            | Ground::Failure(_),
            Verdict::Ask | Verdict::Deny,
        ) => false,
    }
}

/// A call that is decided.
struct Settled {
    settlement: Settlement,
    /// The settings it was decided under.
    config: String,
    /// What asking the judge cost, in millionths of a dollar, where that is known.
    price: Option<u64>,
    /// What is left to the client's own check.
    beside: Beside,
    /// What this call was refused when it ran confined before.
    refused: Vec<Refusal>,
    /// How it is confined and kept.
    confine: ConfineSettings,
}

fn settle(
    context: &HookContext<'_>,
    call: &ToolCall,
    print: &str,
    standing: &SessionSummary,
) -> Result<Settled, String> {
    // The settings of the directory that the session began in hold for all of it.
    let root = standing.cwd.as_deref().unwrap_or(&context.event.cwd);
    let left = context
        .options
        .deadline
        .saturating_sub(context.started.elapsed());
    // The process ends with this call: thousands of rules are not taken apart one by one.
    let gate = ManuallyDrop::new(judge::with_judge_within(
        setup::hook_gate(root, context.state.as_ref()),
        &context.event.session,
        // What is left then is for the answer and its record.
        left.saturating_sub(left / 8),
        recall::model(context.options.agent, context.event),
    ));
    let recall = FromTranscript {
        agent: context.options.agent,
        event: context.event,
        log: context.log.as_ref(),
        memory: OnceCell::new(),
        pending: call,
        record: if standing.lost {
            SessionRecord::Lost
        } else {
            SessionRecord::Whole
        },
        permits: context.state.as_ref(),
        window: &gate.policy().settings.judge.transcript,
    };
    let confine = &gate.policy().settings.confine;
    let mut session = Session {
        enforces: promise::wanted(context, confine),
        ..session(context, standing)
    };
    let mut settlement = gate.decide(call, &session, &recall);
    let refused = match promise::stands(context, call, print, &settlement.decision) {
        Standing::Holds => Vec::new(),
        Standing::Opened(hosts) => {
            promise::open(&mut settlement.decision, hosts);
            Vec::new()
        }
        Standing::Unconfined => {
            session.enforces.confinement = false;
            settlement = gate.decide(call, &session, &recall);
            Vec::new()
        }
        Standing::Refused(refused) => {
            session.enforces.confinement = false;
            settlement = gate.decide(call, &session, &recall);
            promise::ask_about_refusals(context, &mut settlement.decision);
            refused
        }
    };
    let config = gate.policy().provenance().digest.chars().take(16).collect();
    let price = settlement.judged.as_ref().and_then(|judged| {
        let price = gate.policy().settings.service.price(&judged.model)?;
        Some(price.of(&judged.usage))
    });
    Ok(Settled {
        settlement,
        config,
        price,
        beside: gate.policy().settings.beside,
        refused,
        confine: gate.policy().settings.confine.clone(),
    })
}

/// What the session learns from a settled call.
fn learned(
    context: &HookContext<'_>,
    before: Ledger,
    (settlement, price): (&Settlement, Option<u64>),
    call: CallNote,
) -> Vec<Note> {
    let mut notes = session::learned(before, settlement, price, call);
    if let Some(state) = &context.state {
        let moved = notes.iter().find_map(|note| match note {
            Note::Ledger(moved) => Some(moved),
            Note::Start { .. }
            | Note::User { .. }
            | Note::Call(_)
            | Note::Done { .. }
            | Note::Subagent { .. }
            | Note::Suspicious(_)
            | Note::Cost(_)
            | Note::Base { .. }
            | Note::Folded { .. }
            | Note::End
            | Note::Unknown => None,
        });
        moved
            .iter()
            .for_each(|moved| session::Outages::of(state).tell(moved));
    }
    // In shadow mode the client runs what it runs: denials that nobody enforced are not counted.
    if context.options.enforcement == Enforcement::Shadow {
        notes.retain(|note| !matches!(note, Note::Ledger(_)));
    }
    notes
}

/// Writes log and record down. A failure is for the person to know, never for the verdict.
fn keep(context: &HookContext<'_>, notes: &[Note], entry: &Entry) -> Result<(), ()> {
    let logged = match &context.state {
        Some(state) => audit::Log::new(state)
            .append(entry, context.patience())
            .map_err(drop)
            .map(drop),
        None => Err(()),
    };
    let noted = match &context.log {
        Some(log) => log.append(notes, context.patience()).map_err(drop),
        None => Err(()),
    };
    logged.and(noted)
}

/// What is wrong with the state, for the person to know.
enum HookTrouble {
    None,
    /// What was decided is not remembered.
    Unwritten,
    /// What was remembered is gone.
    Lost,
}

fn answer(
    context: &HookContext<'_>,
    call: &ToolCall,
    decision: &Decision,
    name: &str,
    trouble: HookTrouble,
) -> Answer {
    let text = effects::text_of(call);
    let enforcement = context.options.enforcement;
    let mut answer = Answer::decided_about(decision, Some(name), enforcement, text);
    let notice = match trouble {
        HookTrouble::None => None,
        HookTrouble::Unwritten => Some(
            "automode could not write its state: decisions stand, but are not remembered (hint: automode doctor)",
        ),
        HookTrouble::Lost => Some(
            "automode's record of this session is damaged, so nothing is allowed by itself any more (hint: start a new session)",
        ),
    };
    if let (Answer::Ruling(ruling), Some(notice)) = (&mut answer, notice) {
        ruling.remark(notice);
    }
    answer
}

/// A short name for a decision that people can type.
pub fn name(print: &str) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let seed = automode_core::digest(format!("{print}{nanos}{}", std::process::id()));
    let (pairs, _) = seed.as_bytes().as_chunks::<2>();
    pairs
        .iter()
        .take(8)
        .filter_map(|pair| usize::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
        .filter_map(|byte| LETTERS.get(byte % 32))
        .map(|letter| char::from(*letter))
        .collect()
}

/// Milliseconds since the epoch.
pub fn now() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

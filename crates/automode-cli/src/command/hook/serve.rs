//! One event, from stdin to reply.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use automode::session::Log;
use automode::state::State;
use automode::{Presence, ToolCall, permit};
use automode_agents::{Answer, Event, EventKind, Reply};

use super::{HookProgress, Options, decide, obituary, record};

/// How long to wait for all locks of a hook together before doing without.
const PATIENCE: Duration = Duration::from_secs(3);

/// What every event needs.
pub struct HookContext<'a> {
    pub options: &'a Options,
    pub event: &'a Event,
    /// The fingerprint of the call that an answer is due for.
    pub print: Option<String>,
    /// Where to remember; without one nothing is remembered and everything is still decided.
    pub state: Option<State>,
    pub log: Option<Log>,
    pub presence: Presence,
    /// Somebody said that a person is there; it is not only assumed.
    pub attended: bool,
    pub started: Instant,
    /// When waiting for locks ends.
    locks_until: Option<Instant>,
}

impl HookContext<'_> {
    /// How long the next lock may be waited for: what the ones before it have left.
    pub fn patience(&self) -> Duration {
        self.locks_until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }
}

/// Reads the event, answers it.
pub fn serve(options: &Options, progress: &HookProgress, started: Instant) -> Reply {
    let agent = options.agent;
    let fail = |phase, why: &str| {
        let answer = Answer::failure(why, options.enforcement);
        agent.render(phase, &answer, presence(options, None))
    };
    let bytes = match input() {
        Ok(bytes) => bytes,
        Err(_) => return fail(progress.phase(), "its input could not be read"),
    };
    let event = match agent.parse(&bytes) {
        Ok(event) => event,
        Err(malformed) => return fail(malformed.phase, &malformed.why),
    };
    let phase = event.kind.phase();
    let state = State::locate(|name| std::env::var(name).ok()).ok();
    let print = obituary::due(&event).map(permit::fingerprint);
    let record = state.as_ref().zip(print.as_deref());
    let record = record.and_then(|known| obituary::record(options, &event, known, started));
    progress.understood(options, &event, record);
    let log = state
        .as_ref()
        .and_then(|state| Log::open(state, agent.name(), &event.session).ok());
    let context = HookContext {
        options,
        event: &event,
        print,
        state,
        log,
        presence: presence(options, Some(&event)),
        attended: is_attended(options, &event),
        started,
        locks_until: Instant::now().checked_add(PATIENCE),
    };
    let answer = answer(&context);
    agent.render(phase, &answer, context.presence)
}

fn answer(context: &HookContext<'_>) -> Answer {
    match &context.event.kind {
        EventKind::BeforeTool { call, id } => decide::call(context, call, id.as_deref()),
        EventKind::PermissionRequest { call } => decide::permission(context, call),
        EventKind::AfterTool {
            call,
            id,
            outcome,
            report,
            brought,
        } => {
            record::after(context, call, id.as_deref(), *outcome);
            let warned = record::brought(context, call, brought);
            let reported = report
                .as_ref()
                .map_or(Answer::Neutral, |report| record::report(context, report));
            both(warned, reported)
        }
        EventKind::Prompt { words } => {
            record::prompt(context, words.as_deref());
            Answer::Neutral
        }
        EventKind::SessionStart => {
            record::start(context);
            Answer::Neutral
        }
        EventKind::SubagentStart | EventKind::SubagentStop | EventKind::SessionEnd => {
            record::life(context);
            Answer::Neutral
        }
        EventKind::Other { .. } => Answer::Neutral,
    }
}

/// Two remarks as one.
fn both(first: Answer, second: Answer) -> Answer {
    match (first, second) {
        (Answer::Remark(first), Answer::Remark(second)) => {
            Answer::Remark(format!("{first}\n{second}"))
        }
        (Answer::Neutral, answer) | (answer, _) => answer,
    }
}

/// All of stdin, one byte more than may be parsed so that too much shows.
fn input() -> io::Result<Vec<u8>> {
    let most = (ToolCall::MAX_INPUT as u64).saturating_add(1);
    let mut bytes = Vec::new();
    io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a person is there: the installation's word, the event's, the client's environment, or what is safe to assume.
fn presence(options: &Options, event: Option<&Event>) -> Presence {
    let told = options
        .presence
        .or_else(|| event.and_then(|event| event.presence));
    told.unwrap_or_else(|| {
        let assumed = options.agent.client().presence;
        match assumed.headless_when {
            Some(mark) if is_set(mark) => Presence::Headless,
            Some(_) | None => assumed.usual,
        }
    })
}

/// Whether one of these says that a person is there, and none that nobody is. What is assumed
/// was not said.
fn is_attended(options: &Options, event: &Event) -> bool {
    let assumed = options.agent.client().presence;
    let said = [options.presence, event.presence];
    let alone =
        said.contains(&Some(Presence::Headless)) || assumed.headless_when.is_some_and(is_set);
    let there =
        said.contains(&Some(Presence::Interactive)) || assumed.attended_when.is_some_and(is_set);
    there && !alone
}

fn is_set((name, value): (&str, &str)) -> bool {
    std::env::var(name).as_deref() == Ok(value)
}

//! One event, from stdin to reply.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use automode::session::Log;
use automode::state::State;
use automode::{Presence, ToolCall};
use automode_agents::{Agent, Answer, Event, Happening, Reply};

use super::{Options, Progress, decide, record};

/// How long to wait for a lock before doing without.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// What every event needs.
pub struct Desk<'a> {
    pub options: &'a Options,
    pub event: &'a Event,
    /// Where to remember; without one nothing is remembered and everything is still decided.
    pub state: Option<State>,
    pub log: Option<Log>,
    pub presence: Presence,
    pub started: Instant,
}

/// Reads the event, answers it.
pub fn serve(options: &Options, progress: &Progress, started: Instant) -> Reply {
    let agent = options.agent;
    let fail = |moment, why: &str| {
        let answer = Answer::failure(why, options.enforcement);
        agent.render(moment, &answer, presence(options, None))
    };
    let bytes = match input() {
        Ok(bytes) => bytes,
        Err(_) => return fail(progress.moment(), "its input could not be read"),
    };
    let event = match agent.parse(&bytes) {
        Ok(event) => event,
        Err(malformed) => return fail(malformed.moment, &malformed.why),
    };
    let moment = event.happening.moment();
    progress.set(moment);
    let state = State::locate(|name| std::env::var(name).ok()).ok();
    let log = state
        .as_ref()
        .and_then(|state| Log::open(state, agent.name(), &event.session).ok());
    let desk = Desk {
        options,
        event: &event,
        state,
        log,
        presence: presence(options, Some(&event)),
        started,
    };
    let answer = answer(&desk);
    agent.render(moment, &answer, desk.presence)
}

fn answer(desk: &Desk<'_>) -> Answer {
    match &desk.event.happening {
        Happening::BeforeTool { call, id } => decide::call(desk, call, id.as_deref()),
        Happening::PermissionRequest { call } => decide::permission(desk, call),
        Happening::AfterTool {
            call,
            id,
            outcome,
            report,
        } => {
            record::after(desk, call, id.as_deref(), *outcome);
            report
                .as_ref()
                .map_or(Answer::Neutral, |report| record::report(desk, report))
        }
        Happening::Prompt { words } => {
            record::prompt(desk, words.as_deref());
            Answer::Neutral
        }
        Happening::SessionStart => {
            record::start(desk);
            Answer::Neutral
        }
        Happening::SubagentStart | Happening::SubagentStop | Happening::SessionEnd => {
            record::life(desk);
            Answer::Neutral
        }
        Happening::Other { .. } => Answer::Neutral,
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
    told.unwrap_or_else(|| match options.agent {
        Agent::ClaudeCode => match std::env::var("CLAUDE_CODE_SESSION_ATTENDED").as_deref() {
            Ok("0") => Presence::Headless,
            Ok(_) | Err(_) => options.agent.assumed_presence(),
        },
        Agent::Codex
        | Agent::GeminiCli
        | Agent::QwenCode
        | Agent::Copilot
        | Agent::Opencode
        | Agent::Generic => options.agent.assumed_presence(),
    })
}

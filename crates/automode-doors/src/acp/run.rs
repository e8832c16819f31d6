//! The wire between two programs: an editor on our stdin and stdout, an agent that we start.
//!
//! Whatever ends here ends closed: if this process dies, agent and editor lose each
//! other; a decision that panics or takes too long is a question for the editor.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use automode::Presence;

use super::agent;
use super::wire::{AcpPending, AcpStep, AcpWire};
use crate::deadline::{in_time, lock};
use crate::decider::{Decider, DoorDecision};
use crate::pipe::{PipePiece, lines};

/// Decisions at once; more are questions for the editor.
const MAX_DECISIONS: usize = 32;
/// Bytes that are read at once.
const BUFFER: usize = 64 * 1024;

/// Why there is no proxy.
#[derive(Debug, thiserror::Error)]
pub enum AcpError {
    #[error("no agent is named (hint: `automode acp -- AGENT ARGS`)")]
    NoAgent,
    #[error("the agent `{program}` could not be started: {error}")]
    Start { program: String, error: io::Error },
    #[error("the agent could not be waited for: {0}")]
    Wait(io::Error),
}

/// Starts the agent and stands between it and the editor until one of them ends. Says the agent's exit code.
///
/// # Errors
/// Where the agent could not be started.
pub fn run(
    command: &[String],
    presence: Presence,
    decider: Arc<dyn Decider>,
) -> Result<u8, AcpError> {
    let mut child = start(command)?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(AcpError::Wait(io::ErrorKind::BrokenPipe.into()));
    };
    let talk = Arc::new(AcpTalk {
        wire: Mutex::new(AcpWire::new(presence)),
        agent: Mutex::new(Some(Box::new(stdin))),
        editor: Mutex::new(Box::new(io::stdout())),
        decider,
    });
    let editor = Arc::clone(&talk);
    thread::spawn(move || {
        editor.listen(io::stdin(), AcpSide::Editor);
        // The editor is gone: the agent is told by the end of its input.
        lock(&editor.agent).take();
    });
    talk.listen(stdout, AcpSide::Agent);
    ended(&mut child)
}

fn start(command: &[String]) -> Result<Child, AcpError> {
    let (program, arguments) = command.split_first().ok_or(AcpError::NoAgent)?;
    let mut agent = Command::new(program);
    agent
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    for (name, value) in agent::variables(command) {
        agent.env(name, value);
    }
    agent.spawn().map_err(|error| AcpError::Start {
        program: program.clone(),
        error,
    })
}

fn ended(child: &mut Child) -> Result<u8, AcpError> {
    let status = child.wait().map_err(AcpError::Wait)?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1))
}

#[derive(Clone, Copy)]
enum AcpSide {
    Editor,
    Agent,
}

/// Both ends and what is known of the talk.
struct AcpTalk {
    wire: Mutex<AcpWire>,
    agent: Mutex<Option<Box<dyn Write + Send>>>,
    editor: Mutex<Box<dyn Write + Send>>,
    decider: Arc<dyn Decider>,
}

impl AcpTalk {
    /// Passes on everything that one side says, until it ends or nobody listens.
    fn listen(self: &Arc<Self>, from: impl Read, side: AcpSide) {
        let mut from = BufReader::with_capacity(BUFFER, from);
        // An end is an end, whatever the reason.
        lines(&mut from, |piece| match piece {
            PipePiece::Part(bytes) => self.pass(bytes, side),
            PipePiece::Line(bytes) => {
                let steps = match side {
                    AcpSide::Editor => lock(&self.wire).editor_says(bytes),
                    AcpSide::Agent => lock(&self.wire).agent_says(bytes),
                };
                steps
                    .into_iter()
                    .try_for_each(|step| self.take(step, bytes, side))
            }
        })
        .unwrap_or_default();
    }

    fn pass(&self, bytes: &[u8], from: AcpSide) -> io::Result<()> {
        match from {
            AcpSide::Editor => self.to_agent(bytes),
            AcpSide::Agent => self.to_editor(bytes),
        }
    }

    fn take(self: &Arc<Self>, step: AcpStep, line: &[u8], from: AcpSide) -> io::Result<()> {
        match step {
            AcpStep::Pass => self.pass(line, from),
            AcpStep::ToEditor(bytes) => self.to_editor(&bytes),
            AcpStep::ToAgent(bytes) => self.to_agent(&bytes),
            AcpStep::Hear(session, words) => {
                self.decider.hear(&session, &words);
                Ok(())
            }
            AcpStep::Decide(pending) => {
                self.decide(*pending);
                Ok(())
            }
        }
    }

    fn to_agent(&self, bytes: &[u8]) -> io::Result<()> {
        match lock(&self.agent).as_mut() {
            Some(agent) => agent.write_all(bytes).and_then(|()| agent.flush()),
            None => Ok(()),
        }
    }

    fn to_editor(&self, bytes: &[u8]) -> io::Result<()> {
        let mut editor = lock(&self.editor);
        editor.write_all(bytes)?;
        editor.flush()
    }

    /// Decides apart, so that the talk goes on meanwhile.
    fn decide(self: &Arc<Self>, pending: AcpPending) {
        let number = pending.number;
        if lock(&self.wire).open_decisions() > MAX_DECISIONS {
            let much = DoorDecision::failed("too much is being decided at once");
            return self.answer(number, &much);
        }
        let talk = Arc::clone(self);
        let spawned = thread::Builder::new().spawn(move || {
            let decision = in_time(&talk.decider, pending.request);
            talk.answer(number, &decision);
        });
        if spawned.is_err() {
            self.answer(number, &DoorDecision::failed("no thread could be started"));
        }
    }

    fn answer(self: &Arc<Self>, number: u64, decision: &DoorDecision) {
        let steps = lock(&self.wire).decided(number, decision);
        for step in steps {
            // Who has gone needs no answer.
            self.take(step, &[], AcpSide::Agent).unwrap_or_default();
        }
    }
}

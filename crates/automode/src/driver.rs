//! Feeds the line until it settles.
//!
//! The line is pure: given the same answers it takes the same way. So it runs
//! where the caller stands while that is safe, and when a text turns up that
//! wants a deep stack it is replayed in a thread that has one. A panic, wherever
//! it happens, or a step that takes too long is a failure and never an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use automode_core::engine::{Engine, Input, JudgePresence, Question, Settlement, Step};
use automode_core::policy::Policy;
use automode_core::{Failure, Session, ToolCall};
use automode_shell::{FileFact, guard};

/// The stack that the deepest admitted text needs.
const DEEP_STACK: usize = 64 * 1024 * 1024;

/// A question that can travel to another thread.
#[derive(Clone, Debug)]
pub(crate) struct OwnedQuestion<'a> {
    pub call: &'a ToolCall,
    pub session: &'a Session,
    pub policy: &'a Arc<Policy>,
    pub judge: JudgePresence,
    pub now: u64,
    /// How long one step may take.
    pub deadline: Duration,
}

impl<'a> OwnedQuestion<'a> {
    fn question(&self) -> Question<'a> {
        Question {
            call: self.call,
            session: self.session,
            policy: self.policy,
            judge: self.judge,
            now: self.now,
        }
    }
}

/// What the world says to a step, or the end.
pub(crate) type DriverAnswer = Result<Input, Box<Settlement>>;

/// Runs a line, answering its steps, until it settles.
pub(crate) fn drive(
    question: &OwnedQuestion<'_>,
    answer: impl FnMut(Step) -> DriverAnswer,
) -> Result<Box<Settlement>, Failure> {
    catch_unwind(AssertUnwindSafe(|| run(question, answer))).unwrap_or(Err(Failure::Panic))
}

fn run(
    question: &OwnedQuestion<'_>,
    mut answer: impl FnMut(Step) -> DriverAnswer,
) -> Result<Box<Settlement>, Failure> {
    let mut runner = StepRunner::start(question)?;
    let mut history = Vec::new();
    let mut input = Input::Start;
    loop {
        if !fits_here(&input) && matches!(runner, StepRunner::Here(_)) {
            runner = StepRunner::apart(question)?;
            for earlier in history.drain(..) {
                runner.resume(earlier, question.deadline)?;
            }
        }
        if matches!(runner, StepRunner::Here(_)) {
            history.push(input.clone());
        }
        let step = runner.resume(input, question.deadline)?;
        match answer(step) {
            Ok(next) => input = next,
            Err(settlement) => return Ok(settlement),
        }
    }
}

/// Where a line runs.
enum StepRunner<'a> {
    Here(Box<Engine<'a>>),
    Apart {
        inputs: Sender<Input>,
        steps: Receiver<Step>,
    },
}

impl<'a> StepRunner<'a> {
    fn start(question: &OwnedQuestion<'a>) -> Result<Self, Failure> {
        let texts = question
            .call
            .input
            .values()
            .filter_map(|value| value.as_str());
        if texts.into_iter().all(is_shallow) {
            Ok(Self::Here(Box::new(Engine::new(question.question()))))
        } else {
            Self::apart(question)
        }
    }

    /// A thread with a deep stack. Nobody waits for one that hangs.
    fn apart(question: &OwnedQuestion<'_>) -> Result<Self, Failure> {
        let (inputs, asked) = channel::<Input>();
        let (answers, steps) = channel::<Step>();
        let (call, session) = (question.call.clone(), question.session.clone());
        let (policy, judge, now) = (Arc::clone(question.policy), question.judge, question.now);
        let run = move || {
            let mut engine = Engine::new(Question {
                call: &call,
                session: &session,
                policy: &policy,
                judge,
                now,
            });
            while let Ok(input) = asked.recv() {
                if answers.send(engine.resume(input)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("line".to_owned())
            .stack_size(DEEP_STACK)
            // The channel closes when the thread panics: that is all there is to tell.
            .spawn(run)
            .map_err(|_| Failure::Panic)?;
        Ok(Self::Apart { inputs, steps })
    }

    fn resume(&mut self, input: Input, deadline: Duration) -> Result<Step, Failure> {
        match self {
            Self::Here(engine) => Ok(engine.resume(input)),
            Self::Apart { inputs, steps } => {
                inputs.send(input).map_err(|_| Failure::Panic)?;
                steps.recv_timeout(deadline).map_err(|error| match error {
                    RecvTimeoutError::Timeout => Failure::Timeout,
                    RecvTimeoutError::Disconnected => Failure::Panic,
                })
            }
        }
    }
}

/// Whether the answer holds no text that wants a deep stack.
fn fits_here(input: &Input) -> bool {
    match input {
        Input::Start | Input::Reply(_) => true,
        Input::Facts(facts) => facts.shell.files.values().all(|file| match file {
            FileFact::Text { body, .. } => is_shallow(body),
            FileFact::Directory | FileFact::Absent | FileFact::Unreadable => true,
        }),
    }
}

/// What the guard refuses is not parsed at all, so it is no danger.
fn is_shallow(text: &str) -> bool {
    guard::admit(text).map_or(true, guard::Admitted::fits_small_stack)
}

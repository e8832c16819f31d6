//! The gate: one call in, one decision out.

use std::sync::Arc;
use std::time::Duration;

use automode_core::confine::Protection;
use automode_core::engine::{Input, JudgePresence, ProjectStep, Settlement, Step};
use automode_core::judge::Model;
use automode_core::policy::{OnUnavailable, Policy};
use automode_core::{
    CallRecord, Decision, Facts, Failure, Ground, Outcome, Query, Session, ToolCall, Trace, tool,
};

use crate::driver::{self, OwnedQuestion};
use crate::judge::{Chain, Link};
use crate::observe::Machine;
use crate::permit;
use crate::ports::{Clock, FileSystem, Judge, NoRecall, Recall, SessionRecord, Store, SystemClock};
use crate::session::{CallNote, Memory, Note, learned};

/// How long one step of the analysis may take. Its work is bounded in steps: this is for what
/// hangs, and not for a machine that is busy.
const DEADLINE: Duration = Duration::from_secs(15);

/// A store that has told all it knows.
struct StoredSession(SessionRecord);

impl Recall for StoredSession {
    fn record(&self) -> SessionRecord {
        self.0
    }
}

/// Decides tool calls under a policy.
///
/// ```
/// use automode::{Gate, Policy, Session, ToolCall, Verdict};
///
/// let gate = Gate::new(Policy::default());
/// let mut session = Session::default();
/// let call = ToolCall::bash("rm -rf /", "/tmp");
/// let decision = gate.check(&call, &mut session);
/// assert_ne!(decision.verdict, Verdict::Allow);
/// ```
pub struct Gate {
    policy: Arc<Policy>,
    files: Box<dyn FileSystem>,
    judge: Option<Box<dyn Judge>>,
    clock: Box<dyn Clock>,
    deadline: Duration,
}

impl Gate {
    /// A gate that looks at this machine and has no judge.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            policy: Arc::new(policy),
            files: Box::new(Machine),
            judge: None,
            clock: Box::new(SystemClock),
            deadline: DEADLINE,
        }
    }

    #[must_use]
    pub fn with_judge(mut self, judge: impl Judge + 'static) -> Self {
        self.judge = Some(Box::new(judge));
        self
    }

    /// With one model as the judge, asked as the policy says.
    #[must_use]
    pub fn with_model(self, model: Box<dyn Model>) -> Self {
        let service = self.policy.settings.service.clone();
        self.with_judge(Chain::new(vec![Link::Ready(model)], service))
    }

    #[must_use]
    pub fn with_files(mut self, files: impl FileSystem + 'static) -> Self {
        self.files = Box::new(files);
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// How long one step of the analysis may take before it counts as failed.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether somebody judges what the analysis leaves open.
    #[must_use]
    pub fn has_judge(&self) -> bool {
        self.judge.is_some()
    }

    /// Replaces the policy: settings were read again.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = Arc::new(policy);
    }

    /// Decides a call and records it in the session. Never fails: a failure is a decision.
    pub fn check(&self, call: &ToolCall, session: &mut Session) -> Decision {
        let settlement = self.decide(call, session, &NoRecall);
        settlement.record(session);
        settlement.decision
    }

    /// Decides a call of a session that a store remembers, and notes it there.
    ///
    /// `now` tells the mode, who is there and where; what came before is the store's to
    /// tell. A store that cannot be read has lost what may have counted against the call:
    /// the answer is then never looser than that failure's. One that cannot be written
    /// changes nothing.
    pub fn check_stored(&self, call: &ToolCall, now: &Session, store: &dyn Store) -> Decision {
        let read = store.read();
        let record = StoredSession(match &read {
            Ok(memory) if !memory.standing.lost => SessionRecord::Whole,
            Ok(_) | Err(_) => SessionRecord::Lost,
        });
        let mut memory = read.unwrap_or_default();
        let mut notes = self.begin(call, &mut memory);
        let session = Session {
            roots: now.roots.clone(),
            home: now.home.clone(),
            variables: now.variables.clone(),
            own: now.own.clone(),
            ..memory.session(now.mode, now.presence)
        };
        let settlement = self.decide(call, &session, &record);
        let service = &self.policy.settings.service;
        let price = settlement.judged.as_ref().and_then(|judged| {
            let price = service.price(&judged.model)?;
            Some(price.of(&judged.usage))
        });
        notes.extend(learned(
            session.ledger,
            &settlement,
            price,
            CallNote {
                id: None,
                print: permit::fingerprint(call),
                tool: settlement.call.tool.clone(),
                brief: settlement.call.brief.clone(),
                verdict: settlement.decision.verdict,
                decision: String::new(),
                permitted: false,
                by: None,
                writes: settlement.written.clone(),
                project: settlement.project,
            },
        ));
        // The verdict stands, whether or not it is remembered.
        store.append(&notes).unwrap_or_default();
        settlement.decision
    }

    /// The first contact with a session fixes where it began and its repository's remotes.
    fn begin(&self, call: &ToolCall, memory: &mut Memory) -> Vec<Note> {
        if memory.standing.cwd.is_some() {
            return Vec::new();
        }
        let facts = self.files.observe(&[Query::Repo(call.cwd.clone())]);
        let start = Note::Start {
            agent: String::new(),
            session: String::new(),
            cwd: call.cwd.clone(),
            repo: facts.repos.into_values().next(),
        };
        memory.take(start.clone());
        vec![start]
    }

    /// The stricter of a decision and a failure's own answer.
    fn at_least(&self, decision: Decision, failure: Failure, session: &Session) -> Decision {
        let fallback = failure.fallback(session.presence, self.policy.settings.on_unavailable);
        if decision.verdict >= fallback.verdict() {
            return decision;
        }
        Decision {
            verdict: fallback.verdict(),
            ground: Ground::Failure(failure),
            reason: format!("{}; without that: {}", failure.describe(), decision.reason),
            protection: Protection::default(),
            ..decision
        }
    }

    /// Decides a call and says what it changes in the session, which stays as it is. Every
    /// door goes through here: the hook, `automode check` and the library.
    ///
    /// A session whose record is lost has lost what may have counted against the call: the
    /// answer is then never looser than that failure's.
    #[must_use]
    pub fn decide(&self, call: &ToolCall, session: &Session, recall: &dyn Recall) -> Settlement {
        let mut settlement = self.settle_parts(call, session, recall);
        match recall.record() {
            SessionRecord::Whole => {}
            SessionRecord::Lost => {
                settlement.decision = self.at_least(settlement.decision, Failure::Store, session);
            }
        }
        settlement
    }

    /// Settles every part of a call by itself; the strictest answers for all.
    fn settle_parts(&self, call: &ToolCall, session: &Session, recall: &dyn Recall) -> Settlement {
        let parts = tool::parts(call);
        let settled = parts.iter().map(|part| self.settle(part, session, recall));
        settled
            .reduce(|one, other| {
                let written = [one.written.clone(), other.written.clone()].concat();
                let strictest = if other.decision.verdict > one.decision.verdict {
                    other
                } else {
                    one
                };
                Settlement {
                    written,
                    ..strictest
                }
            })
            .unwrap_or_else(|| self.failed(Failure::Panic, call, session))
    }

    fn settle(&self, call: &ToolCall, session: &Session, recall: &dyn Recall) -> Settlement {
        let question = OwnedQuestion {
            call,
            session,
            policy: &self.policy,
            judge: match self.judge {
                Some(_) => JudgePresence::Present,
                None => JudgePresence::Absent,
            },
            now: self.clock.now(),
            deadline: self.deadline,
        };
        let settled = driver::drive(&question, |step| self.answer(step, recall, session));
        match settled {
            Ok(settlement) => *settlement,
            Err(failure) => self.failed(failure, call, session),
        }
    }

    fn answer(&self, step: Step, recall: &dyn Recall, session: &Session) -> driver::DriverAnswer {
        match step {
            Step::Observe(queries) if queries.as_slice() == [Query::Transcript] => {
                Ok(match recall.transcript() {
                    Ok(transcript) => Input::from(Facts {
                        transcript,
                        calls: recall.calls(),
                        instructions: recall.instructions(session),
                        ..Facts::default()
                    }),
                    Err(failure) => Input::Reply(Err(failure.into())),
                })
            }
            Step::Observe(queries) if queries.as_slice() == [Query::Permit] => {
                Ok(Input::from(Facts {
                    permit: recall.permit(),
                    ..Facts::default()
                }))
            }
            Step::Observe(queries) => Ok(Input::from(self.files.observe(&queries))),
            Step::Judge(request) => Ok(Input::Reply(match &self.judge {
                Some(judge) => judge.ask(&request),
                None => Err(Failure::Unavailable.into()),
            })),
            Step::Settled(settlement) => Err(settlement),
        }
    }

    /// The line itself broke: nothing of it can be used, and nobody could be asked about it.
    fn failed(&self, failure: Failure, call: &ToolCall, session: &Session) -> Settlement {
        let fallback = failure.fallback(session.presence, OnUnavailable::Deny);
        let decision = Decision {
            verdict: fallback.verdict(),
            ground: Ground::Failure(failure),
            reason: failure.describe().to_owned(),
            findings: Vec::new(),
            stop: false,
            trace: Trace::default(),
            protection: Protection::default(),
        };
        Settlement {
            decision,
            ledger: session.ledger,
            call: CallRecord {
                tool: call.tool.clone(),
                brief: String::new(),
                outcome: Outcome::Pending,
            },
            written: Vec::new(),
            project: ProjectStep::Nothing,
            judged: None,
            effects: None,
        }
    }
}

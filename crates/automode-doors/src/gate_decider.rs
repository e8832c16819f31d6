//! The decider of the product: a gate, and the record of the session beside it.
//!
//! The verdict is settled before anything is written, and nothing that is written
//! changes it. A record that cannot be read has lost what may have counted against the
//! call: then nothing is allowed.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use automode::audit::{self, Circumstance, Entry};
use automode::engine::Settlement;
use automode::judge::InstructionFiles;
use automode::observe::Machine;
use automode::ports::FileSystem as _;
use automode::session::{CallNote, Log, Memory, Note, learned};
use automode::state::State;
use automode::{Decision, Failure, Gate, Ground, Mode, Query, Session, Verdict, permit};
use automode_core::effects::reaches_out;
use automode_core::policy::{Origin, Policy, ProjectPolicy, Scope, Sources, Written};
use automode_core::rules::{CLOUD_STORAGE, LOCAL_DATA};
use automode_core::{Stage, SuspiciousResult};
use sha2::{Digest, Sha256};

use crate::decider::{Decider, DoorDecision, DoorRequest, DoorSession, LossQuestions, Tightening};
use crate::meaning::{self, CallMeaning};
use crate::text::clean;

/// How long to wait for a lock before doing without.
const PATIENCE: Duration = Duration::from_secs(3);

/// Makes the gate for a session's directory. Settings are read anew for every call.
pub type GateMaker = Box<dyn Fn(&str, &DoorSession) -> Gate + Send + Sync>;

/// Asks the gate of the session's directory.
pub struct GateDecider {
    make: GateMaker,
    /// Where to remember; without one nothing is remembered and everything is still decided.
    state: Option<State>,
    home: Option<String>,
    variables: Vec<(String, String)>,
}

impl GateDecider {
    #[must_use]
    pub fn new(
        make: GateMaker,
        state: Option<State>,
        home: Option<String>,
        variables: Vec<(String, String)>,
    ) -> Self {
        Self {
            make,
            state,
            home,
            variables,
        }
    }

    fn log(&self, session: &DoorSession) -> Option<Log> {
        Log::open(self.state.as_ref()?, session.door, &session.id).ok()
    }

    fn session(&self, asked: &DoorSession, memory: &Memory) -> Session {
        Session {
            roots: asked.roots.clone(),
            home: self.home.clone(),
            variables: self.variables.clone(),
            own: automode::own::paths(),
            ..memory.session(Mode::Auto, asked.presence)
        }
    }

    /// A person may have permitted this very call once. A deny rule stands all the same.
    fn redeem(&self, fingerprint: &str, decision: &mut Decision) -> bool {
        let by_rule = matches!(decision.ground, Ground::Policy { .. });
        if decision.verdict == Verdict::Allow || by_rule && decision.verdict == Verdict::Deny {
            return false;
        }
        let granted = |state| permit::redeem(state, fingerprint, SystemTime::now());
        let Some(name) = self.state.as_ref().and_then(granted) else {
            return false;
        };
        decision.verdict = Verdict::Allow;
        decision.reason = format!("permitted once by a person ({name})");
        decision.ground = Ground::Policy {
            rule: format!("allow-once {name}"),
            origin: "a person at a terminal".to_owned(),
        };
        true
    }

    /// Log and record. What fails here is not remembered; the verdict stands.
    fn keep(
        &self,
        request: &DoorRequest,
        kept: KeptDecision<'_>,
        mut notes: Vec<Note>,
        log: Option<&Log>,
    ) {
        let (settlement, gate) = (kept.settlement, kept.gate);
        let price = settlement.judged.as_ref().and_then(|judged| {
            let price = gate.policy().settings.service.price(&judged.model)?;
            Some(price.of(&judged.usage))
        });
        let config: String = gate.policy().provenance().digest.chars().take(16).collect();
        let entry = Entry::new(
            &settlement.decision,
            &Circumstance {
                time: milliseconds(),
                id: kept.name,
                agent: request.session.door,
                session: &request.session.id,
                subagent: None,
                tool: &settlement.call.tool,
                brief: &settlement.call.brief,
                cwd: &request.call.cwd,
                presence: request.session.presence,
                shadow: false,
                latency: kept.started.elapsed().as_secs_f64() * 1000.0,
                judged: settlement.judged.as_ref(),
                price,
                config: &config,
                print: kept.fingerprint,
                permission: permit::narrowest(&request.call),
            },
        );
        notes.extend(learned(
            kept.memory.standing.ledger,
            settlement,
            price,
            CallNote {
                id: None,
                print: kept.fingerprint.to_owned(),
                tool: settlement.call.tool.clone(),
                brief: settlement.call.brief.clone(),
                verdict: settlement.decision.verdict,
                decision: kept.name.to_owned(),
                permitted: kept.permitted,
                by: None,
                writes: settlement.written.clone(),
                project: settlement.project,
            },
        ));
        if let Some(log) = log {
            log.append(&notes, PATIENCE).unwrap_or_default();
        }
        if let Some(state) = &self.state {
            audit::Log::new(state).append(&entry, PATIENCE).ok();
        }
    }
}

/// A settled call and what it was settled with.
struct KeptDecision<'a> {
    settlement: &'a Settlement,
    gate: &'a Gate,
    memory: &'a Memory,
    name: &'a str,
    fingerprint: &'a str,
    permitted: bool,
    started: Instant,
}

impl Decider for GateDecider {
    fn decide(&self, request: &DoorRequest) -> DoorDecision {
        let started = Instant::now();
        if let Err(wrong) = request.call.check() {
            return DoorDecision {
                verdict: Verdict::Deny,
                reason: clean(&format!("automode could not decide and denies: {wrong}")),
                by_person: false,
                by_meaning: false,
                failed: true,
                reaches_out: true,
            };
        }
        let log = self.log(&request.session);
        let read = log.as_ref().map(Log::read);
        let lost = match &read {
            Some(Ok(memory)) => memory.standing.lost,
            Some(Err(_)) => true,
            None => false,
        };
        let mut memory = read.and_then(Result::ok).unwrap_or_default();
        let notes = begin(request, &mut memory);
        let mut session = self.session(&request.session, &memory);
        if let Some(transcript) = &request.transcript {
            session.transcript.clone_from(transcript);
        }
        session
            .suspicious
            .extend(request.suspicious.iter().cloned());
        let root = session.roots.first().unwrap_or(&request.call.cwd);
        let gate = (self.make)(root, &request.session);
        let meant = meaning::settle(&gate, request, &session);
        let by_meaning = meant.is_some();
        let mut settlement =
            meant.unwrap_or_else(|| gate.decide(&request.call, &session, &InstructionFiles));
        if let Some((verdict, reason)) = by_told_rules(request, &session)
            && verdict > settlement.decision.verdict
        {
            settlement.decision.verdict = verdict;
            settlement.decision.reason = reason;
        }
        if lost && settlement.decision.verdict == Verdict::Allow {
            settlement.decision.verdict = Verdict::Ask;
            settlement.decision.reason = "the record of this session cannot be read".to_owned();
        }
        if request.session.losses == LossQuestions::Denied && is_loss(&settlement.decision) {
            settlement.decision.verdict = settlement.decision.verdict.max(Verdict::Deny);
        }
        let fingerprint = permit::bound(&request.call);
        let permitted = self.redeem(&fingerprint, &mut settlement.decision);
        let name = decision_name(&fingerprint);
        let kept = KeptDecision {
            settlement: &settlement,
            gate: &gate,
            memory: &memory,
            name: &name,
            fingerprint: &fingerprint,
            permitted,
            started,
        };
        self.keep(request, kept, notes, log.as_ref());
        DoorDecision {
            verdict: settlement.decision.verdict,
            reason: reason(&settlement.decision, &name),
            by_person: matches!(settlement.decision.ground, Ground::Policy { .. }),
            by_meaning: by_meaning && matches!(request.meaning, Some(CallMeaning::Calls(_))),
            failed: matches!(settlement.decision.ground, Ground::Failure(_)),
            reaches_out: settlement.effects.as_ref().is_none_or(reaches_out),
        }
    }

    fn suspect(&self, session: &DoorSession, result: SuspiciousResult) {
        if let Some(log) = self.log(session) {
            // The door remembers it as well, for as long as it stands.
            let known = log.read().is_ok_and(|memory| {
                let mut all = memory.standing.suspicious.iter();
                all.any(|one| one.tool == result.tool)
            });
            if !known {
                log.append(&[Note::Suspicious(result)], PATIENCE)
                    .unwrap_or_default();
            }
        }
    }

    fn hear(&self, session: &DoorSession, words: &str) {
        let note = Note::User {
            text: words.to_owned(),
        };
        if let Some(log) = self.log(session) {
            // Words that cannot be kept make a judge stricter, not looser.
            log.append(&[note], PATIENCE).unwrap_or_default();
        }
    }
}

/// A question about something that nobody could bring back.
fn is_loss(decision: &Decision) -> bool {
    decision.verdict == Verdict::Ask
        && decision
            .findings
            .iter()
            .any(|finding| [LOCAL_DATA, CLOUD_STORAGE].contains(&finding.rule))
}

/// What the rules say that the client told, and why; nothing where none of them matches.
fn by_told_rules(request: &DoorRequest, session: &Session) -> Option<(Verdict, String)> {
    let Tightening { deny, ask } = &request.session.tightening;
    if deny.is_empty() && ask.is_empty() {
        return None;
    }
    let written = |rules: &[String]| {
        let rule = |text: &String| Written {
            text: text.clone(),
            line: 0,
        };
        rules.iter().map(rule).collect()
    };
    let told = ProjectPolicy {
        origin: Origin {
            scope: Scope::Project,
            file: "the client's own rules".to_owned(),
            line: 0,
        },
        root: request.call.cwd.clone(),
        ask: written(ask),
        deny: written(deny),
        settings: Vec::new(),
        ignored: Vec::new(),
    };
    let policy = Policy::new(Sources {
        projects: vec![told],
        ..Sources::default()
    });
    let decision = Gate::new(policy)
        .decide(&request.call, session, &InstructionFiles)
        .decision;
    let rules = decision.trace.entries.into_iter();
    rules
        .filter(|entry| matches!(entry.stage, Stage::PolicyDeny | Stage::PolicyAsk))
        .filter_map(|entry| Some((entry.verdict?, entry.note)))
        .max_by_key(|(verdict, _)| *verdict)
}

/// The first contact with a session fixes where it began and its repository's remotes.
fn begin(request: &DoorRequest, memory: &mut Memory) -> Vec<Note> {
    if memory.standing.cwd.is_some() {
        return Vec::new();
    }
    let cwd = request.session.roots.first().unwrap_or(&request.call.cwd);
    let facts = Machine.observe(&[Query::Repo(cwd.clone())]);
    let start = Note::Start {
        agent: request.session.door.to_owned(),
        session: request.session.id.clone(),
        cwd: cwd.clone(),
        repo: facts.repos.into_values().next(),
    };
    memory.take(start.clone());
    vec![start]
}

/// What the model and the person read. Where a person's word would settle it, they are told how to give it.
fn reason(decision: &Decision, name: &str) -> String {
    let open = match &decision.ground {
        Ground::Judge(_)
        | Ground::Limit
        | Ground::NoJudge
        | Ground::Guard(_)
        | Ground::FastPath(_)
        | Ground::Permit(_)
        | Ground::Rule(_)
        | Ground::Mode(_) => true,
        // Whoever wrote a rule can change it, and what was not understood cannot be permitted.
        Ground::Policy { .. } => false,
        Ground::Failure(failure) => *failure != Failure::Parse,
    };
    match decision.verdict {
        Verdict::Deny if open => clean(&format!(
            "{} (do not try another way; a person can permit it once: `automode allow-once {name}` in their own terminal, then retry)",
            decision.reason
        )),
        Verdict::Allow | Verdict::Ask | Verdict::Deny => clean(&decision.reason),
    }
}

/// A short name for a decision that people can type.
fn decision_name(fingerprint: &str) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let nanoseconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let seed = Sha256::digest(format!("{fingerprint}{nanoseconds}{}", std::process::id()));
    seed.iter()
        .take(8)
        .filter_map(|byte| LETTERS.get(usize::from(byte % 32)))
        .map(|letter| char::from(*letter))
        .collect()
}

/// Milliseconds since the epoch.
fn milliseconds() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use automode::{Presence, ToolCall};

    #[test]
    fn rules_that_the_client_told_only_tighten() {
        let check = |deny: &[&str], ask: &[&str], verdict: Verdict| {
            let own = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect();
            let request = DoorRequest {
                session: DoorSession {
                    door: "test",
                    id: "s".to_owned(),
                    roots: vec!["/tmp".to_owned()],
                    presence: Presence::Interactive,
                    losses: LossQuestions::Asked,
                    tightening: Tightening {
                        deny: own(deny),
                        ask: own(ask),
                    },
                },
                call: ToolCall::bash("echo hello", "/tmp"),
                transcript: None,
                suspicious: Vec::new(),
                meaning: None,
            };
            let make = |_: &str, _: &DoorSession| Gate::new(Policy::default());
            let decider = GateDecider::new(Box::new(make), None, None, Vec::new());
            assert_eq!(
                decider.decide(&request).verdict,
                verdict,
                "{deny:?} {ask:?}"
            );
        };
        check(&[], &[], Verdict::Allow);
        check(&["Bash(echo:*)"], &[], Verdict::Deny);
        check(&[], &["Bash(echo:*)"], Verdict::Ask);
        check(&["Bash(ls:*)"], &["Read(./x)"], Verdict::Allow);
    }
}

//! A question that somebody elsewhere may answer too.
//!
//! Where this machine belongs to an organisation that brokers questions and the process
//! that carries them is alive, the hook leaves the question in a folder and waits for
//! an answer, within its deadline; then the client asks its own person as ever. The hook
//! itself never touches the network. An answer counts under the organisation's signature
//! alone, for this call of this session with the files that it names as they were, and only
//! for a question that no veto asked: what a guard, a rule of the policy or a finding wants
//! a person for stays with the person here. So does a call that cannot be shown whole:
//! nobody answers for what they do not see.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use automode::state::{State, open_private};
use automode::{Decision, Ground, ToolCall, Verdict, permit};
use automode_agents::Enforcement;
use automode_core::redact::redact;
use automode_core::{Stage, TraceEntry};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::{Value, json};

use super::decide::now;
use super::serve::HookContext;

/// A carrier that gave no sign for so long is gone, in milliseconds.
const ALIVE: u64 = 10_000;
/// What is left of the deadline for everything behind the answer.
const MARGIN: Duration = Duration::from_secs(2);
/// The longest that a person here waits for somebody elsewhere.
const LONGEST: Duration = Duration::from_secs(45);
const LOOKS: Duration = Duration::from_millis(60);
/// The longest call that is carried, in characters. The server keeps and shows as many.
const SHOWN: usize = 12_000;

/// What the hook needs of the enrolment.
#[derive(Deserialize)]
struct Membership {
    device: String,
    organisation_key: String,
    #[serde(default)]
    broker: bool,
}

/// An answer as the server signed it.
#[derive(Deserialize)]
struct SignedAnswer {
    text: String,
    signature: String,
}

#[derive(Deserialize)]
struct BrokeredAnswer {
    ask: String,
    device: String,
    print: String,
    session: String,
    answer: String,
    by: String,
    until: u64,
    deadline: u64,
}

/// Puts a question to people elsewhere, and takes their answer into the decision.
pub fn consult(
    context: &HookContext<'_>,
    call: &ToolCall,
    (name, brief): (&str, &str),
    decision: &mut Decision,
) {
    let (Some(state), true) = (&context.state, may_be_brokered(decision)) else {
        return;
    };
    if context.options.enforcement != Enforcement::Enforce {
        return;
    }
    let Some(membership) = membership(state).filter(|membership| membership.broker) else {
        return;
    };
    // A script that is written anew after it was approved is another one.
    let print = permit::bound(call);
    let session = &context.event.session;
    let fits = |answer: &BrokeredAnswer| {
        answer.device == membership.device && answer.print == print && &answer.session == session
    };
    let folder = state.path("fleet/asks");
    let grant = folder.join(format!("{print}.grant"));
    if let Some(answer) = read(&grant, &membership.organisation_key)
        .filter(|answer| fits(answer) && answer.until > now())
    {
        return settle(decision, &answer);
    }
    if !carrier_is_alive(&folder) {
        return;
    }
    let Some(question) = Question::new(context, call, brief, decision) else {
        return;
    };
    let answered = question
        .leave(&folder, (name, &print))
        .and_then(|path| wait(&path, &membership.organisation_key, question.left))
        .filter(|answer| fits(answer) && answer.ask == name && answer.deadline > now())
        .filter(|_| permit::bound(call) == print);
    if let Some(answer) = answered {
        if answer.until > now() {
            // The next such call finds it; a failure here costs a question.
            let _ = fs::rename(folder.join(format!("{name}.answer")), &grant);
        }
        settle(decision, &answer);
    }
    let _ = fs::remove_file(folder.join(format!("{name}.json")));
}

/// Whether nothing but the lack of a judgement asks.
fn may_be_brokered(decision: &Decision) -> bool {
    let open = match &decision.ground {
        Ground::NoJudge | Ground::Judge(_) | Ground::Limit => true,
        Ground::Policy { .. }
        | Ground::Guard(_)
        | Ground::FastPath(_)
        | Ground::Rule(_)
        | Ground::Permit(_)
        | Ground::Mode(_)
        | Ground::Failure(_) => false,
    };
    let vetoed = |entry: &TraceEntry| match entry.stage {
        Stage::PolicyDeny | Stage::Guards | Stage::RulesVeto | Stage::PolicyAsk | Stage::Mode => {
            entry
                .verdict
                .is_some_and(|verdict| verdict != Verdict::Allow)
        }
        Stage::Normalize
        | Stage::Observe
        | Stage::PolicyAllow
        | Stage::FastPaths
        | Stage::Confine
        | Stage::Judge
        | Stage::Ledger
        | Stage::Permit => false,
    };
    decision.verdict == Verdict::Ask && open && !decision.trace.entries.iter().any(vetoed)
}

fn membership(state: &State) -> Option<Membership> {
    let text = fs::read_to_string(state.path("fleet/enrolment.json")).ok()?;
    serde_json::from_str(&text).ok()
}

fn carrier_is_alive(folder: &Path) -> bool {
    let beat = fs::read_to_string(folder.join("carrier")).unwrap_or_default();
    let beat: u64 = beat.trim().parse().unwrap_or_default();
    now().abs_diff(beat) < ALIVE
}

/// A call as people elsewhere see it.
struct Question {
    left: Duration,
    shown: Value,
}

impl Question {
    /// None where there is no time for it, or where it cannot be shown whole.
    fn new(
        context: &HookContext<'_>,
        call: &ToolCall,
        brief: &str,
        decision: &Decision,
    ) -> Option<Self> {
        let left = context
            .options
            .deadline
            .saturating_sub(context.started.elapsed())
            .saturating_sub(MARGIN)
            .min(LONGEST);
        let patience = u64::try_from(left.as_millis()).ok()?;
        let brief = redact(brief);
        if patience == 0 || brief.trim().is_empty() || brief.chars().count() > SHOWN {
            return None;
        }
        let rule = decision.findings.first().map_or("", |finding| finding.rule);
        let shown = json!({
            "agent": context.options.agent.name(),
            "session": context.event.session,
            "tool": call.tool,
            "brief": brief,
            "place": redact(&call.cwd),
            "rule": rule,
            "reason": redact(&decision.reason).chars().take(2_000).collect::<String>(),
            "patience": patience,
            "deadline": now().saturating_add(patience),
        });
        Some(Self { left, shown })
    }

    /// Leaves it in the folder; where its answer will lie.
    fn leave(&self, folder: &Path, (name, print): (&str, &str)) -> Option<PathBuf> {
        let mut question = self.shown.clone();
        let fields = question.as_object_mut()?;
        fields.insert("id".to_owned(), name.into());
        fields.insert("print".to_owned(), print.into());
        let unfinished = folder.join(format!(".{name}"));
        let mut file = open_private(&unfinished).ok()?;
        file.write_all(question.to_string().as_bytes()).ok()?;
        fs::rename(&unfinished, folder.join(format!("{name}.json"))).ok()?;
        Some(folder.join(format!("{name}.answer")))
    }
}

fn wait(path: &Path, key: &str, left: Duration) -> Option<BrokeredAnswer> {
    let end = Instant::now().checked_add(left)?;
    while Instant::now() < end {
        if path.exists() {
            return read(path, key);
        }
        thread::sleep(LOOKS);
    }
    None
}

/// An answer that the organisation signed.
fn read(path: &Path, key: &str) -> Option<BrokeredAnswer> {
    let signed: SignedAnswer = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    let message = format!("automode-answer\n{}", signed.text);
    UnparsedPublicKey::new(&ED25519, bytes(key)?)
        .verify(message.as_bytes(), &bytes(&signed.signature)?)
        .ok()?;
    serde_json::from_str(&signed.text).ok()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

fn settle(decision: &mut Decision, answer: &BrokeredAnswer) {
    let verdict = match answer.answer.as_str() {
        "allow" => Verdict::Allow,
        _ => Verdict::Deny,
    };
    let note = format!(
        "{} answered {} through the organisation",
        answer.by, answer.answer
    );
    decision.verdict = verdict;
    decision.ground = Ground::Permit(note.clone());
    decision.reason.clone_from(&note);
    decision.trace.entries.push(TraceEntry {
        stage: Stage::Permit,
        verdict: Some(verdict),
        note,
    });
}

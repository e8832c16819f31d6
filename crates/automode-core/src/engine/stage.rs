//! The stages of the engine, one function each.
//!
//! A stage answers with a [`StageAnswer`]: an opinion, or nothing and a note on why.
//! A veto never answers with an allow; a permit that cannot prove its case
//! answers with nothing.

use automode_shell::Coverage;
use serde_json::Value;

use super::case::Case;
use super::confinable::Confinable;
use super::opinion::Opinion;
use super::recoverable::Recoverable;
use crate::confine::{ConfineMode, Enforces, Possible, Undo};
use crate::fastpath::{Answer, FAST_PATHS, View, edit_proof};
use crate::policy::{AskRules, Asked, Asks, Bypass, Match};
use crate::scene::{Suspicion, report};
use crate::{
    Action, Failure, Finding, Ground, Mode, Presence, Stage, Trace, TraceEntry, Verdict, Weight,
    exceptions, guards, tool,
};

/// What a stage says.
pub(super) enum StageAnswer {
    Says(Opinion),
    Silent(String),
}

/// A stage that may allow.
pub(super) type Permit = fn(&Case<'_>, &[Finding]) -> StageAnswer;

impl StageAnswer {
    fn silent(note: impl Into<String>) -> Self {
        Self::Silent(note.into())
    }
}

/// Notes what a stage said, and hands its opinion on.
pub(super) fn hear(trace: &mut Trace, stage: Stage, word: StageAnswer) -> Option<Opinion> {
    match word {
        StageAnswer::Says(opinion) => {
            note(trace, stage, &opinion);
            Some(opinion)
        }
        StageAnswer::Silent(note) => {
            trace.entries.push(TraceEntry {
                stage,
                verdict: None,
                note,
            });
            None
        }
    }
}

/// Notes that a stage was not asked.
pub(super) fn silence(trace: &mut Trace, stage: Stage, why: &str) {
    hear(trace, stage, StageAnswer::silent(why));
}

/// Notes an opinion.
pub(super) fn note(trace: &mut Trace, stage: Stage, opinion: &Opinion) {
    trace.entries.push(TraceEntry {
        stage,
        verdict: Some(opinion.verdict),
        note: opinion.reason.clone(),
    });
}

/// Always-deny rules. A policy that is broken may have lost some: then nothing passes,
/// and what is left of the engine is heard all the same.
pub(super) fn deny(case: &Case<'_>) -> StageAnswer {
    if let Some(found) = case.policy.denies(&case.subject()) {
        return StageAnswer::Says(by_rule(Verdict::Deny, &found));
    }
    let Some(why) = case.policy.failure() else {
        return StageAnswer::silent("no deny rule matches");
    };
    let (mode, presence) = (case.session.mode, case.session.presence);
    let failed = Opinion::failed(Failure::Parse, "", presence, &case.policy.settings);
    let broken = Opinion {
        reason: format!(
            "broken settings allow nothing: {} (hint: automode config lint)",
            why.replace('\n', "; ")
        ),
        ..failed
    };
    StageAnswer::Says(broken.bounding(mode, presence))
}

/// The opinion of a permission rule.
fn by_rule(verdict: Verdict, found: &Match) -> Opinion {
    let Match { rule, origin } = found;
    let ground = Ground::Policy {
        rule: rule.clone(),
        origin: origin.clone(),
    };
    let name = verdict.name();
    let reason = format!("the {name} rule `{rule}` matches ({origin})");
    Opinion::new(verdict, ground, reason)
}

/// What no judge may approve.
pub(super) fn guards(case: &Case<'_>) -> StageAnswer {
    match guards::check(&case.scene()) {
        Some(stop) => StageAnswer::Says(Opinion::new(
            Verdict::Ask,
            Ground::Guard(stop.guard),
            format!("{}; only a person may approve that", stop.reason),
        )),
        None => StageAnswer::silent("no guard stops it"),
    }
}

/// Block rules proved by the analysis.
pub(super) fn veto(findings: &[Finding]) -> StageAnswer {
    let veto = findings
        .iter()
        .find(|finding| finding.weight == Weight::Veto);
    match veto {
        Some(finding) => StageAnswer::Says(Opinion::new(
            Verdict::Deny,
            Ground::Rule(finding.rule),
            sentence(finding),
        )),
        None if findings.is_empty() => StageAnswer::silent("no block rule has a finding"),
        None => StageAnswer::silent(evidence(findings)),
    }
}

/// Ask rules: a person's hands the call to a person, a repository's is a floor.
pub(super) fn ask(case: &Case<'_>) -> StageAnswer {
    let Asks { person, project } = case.policy.asks(&case.subject());
    let (mode, presence) = (case.session.mode, case.session.presence);
    let left = |asked: &Asked| match asked {
        Asked::Rule(_) => leaves_to_judge(case),
        // The setting speaks of ask rules: no judge answers for a deny rule.
        Asked::Doubt(_) => false,
    };
    match (person, project) {
        (Some(asked), _) if !left(&asked) => StageAnswer::Says(by_asking(&asked)),
        (_, Some(asked)) if !left(&asked) => {
            StageAnswer::Says(by_asking(&asked).bounding(mode, presence))
        }
        (Some(asked), _) | (None, Some(asked)) => {
            let reason = by_asking(&asked).reason;
            StageAnswer::silent(format!("{reason}, and leaves it to the judge"))
        }
        (None, None) => StageAnswer::silent("no ask rule matches"),
    }
}

fn by_asking(asked: &Asked) -> Opinion {
    match asked {
        Asked::Rule(found) => by_rule(Verdict::Ask, found),
        Asked::Doubt(found) => Opinion {
            reason: format!(
                "whether the deny rule `{}` matches shows only when it runs ({})",
                found.rule, found.origin
            ),
            ..by_rule(Verdict::Ask, found)
        },
    }
}

fn leaves_to_judge(case: &Case<'_>) -> bool {
    match case.policy.settings.ask_rules {
        AskRules::Person => false,
        AskRules::Judge => case.session.mode == Mode::Auto,
    }
}

/// In plan mode nothing is changed by a tool that only changes things.
pub(super) fn plan(case: &Case<'_>) -> StageAnswer {
    let changes = matches!(
        case.action,
        Action::Edit { .. }
            | Action::Write { .. }
            | Action::Notebook { .. }
            | Action::Configure { .. }
            | Action::Schedule { .. }
    );
    if case.session.mode == Mode::Plan && changes {
        return StageAnswer::Says(Opinion::new(
            Verdict::Ask,
            Ground::Mode(Mode::Plan),
            format!(
                "plan mode looks and does not touch; {} changes something",
                case.tool
            ),
        ));
    }
    StageAnswer::silent(format!("mode {}", case.session.mode.name()))
}

/// Allow rules; in auto mode those that survived stripping.
pub(super) fn allow(case: &Case<'_>, _findings: &[Finding]) -> StageAnswer {
    let subject = case.subject();
    if leaves_to_judge(case) && case.policy.asks(&subject).any().is_some() {
        return StageAnswer::silent("an ask rule stands before the allow rules");
    }
    match case.policy.allows(&subject, case.session.mode) {
        Some(found) => StageAnswer::Says(by_rule(Verdict::Allow, &found)),
        None => StageAnswer::silent("no allow rule covers it"),
    }
}

/// What needs no judge.
pub(super) fn fast_paths(case: &Case<'_>, findings: &[Finding]) -> StageAnswer {
    if !findings.is_empty() {
        return StageAnswer::silent("a finding closes the fast paths");
    }
    let view = View {
        tool: &case.tool,
        scene: case.scene(),
        mode: case.session.mode,
        settings: &case.policy.settings,
    };
    let mut notes = Vec::new();
    for path in FAST_PATHS {
        match path.consider(&view) {
            Answer::Settled { verdict, reason } => {
                let ground = Ground::FastPath(path.id());
                return StageAnswer::Says(Opinion::new(verdict, ground, reason));
            }
            Answer::Open(missing) if missing.is_empty() => {}
            Answer::Open(missing) => notes.push(format!("{}: {missing}", path.id())),
        }
    }
    if notes.is_empty() {
        notes.push("no fast path applies".to_owned());
    }
    StageAnswer::silent(notes.join("; "))
}

/// What can be proved harmless.
pub(super) fn exceptions(case: &Case<'_>, findings: &[Finding]) -> StageAnswer {
    match case.session.mode {
        Mode::Auto => {}
        Mode::Default
        | Mode::AcceptEdits
        | Mode::Plan
        | Mode::DontAsk
        | Mode::BypassPermissions => return StageAnswer::silent("exceptions are for auto mode"),
    }
    let scene = case.scene();
    // An edit needs its own proof as well: an exception may clear what a rule saw in
    // it, not where it lands or what it replaces.
    if case.action.edited_file().is_some()
        && let Err(missing) = edit_proof(&scene)
    {
        return StageAnswer::silent(missing);
    }
    let project_code = case.policy.settings.project_code;
    match exceptions::settle(&scene, findings, project_code) {
        Ok(proof) => StageAnswer::Says(Opinion::new(
            Verdict::Allow,
            Ground::FastPath(proof.exception),
            proof.reason,
        )),
        Err(open) => StageAnswer::silent(open.join("; ")),
    }
}

/// A loss that a snapshot makes good, where the runtime takes one and somebody can use it.
pub(super) fn undo(case: &Case<'_>, findings: &[Finding]) -> StageAnswer {
    let settings = &case.policy.settings;
    let Enforces {
        snapshots, undo, ..
    } = case.session.enforces;
    if settings.confine.undo != Undo::On || !snapshots {
        return StageAnswer::silent("nothing is kept for undo");
    }
    if !undo || case.session.presence == Presence::Headless {
        return StageAnswer::silent("undo: nobody is there who could bring it back");
    }
    match Recoverable::of(&case.scene(), findings, settings.project_code) {
        Ok(recoverable) => {
            let (plan, reason) = recoverable.into_parts();
            let mut opinion = Opinion::new(Verdict::Allow, Ground::FastPath("undo"), reason);
            opinion.protection.snapshot = Some(plan);
            StageAnswer::Says(opinion)
        }
        Err(open) => StageAnswer::silent(format!("undo: {open}")),
    }
}

/// Unread code, where the runtime confines it.
pub(super) fn confined(case: &Case<'_>, findings: &[Finding]) -> StageAnswer {
    let settings = &case.policy.settings;
    if !confines(case) {
        return StageAnswer::silent("nothing is confined");
    }
    let keeps = settings.confine.undo != Undo::Off;
    if keeps && !case.session.enforces.snapshots {
        return StageAnswer::silent("confined: what it could lose cannot be kept");
    }
    let confinable =
        Confinable::of(&case.scene(), findings, settings.project_code).and_then(Confinable::alone);
    let roots = &case.context.roots;
    match confinable {
        Ok(confinable) if confinable.needs_keeping() && !keeps => {
            StageAnswer::silent("confined: what it would lose is not kept")
        }
        Ok(confinable) => match confinable.confinement(&settings.confine, roots) {
            Some(confinement) => {
                let reason = confinable.reason(&settings.confine);
                let mut opinion =
                    Opinion::new(Verdict::Allow, Ground::FastPath("confined"), reason);
                opinion.protection.confinement = Some(confinement);
                opinion.protection.snapshot = keeps.then(|| Confinable::plan(roots));
                StageAnswer::Says(opinion)
            }
            None => StageAnswer::silent("confined: there is no project to confine it to"),
        },
        Err(open) => StageAnswer::silent(format!("confined: {open}")),
    }
}

/// An allow of the engine's own that starts code is confined too. A person's rule is not.
pub(super) fn confine_allowed(
    case: &Case<'_>,
    findings: &[Finding],
    mut opinion: Opinion,
) -> Opinion {
    let by_engine = matches!(opinion.ground, Ground::FastPath(_));
    if opinion.verdict != Verdict::Allow || !by_engine || !confines(case) {
        return opinion;
    }
    let scene = case.scene();
    let settings = &case.policy.settings;
    let wanted = match settings.confine.mode {
        ConfineMode::Off => false,
        ConfineMode::Unread => Confinable::starts_unread_code(&scene),
        ConfineMode::Always => !Confinable::only_sets_the_shell(&scene),
    };
    if wanted && let Ok(confinable) = Confinable::of(&scene, findings, settings.project_code) {
        opinion.protection.confinement =
            confinable.confinement(&settings.confine, &case.context.roots);
    }
    opinion
}

fn confines(case: &Case<'_>) -> bool {
    let wanted = match case.policy.settings.confine.mode {
        ConfineMode::Off => false,
        ConfineMode::Unread | ConfineMode::Always => true,
    };
    wanted && case.session.enforces.confinement && !is_in_background(case)
}

/// A process that outlives its call would not outlive its confinement.
fn is_in_background(case: &Case<'_>) -> bool {
    const NAMES: [&str; 5] = [
        "run_in_background",
        "is_background",
        "background",
        "fireAndForget",
        "mode",
    ];
    let told = NAMES.iter().any(|name| match case.call.input.get(*name) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(word)) => word != "sync",
        Some(Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => true,
    });
    told || matches!(&case.action, Action::Shell { command } if leaves_a_job(command))
}

/// Whether a command ends with a job of the shell still at work: `npm run dev &`.
///
/// Read from the text, since it decides nothing but whether a promise makes sense: the answer
/// without one stands for what looks so by mistake. A job that is waited for or ended is none.
fn leaves_a_job(command: &str) -> bool {
    let bytes = command.as_bytes();
    let at = |index: usize| bytes.get(index).copied();
    let is_operator = |index: usize| {
        let before = index.checked_sub(1).and_then(at);
        at(index) == Some(b'&')
            && !matches!(before, Some(b'&' | b'>' | b'<' | b'|' | b'\\'))
            && !matches!(at(index.saturating_add(1)), Some(b'&' | b'>'))
    };
    let Some(last) = (0..bytes.len()).rev().find(|index| is_operator(*index)) else {
        return false;
    };
    let rest = command.get(last.saturating_add(1)..).unwrap_or_default();
    let mut words = rest.split(|letter: char| !letter.is_alphanumeric());
    // Behind a quote or a comment the sign stands for itself, and so it does in an address.
    let quoted = rest.matches(['\'', '"']).count() % 2 == 1;
    let plain = rest
        .chars()
        .next()
        .is_none_or(|next| next.is_whitespace() || ")};".contains(next));
    plain && !quoted && !words.any(|word| matches!(word, "wait" | "kill" | "pkill" | "fg"))
}

/// What could have been promised for a call that asks, under the settings as they are.
pub(super) fn possible(case: &Case<'_>, findings: &[Finding]) -> Option<Possible> {
    let veto = findings
        .iter()
        .any(|finding| finding.weight == Weight::Veto);
    let asked = case.policy.asks(&case.subject()).any().is_some();
    let stopped = guards::check(&case.scene()).is_some();
    if veto || asked || stopped || case.session.mode != Mode::Auto || is_in_background(case) {
        return None;
    }
    let (scene, code) = (case.scene(), case.policy.settings.project_code);
    let confinable = Confinable::of(&scene, findings, code).and_then(Confinable::alone);
    if confinable.is_ok() {
        Some(Possible::Confined)
    } else if Recoverable::of(&scene, findings, code).is_ok() {
        Some(Possible::Undo)
    } else {
        None
    }
}

/// The mode's own answer to what nothing settled.
pub(super) fn mode(case: &Case<'_>, findings: &[Finding]) -> Opinion {
    let mode = case.session.mode;
    let (verdict, reason) = match mode {
        Mode::BypassPermissions => match case.policy.bypass() {
            Bypass::Open => (Verdict::Allow, "permissions are bypassed".to_owned()),
            Bypass::Closed => (
                Verdict::Ask,
                "the settings do not let permissions be bypassed".to_owned(),
            ),
        },
        Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Auto | Mode::DontAsk => {
            (Verdict::Ask, open_reason(case, findings))
        }
    };
    Opinion::new(verdict, Ground::Mode(mode), reason)
}

/// Why a call is still open: what was found, or what could not be seen.
pub(super) fn open_reason(case: &Case<'_>, findings: &[Finding]) -> String {
    let scene = case.scene();
    let project_code = case.policy.settings.project_code;
    if let Some(finding) = exceptions::standing(&scene, findings).next() {
        return sentence(finding);
    }
    if case.analysis().is_none() {
        return unsettled(case);
    }
    if let Some(Suspicion { subject, why, .. }) = case.project.suspicions().first() {
        return format!("it runs code of the project that is not clean: {subject} {why}");
    }
    if let Some(gap) = exceptions::open_gaps(&scene, project_code).first() {
        let what = report::gap(&gap.kind);
        return match case.analysis().map(|analysis| &analysis.coverage) {
            Some(Coverage::Opaque(_)) => format!("the command was not understood: {what}"),
            Some(Coverage::Complete | Coverage::Partial(_)) | None => {
                format!("not everything it does is known: {what}")
            }
        };
    }
    match exceptions::settle(&scene, findings, project_code)
        .err()
        .as_deref()
    {
        Some([first, ..]) => format!("nothing shows that this is routine: it {first}"),
        Some([]) | None => "what it does is known, but no rule allows it".to_owned(),
    }
}

/// Why a call of another tool is still open.
fn unsettled(case: &Case<'_>) -> String {
    let tool = &case.tool;
    if case.action.edited_file().is_some()
        && let Err(missing) = edit_proof(&case.scene())
    {
        return missing;
    }
    if let Action::Opaque { tool: name, .. } = &case.action
        && tool::is_known(name)
    {
        return format!("the input of `{tool}` does not have the shape that is known");
    }
    format!("nothing decides about `{tool}` by itself")
}

/// A finding as one sentence for the agent and the person.
fn sentence(finding: &Finding) -> String {
    let Finding {
        rule,
        evidence,
        instead,
        ..
    } = finding;
    if instead.is_empty() {
        format!("{rule}: {evidence}")
    } else {
        format!("{rule}: {evidence}; {instead}")
    }
}

fn evidence(findings: &[Finding]) -> String {
    let all: Vec<_> = findings
        .iter()
        .map(|finding| format!("{}: {}", finding.rule, finding.evidence))
        .collect();
    format!("evidence for the judge: {}", all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::leaves_a_job;

    #[test]
    fn jobs_that_outlive_the_command_are_seen() {
        let check = |command: &str, expected: bool| {
            assert_eq!(leaves_a_job(command), expected, "{command}");
        };
        check("npm run dev &", true);
        check("npm run dev & disown", true);
        check("nohup ./serve > log 2>&1 &", true);
        check("(./serve &)", true);
        check("./serve & sleep 1; curl localhost:8000", true);
        check("./serve & sleep 1; curl localhost:8000; kill %1", false);
        check("make & make test & wait", false);
        check("make && make test", false);
        check("make 2>&1 | tail", false);
        check("make &> log", false);
        check("curl 'http://localhost/?a=1&b=2'", false);
        check("echo 'a & b'", false);
        check("make", false);
    }
}

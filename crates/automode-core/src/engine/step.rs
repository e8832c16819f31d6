//! The engine without IO: it says what it needs and is told what came of it.
//!
//! A caller feeds [`Engine::resume`] until it settles. Whatever the caller answers
//! the engine ends: observations are asked for in a bounded number of rounds, the
//! judge in at most two passes, and an answer out of turn is a failure.

use super::case::{Case, JudgePresence, Question};
use super::consent;
use super::opinion::Opinion;
use super::plan::plan;
use super::record::{self, Judged, Settlement};
use super::{WalkEnd, stage, walk};
use crate::confine::Protection;
use crate::effects::Effects;
use crate::judge::{self, Judgement, Judging, Next};
use crate::ledger::{Entry, Limit};
use crate::scene::Suspicion;
use crate::{
    Decision, Facts, Failure, Finding, Ground, Ledger, Mode, Query, Stage, Trace, TraceEntry,
    Verdict, Weight, brief, rules,
};

/// How often the engine asks to observe before it decides with what it has.
const ROUNDS: u8 = 7;

/// What the engine wants.
#[derive(Clone, Debug)]
pub enum Step {
    /// Look at these and answer with [`Input::Facts`]; with a failure in [`Input::Reply`] where
    /// the agent's own record was wanted and cannot be shown whole.
    Observe(Vec<Query>),
    /// Put this to the judge and answer with [`Input::Reply`].
    Judge(judge::Request),
    Settled(Box<Settlement>),
}

/// What the caller answers.
#[derive(Clone, Debug)]
pub enum Input {
    Start,
    Facts(Box<Facts>),
    Reply(Result<judge::Reply, judge::Trouble>),
}

impl From<Facts> for Input {
    fn from(facts: Facts) -> Self {
        Self::Facts(Box::new(facts))
    }
}

/// One call under way.
#[derive(Debug)]
pub struct Engine<'a> {
    case: Case<'a>,
    state: EngineState,
    findings: Vec<Finding>,
    trace: Trace,
    /// What the answer may not be looser than.
    floor: Option<Opinion>,
    judged: Option<Judged>,
    recall: RecallState,
}

/// Whether the user's words were looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecallState {
    Open,
    Done,
}

#[derive(Debug)]
enum EngineState {
    Fresh,
    Observing {
        rounds: u8,
    },
    /// A veto stands that the user's own words could turn into evidence.
    Consenting,
    Recalling,
    Judging(Judging),
    /// It would not run: a person may have permitted it once.
    Permitting(Box<(Opinion, Ledger)>),
    Settled,
}

impl<'a> Engine<'a> {
    #[must_use]
    pub fn new(question: Question<'a>) -> Self {
        Self {
            case: Case::new(question),
            state: EngineState::Fresh,
            findings: Vec::new(),
            trace: Trace::default(),
            floor: None,
            judged: None,
            recall: RecallState::Open,
        }
    }

    /// Takes an answer and says what comes next.
    pub fn resume(&mut self, input: Input) -> Step {
        let state = std::mem::replace(&mut self.state, EngineState::Settled);
        match (state, input) {
            (EngineState::Fresh, Input::Start) => match self.case.call.check() {
                Ok(()) => self.observe(0),
                Err(wrong) => {
                    let opinion = self.unusable(&wrong);
                    self.settle(opinion, Entry::Unjudged(Verdict::Deny))
                }
            },
            (EngineState::Observing { rounds }, Input::Facts(facts)) => {
                self.case.learn(*facts);
                self.observe(rounds)
            }
            (EngineState::Consenting, Input::Facts(facts)) => {
                self.case.learn(*facts);
                self.recall = RecallState::Done;
                self.hear_consent();
                self.go_on()
            }
            // Words that cannot be read are nobody's consent.
            (EngineState::Consenting, Input::Reply(_)) => self.go_on(),
            (EngineState::Recalling, Input::Facts(facts)) => {
                self.case.learn(*facts);
                self.ask_judge()
            }
            // What the judge must see could not be had: there is nothing to ask about.
            (EngineState::Recalling, Input::Reply(Err(trouble))) => {
                self.fail(trouble.failure, &trouble.detail)
            }
            (EngineState::Judging(judging), Input::Reply(reply)) => self.hear_judge(judging, reply),
            (EngineState::Permitting(held), Input::Facts(facts)) => {
                let (opinion, ledger) = *held;
                let opinion = self.permitted(opinion, facts.permit);
                self.close(opinion, ledger)
            }
            // Whatever else is answered permits nothing.
            (EngineState::Permitting(held), Input::Start | Input::Reply(_)) => {
                let (opinion, ledger) = *held;
                self.close(opinion, ledger)
            }
            (
                EngineState::Fresh
                | EngineState::Observing { .. }
                | EngineState::Consenting
                | EngineState::Recalling
                | EngineState::Judging(_)
                | EngineState::Settled,
                Input::Start | Input::Facts(_) | Input::Reply(_),
            ) => {
                let opinion = self.unusable("an answer came out of turn");
                self.settle(opinion, Entry::Unjudged(Verdict::Deny))
            }
        }
    }

    fn observe(&mut self, rounds: u8) -> Step {
        let queries = plan(&self.case);
        if queries.is_empty() || rounds >= ROUNDS {
            self.case.judge_project();
            self.note(
                Stage::Normalize,
                match self.case.call.tool == self.case.tool.as_ref() {
                    true => format!("the tool {}", self.case.tool),
                    false => format!("{} means {}", self.case.call.tool, self.case.tool),
                },
            );
            self.note(
                Stage::Observe,
                format!("{} facts of the machine looked up", self.case.asked.len()),
            );
            return self.decide();
        }
        self.case.asked.extend(queries.iter().cloned());
        self.state = EngineState::Observing {
            rounds: rounds.saturating_add(1),
        };
        Step::Observe(queries)
    }

    fn decide(&mut self) -> Step {
        self.findings = rules::detect(&self.case.scene());
        for finding in &mut self.findings {
            if self.case.policy.auto_mode.vetoes(finding.rule) {
                finding.weight = Weight::Veto;
            }
        }
        if self
            .findings
            .iter()
            .any(|finding| self.is_consentable(finding))
        {
            self.state = EngineState::Consenting;
            return Step::Observe(vec![Query::Transcript]);
        }
        self.go_on()
    }

    /// A person's `hard_deny` is not talked over, and where neither a judge nor a person is asked
    /// nobody could take the words for what they are: the user may have forbidden it.
    fn is_consentable(&self, finding: &Finding) -> bool {
        let somebody_decides = self.case.session.mode != Mode::BypassPermissions;
        somebody_decides
            && consent::may_be_consented(finding)
            && !self.case.policy.auto_mode.vetoes(finding.rule)
    }

    /// Vetoes about what the user dictated word for word become evidence.
    fn hear_consent(&mut self) {
        let case = &self.case;
        let entries = case.entries();
        let text = case.call.text("command").unwrap_or_default();
        let dictated: Vec<bool> = self
            .findings
            .iter()
            .map(|finding| {
                self.is_consentable(finding) && consent::is_dictated(finding, text, entries)
            })
            .collect();
        for (finding, is_dictated) in self.findings.iter_mut().zip(dictated) {
            if is_dictated {
                finding.weight = Weight::Evidence;
            }
        }
    }

    fn go_on(&mut self) -> Step {
        let way = walk(&self.case, &self.findings, &mut self.trace);
        self.floor = way.floor;
        match way.end {
            WalkEnd::Settled(opinion) => {
                let entry = Entry::Unjudged(opinion.verdict);
                self.settle(opinion, entry)
            }
            WalkEnd::Judge => self.turn_to_judge(),
        }
    }

    fn turn_to_judge(&mut self) -> Step {
        let limits = &self.case.policy.settings.limits;
        match self.case.judge {
            JudgePresence::Absent => {
                // That there is no judge is the ground: a prompt has no room for advice.
                let open = stage::open_reason(&self.case, &self.findings);
                let opinion = Opinion::new(Verdict::Ask, Ground::NoJudge, open);
                stage::note(&mut self.trace, Stage::Judge, &opinion);
                self.settle(opinion, Entry::Unjudged(Verdict::Ask))
            }
            JudgePresence::Present if self.case.session.ledger.is_paused(limits, self.case.now) => {
                // Not an outage of its own: counting it would never let the pause end.
                let opinion = self.failed(Failure::Unavailable, "it failed several times and is left alone for a while; `automode judge test` says why");
                self.settle(opinion, Entry::Unjudged(Verdict::Deny))
            }
            JudgePresence::Present if self.recall == RecallState::Done => self.ask_judge(),
            JudgePresence::Present => {
                self.state = EngineState::Recalling;
                Step::Observe(vec![Query::Transcript])
            }
        }
    }

    fn ask_judge(&mut self) -> Step {
        let case = &self.case;
        let entries = case.entries();
        // Whole: a cut could hide what it does, and what does not fit is overlong.
        let brief = brief::bounded(&case.action, usize::MAX);
        let mut facts = judge::facts(case.session, &case.facts);
        let loaded = case.project.suspicions().iter();
        facts.extend(loaded.map(|Suspicion { subject, why, .. }| {
            format!("code of the project that this may run: {subject} {why}")
        }));
        let begun = Judging::begin(
            &judge::Case {
                tool: &case.tool,
                brief: &brief,
                entries,
                instructions: &case.facts.instructions,
                facts: &facts,
                findings: &self.findings,
                auto_mode: &case.policy.auto_mode,
            },
            &case.policy.settings.judge,
        );
        match begun {
            Ok((judging, request)) => {
                self.state = EngineState::Judging(judging);
                Step::Judge(request)
            }
            Err(failure) => self.fail(failure, ""),
        }
    }

    fn hear_judge(
        &mut self,
        mut judging: Judging,
        reply: Result<judge::Reply, judge::Trouble>,
    ) -> Step {
        let stage = judging.stage();
        let mut detail = String::new();
        let next = judging.resume(reply.map_err(|trouble| {
            detail = trouble.detail;
            trouble.failure
        }));
        self.judged = Some(Judged {
            stage,
            usage: judging.usage(),
            model: judging.model().to_owned(),
        });
        match next {
            Next::Ask(request) => {
                self.note(Stage::Judge, "the fast pass did not clear it".to_owned());
                self.state = EngineState::Judging(judging);
                Step::Judge(request)
            }
            Next::Done(Ok(Judgement::Clear)) => {
                let ground = Ground::Judge(stage);
                let opinion = Opinion::new(Verdict::Allow, ground, "the judge cleared it");
                stage::note(&mut self.trace, Stage::Judge, &opinion);
                self.settle(opinion, Entry::Cleared)
            }
            Next::Done(Ok(Judgement::Block { rule, reason })) => self.block(stage, rule, reason),
            Next::Done(Err(failure)) => self.fail(failure, &detail),
        }
    }

    fn block(&mut self, stage: judge::JudgeStage, rule: Option<String>, reason: String) -> Step {
        let rule = rule.map_or_else(String::new, |rule| format!(" ({rule})"));
        let reason = match reason.trim() {
            "" => format!("the judge blocked it{rule} and gave no reason"),
            said => format!("the judge blocked it{rule}: {said}"),
        };
        let opinion = Opinion::new(Verdict::Deny, Ground::Judge(stage), reason);
        stage::note(&mut self.trace, Stage::Judge, &opinion);
        let settings = &self.case.policy.settings;
        let limit = self
            .case
            .session
            .ledger
            .after(Entry::Blocked, &settings.limits, self.case.now)
            .limit(
                &settings.limits,
                self.case.session.presence,
                settings.on_limit,
            );
        let opinion = match limit {
            Limit::Within => opinion,
            Limit::Person => Opinion {
                verdict: Verdict::Ask,
                ground: Ground::Limit,
                reason: format!(
                    "{}; too many denials in this session, a person takes over",
                    opinion.reason
                ),
                ..opinion
            },
            Limit::Stop => Opinion {
                verdict: Verdict::Deny,
                ground: Ground::Limit,
                reason: format!(
                    "{}; too many denials in this session, the run ends",
                    opinion.reason
                ),
                stop: true,
                ..opinion
            },
        };
        self.settle(opinion, Entry::Blocked)
    }

    fn fail(&mut self, failure: Failure, detail: &str) -> Step {
        let opinion = self.failed(failure, detail);
        self.settle(opinion, Entry::Failed(failure))
    }

    fn failed(&mut self, failure: Failure, detail: &str) -> Opinion {
        let settings = &self.case.policy.settings;
        let mut opinion = Opinion::failed(failure, detail, self.case.session.presence, settings);
        // Who is asked in the judge's place sees what the judge would have seen.
        let open = stage::open_reason(&self.case, &self.findings);
        opinion.reason = format!("{open}; {}", opinion.reason);
        stage::note(&mut self.trace, Stage::Judge, &opinion);
        opinion
    }

    /// What cannot be taken for a call is refused: a person would be asked about nothing.
    fn unusable(&mut self, why: &str) -> Opinion {
        let settings = &self.case.policy.settings;
        let presence = self.case.session.presence;
        let opinion = Opinion {
            verdict: Verdict::Deny,
            ..Opinion::failed(Failure::Parse, why, presence, settings)
        };
        stage::note(&mut self.trace, Stage::Judge, &opinion);
        opinion
    }

    /// The ledger keeps what the engine itself said: a floor neither wears the limits
    /// down nor keeps an allow from resetting them.
    fn settle(&mut self, opinion: Opinion, entry: Entry) -> Step {
        let session = self.case.session;
        let limits = &self.case.policy.settings.limits;
        let ledger = session.ledger.after(entry, limits, self.case.now);
        let (row, all) = (ledger.consecutive, ledger.total);
        self.note(
            Stage::Ledger,
            format!("the judge denied {row} in a row, {all} in all"),
        );
        let opinion = match self.floor.take() {
            Some(floor) => opinion.over(floor),
            None => opinion,
        };
        let opinion = opinion.for_audience(session.mode, session.presence);
        if opinion.may_be_permitted() {
            self.state = EngineState::Permitting(Box::new((opinion, ledger)));
            return Step::Observe(vec![Query::Permit]);
        }
        self.close(opinion, ledger)
    }

    /// A person's permit for this call in place of what was decided about it.
    fn permitted(&mut self, opinion: Opinion, permit: Option<String>) -> Opinion {
        let Some(name) = permit else {
            self.note(Stage::Permit, "no permit for this call".to_owned());
            return opinion;
        };
        let reason = format!("permitted once by a person ({name})");
        let opinion = Opinion::new(Verdict::Allow, Ground::Permit(name), reason);
        stage::note(&mut self.trace, Stage::Permit, &opinion);
        opinion
    }

    fn close(&mut self, opinion: Opinion, ledger: Ledger) -> Step {
        // What could have been promised depends on what was found.
        let protection = self.protection(opinion.verdict, *opinion.protection);
        let decision = Decision {
            verdict: opinion.verdict,
            ground: opinion.ground,
            reason: opinion.reason,
            findings: std::mem::take(&mut self.findings),
            stop: opinion.stop,
            protection,
            trace: std::mem::take(&mut self.trace),
        };
        Step::Settled(Box::new(Settlement {
            ledger,
            call: record::call(&self.case, decision.verdict),
            written: record::written(&self.case),
            project: record::project_step(&self.case),
            judged: self.judged.take(),
            // A settled line answers nothing more, so it need not keep them.
            effects: Some(std::mem::replace(
                &mut self.case.effects,
                Effects::unknown(),
            )),
            decision,
        }))
    }

    /// A promise goes with an allow alone. What asks is told what could have been promised.
    fn protection(&self, verdict: Verdict, promised: Protection) -> Protection {
        match verdict {
            Verdict::Allow => promised,
            Verdict::Ask => Protection {
                possible: stage::possible(&self.case, &self.findings),
                ..Protection::default()
            },
            Verdict::Deny => Protection::default(),
        }
    }

    fn note(&mut self, stage: Stage, note: String) {
        self.trace.entries.push(TraceEntry {
            stage,
            verdict: None,
            note,
        });
    }
}

//! The answer to one case, as it stands in an output file.

use serde::{Deserialize, Serialize};

use automode_core::engine::{self, Settlement};
use automode_core::judge::{JudgeStage, Service};
use automode_core::{Ground, Verdict, Weight};

use super::case::{Case, Label};

/// What was decided, why, and how long it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub id: String,
    #[serde(default)]
    pub file: String,
    pub label: Label,
    #[serde(default)]
    pub category: String,
    #[serde(default)]
    pub group: String,
    pub verdict: Verdict,
    /// What settled it: `rule`, `guard`, `fast-path`, `no-judge`, …
    pub ground: String,
    /// The rule, guard or exception, where one settled it; otherwise the first evidence.
    #[serde(default)]
    pub rule: String,
    pub reason: String,
    /// Microseconds.
    #[serde(default)]
    pub micros: u64,
    /// The judge's part, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedCase>,
}

/// What the judge took for one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCase {
    /// The pass that spoke last.
    pub stage: JudgeStage,
    pub model: String,
    /// All input tokens, cached or not.
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    /// In millionths of a dollar, where the price is known.
    pub price: Option<u64>,
}

impl JudgedCase {
    fn of(judged: &engine::Judged, service: &Service) -> Self {
        Self {
            stage: judged.stage,
            model: judged.model.clone(),
            input: judged.usage.total_input(),
            cached: judged.usage.cached,
            output: judged.usage.output,
            price: service
                .price(&judged.model)
                .map(|price| price.of(&judged.usage)),
        }
    }
}

impl Outcome {
    #[must_use]
    pub fn new(case: &Case, settlement: &Settlement, service: &Service, micros: u64) -> Self {
        let judged = settlement.judged.as_ref();
        let decision = &settlement.decision;
        let (ground, named) = name(&decision.ground);
        let evidence = decision
            .findings
            .iter()
            .max_by_key(|finding| finding.weight == Weight::Veto)
            .map(|finding| finding.rule.to_owned());
        Self {
            id: case.id.clone(),
            file: case.file.clone(),
            label: case.label,
            category: case.category.clone(),
            group: case.group.clone(),
            verdict: decision.verdict,
            ground: ground.to_owned(),
            rule: named.or(evidence).unwrap_or_default(),
            reason: decision.reason.clone(),
            micros,
            judged: judged.map(|judged| JudgedCase::of(judged, service)),
        }
    }
}

fn name(ground: &Ground) -> (&'static str, Option<String>) {
    match ground {
        Ground::Policy { rule, .. } => ("policy", Some(rule.clone())),
        Ground::Guard(id) => ("guard", Some((*id).to_owned())),
        Ground::Permit(name) => ("permit", Some(name.clone())),
        Ground::FastPath(id) => ("fast-path", Some((*id).to_owned())),
        Ground::Rule(id) => ("rule", Some((*id).to_owned())),
        Ground::Judge(_) => ("judge", None),
        Ground::Mode(mode) => ("mode", Some(mode.name().to_owned())),
        Ground::Limit => ("limit", None),
        Ground::NoJudge => ("no-judge", None),
        Ground::Failure(_) => ("failure", None),
    }
}

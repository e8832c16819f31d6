//! Canaries put to a model, and what is remembered of it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use automode_core::Failure;
use automode_core::judge::{
    Cancel, Case, JudgeStage, Judgement, Judging, Model, Next, Patience, Service, Settings, Usage,
};
use automode_core::policy::AutoMode;
use serde::{Deserialize, Serialize};

use super::{Canary, CanaryExpectation};
use crate::state::{State, open_private};

/// How one canary ended.
#[derive(Clone, Debug)]
pub struct Trial {
    pub name: String,
    pub expect: CanaryExpectation,
    pub outcome: Outcome,
    pub usage: Usage,
    pub time: Duration,
    /// The model that answered, as the service names it.
    pub model: String,
    /// For people, where there was no answer.
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Cleared(JudgeStage),
    Blocked(JudgeStage),
    Failed(Failure),
}

impl Trial {
    /// Whether it ended as it must. No answer is not a right one.
    #[must_use]
    pub const fn is_right(&self) -> bool {
        matches!(
            (&self.outcome, self.expect),
            (Outcome::Cleared(_), CanaryExpectation::Pass)
                | (Outcome::Blocked(_), CanaryExpectation::Block)
        )
    }

    /// Whether the model spoke at all: an outage says nothing about it.
    #[must_use]
    pub const fn is_heard(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Cleared(_)
                | Outcome::Blocked(_)
                | Outcome::Failed(Failure::Unreadable | Failure::Refused)
        )
    }
}

/// Puts a canary to a model, both passes, with the built-in lists.
#[must_use]
pub fn run(model: &dyn Model, canary: &Canary, settings: &Settings, service: &Service) -> Trial {
    let start = Instant::now();
    let mut detail = String::new();
    let lists = AutoMode::default();
    let begun = Judging::begin(
        &Case {
            tool: &canary.tool,
            brief: &canary.brief,
            entries: &canary.session,
            instructions: &[],
            facts: &canary.facts,
            findings: &[],
            auto_mode: &lists,
        },
        settings,
    );
    let (outcome, usage, answered) = match begun {
        Ok((mut judging, mut request)) => loop {
            let patience = Patience {
                timeout: match request.stage {
                    JudgeStage::Fast => service.fast_timeout,
                    JudgeStage::Thinking => service.thinking_timeout,
                },
                cancel: &Cancel::default(),
            };
            let reply = model.ask(&request, patience).map_err(|trouble| {
                detail = trouble.detail;
                trouble.failure
            });
            match judging.resume(reply) {
                Next::Ask(next) => request = next,
                Next::Done(done) => {
                    let outcome = match done {
                        Ok(Judgement::Clear) => Outcome::Cleared(judging.stage()),
                        Ok(Judgement::Block { .. }) => Outcome::Blocked(judging.stage()),
                        Err(failure) => Outcome::Failed(failure),
                    };
                    break (outcome, judging.usage(), judging.model().to_owned());
                }
            }
        },
        Err(failure) => (Outcome::Failed(failure), Usage::default(), String::new()),
    };
    Trial {
        name: canary.name.clone(),
        expect: canary.expect,
        outcome,
        usage,
        time: start.elapsed(),
        model: answered,
        detail,
    }
}

/// What is remembered of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Seconds since the epoch.
    pub at: u64,
    /// Names of the canaries that ended wrongly.
    pub failed: Vec<String>,
    pub of: usize,
}

/// Whether a model may judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanaryRecord {
    Untested,
    Passed,
    Failed(Vec<String>),
}

/// The records of all models, in one small file.
#[derive(Clone, Debug)]
pub struct Records {
    file: PathBuf,
}

impl Records {
    /// # Errors
    /// The folder cannot be made.
    pub fn open(state: &State) -> std::io::Result<Self> {
        Ok(Self {
            file: state.directory("judge")?.join("canaries.json"),
        })
    }

    /// How a model at a place stands. A file that cannot be read knows nobody.
    #[must_use]
    pub fn standing(&self, model: &dyn Model) -> CanaryRecord {
        match self.read().remove(&name(model)) {
            None => CanaryRecord::Untested,
            Some(record) if record.failed.is_empty() => CanaryRecord::Passed,
            Some(record) => CanaryRecord::Failed(record.failed),
        }
    }

    /// Remembers how a model did. Without an answer to every canary nothing is learned.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&self, model: &dyn Model, trials: &[Trial], now: u64) -> std::io::Result<()> {
        if trials.is_empty() || !trials.iter().all(Trial::is_heard) {
            return Ok(());
        }
        let mut records = self.read();
        let record = TrialRecord {
            at: now,
            failed: trials
                .iter()
                .filter(|trial| !trial.is_right())
                .map(|trial| trial.name.clone())
                .collect(),
            of: trials.len(),
        };
        records.insert(name(model), record);
        let fresh = self.file.with_extension("new");
        let _ = fs::remove_file(&fresh);
        open_private(&fresh)?.write_all(serde_json::to_string_pretty(&records)?.as_bytes())?;
        fs::rename(&fresh, &self.file)
    }

    /// Every record, by place and model.
    #[must_use]
    pub fn read(&self) -> BTreeMap<String, TrialRecord> {
        fs::read_to_string(&self.file)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }
}

/// The same name at another place may be another model.
fn name(model: &dyn Model) -> String {
    format!("{} {}", model.place(), model.model())
}

#[cfg(test)]
mod tests {
    use automode_core::judge::{Finish, Reply, Request, Trouble};

    use super::*;
    use crate::judge::canaries;

    /// A model that answers from what it is shown.
    struct Oracle(fn(&str) -> Result<&'static str, Failure>);

    impl Model for Oracle {
        fn model(&self) -> &str {
            "oracle"
        }

        fn place(&self) -> &str {
            "here"
        }

        fn ask(&self, request: &Request, _patience: Patience<'_>) -> Result<Reply, Trouble> {
            let text = request.text();
            let pending = text.split("</transcript>").next().unwrap();
            let pending = pending.trim_end().lines().next_back().unwrap();
            let text = (self.0)(pending).map_err(|failure| Trouble::new(failure, "down"))?;
            Ok(Reply {
                text: text.to_owned(),
                finish: Finish::Ended,
                usage: Usage::default(),
                model: "oracle".to_owned(),
            })
        }
    }

    const NO: &str = "<block>no</block>";
    const YES: &str = "<thinking>x</thinking><block>yes</block><reason>r</reason>";

    fn good(pending: &str) -> Result<&'static str, Failure> {
        let fine = ["npm test", "git add", "src/cli.rs", "force-with-lease"];
        Ok(if fine.iter().any(|part| pending.contains(part)) {
            NO
        } else {
            YES
        })
    }

    fn standing(oracle: fn(&str) -> Result<&'static str, Failure>) -> CanaryRecord {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("state")).unwrap();
        let records = Records::open(&state).unwrap();
        let model = Oracle(oracle);
        assert_eq!(records.standing(&model), CanaryRecord::Untested);
        let trials: Vec<_> = canaries()
            .unwrap()
            .iter()
            .map(|canary| run(&model, canary, &Settings::default(), &Service::default()))
            .collect();
        records.keep(&model, &trials, 1).unwrap();
        records.standing(&model)
    }

    #[test]
    fn a_judge_that_is_right_passes() {
        assert_eq!(standing(good), CanaryRecord::Passed);
    }

    #[test]
    fn one_that_clears_or_blocks_everything_fails() {
        let wrong = |oracle| match standing(oracle) {
            CanaryRecord::Failed(names) => names.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(wrong(|_| Ok(NO)), 8);
        assert_eq!(wrong(|_| Ok(YES)), 4);
        assert_eq!(wrong(|_| Ok("sure!")), 12);
    }

    #[test]
    fn an_outage_teaches_nothing() {
        assert_eq!(
            standing(|_| Err(Failure::Unavailable)),
            CanaryRecord::Untested
        );
    }
}

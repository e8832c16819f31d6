//! The protocol with scripted replies, and what is put before a judge.

mod cache;
mod hostile;
mod prompt;
mod protocol;
mod window;

use super::{AutoMode, Prose};
use super::{
    Cache, Case, Finish, Format, Guidance, Instruction, JudgeStage, Judgement, Judging, MAX_MARKS,
    Mode, Next, Protocol, Reply, Request, Settings, Usage, system,
};
use crate::transcript::{self, Entry, Window};
use crate::{Failure, Finding, Weight};

fn call(brief: &str) -> Entry {
    Entry::Call {
        tool: "Bash".to_owned(),
        brief: brief.to_owned(),
    }
}

fn user(text: &str) -> Entry {
    Entry::User(text.to_owned())
}

fn finding(evidence: &str) -> Finding {
    Finding {
        rule: "force-push",
        weight: Weight::Evidence,
        span: automode_shell::Span::default(),
        evidence: evidence.to_owned(),
        instead: String::new(),
    }
}

/// A case with room for everything, owned.
#[derive(Clone, Default)]
struct Docket {
    entries: Vec<Entry>,
    instructions: Vec<Instruction>,
    facts: Vec<String>,
    findings: Vec<Finding>,
    auto_mode: AutoMode,
    settings: Settings,
    pending: String,
}

impl Docket {
    fn begin(&self) -> Result<(Judging, Request), Failure> {
        Judging::begin(
            &Case {
                tool: "Bash",
                brief: &self.pending,
                entries: &self.entries,
                instructions: &self.instructions,
                facts: &self.facts,
                findings: &self.findings,
                auto_mode: &self.auto_mode,
            },
            &self.settings,
        )
    }

    fn request(&self) -> Request {
        self.begin().expect("it fits").1
    }
}

fn says(text: &str) -> Result<Reply, Failure> {
    Ok(Reply {
        text: text.to_owned(),
        finish: Finish::Ended,
        usage: Usage {
            input: 1,
            cached: 2,
            written: 3,
            output: 4,
        },
        model: "m".to_owned(),
    })
}

const NO: &str = "<block>no</block>";
const YES: &str = "<block>yes</block><rule>force-push</rule><reason>r</reason>";
const THOUGHT_NO: &str = "<thinking>t</thinking><block>no</block>";
const THOUGHT_YES: &str =
    "<thinking>t</thinking><block>yes</block><rule>force-push</rule><reason>r</reason>";

/// A session of some calls with a word of the user now and then.
fn session(calls: usize) -> Docket {
    let mut entries = Vec::new();
    for index in 0..calls {
        if index % 7 == 0 {
            entries.push(user(&format!(
                "please look at part {index} and make its tests pass"
            )));
        }
        entries.push(call(&format!("cargo test -p part{index} -- --nocapture")));
    }
    Docket {
        entries,
        pending: "git push origin feature".to_owned(),
        instructions: vec![Instruction {
            path: "CLAUDE.md".to_owned(),
            text: "Use cargo. Do not push to main.".to_owned(),
        }],
        facts: vec!["git: on feature, default branch main, no uncommitted changes".to_owned()],
        findings: vec![finding("`git push` writes to origin")],
        ..Docket::default()
    }
}

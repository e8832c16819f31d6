//! Decisions taken inside: the way of `automode check`, without starting it each time.
//!
//! The room is like every other and nothing runs in it, so that a thousand decisions
//! find the same world. That the answers are those of the binary is tested with samples.

use std::env;
use std::io::{self, BufRead as _, Write as _};

use anyhow::Result;
use automode::config::{self, Places};
use automode::judge::InstructionFiles;
use automode::observe::Machine;
use automode::ports::FileSystem as _;
use automode::{Gate, Mode, Presence, Query, Session, ToolCall};
use automode_core::effects::Effects;
use automode_shell::{Act, Coverage, Effect, Extent, FileChange, Touch};
use serde::{Deserialize, Serialize};

use super::entry::Privilege;
use super::{CageStep, Predicted, Prediction, RecordedRuling, room, stay};
use crate::world::{ENVIRONMENT, HOME, PROJECT};

/// A ruling, and what the analysis expects the step to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Weighed {
    pub ruling: RecordedRuling,
    pub prediction: Prediction,
}

/// Answers steps, one JSON value a line, until its input ends.
pub fn run(privilege: Privilege, place: &str) -> Result<()> {
    room::furnish(privilege, place)?;
    room::lower_rights(privilege)?;
    env::set_current_dir(PROJECT)?;
    let _companion = stay::companion()?;
    let gate = Gate::new(config::load(&Places::here(PROJECT.as_ref(), None)));
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let step: CageStep = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut out, &weigh(&gate, &step))?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn weigh(gate: &Gate, step: &CageStep) -> Weighed {
    let (tool, input) = step.call();
    let call = ToolCall {
        tool: tool.to_owned(),
        input,
        cwd: PROJECT.to_owned(),
    };
    let facts = Machine.observe(&[Query::Repo(call.cwd.clone())]);
    let session = Session {
        mode: Mode::Auto,
        repo: facts.repos.into_values().next(),
        presence: Presence::Interactive,
        roots: vec![PROJECT.to_owned()],
        home: Some(HOME.to_owned()),
        variables: variables(),
        own: automode::own::paths(),
        ..Session::default()
    };
    let settled = gate.decide(&call, &session, &InstructionFiles);
    Weighed {
        ruling: RecordedRuling {
            verdict: settled.decision.verdict.name().to_owned(),
            ground: serde_json::to_string(&settled.decision.ground).unwrap_or_default(),
        },
        prediction: settled.effects.as_ref().map(predict).unwrap_or_default(),
    }
}

/// The variables that `check` takes from its environment.
fn variables() -> Vec<(String, String)> {
    ENVIRONMENT
        .iter()
        .filter(|(name, _)| ["USER", "LOGNAME", "TMPDIR", "HOSTNAME"].contains(name))
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn predict(effects: &Effects) -> Prediction {
    Prediction {
        complete: matches!(effects.analysis.coverage, Coverage::Complete),
        effects: effects.analysis.effects.iter().map(predicted).collect(),
        programs: effects
            .analysis
            .invocations
            .iter()
            .filter_map(|invocation| Some(invocation.argv.first()?.shown()))
            .collect(),
    }
}

fn predicted(effect: &Effect) -> Predicted {
    let (extent, path) = match effect.act.touches() {
        Some((_, target)) => (extent(target.extent).to_owned(), target.path.clone()),
        None => (String::new(), String::new()),
    };
    Predicted {
        shown: effect.act.to_string(),
        kind: kind(&effect.act).to_owned(),
        extent,
        path,
    }
}

const fn extent(extent: Extent) -> &'static str {
    match extent {
        Extent::Exact => "exact",
        Extent::Pattern => "pattern",
        Extent::Below => "below",
        Extent::Prefix => "prefix",
        Extent::Unknown => "unknown",
    }
}

const fn kind(act: &Act) -> &'static str {
    match (act.file_change(), act.touches()) {
        (FileChange::Write { .. }, _) => "write",
        (FileChange::Delete { .. }, _) => "delete",
        (FileChange::Repository(_), _) => "vcs",
        (FileChange::Nothing, Some((Touch::List, _))) => "list",
        (FileChange::Nothing, Some(_)) => "read",
        (FileChange::Untold, _) if matches!(act, Act::Execute { .. }) => "execute",
        (FileChange::Untold, _) if matches!(act, Act::Package { .. }) => "package",
        (FileChange::Nothing, None) | (FileChange::Untold, _) => "other",
    }
}

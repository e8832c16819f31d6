//! The gate for Python: one call in, one decision out.
//!
//! The module holds no thread and no cache: a gate reads the settings of its directory
//! when it is made, a session is the caller's. Deciding releases the interpreter's lock.
//! A failure is a decision, and never an allow.

use std::path::PathBuf;

use automode::config::{self, Places};
use automode::judge::InstructionFiles;
use automode::observe::Machine;
use automode::ports::FileSystem as _;
use automode::{Mode, Presence, Query, ToolCall};
use automode_core::transcript::Entry;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

/// Decides tool calls under the settings of a directory.
#[pyclass(frozen)]
struct Gate {
    gate: automode::Gate,
    cwd: String,
}

/// A session so far: where it works, what the user said, what was called.
#[pyclass]
struct Session {
    session: automode::Session,
}

/// The answer to one tool call.
#[pyclass(frozen, get_all)]
struct Decision {
    /// allow, ask or deny.
    verdict: String,
    /// One line for the model and the person.
    reason: String,
    /// What decided.
    ground: String,
    /// The run must end.
    stop: bool,
    /// What every stage said.
    trace: Vec<String>,
    /// What the rules saw.
    findings: Vec<String>,
    /// What the call would do, as far as it is known.
    effects: Vec<String>,
}

#[pymethods]
impl Gate {
    #[new]
    #[pyo3(signature = (cwd, config=None))]
    fn new(cwd: PathBuf, config: Option<PathBuf>) -> PyResult<Self> {
        let cwd = std::path::absolute(cwd)?;
        let text = cwd
            .to_str()
            .ok_or_else(|| PyValueError::new_err("the directory is not valid UTF-8"))?
            .to_owned();
        let policy = config::load(&Places::here(&cwd, config));
        Ok(Self {
            gate: automode::Gate::new(policy),
            cwd: text,
        })
    }

    /// Decides a call, given as its name and its input as JSON, and records it in the session.
    fn check_json(
        &self,
        py: Python<'_>,
        tool: String,
        input: &str,
        session: &mut Session,
        cwd: Option<String>,
    ) -> PyResult<Decision> {
        let Ok(Value::Object(input)) = serde_json::from_str(input) else {
            return Err(PyValueError::new_err("the input is not a JSON object"));
        };
        let call = ToolCall {
            tool,
            input,
            cwd: cwd.unwrap_or_else(|| self.cwd.clone()),
        };
        call.check().map_err(PyValueError::new_err)?;
        let own = &mut session.session;
        let settlement = py.detach(|| self.gate.settle(&call, own, &InstructionFiles));
        settlement.record(own);
        let effects = settlement.effects.iter().flat_map(|effects| {
            let all = effects.analysis.effects.iter();
            all.map(|effect| format!("{:?}", effect.act))
        });
        let effects = effects.collect();
        let decision = settlement.decision;
        let stage = |entry: &automode_core::TraceEntry| {
            let verdict = entry.verdict.map_or("-", automode::Verdict::name);
            format!("{:?}: {verdict}: {}", entry.stage, entry.note)
        };
        let finding = |finding: &automode::Finding| format!("{}: {}", finding.rule, finding.evidence);
        Ok(Decision {
            verdict: decision.verdict.name().to_owned(),
            reason: decision.reason,
            ground: serde_json::to_string(&decision.ground).unwrap_or_default(),
            stop: decision.stop,
            trace: decision.trace.entries.iter().map(stage).collect(),
            findings: decision.findings.iter().map(finding).collect(),
            effects,
        })
    }

    #[getter]
    fn cwd(&self) -> &str {
        &self.cwd
    }
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (cwd, headless=true, mode="auto"))]
    fn new(cwd: PathBuf, headless: bool, mode: &str) -> PyResult<Self> {
        let cwd = std::path::absolute(cwd)?;
        let root = cwd
            .to_str()
            .ok_or_else(|| PyValueError::new_err("the directory is not valid UTF-8"))?
            .to_owned();
        let mode = Mode::ALL
            .into_iter()
            .find(|known| known.name() == mode)
            .ok_or_else(|| PyValueError::new_err(format!("`{mode}` is no permission mode")))?;
        let facts = Machine.observe(&[Query::Repo(root.clone())]);
        let variable = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
        Ok(Self {
            session: automode::Session {
                mode,
                presence: if headless {
                    Presence::Headless
                } else {
                    Presence::Interactive
                },
                roots: vec![root],
                repo: facts.repos.into_values().next(),
                home: std::env::var("HOME").ok().filter(|home| home.starts_with('/')),
                variables: ["USER", "LOGNAME", "TMPDIR", "HOSTNAME"]
                    .into_iter()
                    .filter_map(variable)
                    .collect(),
                own: automode::own::paths(),
                ..automode::Session::default()
            },
        })
    }

    /// The user's own words: only these can authorise something.
    fn hear(&mut self, words: String) {
        self.session.transcript.push(Entry::User(words));
    }
}

#[pymethods]
impl Decision {
    fn __repr__(&self) -> String {
        format!("Decision({}, {:?})", self.verdict, self.reason)
    }

    /// Whether the call may run.
    #[getter]
    fn allowed(&self) -> bool {
        self.verdict == "allow"
    }
}

#[pymodule]
fn _automode(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Gate>()?;
    module.add_class::<Session>()?;
    module.add_class::<Decision>()?;
    Ok(())
}

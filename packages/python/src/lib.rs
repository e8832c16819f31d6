//! The gate for Python: one call in, one decision out.
//!
//! The module holds no thread and no cache: a gate reads the settings of its directory
//! when it is made, a session is the caller's. Deciding releases the interpreter's lock.
//! A failure is a decision, and never an allow.

use std::path::PathBuf;

use automode::config::{self, Places};
use automode_core::transcript::Entry;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
        let cwd = automode_binding::absolute(cwd).map_err(PyValueError::new_err)?;
        let policy = config::load(&Places::here(cwd.as_ref(), config));
        Ok(Self {
            gate: automode::Gate::new(policy),
            cwd,
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
        let cwd = cwd.unwrap_or_else(|| self.cwd.clone());
        let call = automode_binding::call(tool, input, cwd).map_err(PyValueError::new_err)?;
        let own = &mut session.session;
        let decided = py.detach(|| automode_binding::decide(&self.gate, &call, own));
        Ok(Decision {
            verdict: decided.verdict,
            reason: decided.reason,
            ground: decided.ground,
            stop: decided.stop,
            trace: decided.trace,
            findings: decided.findings,
            effects: decided.effects,
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
        let session = automode_binding::session(cwd, headless, mode);
        Ok(Self {
            session: session.map_err(PyValueError::new_err)?,
        })
    }

    /// The user's own words: only these can authorise something.
    fn hear(&mut self, words: String) {
        self.session.transcript.push(Entry::User(words));
    }

    /// Looks at what a tool brought in. Where it speaks to the agent the session is marked,
    /// and the warning for the model comes back.
    fn probe(&mut self, tool: String, result: &str) -> Option<String> {
        automode_binding::probe(&mut self.session, tool, result)
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

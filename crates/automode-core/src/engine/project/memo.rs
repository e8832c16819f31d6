//! Texts that were analysed to the end.
//!
//! The engine looks at the project once more with every round of facts. An analysis that asked
//! for no other file says the same in the next round. All of them together take a bounded
//! number of steps: what comes after is not read.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use automode_shell::{Analysis, Coverage, Gap, GapKind, Span};

/// Steps that all texts of a call together may take.
const STEPS: usize = 600_000;

/// The commands that start a text, with what each would do.
pub(super) type Analyses = Rc<[(String, Analysis)]>;

/// Analyses by the path and the text that was read.
#[derive(Debug, Default)]
pub(in crate::engine) struct AnalysisMemo {
    settled: RefCell<BTreeMap<(String, String), Analyses>>,
    steps: Cell<usize>,
}

impl AnalysisMemo {
    /// What a text would do, analysed where nobody did so to the end.
    pub(super) fn of(
        &self,
        path: &str,
        body: String,
        analyse: impl FnOnce(String) -> Vec<(String, Analysis)>,
    ) -> Analyses {
        let key = (path.to_owned(), body);
        if let Some(known) = self.settled.borrow().get(&key) {
            return Rc::clone(known);
        }
        if self.steps.get() > STEPS {
            return Rc::new([(String::new(), unread())]);
        }
        let analyses: Analyses = analyse(key.1.clone()).into();
        let steps = analyses.iter().map(|(_, analysis)| analysis.steps);
        self.steps
            .set(steps.fold(self.steps.get(), usize::saturating_add));
        if analyses
            .iter()
            .all(|(_, analysis)| analysis.needs.is_empty())
        {
            self.settled.borrow_mut().insert(key, Rc::clone(&analyses));
        }
        analyses
    }

    /// Other texts than before are there when the code runs.
    pub(in crate::engine) fn forget(&mut self) {
        self.settled.get_mut().clear();
    }
}

/// What is said of a text that the steps did not reach.
fn unread() -> Analysis {
    let gap = Gap {
        kind: GapKind::Budget,
        span: Span::default(),
    };
    Analysis {
        invocations: Vec::new(),
        effects: Vec::new(),
        coverage: Coverage::Opaque(gap),
        needs: Vec::new(),
        steps: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taking(steps: usize) -> Vec<(String, Analysis)> {
        let read = Analysis {
            coverage: Coverage::Complete,
            steps,
            ..unread()
        };
        vec![(String::new(), read)]
    }

    #[test]
    fn what_the_steps_do_not_reach_is_not_read() {
        let memo = AnalysisMemo::default();
        let of = |text: &str, steps| memo.of("/w/a.py", text.to_owned(), |_| taking(steps));
        let is_read = |analyses: Analyses| {
            let mut all = analyses.iter();
            all.all(|(_, analysis)| analysis.coverage == Coverage::Complete)
        };
        assert!(is_read(of("a", STEPS)));
        assert!(is_read(of("b", 1)));
        assert!(!is_read(of("c", 1)));
        assert!(is_read(of("a", 0)), "it was read before");
    }
}

//! Variables in front of a command that make programs run or load something.

use super::parse::fits;
use super::table::{VARIABLES, Variable, VariableRuns};
use super::{Nested, NestedStdin, ProgramEffects};
use crate::{Act, Invocation, Layer, Value};

/// Adds what the variables of an invocation bring about.
pub(super) fn read(invocation: &Invocation, consequence: &mut ProgramEffects) {
    for (name, value) in &invocation.env {
        let exact = VARIABLES.iter().find(|known| known.name == name);
        let Some(variable) =
            exact.or_else(|| VARIABLES.iter().find(|known| fits(known.name, name)))
        else {
            continue;
        };
        if is_fine(variable, value) {
            continue;
        }
        let act = Act::Environment { name: name.clone() };
        consequence.effects.push((act, value.span));
        let layer = Layer::Text(name.clone());
        match variable.runs {
            VariableRuns::Something => {}
            VariableRuns::Shell => consequence.runs.push(Nested::Shell {
                text: value.clone(),
                arguments: Vec::new(),
                cwd: None,
                stdin: NestedStdin::Same,
                layer,
            }),
            VariableRuns::File => consequence.runs.push(Nested::File {
                path: value.clone(),
                language: None,
                arguments: Vec::new(),
                layer,
            }),
        }
    }
}

/// Whether this value of a variable makes later programs run, load or trust something.
pub(crate) fn steers_with(name: &str, value: &Value) -> bool {
    let known = |variable: &&Variable| fits(variable.name, name);
    let exact = VARIABLES.iter().find(|variable| variable.name == name);
    exact
        .or_else(|| VARIABLES.iter().find(known))
        .is_some_and(|variable| !is_fine(variable, value))
}

/// Whether a variable of this name decides what programs run, load or trust.
pub(crate) fn steers(name: &str) -> bool {
    VARIABLES.iter().any(|known| fits(known.name, name))
}

fn is_fine(variable: &Variable, value: &Value) -> bool {
    value
        .literal()
        .is_some_and(|text| variable.fine.iter().any(|fine| fits(fine, &text)))
}

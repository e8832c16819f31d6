//! Awk programs.
//!
//! The text is cut into tokens and walked statement by statement. What reaches
//! outside is `system()`, output redirected to a file or a command, `getline`
//! from a file or a command, and gawk's `@load` and `@include`. A function that
//! is neither built in nor defined in the program is a gap.

mod constant;
#[cfg(test)]
mod tests;
mod token;
mod walk;

use self::constant::{constants, functions};
use self::token::tokens;
use self::walk::AwkWalker;
use crate::language::reading::CodeReading;
use std::collections::BTreeMap;

pub(super) fn read(text: &str, reading: &mut CodeReading<'_>) {
    reading.passes_input();
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err(what) => return reading.syntax(what),
    };
    // Operands such as `f=x` set variables while the program runs.
    let reassigned = reading
        .source
        .arguments
        .iter()
        .any(|word| word.literal().is_none_or(|word| word.contains('=')));
    let walker = AwkWalker {
        constants: if reassigned {
            BTreeMap::new()
        } else {
            constants(&tokens)
        },
        functions: functions(&tokens),
        tokens: &tokens,
    };
    walker.walk(reading);
}

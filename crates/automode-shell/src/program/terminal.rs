//! Words of a terminal multiplexer: `#(command)` in a format runs the command, and a
//! `;` at the end of a word begins another command of the multiplexer.

use super::meaning::Meaning;
use crate::Value;

impl Meaning<'_> {
    pub(super) fn terminal_format(&mut self, value: &Value) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            return self.gap(gap);
        };
        if text.contains("#(") || text.ends_with(';') {
            self.unseen(format!("commands in `{}`", value.shown()), value.span);
        }
    }
}

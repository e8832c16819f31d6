//! The prose of the rule pages, as the judge reads it.

/// Each block rule with what the judge is told.
pub(super) fn blocks() -> Vec<(&'static str, String)> {
    Vec::new()
}

/// Each exception with what the judge is told.
pub(super) fn exceptions() -> Vec<(&'static str, String)> {
    Vec::new()
}

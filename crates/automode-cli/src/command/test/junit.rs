//! Results as JUnit XML, which CI servers show.

use std::fmt::Write as _;

use super::Tested;
use crate::output;

/// One suite for all files.
pub fn render(tested: &[Tested]) -> String {
    let failed = tested.iter().filter(|one| one.failure.is_some()).count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"automode\" tests=\"{}\" failures=\"{failed}\">\n",
        tested.len()
    );
    for one in tested {
        let seconds = f64::from(u32::try_from(one.outcome.micros).unwrap_or(u32::MAX)) / 1e6;
        let _ = write!(
            xml,
            "  <testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.6}\"",
            escape(&one.case.call.file),
            escape(&one.case.call.id),
        );
        match &one.failure {
            None => xml.push_str("/>\n"),
            Some(failure) => {
                let _ = write!(
                    xml,
                    ">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
                    escape(&failure.to_string()),
                    escape(&one.outcome.reason)
                );
            }
        }
    }
    xml.push_str("</testsuite>\n");
    xml
}

/// Text that XML can hold: no control characters, no markup.
fn escape(raw: &str) -> String {
    output::escape(&output::clean(raw))
}

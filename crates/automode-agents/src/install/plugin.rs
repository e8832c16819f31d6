//! The text of a module that a client loads: the client's own part, and the one that runs automode.

use serde_json::Value;

use super::{DEADLINE, Request, TIMEOUT};
use crate::reply::Enforcement;

/// Starts automode with a payload and reads its answer; whatever goes wrong is a failure.
const RUN: &str = include_str!("plugin_run.js");

/// A client's part with everything filled in; the program is filled in last, so that its path
/// is never looked through.
pub(crate) fn plugin_text(template: &str, request: &Request<'_>) -> String {
    let mode = match request.enforcement {
        Enforcement::Enforce => "enforce",
        Enforcement::Shadow => "shadow",
    };
    template
        .replace("@RUN@\n", &format!("{RUN}\n"))
        .replace("@DEADLINE@", &DEADLINE.to_string())
        .replace("@TIMEOUT@", &TIMEOUT.to_string())
        .replace("@MODE@", mode)
        .replace("\"@PROGRAM@\"", &Value::from(request.program).to_string())
}

//! opencode.

mod hook;

use automode_core::Presence;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::install::{DEADLINE, Installation, Place, Plugin, Request, Scope, TIMEOUT};
use crate::reply::Enforcement;

pub(crate) static CLIENT: Client = Client {
    name: "opencode",
    title: "opencode",
    proof: Proof::Proven,
    parse: hook::parse,
    render: |phase, answer, _| hook::render(phase, answer),
    rewriting: crate::client::Rewriting::Honoured,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "opencode",
        tested: "1.18.33",
    }),
    installation: Installation::Plugin(Plugin {
        path,
        text: plugin,
        trial_event: "PreToolUse",
        shadow_mark: "\"--mode\", \"shadow\"",
        advice: &[
            "set `\"permission\": {\"bash\": \"allow\", \"edit\": \"allow\", \"webfetch\": \"allow\"}` in opencode.json: the plugin decides before opencode asks",
            "opencode's plugin cannot ask: what needs a person's yes is denied, with the words that permit it once",
        ],
    }),
    record: None,
    marks: ProcessMarks {
        variables: &["OPENCODE", "OPENCODE_SESSION"],
        packages: &["opencode-ai"],
    },
    files: ClientFiles {
        protected: &[".config/opencode"],
        directory_variables: &["XDG_CONFIG_HOME"],
        ..ClientFiles::NONE
    },
    trial: |trial| Client::common_trial(trial, "bash"),
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!(
            "{}/opencode/plugin/automode.js",
            place.directory("XDG_CONFIG_HOME", ".config")
        ),
        Scope::Project => format!("{}/.opencode/plugin/automode.js", place.project),
    }
}

fn plugin(request: &Request<'_>) -> String {
    let mode = match request.enforcement {
        Enforcement::Enforce => "enforce",
        Enforcement::Shadow => "shadow",
    };
    let program = serde_json::Value::from(request.program).to_string();
    include_str!("plugin.js")
        .replace("\"@PROGRAM@\"", &program)
        .replace("@DEADLINE@", &DEADLINE.to_string())
        .replace("@TIMEOUT@", &TIMEOUT.to_string())
        .replace("@MODE@", mode)
}

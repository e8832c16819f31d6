//! opencode.

mod hook;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire};
use crate::install::{Installation, Place, Plugin, Scope, plugin_text};

pub(crate) static CLIENT: Client = Client {
    name: "opencode",
    title: "opencode",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: |phase, answer, _| hook::render(phase, answer),
    },
    rewriting: crate::client::Rewriting::Honoured,
    lets_through: &["a plugin file that does not load"],
    program: Some(ClientProgram::tried("opencode", "1.18.33")),
    installation: Installation::Plugin(Plugin::new(
        path,
        |request| plugin_text(include_str!("plugin.js"), request),
        &[
            "set `\"permission\": {\"bash\": \"allow\", \"edit\": \"allow\", \"webfetch\": \"allow\"}` in opencode.json: the plugin decides before opencode asks",
            "opencode's plugin cannot ask: what needs a person's yes is denied, with the words that permit it once",
        ],
    )),
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
    ..Client::CAUTIOUS
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

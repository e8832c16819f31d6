//! Factory Droid.

mod hook;

use automode_core::Presence;

use crate::claude_code;
use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::install::{HookEvent, HookFile, Installation, Place, Scope, TimeoutUnit};

pub(crate) static CLIENT: Client = Client {
    name: "droid",
    title: "Factory Droid",
    proof: Proof::Proven,
    parse: hook::parse,
    render: |phase, answer, _| hook::render(phase, answer),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "droid",
        tested: "0.215.0",
    }),
    installation: Installation::Hooks(HookFile {
        path,
        events: &[
            HookEvent::GateTool("PreToolUse"),
            HookEvent::RecordTool("PostToolUse"),
            HookEvent::Record("SessionStart"),
            HookEvent::Record("SubagentStop"),
            HookEvent::Record("SessionEnd"),
        ],
        entry: claude_code::entry,
        version: None,
        timeout_unit: TimeoutUnit::Seconds,
        off_switch: None,
        trust: None,
        advice: &[
            "Droid takes no question from a hook: what needs a person's yes is denied, with the words that permit it once",
            "Droid believes the risk that its model states; automode judges the command and not that word",
        ],
    }),
    record: None,
    marks: ProcessMarks {
        variables: &["DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"],
        packages: &["droid"],
    },
    files: ClientFiles {
        protected: &[".factory"],
        directory_variables: &[],
        instructions: &["AGENTS.md"],
        home_instructions: &[".factory/AGENTS.md"],
        permissions: None,
    },
    trial: |trial| Client::common_trial(trial, "Execute"),
};

/// Not `hooks.json`: there Droid wants another layout, and ignores this one without a word.
fn path(place: &Place, scope: Scope) -> String {
    format!("{}/.factory/settings.json", place.base(scope))
}

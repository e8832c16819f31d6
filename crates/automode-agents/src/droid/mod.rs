//! Factory Droid.

mod hook;

use crate::claude_code;
use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire};
use crate::install::{HookEvent, HookFile, Installation, Place, Scope};

pub(crate) static CLIENT: Client = Client {
    name: "droid",
    title: "Factory Droid",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: |phase, answer, _| hook::render(phase, answer),
    },
    lets_through: &["a hook that outlasts the client's own timeout, which automode answers before"],
    program: Some(ClientProgram::tried("droid", "0.215.0")),
    installation: Installation::Hooks(HookFile {
        advice: &[
            "Droid takes no question from a hook: what needs a person's yes is denied, with the words that permit it once",
            "Droid believes the risk that its model states; automode judges the command and not that word",
        ],
        ..HookFile::plain(
            path,
            &[
                HookEvent::GateTool("PreToolUse"),
                HookEvent::RecordTool("PostToolUse"),
                HookEvent::Record("SessionStart"),
                HookEvent::Record("SubagentStop"),
                HookEvent::Record("SessionEnd"),
            ],
            claude_code::entry,
        )
    }),
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
    ..Client::CAUTIOUS
};

/// Not `hooks.json`: there Droid wants another layout, and ignores this one without a word.
fn path(place: &Place, scope: Scope) -> String {
    format!("{}/.factory/settings.json", place.base(scope))
}

//! Codex.

mod hook;
mod record;

use crate::claude_code;
use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire};
use crate::install::{HookEvent, HookFile, HookTrust, Installation, Place, Scope};

pub(crate) static CLIENT: Client = Client {
    name: "codex",
    title: "Codex",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: |phase, answer, _| hook::render(phase, answer),
    },
    rewriting: crate::client::Rewriting::HonouredWithoutRules(&[crate::client::RulePlace {
        directory_variable: Some("CODEX_HOME"),
        directory: ".codex",
        name: "rules",
        words: &["forbidden", "prompt"],
    }]),
    own_check: crate::client::OwnCheck::InMode(automode_core::Mode::Default),
    lets_through: &[
        "a hook that outlasts the client's own timeout, which automode answers before",
        "a hook that is not trusted, or was changed since it was",
    ],
    program: Some(ClientProgram::tried("codex", "0.166.0")),
    installation: Installation::Hooks(HookFile {
        trust: Some(HookTrust {
            server: "app-server",
            file: "config.toml",
            directory: ".codex",
            directory_variable: "CODEX_HOME",
        }),
        advice: &[
            "Codex skips a hook that is not trusted and runs the command: trust it here or with `/hooks`",
            "Codex cannot ask: what needs a person's yes is denied, with the words that permit it once",
        ],
        ..HookFile::plain(
            path,
            &[
                HookEvent::GateTool("PreToolUse"),
                HookEvent::GateTool("PermissionRequest"),
                HookEvent::RecordTool("PostToolUse"),
                HookEvent::Record("UserPromptSubmit"),
                HookEvent::Record("SessionStart"),
            ],
            claude_code::entry,
        )
    }),
    record: Some(&record::FORMAT),
    marks: ProcessMarks {
        variables: &["CODEX_SANDBOX", "CODEX_THREAD_ID"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".codex"],
        directory_variables: &["CODEX_HOME"],
        instructions: &[],
        home_instructions: &[".codex/AGENTS.md"],
        permissions: None,
    },
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!("{}/hooks.json", place.directory("CODEX_HOME", ".codex")),
        Scope::Project => format!("{}/.codex/hooks.json", place.project),
    }
}

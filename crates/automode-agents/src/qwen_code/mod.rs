//! Qwen Code.

mod hook;
mod record;

use crate::client::{
    AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire,
};
use crate::gemini_cli;
use crate::install::{HookEvent, HookFile, Installation, OffSwitch, Place, Scope, TimeoutUnit};

pub(crate) static CLIENT: Client = Client {
    name: "qwen-code",
    title: "Qwen Code",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    lets_through: &["a hook that outlasts the client's own timeout, which automode answers before"],
    presence: AssumedPresence::INTERACTIVE,
    program: Some(ClientProgram::tried("qwen", "0.24.4")),
    installation: Installation::Hooks(HookFile {
        timeout_unit: TimeoutUnit::Milliseconds,
        comments: true,
        off_switch: Some(OffSwitch::DISABLE_ALL_HOOKS),
        advice: &[
            "headless, Qwen Code offers its shell tool only with `--approval-mode yolo`: the hook decides there",
        ],
        ..HookFile::plain(
            path,
            &[
                HookEvent::GateTool("PreToolUse"),
                HookEvent::RecordTool("PostToolUse"),
                HookEvent::Record("UserPromptSubmit"),
                HookEvent::Record("SessionStart"),
                HookEvent::Record("SessionEnd"),
            ],
            gemini_cli::entry,
        )
    }),
    record: Some(&record::FORMAT),
    marks: ProcessMarks {
        variables: &["QWEN_CODE", "QWEN_CODE_SESSION_ID"],
        packages: &["qwen-code"],
    },
    files: ClientFiles {
        protected: &[".qwen"],
        directory_variables: &[],
        instructions: &["QWEN.md"],
        home_instructions: &[],
        permissions: None,
    },
    trial: |trial| Client::common_trial(trial, "run_shell_command"),
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    format!("{}/.qwen/settings.json", place.base(scope))
}

//! Gemini CLI.

pub(crate) mod hook;
mod record;

use serde_json::{Value, json};

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire};
use crate::install::{
    Hook, HookEvent, HookFile, Installation, OffSwitch, Place, Scope, TimeoutUnit,
};

pub(crate) static CLIENT: Client = Client {
    name: "gemini-cli",
    title: "Gemini CLI",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    rewriting: crate::client::Rewriting::HonouredWithoutRules(&[
        crate::client::RulePlace {
            directory_variable: None,
            directory: ".gemini",
            name: "settings.json",
            words: &["run_shell_command(", "ShellTool("],
        },
        crate::client::RulePlace {
            directory_variable: None,
            directory: ".gemini",
            name: "policies",
            words: &["deny", "ask_user"],
        },
    ]),
    lets_through: &["a hook that outlasts the client's own timeout, which automode answers before"],
    program: Some(ClientProgram::tried("gemini", "0.61.0")),
    installation: Installation::Hooks(HookFile {
        timeout_unit: TimeoutUnit::Milliseconds,
        comments: true,
        off_switch: Some(OffSwitch {
            pointer: "/hooksConfig/enabled",
            off_when: false,
            name: "hooksConfig.enabled",
        }),
        advice: &[
            "headless, Gemini CLI offers its shell tool only with `--approval-mode yolo`: the hook decides there",
            "what needs a person's yes is denied; add `--presence interactive` to the command if somebody always watches",
        ],
        ..HookFile::plain(
            path,
            &[
                HookEvent::GateTool("BeforeTool"),
                HookEvent::RecordTool("AfterTool"),
                HookEvent::Record("BeforeAgent"),
                HookEvent::Record("SessionStart"),
                HookEvent::Record("SessionEnd"),
            ],
            entry,
        )
    }),
    record: Some(&record::FORMAT),
    marks: ProcessMarks {
        variables: &["GEMINI_CLI", "GEMINI_SESSION_ID"],
        packages: &["gemini-cli"],
    },
    files: ClientFiles {
        protected: &[".gemini"],
        directory_variables: &[],
        instructions: &["GEMINI.md"],
        home_instructions: &[".gemini/GEMINI.md"],
        permissions: None,
    },
    trial: |trial| Client::common_trial(trial, "run_shell_command"),
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    format!("{}/.gemini/settings.json", place.base(scope))
}

/// A registration in the layout that Qwen Code shares: named, matched, in milliseconds.
pub(crate) fn entry(hook: &Hook) -> Value {
    json!({"matcher": "*", "hooks": [{
        "name": "automode", "type": "command", "command": hook.command,
        "timeout": hook.timeout.saturating_mul(1000),
    }]})
}

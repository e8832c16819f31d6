//! Claude Code.

pub(crate) mod hook;
mod record;

use automode_core::Presence;
use serde_json::{Value, json};

use crate::client::{
    AssumedPresence, Client, ClientFiles, ClientProgram, PermissionFiles, ProcessMarks, Proof, Wire,
};
use crate::install::{Hook, HookEvent, HookFile, Installation, OffSwitch, Place, Scope};

pub(crate) static CLIENT: Client = Client {
    name: "claude-code",
    title: "Claude Code",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    rewriting: crate::client::Rewriting::Honoured,
    own_check: crate::client::OwnCheck::InMode(automode_core::Mode::Auto),
    lets_through: &["a hook that outlasts the client's own timeout, which automode answers before"],
    presence: AssumedPresence {
        usual: Presence::Interactive,
        headless_when: Some(("CLAUDE_CODE_SESSION_ATTENDED", "0")),
        attended_when: Some(("CLAUDE_CODE_SESSION_ATTENDED", "1")),
    },
    program: Some(ClientProgram::tried("claude", "2.1.325")),
    installation: Installation::Hooks(HookFile {
        off_switch: Some(OffSwitch::DISABLE_ALL_HOOKS),
        advice: &[
            "run Claude Code in `default` or `acceptEdits` mode, headless in `dontAsk`: there the hook decides",
            "in `bypassPermissions` a denial of the hook still holds",
        ],
        ..HookFile::plain(
            path,
            &[
                HookEvent::GateTool("PreToolUse"),
                HookEvent::GateTool("PermissionRequest"),
                HookEvent::RecordTool("PostToolUse"),
                HookEvent::RecordTool("PostToolUseFailure"),
                HookEvent::Record("UserPromptSubmit"),
                HookEvent::Record("SubagentStart"),
                HookEvent::Record("SubagentStop"),
                HookEvent::Record("SessionStart"),
                HookEvent::Record("SessionEnd"),
            ],
            entry,
        )
    }),
    record: Some(&record::FORMAT),
    marks: ProcessMarks {
        variables: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
        packages: &["claude-code"],
    },
    files: ClientFiles {
        protected: &[".claude", ".claude.json"],
        directory_variables: &["CLAUDE_CONFIG_DIR"],
        instructions: &["CLAUDE.md"],
        home_instructions: &[".claude/CLAUDE.md"],
        permissions: Some(PermissionFiles {
            directory_variable: "CLAUDE_CONFIG_DIR",
            home_directory: ".claude",
            user: "settings.json",
            project: &[".claude/settings.json", ".claude/settings.local.json"],
            managed_linux: "/etc/claude-code",
            managed_macos: "/Library/Application Support/ClaudeCode",
        }),
    },
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!(
            "{}/settings.json",
            place.directory("CLAUDE_CONFIG_DIR", ".claude")
        ),
        // The command line holds a path of this machine, so it does not belong in the shared file.
        Scope::Project => format!("{}/.claude/settings.local.json", place.project),
    }
}

/// A registration in the layout that Codex shares; only events about tools take a matcher.
pub(crate) fn entry(hook: &Hook) -> Value {
    let handlers = json!([{"type": "command", "command": hook.command, "timeout": hook.timeout}]);
    if hook.matches_tools {
        json!({"matcher": "*", "hooks": handlers})
    } else {
        json!({"hooks": handlers})
    }
}

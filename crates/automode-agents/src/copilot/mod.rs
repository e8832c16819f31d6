//! Copilot CLI.

mod hook;
mod record;

use serde_json::{Value, json};

use crate::client::{
    AssumedPresence, Client, ClientFiles, ClientProgram, HookTrial, ProcessMarks, Proof, Wire,
};
use crate::install::{Hook, HookEvent, HookFile, Installation, Place, Scope};

pub(crate) static CLIENT: Client = Client {
    name: "copilot",
    title: "Copilot CLI",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    rewriting: crate::client::Rewriting::Honoured,
    lets_through: &["a hook that outlasts the client's own timeout, which automode answers before"],
    presence: AssumedPresence::INTERACTIVE,
    program: Some(ClientProgram::tried("copilot", "1.0.102")),
    installation: Installation::Hooks(HookFile {
        version: Some(1),
        advice: &["leave Copilot in its default mode: an allow of the hook runs without a prompt"],
        ..HookFile::plain(
            path,
            &[
                HookEvent::Gate("preToolUse"),
                HookEvent::Gate("permissionRequest"),
                HookEvent::Record("postToolUse"),
                HookEvent::Record("userPromptSubmitted"),
                HookEvent::Record("sessionStart"),
                HookEvent::Record("sessionEnd"),
            ],
            entry,
        )
    }),
    record: Some(&record::FORMAT),
    marks: ProcessMarks {
        variables: &["COPILOT_CLI"],
        packages: &["copilot-cli"],
    },
    files: ClientFiles {
        protected: &[".copilot"],
        directory_variables: &[],
        instructions: &[".github/copilot-instructions.md"],
        home_instructions: &[],
        permissions: None,
    },
    trial,
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!("{}/.copilot/hooks/automode.json", place.home),
        Scope::Project => format!("{}/.github/hooks/automode.json", place.project),
    }
}

fn entry(hook: &Hook) -> Value {
    json!({"type": "command", "bash": hook.command, "timeoutSec": hook.timeout})
}

fn trial(trial: &HookTrial<'_>) -> Value {
    let (session, input) = (trial.session, json!({"command": trial.command}));
    if trial.event == "permissionRequest" {
        json!({"hookName": trial.event, "sessionId": session, "cwd": "/", "toolName": "bash", "toolInput": input})
    } else {
        json!({"sessionId": session, "cwd": "/", "toolName": "bash", "toolArgs": input})
    }
}

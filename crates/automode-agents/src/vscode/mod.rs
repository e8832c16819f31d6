//! The agents of VS Code with its local harness. Known from its documentation; it could not be tried here.

use crate::client::{AssumedPresence, Client, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};

pub(crate) static CLIENT: Client = Client {
    name: "vscode",
    title: "VS Code agents",
    lets_through: &[
        "a hook that outlasts the client's own timeout, which automode answers before",
        "calls of another harness than the one whose hooks these are",
    ],
    wire: Wire::Dialect(Dialect {
        event: &["/hook_event_name", "/hookEventName"],
        session: &["/session_id", "/sessionId"],
        tools: &[
            ("runInTerminal", "Bash"),
            ("run_in_terminal", "Bash"),
            ("readFile", "Read"),
            ("createFile", "Write"),
        ],
        answers: AnswerForms {
            allow: AnswerForm::Json(
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"@REASON@"}}"#,
            ),
            ask: Some(AnswerForm::Json(
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"@REASON@"}}"#,
            )),
            deny: AnswerForm::Json(
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@REASON@"}}"#,
            ),
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    presence: AssumedPresence::INTERACTIVE,
    trial: |trial| Client::common_trial(trial, "run_in_terminal"),
    ..Client::CAUTIOUS
};

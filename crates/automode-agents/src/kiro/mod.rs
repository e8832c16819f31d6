//! Kiro CLI. Known from its documentation; it could not be tried here.

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};

pub(crate) static CLIENT: Client = Client {
    name: "kiro",
    title: "Kiro CLI",
    lets_through: &["every fault that is not exit 2"],
    wire: Wire::Dialect(Dialect {
        events: &[
            ("PreToolUse", "PreToolUse"),
            ("preToolUse", "PreToolUse"),
            ("PostToolUse", "PostToolUse"),
            ("UserPromptSubmit", "UserPromptSubmit"),
        ],
        tools: &[
            ("execute_bash", "Bash"),
            ("shell", "Bash"),
            ("fs_read", "Read"),
            ("fs_write", "Write"),
            ("str_replace", "Edit"),
        ],
        answers: AnswerForms {
            deny: AnswerForm::Exit2,
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("kiro-cli")),
    marks: ProcessMarks::variables(&["KIRO"]),
    files: ClientFiles::protecting(&[".kiro"]),
    trial: |trial| Client::common_trial(trial, "execute_bash"),
    ..Client::CAUTIOUS
};

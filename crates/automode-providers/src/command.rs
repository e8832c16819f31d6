//! Any program as a judge.
//!
//! The request goes to its standard input as one JSON document, with everything
//! a model reads once more as plain text under `prompt`, so that a pipe to a
//! command-line client is enough. What it prints is the reply: plain text, or a
//! JSON object with `text` and, if it likes, `finish`, `usage` and `model`.
//! The program sees `AUTOMODE_JUDGE=none`: an agent that serves as a judge must
//! not ask itself.

use std::process::Command;

use automode_core::Failure;
use automode_core::judge::{
    Finish, Model, Patience, Price, Provider, Reply, Request, Trouble, Usage, price_of,
};
use serde::{Deserialize, Serialize};

use crate::open::Setup;
use crate::process;

/// The most output that is read.
const MAX_OUTPUT: u64 = 1024 * 1024;

/// A program that judges.
#[derive(Debug)]
pub(crate) struct CommandJudge {
    command: Vec<String>,
    /// The program with a digest of the whole line: another line is another judge.
    place: String,
    model: String,
    price: Option<Price>,
}

#[derive(Serialize)]
struct ProgramInput<'a> {
    #[serde(flatten)]
    request: &'a Request,
    model: &'a str,
    prompt: String,
}

#[derive(Deserialize)]
struct ProgramOutput {
    text: String,
    #[serde(default)]
    finish: Option<Finish>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    model: Option<String>,
}

impl CommandJudge {
    pub(crate) fn new(provider: &Provider) -> Result<Self, Setup> {
        let program = provider.command.first().ok_or_else(|| {
            Setup::new(
                "the judge `command` has no program (hint: set `command` in the config)".to_owned(),
            )
        })?;
        Ok(Self {
            model: provider
                .model
                .clone()
                .unwrap_or_else(|| format!("command:{program}")),
            place: format!("{program} ({})", digest(&provider.command)),
            command: provider.command.clone(),
            price: provider.price,
        })
    }
}

/// The line may hold a secret, so it is known by its digest.
fn digest(command: &[String]) -> String {
    let mut name = automode_core::digest(command.join("\0"));
    name.truncate(8);
    name
}

impl Model for CommandJudge {
    fn model(&self) -> &str {
        &self.model
    }

    fn place(&self) -> &str {
        &self.place
    }

    fn price(&self) -> Option<Price> {
        self.price.or_else(|| price_of(&self.model))
    }

    fn ask(&self, request: &Request, patience: Patience<'_>) -> Result<Reply, Trouble> {
        let input = serde_json::to_vec(&ProgramInput {
            request,
            model: &self.model,
            prompt: request.text(),
        })
        .map_err(|error| Trouble::new(Failure::Unavailable, &error.to_string()))?;
        let trouble = || Trouble::new(Failure::Unavailable, "no program");
        let (program, arguments) = self.command.split_first().ok_or_else(trouble)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("AUTOMODE_JUDGE", "none")
            // By this the program is known for a judge's, also where an administrator set the judge.
            .env("AUTOMODE_JUDGING", std::process::id().to_string());
        let output = process::run(command, input, MAX_OUTPUT, patience)?;
        read(output, &self.model)
    }
}

fn read(output: Vec<u8>, model: &str) -> Result<Reply, Trouble> {
    let text = String::from_utf8(output)
        .map_err(|_| Trouble::new(Failure::Unreadable, "the output is not text"))?;
    Ok(match serde_json::from_str::<ProgramOutput>(&text) {
        Ok(output) => Reply {
            text: output.text,
            finish: output.finish.unwrap_or(Finish::Ended),
            usage: output.usage,
            model: output.model.unwrap_or_else(|| model.to_owned()),
        },
        Err(_) => Reply {
            text,
            finish: Finish::Ended,
            usage: Usage::default(),
            model: model.to_owned(),
        },
    })
}

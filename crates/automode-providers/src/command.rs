//! Any program as a judge.
//!
//! The request goes to its standard input as one JSON document, with everything
//! a model reads once more as plain text under `prompt`, so that a pipe to a
//! command-line client is enough. What it prints is the reply: plain text, or a
//! JSON object with `text` and, if it likes, `finish`, `usage` and `model`.
//! The program sees `AUTOMODE_JUDGE=none`: an agent that serves as a judge must
//! not ask itself.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use automode_core::Failure;
use automode_core::judge::{Finish, Model, Patience, Provider, Reply, Request, Trouble, Usage};
use serde::{Deserialize, Serialize};

use crate::http::end_of;
use crate::open::Setup;

/// The most output that is read.
const MAX_OUTPUT: u64 = 1024 * 1024;
const TICK: Duration = Duration::from_millis(10);

/// A program that judges.
#[derive(Debug)]
pub(crate) struct Program {
    command: Vec<String>,
    model: String,
}

#[derive(Serialize)]
struct Input<'a> {
    #[serde(flatten)]
    request: &'a Request,
    model: &'a str,
    prompt: String,
}

#[derive(Deserialize)]
struct Output {
    text: String,
    #[serde(default)]
    finish: Option<Finish>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    model: Option<String>,
}

impl Program {
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
            command: provider.command.clone(),
        })
    }

    fn start(&self) -> Result<Child, Trouble> {
        let failed = |why: &str| Trouble::new(Failure::Unavailable, why);
        let (program, arguments) = self
            .command
            .split_first()
            .ok_or_else(|| failed("no program"))?;
        Command::new(program)
            .args(arguments)
            .env("AUTOMODE_JUDGE", "none")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(&format!("`{program}` did not start: {error}")))
    }
}

impl Model for Program {
    fn model(&self) -> &str {
        &self.model
    }

    fn place(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    fn ask(&self, request: &Request, patience: Patience<'_>) -> Result<Reply, Trouble> {
        let input = serde_json::to_vec(&Input {
            request,
            model: &self.model,
            prompt: request.text(),
        })
        .map_err(|error| Trouble::new(Failure::Unavailable, &error.to_string()))?;
        let mut child = self.start()?;
        let output = converse(&mut child, input, patience);
        // Whatever came of it, nothing is left running.
        let _ = child.kill();
        let status = child.wait();
        let output = output?;
        match status {
            // Killed after it had closed its output: it had said everything.
            Ok(status) if status.code().unwrap_or(0) == 0 => read(output, &self.model),
            Ok(status) => Err(Trouble::new(
                Failure::Unavailable,
                &format!("the program ended with {status}"),
            )),
            Err(error) => Err(Trouble::new(Failure::Unavailable, &error.to_string())),
        }
    }
}

/// Writes the input and reads the output to its end, each in its own thread.
fn converse(child: &mut Child, input: Vec<u8>, patience: Patience<'_>) -> Result<Vec<u8>, Trouble> {
    let failed = |why: &str| Trouble::new(Failure::Unavailable, why);
    let mut stdin = child.stdin.take().ok_or_else(|| failed("no input"))?;
    let stdout = child.stdout.take().ok_or_else(|| failed("no output"))?;
    // A program may answer without reading everything: a broken pipe is no failure.
    thread::spawn(move || stdin.write_all(&input));
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.take(MAX_OUTPUT + 1).read_to_end(&mut output);
        let _ = sender.send(read.map(|_| output));
    });
    let deadline = end_of(patience.timeout);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(TICK)) {
            Ok(Ok(output)) if output.len() as u64 > MAX_OUTPUT => {
                return Err(failed("the output is too large"));
            }
            Ok(Ok(output)) => {
                settle(child, deadline);
                return Ok(output);
            }
            Ok(Err(error)) => return Err(failed(&error.to_string())),
            Err(RecvTimeoutError::Disconnected) => return Err(failed("no output")),
            Err(RecvTimeoutError::Timeout) if patience.cancel.is_cancelled() => {
                return Err(Trouble::new(Failure::Cancelled, "cancelled"));
            }
            Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                return Err(Trouble::new(Failure::Timeout, "no answer in time"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Gives a program that closed its output the time to say how it ended.
fn settle(child: &mut Child, deadline: Instant) {
    while let Ok(None) = child.try_wait() {
        if Instant::now() >= deadline {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn read(output: Vec<u8>, model: &str) -> Result<Reply, Trouble> {
    let text = String::from_utf8(output)
        .map_err(|_| Trouble::new(Failure::Unreadable, "the output is not text"))?;
    Ok(match serde_json::from_str::<Output>(&text) {
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

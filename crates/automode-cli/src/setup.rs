//! From arguments and environment to a call, a session and a gate.

use std::env;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{self, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use automode::config::{self, Places};
pub use automode::here::{home, variables};
use automode::state::State;
use automode::{Gate, ToolCall};
use serde_json::{Map, Value};

use crate::judge;

/// The gate under the policy that is in force in a directory. A broken file does not
/// stop it: its policy then allows nothing, and says why.
pub fn gate(cwd: &str, config: Option<PathBuf>) -> Result<Gate> {
    let gate = Gate::new(config::load(&Places::here(cwd.as_ref(), config)));
    Ok(judge::with_configured_judge(gate, "check", || None))
}

/// The same gate with nobody to ask.
pub fn judgeless_gate(cwd: &str, config: Option<PathBuf>) -> Gate {
    Gate::new(config::load(&Places::here(cwd.as_ref(), config)))
}

/// The same for a hook: it asks one thing and ends.
pub fn hook_gate(cwd: &str, state: Option<&State>) -> Gate {
    Gate::new(config::load_kept(&Places::here(cwd.as_ref(), None), state))
}

/// The directory made absolute; it must exist.
pub fn directory(named: Option<PathBuf>) -> Result<String> {
    let directory = match named {
        Some(directory) => path::absolute(&directory)?,
        None => env::current_dir().context("the current directory is gone")?,
    };
    let shown = directory.display();
    if !directory.is_dir() {
        bail!("the directory `{shown}` does not exist\nhint: name one that does");
    }
    directory
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| anyhow!("the directory `{shown}` is not valid UTF-8"))
}

/// The input as JSON, or the command as the input of the Bash tool.
pub fn input(json: Option<String>, command: Vec<OsString>) -> Result<Map<String, Value>> {
    if let Some(json) = json {
        let json = if json == "-" { stdin()? } else { json };
        return parse(&json);
    }
    let command = command
        .into_iter()
        .map(|word| {
            word.into_string()
                .map_err(|word| anyhow!("the command is not valid UTF-8: `{}`", word.display()))
        })
        .collect::<Result<Vec<_>>>()?;
    let command = match command.as_slice() {
        [] => {
            bail!("nothing to check\nhint: name a command, or a tool with `--tool` and `--input`")
        }
        [only] if only == "-" => stdin()?,
        [only] => only.clone(),
        words => words
            .iter()
            .map(|word| quote(word))
            .collect::<Vec<_>>()
            .join(" "),
    };
    Ok(Map::from_iter([(
        "command".to_owned(),
        Value::String(command),
    )]))
}

fn parse(json: &str) -> Result<Map<String, Value>> {
    let value = serde_json::from_str(json).context("the input is not valid JSON")?;
    match value {
        Value::Object(input) => Ok(input),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            bail!(
                "the input is not a JSON object\nhint: `--input '{{\"file_path\": \"src/main.rs\"}}'`"
            )
        }
    }
}

/// All of stdin, within the bound of a call.
fn stdin() -> Result<String> {
    let most = ToolCall::MAX_INPUT;
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .context("stdin could not be read")?;
    if bytes.len() > most {
        bail!("the input is larger than {most} bytes");
    }
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("the input is not valid UTF-8"))?;
    if text.trim().is_empty() {
        bail!("nothing to check: stdin is empty");
    }
    Ok(text)
}

/// A word as a shell would have to be given it.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_boundaries() {
        let check = |words: &[&str], expected: &str| {
            let words = words.iter().map(OsString::from).collect();
            let input = input(None, words).expect("an input");
            assert_eq!(input.get("command"), Some(&Value::from(expected)));
        };
        check(&["git push --force"], "git push --force");
        check(&["git", "push", "--force"], "git push --force");
        check(&["git", "commit", "-m", "it's"], r"git commit -m 'it'\''s'");
        check(&["echo", "$HOME", ""], "echo '$HOME' ''");
    }

    #[test]
    fn only_an_object_is_an_input() {
        for json in ["[]", "1", "null", "\"x\"", "{", ""] {
            assert!(input(Some(json.to_owned()), Vec::new()).is_err(), "{json}");
        }
    }
}

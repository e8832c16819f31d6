//! A key to a service: found when it is needed, never printed.

use std::fmt;
use std::process::Command;
use std::time::Duration;

use automode_core::judge::{Cancel, KeySource, Kind, Patience};

use crate::open::{Setup, Surroundings};
use crate::process;

/// How long a command may take to print a key.
const PATIENCE: Duration = Duration::from_secs(10);
/// No key is longer.
const MAX_KEY: usize = 16 * 1024;

/// A secret that cannot be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    #[must_use]
    pub const fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The secret itself, for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Looks where the settings say. `None`: the service is asked without one.
    pub(crate) fn find(
        source: &KeySource,
        kind: Kind,
        surroundings: &Surroundings<'_>,
    ) -> Result<Option<Self>, Setup> {
        let text = match source {
            KeySource::None => return Ok(None),
            KeySource::Vendor => match vendor(kind, surroundings) {
                Some(key) => key,
                // Local servers want none.
                None if kind == Kind::OpenAiCompatible => return Ok(None),
                None => return Err(Setup::no_key(kind)),
            },
            KeySource::Env(name) => {
                (surroundings.variable)(name).ok_or_else(|| Setup::no_variable(name))?
            }
            KeySource::File(path) => std::fs::read_to_string(path).map_err(|error| {
                Setup::new(format!("the key file `{path}` cannot be read: {error}"))
            })?,
            KeySource::Command(command) => printed(command)?,
        };
        let text = text.trim();
        // A header cannot hold anything else.
        let fits = !text.is_empty()
            && text.len() <= MAX_KEY
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits {
            Ok(Some(Self(text.to_owned())))
        } else {
            Err(Setup::new(
                "the key is empty, too long, or not plain text".to_owned(),
            ))
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([REDACTED:key])")
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // Best effort: what was copied elsewhere is not reached.
        let length = self.0.len();
        self.0.clear();
        self.0.extend(std::iter::repeat_n('\0', length));
    }
}

fn vendor(kind: Kind, surroundings: &Surroundings<'_>) -> Option<String> {
    let own = (surroundings.variable)("AUTOMODE_API_KEY");
    own.or_else(|| match kind {
        Kind::Anthropic => (surroundings.variable)("ANTHROPIC_API_KEY"),
        Kind::OpenAi => (surroundings.variable)("OPENAI_API_KEY"),
        // Whose server it is, is not known: a vendor's key is not for it.
        Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => None,
    })
}

fn printed(command: &[String]) -> Result<String, Setup> {
    let failed = |what: &str| Setup::new(format!("the key command failed: {what}"));
    let (program, arguments) = command.split_first().ok_or_else(|| failed("it is empty"))?;
    let mut command = Command::new(program);
    command.args(arguments);
    let patience = Patience {
        timeout: PATIENCE,
        cancel: &Cancel::default(),
    };
    let output = process::run(command, Vec::new(), MAX_KEY as u64, patience)
        .map_err(|trouble| failed(&trouble.detail))?;
    String::from_utf8(output).map_err(|_| failed("it printed something that is not text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_printed() {
        let key = Key::new("hunter2hunter2".to_owned());
        assert_eq!(format!("{key:?}"), "Key([REDACTED:key])");
    }
}

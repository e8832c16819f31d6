//! Recorded replies: a file of lines, each a request's digest and its reply.
//!
//! A request that was not recorded has no reply. Nothing is ever guessed from a
//! similar one, so a replay proves that the requests are still the same bytes.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Mutex;

use automode_core::Failure;
use automode_core::judge::{Model, Patience, Price, Provider, Reply, Request, Trouble};
use serde::{Deserialize, Serialize};

use crate::open::Setup;

#[derive(Serialize, Deserialize)]
struct TapeLine {
    request: String,
    reply: Reply,
}

/// Plays replies back.
#[derive(Debug)]
pub(crate) struct Cassette {
    replies: BTreeMap<String, Reply>,
    model: String,
    path: String,
}

impl Cassette {
    pub(crate) fn load(provider: &Provider) -> Result<Self, Setup> {
        let path = provider.cassette.clone().ok_or_else(|| {
            Setup::new(
                "the judge `cassette` has no file (hint: set `cassette` in the config)".to_owned(),
            )
        })?;
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Setup::new(format!("the cassette `{path}` cannot be read: {error}"))
        })?;
        let mut replies = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let line: TapeLine = serde_json::from_str(line).map_err(|error| {
                Setup::new(format!(
                    "the cassette `{path}` is broken in line {}: {error}",
                    index + 1
                ))
            })?;
            replies.insert(line.request, line.reply);
        }
        Ok(Self {
            replies,
            model: provider
                .model
                .clone()
                .unwrap_or_else(|| "cassette".to_owned()),
            path,
        })
    }
}

impl Model for Cassette {
    fn model(&self) -> &str {
        &self.model
    }

    fn place(&self) -> &str {
        &self.path
    }

    /// What was recorded is paid for.
    fn price(&self) -> Option<Price> {
        Some(Price::FREE)
    }

    fn ask(&self, request: &Request, _patience: Patience<'_>) -> Result<Reply, Trouble> {
        self.replies
            .get(&digest(request))
            .cloned()
            .ok_or_else(|| Trouble::new(Failure::Unavailable, "this request was not recorded"))
    }
}

/// A model whose replies are written down.
pub struct Recorder {
    inner: Box<dyn Model>,
    file: Mutex<File>,
}

impl Recorder {
    /// Appends to a cassette.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn new(inner: Box<dyn Model>, path: &str) -> std::io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            inner,
            file: Mutex::new(file),
        })
    }
}

impl Model for Recorder {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn place(&self) -> &str {
        self.inner.place()
    }

    fn price(&self) -> Option<Price> {
        self.inner.price()
    }

    fn ask(&self, request: &Request, patience: Patience<'_>) -> Result<Reply, Trouble> {
        let reply = self.inner.ask(request, patience)?;
        let line = TapeLine {
            request: digest(request),
            reply: reply.clone(),
        };
        let failed = |why: String| Trouble::new(Failure::Store, &why);
        let mut text = serde_json::to_string(&line).map_err(|error| failed(error.to_string()))?;
        text.push('\n');
        let mut file = self
            .file
            .lock()
            .map_err(|_| failed("the cassette is broken".to_owned()))?;
        file.write_all(text.as_bytes())
            .map_err(|error| failed(error.to_string()))?;
        Ok(reply)
    }
}

/// SHA-256 over everything that is sent.
fn digest(request: &Request) -> String {
    let bytes = serde_json::to_vec(request).unwrap_or_default();
    automode_core::digest(bytes)
}

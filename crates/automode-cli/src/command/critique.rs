//! `automode config critique`: the judge reviews what a person wrote for it.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use automode::config::{self, Places};
use automode::judge::Link;
use automode_core::judge::{Cancel, Patience};
use automode_core::policy::critique;

use crate::{judge, output, setup};

/// Prints the review of the configuration in force in a directory.
pub fn run(cwd: Option<PathBuf>, config: Option<PathBuf>) -> Result<u8> {
    let cwd = setup::directory(cwd)?;
    let policy = config::load(&Places::here(cwd.as_ref(), config));
    let Some(request) = critique(&policy) else {
        output::print("there is nothing to review: the built-in lists are in force\n")?;
        return Ok(0);
    };
    let service = judge::chosen(&policy)?;
    let links = judge::links(&service, None, judge::state().as_ref());
    let mut troubles = Vec::new();
    for link in &links {
        let model = match link {
            Link::Ready(model) => model,
            Link::Broken { name, why } => {
                troubles.push(format!("{name}: {why}"));
                continue;
            }
        };
        let patience = Patience {
            timeout: service.thinking_timeout.max(service.deadline),
            cancel: &Cancel::default(),
        };
        match model.ask(&request, patience) {
            Ok(reply) => {
                for line in reply.text.trim().lines() {
                    output::print(&format!("{}\n", output::clean(line)))?;
                }
                return Ok(0);
            }
            Err(trouble) => troubles.push(format!("{}: {}", model.model(), trouble.detail)),
        }
    }
    if troubles.is_empty() {
        bail!(
            "no judge is configured\nhint: set `AUTOMODE_JUDGE`, or add a `[[judge.chain]]` to the configuration"
        );
    }
    Err(anyhow!("no judge answered: {}", troubles.join("; ")))
}

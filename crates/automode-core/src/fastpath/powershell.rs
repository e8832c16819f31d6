//! PowerShell commands go to a person unless the judge was given them.

use super::{Answer, FastPath, View};
use crate::policy;
use crate::{Action, Mode, Verdict};

pub(super) struct PowerShellFastPath;

impl FastPath for PowerShellFastPath {
    fn id(&self) -> &'static str {
        "powershell"
    }

    fn page(&self) -> &'static str {
        include_str!("powershell.md")
    }

    fn consider(&self, view: &View<'_>) -> Answer {
        let asks = match view.settings.powershell {
            policy::PowerShell::Ask => view.mode == Mode::Auto,
            policy::PowerShell::Judge => false,
        };
        if asks && matches!(view.scene.action, Action::PowerShell { .. }) {
            return Answer::Settled {
                verdict: Verdict::Ask,
                reason: "PowerShell commands are not analysed; a person decides".to_owned(),
            };
        }
        Answer::open()
    }
}

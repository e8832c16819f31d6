//! Whether something leaves this machine, or is changed elsewhere, or runs later by itself.

use automode_shell::{Act, CloudVerb, Coverage, Direction, Host, VcsOp};

use super::Effects;

/// What is not understood may reach out.
#[must_use]
pub fn reaches_out(effects: &Effects) -> bool {
    effects.analysis.coverage != Coverage::Complete
        || effects
            .analysis
            .effects
            .iter()
            .any(|effect| leaves(&effect.act))
}

fn leaves(act: &Act) -> bool {
    match act {
        // Asking for an address tells its owner what stands in it.
        Act::Connect {
            host, direction, ..
        } => match host {
            Host::Loopback => false,
            Host::Default(_) => *direction == Direction::Send,
            Host::Named(_) | Host::Unknown => true,
        },
        Act::Credential { direction, .. } => *direction == Direction::Send,
        Act::Cloud { verb, .. } => *verb != CloudVerb::Read,
        Act::Vcs(VcsOp::Push { .. } | VcsOp::Remote { .. })
        | Act::Publish { .. }
        | Act::Message { .. }
        | Act::Listen { .. }
        | Act::Persist { .. }
        | Act::Agent { .. } => true,
        Act::Read { .. }
        | Act::List { .. }
        | Act::Write { .. }
        | Act::Delete { .. }
        | Act::Execute { .. }
        | Act::Vcs(_)
        | Act::Package { .. }
        | Act::Process { .. }
        | Act::Privilege(_)
        | Act::System(_)
        | Act::Database { .. }
        | Act::Environment { .. }
        | Act::Exhaust => false,
    }
}

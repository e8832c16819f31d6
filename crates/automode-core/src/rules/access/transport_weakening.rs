//! Checks of certificates, hosts and logins that would no longer be made.

use automode_shell::place::{Protected, Zone};
use automode_shell::{Act, SystemChange, VcsOp};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct TransportWeakening;

const ID: &str = "transport-weakening";
const INSTEAD: &str = "install the right certificate or key instead of switching the check off";

/// Variables that switch verification off or change whom to trust.
const VARIABLES: &[&str] = &[
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "PYTHONHTTPSVERIFY",
    "GIT_SSL_NO_VERIFY",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "GOINSECURE",
    "GONOSUMCHECK",
    "GONOSUMDB",
    "GOFLAGS",
    "NPM_CONFIG_STRICT_SSL",
];

impl Rule for TransportWeakening {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("transport_weakening.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                let what = match &effect.act {
                    Act::System(SystemChange::Trust) => {
                        "changes or skips the check of certificates".to_owned()
                    }
                    Act::Environment { name } if is_switch(name) => {
                        format!(
                            "sets {}, which weakens the check of certificates",
                            report::name(name)
                        )
                    }
                    Act::Vcs(VcsOp::Config { key, .. }) if is_git_switch(key) => {
                        format!(
                            "sets {}, which weakens the check of remotes",
                            report::name(key)
                        )
                    }
                    Act::Write { target, .. } => {
                        let place = scene.place(target);
                        let ssh = target.path.contains("/ssh/") || target.path.contains("/.ssh/");
                        let trust = target.path.contains("certificates")
                            || target.path.starts_with("/etc/ssl")
                            || target.path.starts_with("/etc/pki");
                        let login = place.protected == Some(Protected::Access)
                            && place.zone != Zone::Project;
                        if !(login && (ssh || trust)) {
                            return None;
                        }
                        format!(
                            "changes {}, which decides whom to trust",
                            report::target(scene, target)
                        )
                    }
                    _ => return None,
                };
                Some(scene.evidence(ID, scene.part(effect), &what, INSTEAD))
            })
            .collect()
    }
}

fn is_switch(name: &str) -> bool {
    VARIABLES
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

fn is_git_switch(key: &str) -> bool {
    let key = key.to_lowercase();
    key.ends_with(".sslverify")
        || key.ends_with(".sslcainfo")
        || key.ends_with(".insteadof")
        || key == "core.sshcommand"
}

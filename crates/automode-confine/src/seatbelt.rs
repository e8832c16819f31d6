//! The promise as a profile for macOS's `sandbox-exec`.
//!
//! Not proven: no Mac has run it here, so nothing uses it yet and macOS asks. The text is
//! held by tests, so that a first run on a Mac starts from what is meant.

use std::path::Path;

use automode_core::confine::{Confinement, Git, Home, Network};

/// What a Mac needs to run programs at all.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library",
    "/private/etc",
    "/private/var/db/timezone",
    "/opt/homebrew",
    "/opt/local",
    "/dev",
];

/// Files of a repository that decide what later commands run.
const RUNNING: &[&str] = &["hooks", "config", "config.worktree", "info/attributes"];

/// The profile of a confinement, with the private temporary directory it may write.
#[must_use]
pub fn seatbelt_profile(confinement: &Confinement, home: &Path, temporary: &Path) -> String {
    let mut lines = vec![
        "(version 1)".to_owned(),
        "(deny default)".to_owned(),
        "(allow process-exec process-fork)".to_owned(),
        "(allow signal (target same-sandbox))".to_owned(),
        "(allow sysctl-read)".to_owned(),
        "(allow file-read-metadata)".to_owned(),
    ];
    for place in SYSTEM {
        lines.push(format!("(allow file-read* {})", subpath(Path::new(place))));
    }
    if confinement.home == Home::Hide {
        lines.push(format!("(allow file-read* {})", subpath(home)));
        for secret in [
            ".ssh",
            ".aws",
            ".gnupg",
            ".config/gh",
            "Library/Keychains",
            ".netrc",
        ] {
            lines.push(format!("(deny file-read* {})", subpath(&home.join(secret))));
        }
    }
    for place in &confinement.read {
        lines.push(format!("(allow file-read* {})", subpath(place)));
    }
    let project = &confinement.project;
    for place in [project.as_path(), temporary]
        .into_iter()
        .chain(confinement.write.iter().map(AsRef::as_ref))
    {
        lines.push(format!("(allow file-read* file-write* {})", subpath(place)));
    }
    // Later rules win: what must stay is denied after the project is opened.
    for file in &confinement.hide {
        lines.push(format!("(deny file-read* file-write* {})", subpath(file)));
    }
    let git = project.join(".git");
    match confinement.git {
        Git::ReadOnly => lines.push(format!("(deny file-write* {})", subpath(&git))),
        Git::Commit => {
            for file in RUNNING {
                lines.push(format!("(deny file-write* {})", subpath(&git.join(file))));
            }
            lines.push(format!(
                "(deny file-write-unlink (literal {}))",
                quoted(&git)
            ));
        }
    }
    match &confinement.network {
        Network::Off | Network::Registries(_) => {
            lines.push("(allow network* (local ip \"localhost:*\"))".to_owned());
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn subpath(path: &Path) -> String {
    format!("(subpath {})", quoted(path))
}

/// A string of the profile's language.
fn quoted(path: &Path) -> String {
    let text = path
        .to_string_lossy()
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(git: Git) -> String {
        let confinement = Confinement {
            git,
            ..Confinement::of_project("/Users/dev/a \"b\"")
        };
        seatbelt_profile(
            &confinement,
            Path::new("/Users/dev"),
            Path::new("/private/tmp/x"),
        )
    }

    #[test]
    fn everything_is_denied_but_what_is_named() {
        let text = profile(Git::ReadOnly);
        assert!(text.starts_with("(version 1)\n(deny default)\n"), "{text}");
        assert!(
            text.contains("(allow file-read* file-write* (subpath \"/Users/dev/a \\\"b\\\"\"))")
        );
        assert!(
            !text.contains("(subpath \"/Users/dev\")"),
            "the home is not opened"
        );
        assert!(!text.contains("network-outbound"), "no way out");
    }

    #[test]
    fn what_must_stay_is_denied_last() {
        let text = profile(Git::ReadOnly);
        let (open, shut) = (
            text.find("file-write* (subpath \"/Users").unwrap(),
            text.find("(deny file-write* (subpath").unwrap(),
        );
        assert!(open < shut);
        let text = profile(Git::Commit);
        assert!(text.contains("/.git/hooks\"))") && text.contains("/.git/config\"))"));
        assert!(!text.contains("/.git\"))\n(deny file-write* (subpath"));
    }
}

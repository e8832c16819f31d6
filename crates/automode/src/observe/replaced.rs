//! Files that version control writes over although it does not hold them.

use std::path::Path;

use automode_core::Replaced;

use super::{git, repo};

/// What the commits of that name would replace in the working tree.
pub(super) fn look(directory: &Path, revision: &str) -> Replaced {
    let found = match repo::find(directory) {
        Some(repository) => git::replaced(&repository, revision),
        None => Some(Vec::new()),
    };
    Replaced {
        whole: found.is_some(),
        files: found.unwrap_or_default(),
    }
}

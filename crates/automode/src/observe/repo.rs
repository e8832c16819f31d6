//! A repository, read from its own files without starting git.

use std::fs;
use std::path::{Path, PathBuf};

use automode_core::{Remote, RepoFact};
use automode_shell::FileFact;

use super::file;

/// Where a repository keeps its things.
pub(super) struct Repository {
    pub root: PathBuf,
    /// `HEAD` of this working tree.
    own: PathBuf,
    /// Refs and configuration, shared by all working trees.
    common: PathBuf,
}

/// Keys that make git start a program, in lower case; `*` stands for a name.
const HELPERS: &[&str] = &[
    "core.fsmonitor",
    "core.hookspath",
    "core.sshcommand",
    "core.gitproxy",
    "core.editor",
    "core.pager",
    "core.askpass",
    "core.alternaterefscommand",
    "sequence.editor",
    "diff.external",
    "diff.*.command",
    "diff.*.textconv",
    "merge.*.driver",
    "mergetool.*.cmd",
    "difftool.*.cmd",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "credential.helper",
    "credential.*.helper",
    "gpg.program",
    "gpg.*.program",
    "alias.*",
    "remote.*.receivepack",
    "remote.*.uploadpack",
    "remote.*.vcs",
    "uploadpack.packobjectshook",
    "include.path",
    "includeif.*.path",
];

pub(super) fn look(directory: &Path) -> RepoFact {
    let Some(repository) = find(directory) else {
        return RepoFact {
            dirty: true,
            ..RepoFact::default()
        };
    };
    let config = repository.config();
    let text = |path: &Path| path.to_str().map(str::to_owned);
    RepoFact {
        root: text(&repository.root),
        branch: symbolic(&repository.own.join("HEAD"), "refs/heads/"),
        default_branch: symbolic(
            &repository.common.join("refs/remotes/origin/HEAD"),
            "refs/remotes/origin/",
        ),
        remotes: remotes(&config),
        dirty: true,
        head: repository.head(),
        helpers: helpers(&config),
    }
}

/// The repository around a directory, as git itself would find it.
pub(super) fn find(directory: &Path) -> Option<Repository> {
    let start = fs::canonicalize(directory).ok()?;
    start.ancestors().find_map(|root| {
        let dot = root.join(".git");
        let found = fs::metadata(&dot).ok()?;
        let own = if found.is_dir() {
            dot
        } else {
            let pointer = text(&dot)?;
            root.join(pointer.trim().strip_prefix("gitdir:")?.trim())
        };
        let common = match text(&own.join("commondir")) {
            Some(common) => own.join(common.trim()),
            None => own.clone(),
        };
        own.join("HEAD").exists().then(|| Repository {
            root: root.to_owned(),
            own,
            common,
        })
    })
}

impl Repository {
    /// Its own configuration as `section.name.key` and value, keys in lower case.
    fn config(&self) -> Vec<(String, String)> {
        let shared = text(&self.common.join("config")).unwrap_or_default();
        let own = text(&self.own.join("config.worktree")).unwrap_or_default();
        let mut entries = parse(&shared);
        entries.extend(parse(&own));
        entries
    }

    /// Whether its files are laid out as they are read here.
    pub fn is_plain(&self) -> bool {
        self.config().iter().all(|(key, value)| match key.as_str() {
            "core.worktree" => false,
            "extensions.objectformat" => value.eq_ignore_ascii_case("sha1"),
            _ => true,
        })
    }

    pub fn index(&self) -> PathBuf {
        self.own.join("index")
    }

    pub fn common(&self) -> &Path {
        &self.common
    }

    /// The last commit, in hex; nothing where there is none or it cannot be found.
    pub fn head(&self) -> Option<String> {
        let head = text(&self.own.join("HEAD"))?;
        let Some(name) = head.trim().strip_prefix("ref:").map(str::trim) else {
            return Some(head.trim().to_owned());
        };
        let loose = || text(&self.common.join(name));
        let packed = || {
            let all = fs::read_to_string(self.common.join("packed-refs")).ok()?;
            all.lines().find_map(|line| {
                let (id, own) = line.split_once(' ')?;
                (own.trim() == name).then(|| id.to_owned())
            })
        };
        loose().map(|id| id.trim().to_owned()).or_else(packed)
    }

    /// Lists of what is left out everywhere in the working tree: its own, then the user's.
    pub fn ignore_lists(&self) -> Vec<PathBuf> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let config = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| home.as_ref().map(|home| home.join(".config")));
        let user = home.iter().map(|home| home.join(".gitconfig"));
        let user = user.chain(config.iter().map(|config| config.join("git/config")));
        let named = std::iter::once(self.config())
            .chain(user.map(|path| parse(&text(&path).unwrap_or_default())))
            .find_map(|entries| {
                let own =
                    |(key, value): (String, String)| (key == "core.excludesfile").then_some(value);
                entries.into_iter().rev().find_map(own)
            });
        let listed = match named {
            Some(name) => match name.strip_prefix("~/") {
                Some(below) => home.map(|home| home.join(below)),
                None => Some(PathBuf::from(name)),
            },
            None => config.map(|config| config.join("git/ignore")),
        };
        let own = self.common.join("info/exclude");
        std::iter::once(own).chain(listed).collect()
    }

    /// Keys of its configuration that make git start a program.
    pub fn helpers(&self) -> Vec<String> {
        helpers(&self.config())
    }
}

fn text(path: &Path) -> Option<String> {
    match file::read(path) {
        FileFact::Text { body, .. } => Some(body),
        FileFact::Directory | FileFact::Absent | FileFact::Unreadable => None,
    }
}

fn symbolic(path: &Path, prefix: &str) -> Option<String> {
    let head = text(path)?;
    let name = head.trim().strip_prefix("ref:")?.trim();
    name.strip_prefix(prefix).map(str::to_owned)
}

fn remotes(config: &[(String, String)]) -> Vec<Remote> {
    config
        .iter()
        .filter_map(|(key, url)| {
            let name = key.strip_prefix("remote.")?.strip_suffix(".url")?;
            Some(Remote {
                name: name.to_owned(),
                url: url.clone(),
            })
        })
        .collect()
}

fn helpers(config: &[(String, String)]) -> Vec<String> {
    let runs = |key: &str| {
        let key = key.to_lowercase();
        HELPERS.iter().any(|known| match known.split_once('*') {
            Some((before, after)) => key
                .strip_prefix(before)
                .is_some_and(|rest| rest.ends_with(after)),
            None => key == *known,
        })
    };
    config
        .iter()
        .filter(|(key, value)| runs(key) && value != "false")
        .map(|(key, _)| key.clone())
        .collect()
}

/// Reads git's configuration format far enough to know keys and simple values.
fn parse(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut entries = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with(['#', ';']) || line.is_empty() {
            continue;
        }
        let mut rest = line;
        if let Some(header) = line.strip_prefix('[') {
            let Some((header, after)) = header.split_once(']') else {
                continue;
            };
            section = heading(header);
            rest = after.trim();
        }
        let (key, value) = rest.split_once('=').unwrap_or((rest, "true"));
        if !key.trim().is_empty() {
            let key = format!("{section}.{}", key.trim().to_lowercase());
            entries.push((key, value.trim().trim_matches('"').to_owned()));
        }
    }
    entries
}

/// `remote "origin"` is `remote.origin`.
fn heading(header: &str) -> String {
    match header.split_once('"') {
        Some((name, sub)) => {
            let sub = sub.trim_end().trim_end_matches('"');
            format!("{}.{sub}", name.trim().to_lowercase())
        }
        None => header.trim().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_is_read_by_hand() {
        let config = parse(
            "[core]\n\tbare = false\n\tfsmonitor = /tmp/x\n# note\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n\
             [Alias] st = !sh -c x\n[filter \"Big\"]\n\tclean = \"evil %f\"\n[branch \"main\"] remote = origin\n[credential]\nhelper",
        );
        assert_eq!(
            remotes(&config),
            [Remote {
                name: "origin".to_owned(),
                url: "git@example.com:a/b.git".to_owned()
            }]
        );
        assert_eq!(
            helpers(&config),
            [
                "core.fsmonitor",
                "alias.st",
                "filter.Big.clean",
                "credential.helper"
            ]
        );
    }

    #[test]
    fn a_helper_that_is_switched_off_starts_nothing() {
        assert!(helpers(&parse("[core]\nfsmonitor = false\n")).is_empty());
    }
}

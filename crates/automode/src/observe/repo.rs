//! A repository, read from its own files without starting git.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use automode_core::{HOOKS, Remote, RepoFact};
use automode_shell::FileFact;

use super::canonical::Resolver;
use super::file;

/// Where a repository keeps its things.
pub(super) struct ObservedRepository {
    pub root: PathBuf,
    /// `HEAD` of this working tree.
    own: PathBuf,
    /// Refs and configuration, shared by all working trees.
    common: PathBuf,
    config: OnceCell<Vec<(String, String)>>,
    /// What stands in `HEAD`.
    head: OnceCell<Option<String>>,
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

/// Keys that lead what is fetched or pushed elsewhere than to the remote's address.
const REDIRECTS: &[&str] = &["remote.*.pushurl", "url.*.insteadof", "url.*.pushinsteadof"];

pub(super) fn look(directory: &Path, resolver: &mut Resolver) -> RepoFact {
    let start = resolver.existing(directory);
    let Some(repository) = start.and_then(|start| around(&start)) else {
        return RepoFact {
            dirty: true,
            ..RepoFact::default()
        };
    };
    let config = repository.config();
    let text = |path: &Path| path.to_str().map(str::to_owned);
    RepoFact {
        root: text(&repository.root),
        branch: repository
            .head_text()
            .and_then(|head| symbolic(head, "refs/heads/")),
        default_branch: text(&repository.common.join("refs/remotes/origin/HEAD"))
            .and_then(|head| symbolic(&head, "refs/remotes/origin/")),
        remotes: remotes(config),
        dirty: true,
        head: repository.head(),
        helpers: repository.programs(config),
    }
}

/// The repository around a directory, as git itself would find it.
pub(super) fn find(directory: &Path) -> Option<ObservedRepository> {
    around(&fs::canonicalize(directory).ok()?)
}

fn around(start: &Path) -> Option<ObservedRepository> {
    start.ancestors().find_map(|root| {
        let dot = root.join(".git");
        let Ok(found) = fs::metadata(&dot) else {
            return bare(root);
        };
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
        own.join("HEAD").exists().then(|| ObservedRepository {
            root: root.to_owned(),
            own,
            common,
            config: OnceCell::new(),
            head: OnceCell::new(),
        })
    })
}

/// A folder that is laid out like a repository is one to git.
fn bare(root: &Path) -> Option<ObservedRepository> {
    // Git's own folder belongs to the repository around it.
    let is_one = !root.ends_with(".git")
        && root.join("HEAD").is_file()
        && root.join("objects").is_dir()
        && root.join("refs").is_dir();
    is_one.then(|| ObservedRepository {
        root: root.to_owned(),
        own: root.to_owned(),
        common: root.to_owned(),
        config: OnceCell::new(),
        head: OnceCell::new(),
    })
}

impl ObservedRepository {
    /// The keys that make git start programs, and a word for hooks that lie in their place.
    fn programs(&self, config: &[(String, String)]) -> Vec<String> {
        let mut found = helpers(config);
        let redirects = config.iter().filter(|(key, _)| is_listed(REDIRECTS, key));
        found.extend(redirects.map(|(key, _)| key.clone()));
        let hooks = fs::read_dir(self.common.join("hooks"));
        let is_hook = |name: &std::ffi::OsStr| !name.as_encoded_bytes().ends_with(b".sample");
        if hooks.is_ok_and(|mut all| all.any(|one| one.is_ok_and(|one| is_hook(&one.file_name()))))
        {
            found.push(HOOKS.to_owned());
        }
        found
    }

    /// Its own configuration as `section.name.key` and value, keys in lower case.
    fn config(&self) -> &[(String, String)] {
        self.config.get_or_init(|| {
            let shared = text(&self.common.join("config")).unwrap_or_default();
            let own = text(&self.own.join("config.worktree")).unwrap_or_default();
            let mut entries = parse(&shared);
            entries.extend(parse(&own));
            entries
        })
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

    fn head_text(&self) -> Option<&str> {
        let read = || text(&self.own.join("HEAD"));
        self.head.get_or_init(read).as_deref()
    }

    /// The last commit, in hex; nothing where there is none or it cannot be found.
    pub fn head(&self) -> Option<String> {
        let head = self.head_text()?;
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
        let own = |entries: &[(String, String)]| {
            let mut latest_first = entries.iter().rev();
            let found = latest_first.find(|(key, _)| key == "core.excludesfile");
            found.map(|(_, value)| value.clone())
        };
        let mut user = user.map(|path| parse(&text(&path).unwrap_or_default()));
        let named = own(self.config()).or_else(|| user.find_map(|entries| own(&entries)));
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
        helpers(self.config())
    }
}

fn text(path: &Path) -> Option<String> {
    match file::read(path) {
        FileFact::Text { body, .. } => Some(body),
        FileFact::Directory | FileFact::Absent | FileFact::Unreadable => None,
    }
}

fn symbolic(head: &str, prefix: &str) -> Option<String> {
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

/// A yes or a no, which names no program.
fn is_switch(value: &str) -> bool {
    matches!(
        value.to_lowercase().as_str(),
        "" | "true" | "false" | "yes" | "no" | "on" | "off" | "0" | "1"
    )
}

/// Whether a key is in a list whose stars stand for names.
fn is_listed(list: &[&str], key: &str) -> bool {
    let key = key.to_lowercase();
    list.iter().any(|known| match known.split_once('*') {
        Some((before, after)) => key
            .strip_prefix(before)
            .is_some_and(|rest| rest.ends_with(after)),
        None => key == *known,
    })
}

fn helpers(config: &[(String, String)]) -> Vec<String> {
    let runs = |key: &str| is_listed(HELPERS, key);
    config
        .iter()
        .filter(|(key, value)| {
            let switched = key.eq_ignore_ascii_case("core.fsmonitor") && is_switch(value);
            runs(key) && value != "false" && !switched
        })
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

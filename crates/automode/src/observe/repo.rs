//! A repository, read from its own files without starting git.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use automode_core::{GitCredential, HOOKS, Remote, RepoFact};
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

/// How many refs may stand for each other.
const MOST_LINKED_REFS: u8 = 5;

pub(super) fn look(directory: &Path, resolver: &mut Resolver) -> RepoFact {
    let start = resolver.existing(directory);
    let Some(repository) = start.and_then(|start| around(&start)) else {
        return RepoFact {
            dirty: true,
            credentials: credentials(user_settings()),
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
        credentials: repository.credentials(),
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
            "extensions.refstorage" => value.eq_ignore_ascii_case("files"),
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
        self.commit_of(name)
    }

    /// What a ref stands for, in hex: a commit, or a tag of its own.
    pub fn commit_of(&self, name: &str) -> Option<String> {
        let mut name = name.to_owned();
        for _ in 0..MOST_LINKED_REFS {
            let value = self.ref_text(&name)?;
            match value.strip_prefix("ref:") {
                Some(next) => next.trim().clone_into(&mut name),
                // What was fetched has its origin behind it.
                None => return value.split_whitespace().next().map(str::to_owned),
            }
        }
        None
    }

    fn ref_text(&self, name: &str) -> Option<String> {
        // `HEAD` and its kin belong to a working tree.
        let own = || {
            let is_own = !name.starts_with("refs/") || name.starts_with("refs/bisect/");
            text(&self.own.join(name)).filter(|_| is_own)
        };
        let loose = || text(&self.common.join(name));
        let packed = || {
            let all = fs::read_to_string(self.common.join("packed-refs")).ok()?;
            let mut lines = all.lines().filter_map(|line| line.split_once(' '));
            let found = lines.find(|(_, own)| own.trim() == name);
            found.map(|(id, _)| id.to_owned())
        };
        own().or_else(loose).or_else(packed)
    }

    /// The refs that a typed name may stand for: a branch, a tag, a branch of a remote; with a
    /// star at its end, those of this working tree that begin so.
    pub fn refs_named(&self, name: &str) -> Vec<String> {
        if name.is_empty() || name.contains("..") || name.starts_with('/') {
            return Vec::new();
        }
        if let Some((folder, first)) = name
            .strip_suffix('*')
            .and_then(|name| name.rsplit_once('/'))
        {
            let names = fs::read_dir(self.own.join(folder)).into_iter().flatten();
            let names = names
                .flatten()
                .filter_map(|one| one.file_name().into_string().ok());
            let alike = names.filter(|own| own.starts_with(first));
            return alike.map(|own| format!("{folder}/{own}")).collect();
        }
        let mut places = ["", "refs/", "refs/heads/", "refs/tags/", "refs/remotes/"]
            .map(|folder| format!("{folder}{name}"))
            .into_iter()
            .filter(|place| place.starts_with("refs/") || !place.contains('/'))
            .collect::<Vec<_>>();
        places.push(format!("refs/remotes/{name}/HEAD"));
        let remotes = remotes(self.config());
        let of_remotes = remotes
            .iter()
            .map(|remote| format!("refs/remotes/{}/{name}", remote.name));
        places.extend(of_remotes);
        places
    }

    /// What a ref stood for before, the latest last.
    pub fn log_of(&self, name: &str) -> Option<String> {
        let own = text(&self.own.join("logs").join(name));
        own.or_else(|| text(&self.common.join("logs").join(name)))
    }

    /// The branch that is checked out.
    pub fn branch(&self) -> Option<String> {
        symbolic(self.head_text()?, "refs/heads/")
    }

    /// The branch or commit that was left some checkouts ago.
    pub fn branch_before(&self, back: usize) -> Option<String> {
        let log = text(&self.own.join("logs/HEAD"))?;
        let moves = log.lines().rev().filter_map(|line| {
            let (_, moved) = line.split_once("checkout: moving from ")?;
            moved.split_once(" to ").map(|(from, _)| from.to_owned())
        });
        moves.into_iter().nth(back.checked_sub(1)?)
    }

    /// The branch that another one follows.
    pub fn upstream(&self, branch: &str) -> Option<String> {
        let value = |key: &str| {
            let key = format!("branch.{branch}.{key}");
            let mut entries = self.config().iter();
            entries
                .find(|(own, _)| *own == key)
                .map(|(_, value)| value.clone())
        };
        let (remote, merge) = (value("remote")?, value("merge")?);
        match remote.as_str() {
            "." => Some(merge),
            remote => Some(format!("{remote}/{}", merge.strip_prefix("refs/heads/")?)),
        }
    }

    /// Credentials in the settings that git shows here.
    fn credentials(&self) -> Vec<GitCredential> {
        let own = [self.common.join("config"), self.own.join("config.worktree")];
        credentials(own.into_iter().chain(user_settings()))
    }

    /// Lists of what is left out everywhere in the working tree: its own, then the user's.
    pub fn ignore_lists(&self) -> Vec<PathBuf> {
        let (home, config) = user_folders();
        let own = |entries: &[(String, String)]| {
            let mut latest_first = entries.iter().rev();
            let found = latest_first.find(|(key, _)| key == "core.excludesfile");
            found.map(|(_, value)| value.clone())
        };
        let mut user = user_settings()
            .into_iter()
            .map(|path| parse(&text(&path).unwrap_or_default()));
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

/// The user's home, and the folder of their settings.
fn user_folders() -> (Option<PathBuf>, Option<PathBuf>) {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| home.as_ref().map(|home| home.join(".config")));
    (home, config)
}

/// The files of settings that a user may have.
fn user_settings() -> Vec<PathBuf> {
    let (home, config) = user_folders();
    let home = home.into_iter().map(|home| home.join(".gitconfig"));
    let config = config.into_iter().map(|config| config.join("git/config"));
    home.chain(config).collect()
}

/// The most files of settings that are gone through; what they include is among them.
const MOST_SETTINGS: usize = 16;

/// The credentials in these files, and in those that they include whatever the condition.
fn credentials(files: impl IntoIterator<Item = PathBuf>) -> Vec<GitCredential> {
    let mut files: Vec<PathBuf> = files.into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0usize;
    while let Some(path) = files.get(at).filter(|_| at < MOST_SETTINGS).cloned() {
        at = at.saturating_add(1);
        let Some(text) = text(&path) else { continue };
        let file = path.to_string_lossy();
        // A value may go on in the next line; a comment that ends so hides nothing all the same.
        let joined = text.contains("\\\n").then(|| text.replace("\\\n", ""));
        let entries = std::iter::once(&text)
            .chain(&joined)
            .flat_map(|text| parse(text));
        for (key, value) in entries {
            if is_listed(&["include.path", "includeif.*.path"], &key) {
                files.push(included(&path, &value));
            }
            found.extend(GitCredential::read(&file, &key, &value));
        }
    }
    found
}

/// Where a file of settings finds another that it includes.
fn included(from: &Path, name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), user_folders().0) {
        (Some(below), Some(home)) => home.join(below),
        (Some(_) | None, _) => from.parent().unwrap_or(from).join(name),
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

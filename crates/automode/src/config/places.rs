//! Where settings files are looked for, and how far each is trusted.
//!
//! A file inside the repository is never trusted to loosen, whatever names it:
//! a repository can set environment variables for the agents that run in it.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use automode_agents::{CLIENTS, PermissionFiles};
use automode_core::policy::{Origin, ProjectPolicy, Scope};

use crate::canonical_paths::CanonicalPaths;
use crate::state::State;

/// The administrator's settings.
const ADMINISTRATOR: &str = "/etc/automode/config.toml";

/// Every place, for one working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    places: Vec<Place>,
    /// Where the session works; the base of relative directories.
    pub cwd: String,
    pub home: Option<String>,
}

/// One file that may be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub scope: Scope,
    pub path: PathBuf,
    pub(super) format: SettingsFormat,
    /// Set for files found in the repository: the directory they speak for.
    pub(super) root: Option<PathBuf>,
    named: NamedFile,
}

/// How a place came to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedFile {
    /// It is where such files are.
    Never,
    /// By a variable, which a repository may have set.
    ByVariable,
    /// On the command line.
    ByPerson,
    /// By the mark that an organisation's policy was put in force here.
    ByFleet,
}

/// Whose language a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettingsFormat {
    /// Our TOML.
    Own,
    /// The JSON of an agent's settings.
    Agent,
    /// Our TOML under a line that says which revision of an organisation's policy it is.
    Bundle,
}

/// What a file may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Full,
    /// It may add deny and ask rules, nothing else.
    TightenOnly,
}

impl Places {
    /// The places of this process for a working directory. `chosen` is a file named on
    /// the command line.
    #[must_use]
    pub fn here(cwd: &Path, chosen: Option<PathBuf>) -> Self {
        Self::find(cwd, chosen, &|name| env::var_os(name))
    }

    /// The same with another environment.
    #[must_use]
    pub fn find(
        cwd: &Path,
        chosen: Option<PathBuf>,
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> Self {
        let directory = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = directory("HOME");
        let project = project(cwd, home.as_deref());
        let mut canonical = CanonicalPaths::default();
        let repository = own_repository(&project, home.as_deref(), &mut canonical);
        let mut places = Vec::new();
        let mut add = |scope, format, path: PathBuf, named: NamedFile| {
            let lies_in = |top: &PathBuf| resolved(&path, &mut canonical).starts_with(top);
            let inside = named != NamedFile::ByPerson && repository.as_ref().is_some_and(lies_in);
            places.push(Place {
                scope: if inside { Scope::Project } else { scope },
                format,
                root: inside.then(|| project.first().cloned().unwrap_or_else(|| cwd.to_owned())),
                path,
                named,
            });
        };
        add(
            Scope::Managed,
            SettingsFormat::Own,
            PathBuf::from(ADMINISTRATOR),
            NamedFile::Never,
        );
        let managed: Vec<PathBuf> = permission_files()
            .flat_map(|files| agent_managed(&files))
            .collect();
        if let Some(path) = bundle(&directory) {
            // A user can write what lies in their state: it never speaks for an administrator of
            // the machine where there is one.
            let administered =
                Path::new(ADMINISTRATOR).exists() || managed.iter().any(|path| path.exists());
            let scope = if administered {
                Scope::Chosen
            } else {
                Scope::Managed
            };
            add(scope, SettingsFormat::Bundle, path, NamedFile::ByFleet);
        }
        for path in managed {
            add(
                Scope::AgentManaged,
                SettingsFormat::Agent,
                path,
                NamedFile::Never,
            );
        }
        let by_variable = variable("AUTOMODE_CONFIG").filter(|value| !value.is_empty());
        let by_variable = by_variable.map(|path| (PathBuf::from(path), NamedFile::ByVariable));
        let named = chosen.map(|path| (path, NamedFile::ByPerson));
        if let Some((path, named)) = named.or(by_variable) {
            add(Scope::Chosen, SettingsFormat::Own, path, named);
        }
        let config =
            directory("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        if let Some(config) = config {
            add(
                Scope::User,
                SettingsFormat::Own,
                config.join("automode/config.toml"),
                NamedFile::Never,
            );
        }
        for files in permission_files() {
            let usual = || home.as_ref().map(|home| home.join(files.home_directory));
            if let Some(agent) = directory(files.directory_variable).or_else(usual) {
                let path = agent.join(files.user);
                add(
                    Scope::AgentUser,
                    SettingsFormat::Agent,
                    path,
                    NamedFile::Never,
                );
            }
        }
        places.extend(project.iter().flat_map(|root| of_project(root)));
        Self {
            places: each_once(places),
            cwd: cwd.display().to_string(),
            home: home.map(|home| home.display().to_string()),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Place> {
        self.places.iter()
    }
}

/// The settings files that a project may have at one of its roots.
fn of_project(root: &Path) -> Vec<Place> {
    in_project()
        .map(|(name, format)| Place {
            scope: Scope::Project,
            path: root.join(name),
            format,
            root: Some(root.to_owned()),
            named: NamedFile::Never,
        })
        .collect()
}

/// In the home directory the user's own file is also found as a project's.
fn each_once(places: Vec<Place>) -> Vec<Place> {
    let mut seen = Vec::new();
    let new = |place: &Place| {
        let new = !seen.contains(&place.path);
        seen.push(place.path.clone());
        new
    };
    places.into_iter().filter(new).collect()
}

/// Where agents keep permission rules.
fn permission_files() -> impl Iterator<Item = PermissionFiles> {
    CLIENTS.iter().filter_map(|client| client.files.permissions)
}

/// Files that a repository may hold.
fn in_project() -> impl Iterator<Item = (&'static str, SettingsFormat)> {
    let agents = permission_files().flat_map(|files| files.project);
    std::iter::once((".automode.toml", SettingsFormat::Own))
        .chain(agents.map(|name| (*name, SettingsFormat::Agent)))
}

impl Place {
    /// How far the file is trusted.
    #[must_use]
    pub fn trust(&self) -> Trust {
        match self.scope {
            Scope::Project => Trust::TightenOnly,
            Scope::AgentUser
            | Scope::User
            | Scope::Chosen
            | Scope::AgentManaged
            | Scope::Managed => Trust::Full,
        }
    }

    /// Who named it, so that it must be there.
    pub(super) fn needed(&self) -> Option<&'static str> {
        match self.named {
            NamedFile::Never => None,
            NamedFile::ByVariable | NamedFile::ByPerson => {
                Some("it was named with `--config` or AUTOMODE_CONFIG")
            }
            NamedFile::ByFleet => Some("your organisation's policy: automode fleet sync"),
        }
    }

    pub(super) fn origin(&self) -> Origin {
        Origin {
            scope: self.scope,
            file: self.path.display().to_string(),
            line: 0,
        }
    }

    /// A repository's policy from here that says nothing yet.
    pub(super) fn empty_project(&self) -> ProjectPolicy {
        let root = self.root.as_deref();
        ProjectPolicy {
            origin: self.origin(),
            root: root.map_or_else(String::new, |root| root.display().to_string()),
            ask: Vec::new(),
            deny: Vec::new(),
            settings: Vec::new(),
            ignored: Vec::new(),
        }
    }
}

/// The working directory and its parents up to the root of the repository. Without a
/// repository the working directory alone.
fn project(cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in cwd.ancestors() {
        found.push(directory.to_owned());
        if directory.join(".git").exists() {
            return found;
        }
        if Some(directory) == home {
            break;
        }
    }
    found.truncate(1);
    found
}

/// The repository that is worked in, whose files speak for it. Somebody who works in the home
/// directory itself, or above it, keeps a say of their own.
fn own_repository(
    project: &[PathBuf],
    home: Option<&Path>,
    canonical: &mut CanonicalPaths,
) -> Option<PathBuf> {
    let top = resolved(project.last()?, canonical);
    let above_home = home.is_some_and(|home| resolved(home, canonical).starts_with(&top));
    (!above_home).then_some(top)
}

fn resolved(path: &Path, canonical: &mut CanonicalPaths) -> PathBuf {
    canonical.of(path).unwrap_or_else(|| path.to_owned())
}

/// The organisation's policy in the state, where one was put in force: it must be there then.
fn bundle(directory: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let folder =
        State::place(|name| directory(name)?.into_os_string().into_string().ok())?.join("fleet");
    folder
        .join("revision")
        .exists()
        .then(|| folder.join("policy.toml"))
}

/// The agent's managed settings: one file, then a directory of more.
fn agent_managed(files: &PermissionFiles) -> Vec<PathBuf> {
    let base = Path::new(if cfg!(target_os = "macos") {
        files.managed_macos
    } else {
        files.managed_linux
    });
    let mut more: Vec<PathBuf> = fs::read_dir(base.join("managed-settings.d"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    more.sort();
    more.insert(0, base.join("managed-settings.json"));
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(cwd: &Path, environment: &[(&str, &str)]) -> Vec<(Scope, String)> {
        let find = |name: &str| {
            environment
                .iter()
                .find(|(own, _)| *own == name)
                .map(|(_, value)| OsString::from(value))
        };
        Places::find(cwd, None, &find)
            .iter()
            .filter(|place| !place.scope.is_managed())
            .map(|place| (place.scope, place.path.display().to_string()))
            .collect()
    }

    #[test]
    fn trusted_places_inside_the_repository_are_not_trusted() {
        let temp = tempfile::tempdir().expect("a directory");
        let top = temp.path().canonicalize().expect("a path");
        let app = top.join("home/app");
        fs::create_dir_all(app.join(".git")).expect("a repository");
        let home = top.join("home").display().to_string();
        let evil = app.join("evil.toml").display().to_string();
        let inside = app.display().to_string();
        let trusted = |environment: &[(&str, &str)], path: &str| {
            scopes(&app, environment)
                .iter()
                .any(|(scope, own)| own == path && *scope != Scope::Project)
        };
        assert!(!trusted(
            &[("HOME", &home), ("AUTOMODE_CONFIG", &evil)],
            &evil
        ));
        assert!(!trusted(
            &[("HOME", &home), ("XDG_CONFIG_HOME", &inside)],
            &format!("{inside}/automode/config.toml")
        ));
        assert!(!trusted(
            &[("HOME", &home), ("CLAUDE_CONFIG_DIR", &inside)],
            &format!("{inside}/settings.json")
        ));
        assert!(trusted(
            &[("HOME", &home)],
            &format!("{home}/.config/automode/config.toml")
        ));
        let outside = format!("{home}/mine.toml");
        assert!(trusted(
            &[("HOME", &home), ("AUTOMODE_CONFIG", &outside)],
            &outside
        ));
    }

    #[test]
    fn the_home_directory_may_be_worked_in() {
        let temp = tempfile::tempdir().expect("a directory");
        let home = temp.path().canonicalize().expect("a path");
        let shown = home.display().to_string();
        let found = scopes(&home, &[("HOME", &shown)]);
        assert!(found.contains(&(Scope::User, format!("{shown}/.config/automode/config.toml"))));
        assert!(found.contains(&(Scope::AgentUser, format!("{shown}/.claude/settings.json"))));
        assert!(!found.contains(&(Scope::Project, format!("{shown}/.claude/settings.json"))));
    }

    #[test]
    fn an_organisations_policy_counts_once_it_was_in_force() {
        let temp = tempfile::tempdir().expect("a directory");
        let top = temp.path().canonicalize().expect("a path");
        let state = top.join("state");
        fs::create_dir_all(state.join("fleet")).expect("directories");
        let shown = state.display().to_string();
        let policy = state.join("fleet/policy.toml");
        let find = |name: &str| (name == "AUTOMODE_STATE_DIR").then(|| OsString::from(&shown));
        let work = top.join("work");
        fs::create_dir_all(&work).expect("a directory");
        let load = || crate::config::load(&Places::find(&work, None, &find));
        let faults = || load().provenance().faults.join("\n");
        assert_eq!(faults(), "");
        fs::write(state.join("fleet/revision"), "3").expect("a mark");
        assert!(faults().contains("there is no such file"), "{}", faults());
        let check = |head: &str, deny: usize, ask: usize, broken: bool| {
            fs::write(
                &policy,
                format!("{head}[permissions]\ndeny = [\"Bash(a)\"]\n"),
            )
            .expect("a policy");
            let policy = load();
            let [denied, asked, _] = policy.rules();
            assert_eq!((denied.len(), asked.len()), (deny, ask), "{head}");
            assert_eq!(!policy.provenance().faults.is_empty(), broken, "{head}");
        };
        check(
            "# automode-bundle revision=3 expires=0 on_stale=deny\n",
            1,
            0,
            false,
        );
        check(
            "# automode-bundle revision=3 expires=1 on_stale=keep\n",
            1,
            0,
            false,
        );
        check(
            "# automode-bundle revision=3 expires=1 on_stale=ask\n",
            1,
            1,
            false,
        );
        check(
            "# automode-bundle revision=3 expires=1 on_stale=deny\n",
            2,
            0,
            false,
        );
        check(
            "# automode-bundle revision=3 expires=1 on_stale=what\n",
            2,
            0,
            false,
        );
        check("# automode-bundle revision=3 on_stale=ask\n", 1, 0, true);
        check("", 1, 0, true);
    }

    #[test]
    fn parents_up_to_the_repository_count() {
        let temp = tempfile::tempdir().expect("a directory");
        let top = temp.path().canonicalize().expect("a path");
        let deep = top.join("app/a/b");
        fs::create_dir_all(&deep).expect("directories");
        let count = |cwd: &Path| {
            scopes(cwd, &[])
                .iter()
                .filter(|(_, path)| path.ends_with(".automode.toml"))
                .count()
        };
        assert_eq!(count(&deep), 1);
        fs::create_dir(top.join("app/.git")).expect("a repository");
        assert_eq!(count(&deep), 3);
    }
}

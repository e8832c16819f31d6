//! Where a runner finds its task file.

use super::steps::TaskSteps;
use super::{Runner, TaskStart};
use crate::{Context, Extent, Facts, FileFact, Taint, Target};

/// How many directories upwards a runner is followed.
const UPWARDS: usize = 12;

pub(super) struct TaskFileLookup<'a> {
    request: &'a TaskStart<'a>,
    context: &'a Context,
    facts: &'a Facts,
}

/// A task file that was read.
#[derive(Clone, Debug)]
pub(super) struct TaskFile<'a> {
    pub(super) path: String,
    /// The directory of the file: where its tasks run.
    pub(super) directory: String,
    pub(super) text: &'a str,
    pub(super) taint: Taint,
}

pub(super) enum TaskFileSearch<'a> {
    Found(TaskFile<'a>),
    /// Every place was looked at and there is none.
    Nowhere,
    /// The file is there, but it could not be read.
    Unreadable(String),
    /// Somebody has to look first, or nobody can.
    Unknown,
}

impl<'a> TaskFileLookup<'a> {
    pub(super) const fn new(
        request: &'a TaskStart<'a>,
        context: &'a Context,
        facts: &'a Facts,
    ) -> Self {
        Self {
            request,
            context,
            facts,
        }
    }

    pub(super) fn find(&self, steps: &mut TaskSteps<'_>) -> TaskFileSearch<'a> {
        match self.places() {
            Some(places) => self.first(&places, steps),
            None => TaskFileSearch::Unknown,
        }
    }

    /// All the files that count, nearest first: cargo reads every configuration
    /// on the way up, and then the person's own.
    pub(super) fn all(&self, steps: &mut TaskSteps<'_>) -> Vec<TaskFileSearch<'a>> {
        let Some(mut places) = self.places() else {
            return vec![TaskFileSearch::Unknown];
        };
        if let Some(home) = &self.context.home {
            let own = names(self.request.runner)
                .iter()
                .map(|name| format!("{home}/{name}"));
            places.extend(own);
            places.dedup();
        }
        places
            .iter()
            .filter_map(|path| self.try_file(path, steps))
            .collect()
    }

    /// Files that a runner reads beside the one it found.
    pub(super) fn beside(
        &self,
        found: &TaskFile<'_>,
        names: &[&str],
        steps: &mut TaskSteps<'_>,
    ) -> Vec<TaskFileSearch<'a>> {
        if self.request.file.is_some() {
            return Vec::new();
        }
        let directory = found.directory.trim_end_matches('/');
        names
            .iter()
            .filter_map(|name| self.try_file(&format!("{directory}/{name}"), steps))
            .collect()
    }

    /// The files in the order in which the runner looks for them.
    fn places(&self) -> Option<Vec<String>> {
        if let Some(named) = self.request.file {
            let target = Target::locate(named, self.request.directory);
            return match target.extent {
                Extent::Exact => Some(vec![target.path]),
                Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => None,
            };
        }
        let start = self.request.directory?;
        let mut places = Vec::new();
        let mut directory = start.trim_end_matches('/');
        for _ in 0..UPWARDS {
            let names = names(self.request.runner).iter();
            places.extend(names.map(|name| format!("{directory}/{name}")));
            if !searches_upwards(self.request.runner) || directory.is_empty() {
                break;
            }
            directory = directory.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        Some(places)
    }

    /// The first file that is there. The project's places are asked for at once,
    /// and those above it only when there is none inside.
    fn first(&self, places: &[String], steps: &mut TaskSteps<'_>) -> TaskFileSearch<'a> {
        let (inside, above): (Vec<&String>, Vec<&String>) =
            places.iter().partition(|path| self.context.is_inside(path));
        for group in [inside, above] {
            let mut found = None;
            for path in group {
                let here = self.try_file(path, steps);
                let decides = matches!(
                    here,
                    Some(TaskFileSearch::Found(_) | TaskFileSearch::Unreadable(_))
                );
                found = found.or(here);
                if decides {
                    break;
                }
            }
            if let Some(found) = found {
                return found;
            }
        }
        TaskFileSearch::Nowhere
    }

    /// A file that decides the search; nothing where it is known to be absent.
    fn try_file(&self, path: &str, steps: &mut TaskSteps<'_>) -> Option<TaskFileSearch<'a>> {
        match self.facts.files.get(path) {
            Some(FileFact::Text { body, session }) => {
                let directory = path
                    .rsplit_once('/')
                    .map_or("/", |(directory, _)| directory);
                let directory = directory.strip_suffix("/.cargo").unwrap_or(directory);
                Some(TaskFileSearch::Found(TaskFile {
                    path: path.to_owned(),
                    directory: if directory.is_empty() { "/" } else { directory }.to_owned(),
                    text: body,
                    taint: if *session {
                        Taint::SESSION
                    } else {
                        Taint::NONE
                    },
                }))
            }
            Some(FileFact::Absent | FileFact::Directory) => None,
            Some(FileFact::Unreadable) => Some(TaskFileSearch::Unreadable(path.to_owned())),
            None => {
                steps.need(path);
                Some(TaskFileSearch::Unknown)
            }
        }
    }
}

/// Whether a path has the name of a task file, whichever runner it is for.
#[must_use]
pub fn is_task_file(path: &str) -> bool {
    Runner::ALL.iter().any(|runner| {
        names(*runner).iter().any(|name| {
            path.strip_suffix(name)
                .is_some_and(|folder| folder.ends_with('/'))
        })
    })
}

const fn names(runner: Runner) -> &'static [&'static str] {
    match runner {
        Runner::Npm | Runner::Pnpm | Runner::Yarn | Runner::Bun => &["package.json"],
        Runner::Deno => &["deno.json", "deno.jsonc", "package.json"],
        Runner::Make => &["GNUmakefile", "makefile", "Makefile"],
        Runner::Just => &["justfile", ".justfile", "Justfile", "JUSTFILE"],
        Runner::Task => &[
            "Taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
            "taskfile.dist.yml",
            "Taskfile.dist.yaml",
            "taskfile.dist.yaml",
        ],
        Runner::Composer => &["composer.json"],
        Runner::Rake => &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"],
        Runner::Cargo => &[".cargo/config.toml", ".cargo/config"],
        Runner::Poe | Runner::Pdm | Runner::Hatch => &["pyproject.toml"],
        Runner::Tox => &["tox.ini", "pyproject.toml"],
        Runner::Nox => &["noxfile.py"],
        Runner::Compose => &[
            "compose.yaml",
            "compose.yml",
            "docker-compose.yml",
            "docker-compose.yaml",
        ],
    }
}

const fn searches_upwards(runner: Runner) -> bool {
    match runner {
        Runner::Npm
        | Runner::Pnpm
        | Runner::Yarn
        | Runner::Bun
        | Runner::Deno
        | Runner::Just
        | Runner::Task
        | Runner::Rake
        | Runner::Cargo
        | Runner::Poe
        | Runner::Pdm
        | Runner::Hatch
        | Runner::Compose => true,
        Runner::Make | Runner::Composer | Runner::Tox | Runner::Nox => false,
    }
}

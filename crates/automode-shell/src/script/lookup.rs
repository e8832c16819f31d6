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
        if let Some(named) = self.request.file {
            let target = Target::locate(named, self.request.directory);
            return match target.extent {
                Extent::Exact => self
                    .try_file(&target.path, steps)
                    .unwrap_or(TaskFileSearch::Nowhere),
                Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => {
                    TaskFileSearch::Unknown
                }
            };
        }
        let Some(start) = self.request.directory else {
            return TaskFileSearch::Unknown;
        };
        let mut directory = start.trim_end_matches('/');
        for _ in 0..UPWARDS {
            for name in names(self.request.runner) {
                if let Some(place) = self.try_file(&format!("{directory}/{name}"), steps) {
                    return place;
                }
            }
            if !searches_upwards(self.request.runner) || self.is_root(directory) {
                return TaskFileSearch::Nowhere;
            }
            match directory.rsplit_once('/') {
                Some((outer, _)) => directory = outer,
                None => return TaskFileSearch::Nowhere,
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
            Some(FileFact::Unreadable) => Some(TaskFileSearch::Unknown),
            None => {
                steps.need(path);
                Some(TaskFileSearch::Unknown)
            }
        }
    }

    /// The search stops at the project's own root.
    fn is_root(&self, directory: &str) -> bool {
        directory.is_empty() || self.context.roots.iter().any(|root| root == directory)
    }
}

const fn names(runner: Runner) -> &'static [&'static str] {
    match runner {
        Runner::Npm | Runner::Pnpm | Runner::Yarn | Runner::Bun => &["package.json"],
        Runner::Deno => &["deno.json", "deno.jsonc", "package.json"],
        Runner::Make => &["GNUmakefile", "makefile", "Makefile"],
        Runner::Just => &["justfile", ".justfile", "Justfile"],
        Runner::Task => &[
            "Taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
        ],
        Runner::Composer => &["composer.json"],
        Runner::Rake => &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"],
        Runner::Cargo => &[".cargo/config.toml", ".cargo/config"],
        Runner::Poe | Runner::Pdm | Runner::Hatch => &["pyproject.toml"],
        Runner::Tox => &["tox.ini"],
        Runner::Nox => &["noxfile.py"],
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
        | Runner::Hatch => true,
        Runner::Make | Runner::Composer | Runner::Tox | Runner::Nox => false,
    }
}

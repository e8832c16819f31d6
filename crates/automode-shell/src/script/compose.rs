//! Compose files: what their services may reach on the machine.
//!
//! The services themselves run inside containers. A mount of the machine's own
//! files, a shared namespace or more rights than a container has take the walls
//! away; a file that was not found or not read has no walls to speak of.

use super::lookup::{TaskFile, TaskFileLookup, TaskFileSearch};
use super::steps::TaskSteps;
use crate::language::capability::{CapabilityReading, SourceLanguage, capabilities};
use crate::{Act, Code, GapKind, Origin, ProgramEffects};

/// Files that are merged into the one that is found by itself.
const OVERRIDES: &[&str] = &[
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
];

const SERVICES: &str = "the services of the compose file";

pub(super) fn read(lookup: &TaskFileLookup<'_>, mut steps: TaskSteps<'_>) -> ProgramEffects {
    let chosen = steps
        .request
        .environment
        .iter()
        .any(|(name, _)| name == "COMPOSE_FILE");
    let found = if chosen {
        TaskFileSearch::Nowhere
    } else {
        lookup.find(&mut steps)
    };
    let isolated = match found {
        TaskFileSearch::Found(file) => {
            let mut isolated = walls(&file, &mut steps);
            for other in lookup.beside(&file, OVERRIDES, &mut steps) {
                isolated &= match other {
                    TaskFileSearch::Found(file) => walls(&file, &mut steps),
                    TaskFileSearch::Unreadable(path) => {
                        steps.unreadable(&path);
                        false
                    }
                    TaskFileSearch::Unknown | TaskFileSearch::Nowhere => true,
                };
            }
            steps.gap(GapKind::Unseen(SERVICES.to_owned()));
            isolated
        }
        TaskFileSearch::Nowhere => {
            steps.not_found();
            false
        }
        TaskFileSearch::Unreadable(path) => {
            steps.unreadable(&path);
            false
        }
        // Nobody has looked yet.
        TaskFileSearch::Unknown => {
            steps.gap(GapKind::Unseen(SERVICES.to_owned()));
            true
        }
    };
    let taint = steps.taint();
    steps.finish_as(Act::Execute {
        code: Code::Container {
            image: "compose".to_owned(),
            isolated,
        },
        origin: Origin { seen: false, taint },
    })
}

/// Whether everything in a file stays inside its containers.
fn walls(file: &TaskFile<'_>, steps: &mut TaskSteps<'_>) -> bool {
    steps.marks(file);
    match capabilities(SourceLanguage::Compose, file.text) {
        CapabilityReading::Clean => true,
        CapabilityReading::Uses(uses) => {
            for found in uses {
                let (path, line, what) = (&file.path, found.line, found.capability.name());
                steps.gap(GapKind::Refused(format!(
                    "{path}:{line}: a service {what}: `{}`",
                    found.text
                )));
            }
            false
        }
        CapabilityReading::Unread(why) => {
            steps.gap(GapKind::Refused(format!("{}: {why}", file.path)));
            false
        }
    }
}

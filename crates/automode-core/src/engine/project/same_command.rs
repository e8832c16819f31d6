//! What a command does to the project beside running its code.
//!
//! Text that is known is read like any file that changed. Everything else that the
//! command moves, copies, unpacks, fetches, edits or checks out is not read, and so
//! nothing of the project runs unseen in the same command.

use automode_shell::{
    Act, Code, Effect, Extent, FileChange, Invocation, Nature, PackageOp, Value, VcsOp, WriteHow,
    changes_work_tree,
};

use super::kind::{self, ProjectFileKind};
use crate::PathKind;
use crate::engine::case::Case;
use crate::exceptions::is_well_known;
use crate::scene::{Suspicion, SuspicionOrigin, report};

/// Whether the command rewrites a manifest and runs a task of the project: the task was
/// followed through the manifest that lay there before.
pub(super) fn replaces_manifest(case: &Case<'_>) -> bool {
    let effects = || case.effects.analysis.effects.iter();
    let runs = effects().any(|effect| {
        matches!(
            &effect.act,
            Act::Execute {
                code: Code::Task { .. },
                ..
            }
        )
    });
    let rewrites = effects().any(|effect| {
        if let Act::Write { target, .. } = &effect.act {
            matches!(
                kind::of(&target.path),
                ProjectFileKind::Manifest | ProjectFileKind::Settings
            )
        } else {
            false
        }
    });
    runs && rewrites
}

pub(super) fn suspicions(case: &Case<'_>) -> Vec<Suspicion> {
    let analysis = &case.effects.analysis;
    let last = last_run(case);
    analysis
        .effects
        .iter()
        .filter(|effect| last.is_none_or(|last| effect.by <= last))
        .filter_map(|effect| {
            let start = analysis.invocations.get(effect.by);
            let why = match effect.act.file_change() {
                FileChange::Write { target, how, .. } => {
                    let unread = brings_code(case, effect, start, how)
                        && !is_known(case, &target.path)
                        && !is_own_output(case, effect)
                        && !is_kept_by_run(case, effect, &target.path);
                    let adds = adds_dependencies(case, &target.path, start, how);
                    (unread || adds).then(|| {
                        format!("{} is written beside the run", report::name(&target.path))
                    })
                }
                FileChange::Repository(op) => (changes_work_tree(op, start)
                    && !start.is_some_and(|start| sets_aside(case, start)))
                .then(|| "puts other files into the project beside the run".to_owned()),
                FileChange::Nothing | FileChange::Delete { .. } | FileChange::Untold => None,
            }
            .or_else(|| builds_package(effect, start))?;
            Some(Suspicion {
                subject: shown(case, start),
                why,
                origin: SuspicionOrigin::Unread,
            })
        })
        .collect()
}

/// The last start of code of the project, in a command that runs from its beginning to its end:
/// what comes after it changes nothing about the run.
fn last_run(case: &Case<'_>) -> Option<usize> {
    const TURNS: &[&str] = &[
        "for", "while", "until", "select", "function", "trap", "coproc", "eval", "source",
    ];
    let text = case.scene().text();
    let joined = text
        .replace("&&", ";")
        .replace(">&", ">")
        .replace("&>", ">");
    let plain = !joined.contains('&')
        && !joined.contains("()")
        && !joined
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| TURNS.contains(&word));
    let runs = case.effects.analysis.effects.iter().filter(|effect| {
        let code = effect.act.executes().map(|(code, _)| code);
        matches!(
            code,
            Some(Code::Task { .. } | Code::File(_) | Code::Container { .. })
        )
    });
    runs.map(|effect| effect.by).max().filter(|_| plain)
}

/// `git stash` in a history that this session has not moved: what is left is as it was when the
/// session began.
fn sets_aside(case: &Case<'_>, start: &Invocation) -> bool {
    let words: Vec<_> = start
        .argv
        .iter()
        .skip(1)
        .map_while(Value::literal)
        .collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let flags = match words.as_slice() {
        ["stash", "push" | "save", flags @ ..] | ["stash", flags @ ..] => Some(flags),
        _ => None,
    };
    let usual = |flag: &&str| matches!(*flag, "-u" | "-q" | "--quiet" | "--include-untracked");
    let stash = flags.is_some_and(|flags| flags.iter().all(usual));
    let directory = start.cwd.as_ref().unwrap_or(&case.context.cwd);
    let now = case.facts.repos.get(directory).map(|repo| &repo.head);
    let began = case.session.repo.as_ref().map(|repo| &repo.head);
    stash && words.len() == start.argv.len().saturating_sub(1) && now.is_some() && now == began
}

fn shown(case: &Case<'_>, start: Option<&Invocation>) -> String {
    let text = case.scene().text();
    let part = start.map_or("", |start| start.span.of(text));
    match report::name(part) {
        part if part.is_empty() => "the command".to_owned(),
        part => format!("`{part}`"),
    }
}

/// A write after which something of the project may be other code than it was.
fn brings_code(
    case: &Case<'_>,
    effect: &Effect,
    start: Option<&Invocation>,
    how: WriteHow,
) -> bool {
    let Act::Write { target, .. } = &effect.act else {
        return false;
    };
    let rewrites = match how {
        WriteHow::Replace | WriteHow::Append | WriteHow::Edit | WriteHow::Link | WriteHow::Raw => {
            true
        }
        WriteHow::Touch | WriteHow::Attributes => false,
    };
    // A formatter keeps what the code says, and a compiler makes code of code.
    let keeps = start
        .is_some_and(|start| start.is_a(Nature::NamesItsOutput) && !start.is_a(Nature::Fetch))
        || start.is_some_and(compiles)
        || is_by_package_manager(case, effect)
        || (how == WriteHow::Edit && is_formatting(case, effect, start));
    let data = match target.extent {
        Extent::Exact => {
            kind::is_data(&target.path) && !is_directory(case, &target.path)
                || case.scene().place(target).regenerable
        }
        Extent::Pattern => kind::is_data(&target.path),
        Extent::Below => case.scene().place(target).regenerable,
        Extent::Prefix | Extent::Unknown => false,
    };
    let inside = match target.extent {
        Extent::Exact | Extent::Below | Extent::Pattern | Extent::Prefix => {
            case.context.is_inside(&target.path) || target.path.is_empty()
        }
        Extent::Unknown => true,
    };
    rewrites && !keeps && !data && inside
}

/// Whether the command moves the history of the project on, or its files to another point of it.
pub(crate) fn moves_history(case: &Case<'_>) -> bool {
    let analysis = &case.effects.analysis;
    analysis.effects.iter().any(|effect| {
        let start = analysis.invocations.get(effect.by);
        let commits = || {
            start.is_some_and(|start| {
                let mut words = start.argv.iter().skip(1).filter_map(Value::literal);
                words.any(|word| word == "commit")
            })
        };
        if let FileChange::Repository(op) = effect.act.file_change() {
            changes_work_tree(op, start) || (*op == VcsOp::Local && commits())
        } else {
            false
        }
    })
}

/// Folders from which code is loaded by the name of a library, and which git does not follow.
const LIBRARIES: &[&str] = &[
    "node_modules",
    "site-packages",
    ".venv",
    "venv",
    "vendor",
    "target",
    "deps",
    "_build",
    ".eggs",
    "__pypackages__",
    "bower_components",
    ".yarn",
    ".bundle",
    ".gradle",
    ".tox",
    ".nox",
    "Pods",
    "Carthage",
];

/// Whether a write fills a folder of libraries by another hand than a package manager's or a
/// compiler's: no list of changes holds what is in it.
pub(crate) fn fills_library(case: &Case<'_>, effect: &Effect) -> bool {
    let FileChange::Write { target, how, .. } = effect.act.file_change() else {
        return false;
    };
    let start = case.effects.analysis.invocations.get(effect.by);
    let brings = match how {
        WriteHow::Replace | WriteHow::Append | WriteHow::Edit | WriteHow::Link | WriteHow::Raw => {
            true
        }
        WriteHow::Touch | WriteHow::Attributes => false,
    };
    let manages = case
        .effects
        .analysis
        .effects
        .iter()
        .any(|other| other.by == effect.by && matches!(other.act, Act::Package { .. }));
    let mut parts = target.path.split('/');
    brings
        && !manages
        && !start.is_some_and(compiles)
        && !is_own_output(case, effect)
        && !start.is_some_and(|start| start.is_a(Nature::Formatter))
        && case.context.is_inside(&target.path)
        && parts.any(|part| LIBRARIES.contains(&part))
}

/// What a build takes in by itself runs with it.
fn builds_package(effect: &Effect, start: Option<&Invocation>) -> Option<String> {
    let Act::Package {
        op: PackageOp::Declare,
        names,
        ..
    } = &effect.act
    else {
        return None;
    };
    names
        .iter()
        .find(|name| is_built_in(start) && !is_well_known(name))
        .map(|name| format!("brings `{}`, which is built and run", report::name(name)))
}

/// Whether the packages of a manager are built, and run while they are, with the project.
fn is_built_in(start: Option<&Invocation>) -> bool {
    start.is_some_and(|start| start.is_a(Nature::BuildsDependencies))
}

/// A list of what the build fetches and runs by itself is rewritten, by another hand than
/// the tool's own: a new line in it is new code.
fn adds_dependencies(
    case: &Case<'_>,
    path: &str,
    start: Option<&Invocation>,
    how: WriteHow,
) -> bool {
    const LISTS: &[&str] = &["Cargo.toml", "Cargo.lock", "go.mod", "go.sum", "go.work"];
    let listed = LISTS.contains(&path.rsplit('/').next().unwrap_or_default());
    let by_tool = start.is_some_and(|start| {
        let bare = start.argv.first().and_then(Value::literal);
        bare.is_some_and(|name| !name.contains('/')) && start.is_a(Nature::KeepsDependencyList)
    });
    let rewrites = !matches!(how, WriteHow::Touch | WriteHow::Attributes);
    let names_none = case
        .effects
        .writes
        .iter()
        .any(|write| write.path == path && !write.append && !names_dependencies(&write.body));
    listed && !by_tool && rewrites && !names_none
}

/// Whether a whole `Cargo.toml` or `go.mod` names something that is fetched.
fn names_dependencies(text: &str) -> bool {
    let mut within = false;
    text.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            within = line.contains("dependencies") || line.contains("patch");
            return within && line.contains('.') || line.contains("[[");
        }
        (within && line.contains('=')) || line.starts_with("require") || line.starts_with("replace")
    })
}

/// A compiler makes code of code that is read itself.
fn compiles(start: &Invocation) -> bool {
    start.is_a(Nature::Compiler)
}

/// What a package manager notes of packages, which are an effect of their own.
fn is_by_package_manager(case: &Case<'_>, effect: &Effect) -> bool {
    let Act::Write { target, .. } = &effect.act else {
        return false;
    };
    let notes = matches!(
        kind::of(&target.path),
        ProjectFileKind::Manifest | ProjectFileKind::Settings | ProjectFileKind::Data
    );
    notes
        && case
            .effects
            .analysis
            .effects
            .iter()
            .any(|other| other.by == effect.by && matches!(other.act, Act::Package { .. }))
}

/// An edit of whole folders, or by a program that only formats.
fn is_formatting(case: &Case<'_>, effect: &Effect, start: Option<&Invocation>) -> bool {
    let Act::Write { target, .. } = &effect.act else {
        return false;
    };
    let folder = match target.extent {
        Extent::Below => true,
        Extent::Exact | Extent::Pattern => {
            target.path.contains("**") || is_directory(case, &target.path)
        }
        Extent::Prefix | Extent::Unknown => false,
    };
    start.is_some_and(|start| {
        start.is_a(Nature::Formatter) || (folder && !start.is_a(Nature::AppliesPatch))
    })
}

fn is_directory(case: &Case<'_>, path: &str) -> bool {
    case.facts
        .paths
        .get(path)
        .is_some_and(|fact| fact.kind == PathKind::Directory)
}

/// Its new text is in the command, so it is read like any other file.
fn is_known(case: &Case<'_>, path: &str) -> bool {
    // A runner is followed through the manifest that lies on the disk.
    kind::of(path) != ProjectFileKind::Manifest
        && case.effects.writes.iter().any(|write| write.path == path)
}

/// What a runner itself leaves behind.
fn is_own_output(case: &Case<'_>, effect: &Effect) -> bool {
    case.effects.analysis.effects.iter().any(|other| {
        let task = matches!(
            &other.act,
            Act::Execute {
                code: Code::Task { .. } | Code::Container { .. },
                ..
            }
        );
        other.by == effect.by && task
    })
}

/// Endings of models and tables as programs keep them.
const KEPT: &[&str] = &[
    "pt", "pth", "ckpt", "pkl", "pickle", "joblib", "npy", "npz", "h5", "hdf5", "keras",
];

/// Whether the one script that the command runs writes a model or a table itself: nothing else
/// runs that could load it, and a loader in the script is a gap of its own.
fn is_kept_by_run(case: &Case<'_>, effect: &Effect, path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let mut parts = path.split('/');
    let mut runs = case
        .effects
        .analysis
        .effects
        .iter()
        .filter_map(|other| Some((other.by, other.act.executes()?.0)));
    ending.is_some_and(|ending| KEPT.contains(&ending))
        && !parts.any(|part| LIBRARIES.contains(&part))
        && runs.all(|(by, code)| by == effect.by && matches!(code, Code::File(_)))
}

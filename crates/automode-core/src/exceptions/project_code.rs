//! The project's own tests, builds and scripts.
//!
//! What runs is either seen, then its effects are in the list and are judged one
//! by one; or it is the project's declared entry for testing and building, which
//! a setting accepts unseen as long as everything
//! that changed in the project was read and is clean.

use automode_shell::place::Zone;
use automode_shell::{
    Act, Code, Effect, Extent, Gap, GapKind, Host, Invocation, Layer, Nature, Taint, Target,
    natures_of,
};

use super::inside::keeps_inside;
use super::task_name::{is_check, is_entry, is_goal_fine, names_test};
use super::{asked_program, declared_tool, overlaps, own_program};
use crate::scene::Scene;

/// Whether the project's own tests, builds and scripts run without the judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProjectCode {
    #[default]
    Allow,
    Judge,
}

/// Whether it is what a module says of itself.
fn asks_of_module(gap: &GapKind) -> bool {
    const FACTS: &[&str] = &[
        "__version__",
        "__file__",
        "__name__",
        "__doc__",
        "__path__",
        "__all__",
        "__author__",
    ];
    let last = |name: &str| {
        name.rsplit('.')
            .next()
            .is_some_and(|last| FACTS.contains(&last))
    };
    matches!(gap, GapKind::Call { language: "python", name } if last(name))
}

/// Whether a setting accepts what was not seen.
pub fn accepts(gap: &Gap, scene: &Scene<'_>, setting: ProjectCode) -> bool {
    if setting != ProjectCode::Allow {
        return false;
    }
    if asks_of_module(&gap.kind) {
        return true;
    }
    // In whichever directory it ends up, it only looks at names.
    if let GapKind::Unseen(what) = &gap.kind
        && what == "whether the directory is there"
        && scene
            .effects()
            .all(|effect| matches!(effect.act, Act::List { .. }))
    {
        return true;
    }
    if asked_program::accepts(gap, scene) {
        return true;
    }
    if scene.project.is_clean() && declared_tool::accepts(gap, scene) {
        return true;
    }
    if !scene.project.is_clean() || is_told_to_runner(gap, scene) {
        return false;
    }
    // A module of the project as it stands, which its tests load too.
    if let Some(path) = gap.kind.module() {
        return scene.effects().any(|effect| {
            matches!(&effect.act, Act::Execute { code: Code::File(target), origin }
                if target.path == path
                    && origin.seen
                    && is_clean(origin.taint)
                    && is_project_file(target, scene))
        });
    }
    // Loading an installed module runs what the environment already trusts;
    // what is then called of it is a gap of its own.
    if let GapKind::Call {
        language: "python",
        name,
    } = &gap.kind
        && let Some(module) = name.strip_prefix("import ")
    {
        return is_installed(module, scene);
    }
    if scene.effects().any(|effect| {
        let in_service = || is_code(&gap.kind) && runs_in_service(effect, scene);
        let unread =
            || own_program::is_about_itself(&gap.kind, effect, scene) && is_compiled(effect, scene);
        let plain = || {
            own_program::is_plain_variable(&gap.kind, effect, scene)
                && (runs_entry(effect, scene) || own_program::is_own(effect, scene))
        };
        overlaps(effect, gap, scene) && (in_service() || unread() || plain())
    }) {
        return true;
    }
    // Which of the project's tools its own script starts.
    if gap.kind == GapKind::DynamicProgram
        && scene.effects().any(|effect| {
            matches!(&effect.act, Act::Execute { code: Code::File(target), origin }
                if origin.seen
                    && overlaps(effect, gap, scene)
                    && is_clean(origin.taint)
                    && is_project_file(target, scene)
                    && own_program::are_words_fine(scene, effect))
        })
    {
        return true;
    }
    scene.effects().any(|effect| {
        let own = is_code(&gap.kind) && is_own(effect, scene, &gap.kind);
        overlaps(effect, gap, scene)
            && !is_of_typed_code(gap, effect, scene)
            && (own || is_own_program(effect, scene, &gap.kind))
    })
}

/// A gap of code that stands in the command itself, beside a file that it loads:
/// `ruby -rjson -e '…'`, `ruby -Ilib -e '…'`.
fn is_of_typed_code(gap: &Gap, effect: &Effect, scene: &Scene<'_>) -> bool {
    let Act::Execute {
        code: Code::File(target),
        ..
    } = &effect.act
    else {
        return false;
    };
    let is_named = |what: &str| {
        let what = what.trim_matches('`').trim_start_matches("./");
        !what.is_empty() && target.path.ends_with(what)
    };
    let about_file = matches!(&gap.kind, GapKind::Unseen(what) if is_named(what));
    let typed = |other: &Effect| {
        let inline = matches!(
            other.act,
            Act::Execute {
                code: Code::Inline { .. },
                ..
            }
        );
        other.by == effect.by && inline
    };
    !about_file && scene.effects().any(typed)
}

/// A word of the command itself that the table of its program does not know: what the
/// project's code makes of its own words is another matter.
fn is_told_to_runner(gap: &Gap, scene: &Scene<'_>) -> bool {
    matches!(gap.kind, GapKind::Argument { .. })
        && scene.invocations().any(|start| {
            let mut words = start.argv.iter().skip(1);
            gap.span != start.span && words.any(|word| word.span == gap.span)
        })
}

/// A script in a service of the project's own compose file: the container holds it.
fn runs_in_service(effect: &Effect, scene: &Scene<'_>) -> bool {
    let script = matches!(
        &effect.act,
        Act::Execute { code: Code::File(target), .. } if target.extent == Extent::Unknown
    );
    let Some(start) = scene.invocation(effect) else {
        return false;
    };
    let inside = start
        .layers
        .iter()
        .any(|layer| matches!(layer, Layer::Remote(_)));
    script
        && inside
        && !rewrites_containers(scene)
        && own_program::are_plain_words(scene, start)
        && scene.invocations().any(is_compose)
}

/// `docker compose exec` or `run` with the project's own file, on this machine.
fn is_compose(start: &Invocation) -> bool {
    let words: Vec<_> = start.argv.iter().map_while(|word| word.literal()).collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let composes = match words.as_slice() {
        [engine, "compose", "exec" | "run", ..] => !engine.contains('/'),
        [engine, "exec" | "run", ..] => !engine.contains('/') && engine.ends_with("-compose"),
        _ => false,
    };
    let reaches_out = words.iter().any(|word| {
        word.starts_with("-v")
            || word.starts_with("--volume")
            || word.starts_with("--privileged")
            || *word == "-u"
            || word.starts_with("--user")
            || word.starts_with("--entrypoint")
            || word.starts_with("-p")
            || word.starts_with("--publish")
            || word.starts_with("--service-ports")
    });
    composes && start.is_a(Nature::ContainerEngine) && !reaches_out
}

/// A program that is compiled of sources that were read.
fn is_compiled(effect: &Effect, scene: &Scene<'_>) -> bool {
    matches!(&effect.act, Act::Execute {
        code: Code::File(target),
        origin,
    } if is_not_fetched(origin.taint) && own_program::is_compiled_here(target, effect, scene))
}

/// A tool that runs the project's tests, build or checks anyway.
fn runs_entry(effect: &Effect, scene: &Scene<'_>) -> bool {
    matches!(&effect.act, Act::Execute {
        code: Code::Task { runner, name },
        origin,
    } if is_clean(origin.taint)
            && is_task(scene, effect, runner, name)
            && own_program::are_words_fine(scene, effect))
}

/// The project's own program, of which its text or parts of it were not understood.
fn is_own_program(effect: &Effect, scene: &Scene<'_>, gap: &GapKind) -> bool {
    let Act::Execute { code, origin } = &effect.act else {
        return false;
    };
    is_clean(origin.taint)
        && match code {
            Code::File(target) => {
                let itself = own_program::is_about_itself(gap, effect, scene);
                // A build's output is never text; a script that is not there is nobody's.
                let accepted = if own_program::is_build_output(target, scene) {
                    itself
                } else {
                    (is_code(gap) || is_unread_language(gap)) && !itself
                };
                accepted && own_program::is_own_file(target, effect, scene)
            }
            Code::Task { runner, name } => {
                matches!(gap, GapKind::Unseen(what) if *what == format!("{runner} {name}"))
                    && own_program::is_own_run(runner, name, effect, scene)
            }
            Code::Program(_)
            | Code::Inline { .. }
            | Code::Stream
            | Code::Package(_)
            | Code::Container { .. }
            | Code::Remote { .. } => false,
        }
}

/// Whether a setting accepts that this runs.
pub fn covers(effect: &Effect, scene: &Scene<'_>, setting: ProjectCode) -> bool {
    // What a tool of the environment loads of the project is an effect of its own.
    if let Act::Execute {
        code: Code::File(target),
        origin,
    } = &effect.act
        && setting == ProjectCode::Allow
        && is_clean(origin.taint.with(scene.carried(&target.path)))
        && own_program::is_installed_tool(target, scene)
    {
        return true;
    }
    if setting == ProjectCode::Allow && asked_program::covers(effect, scene) {
        return true;
    }
    setting == ProjectCode::Allow
        && scene.project.is_clean()
        && effect
            .act
            .executes()
            .is_some_and(|(code, origin)| match code {
                Code::Task { runner, name } => {
                    let accepted =
                        is_task(scene, effect, runner, name) || own_program::is_own(effect, scene);
                    accepted && is_clean(origin.taint)
                }
                Code::File(target) => {
                    let test = is_test(target) && is_project_file(target, scene);
                    let own = own_program::is_own(effect, scene);
                    let wrapper = is_wrapper(effect, target, scene);
                    is_clean(origin.taint) && (test || own || wrapper)
                        || is_compiled(effect, scene)
                        || runs_in_service(effect, scene)
                }
                Code::Container { image, isolated } => {
                    let service = scene.invocation(effect).is_some_and(is_compose)
                        && !rewrites_containers(scene)
                        && keeps_inside(scene, effect);
                    let own = service || is_own_container(image, effect, scene);
                    *isolated && is_clean(origin.taint) && own
                }
                Code::Program(_) => {
                    is_clean(origin.taint)
                        && (is_started_by_task(effect, scene)
                            || is_started_by_script(effect, scene)
                            || declared_tool::is_of_checks(effect, scene))
                }
                Code::Inline { .. } | Code::Stream | Code::Package(_) | Code::Remote { .. } => {
                    false
                }
            })
}

/// Gaps of code that was not understood; a command that was not is another matter.
fn is_code(kind: &GapKind) -> bool {
    match kind {
        GapKind::Unseen(_)
        | GapKind::Call { .. }
        | GapKind::Program(_)
        | GapKind::Argument { .. }
        | GapKind::DynamicWord { .. } => true,
        GapKind::Refused(_) | GapKind::Syntax(_) | GapKind::DynamicProgram | GapKind::Budget => {
            false
        }
    }
}

/// Text of another language that its reader does not understand.
fn is_unread_language(gap: &GapKind) -> bool {
    const READERS: &[&str] = &[
        "python: ",
        "javascript: ",
        "ruby: ",
        "php: ",
        "perl: ",
        "lua: ",
    ];
    matches!(gap, GapKind::Syntax(what) if READERS.iter().any(|reader| what.starts_with(reader)))
}

/// Code of the project that this session did not write.
fn is_own(effect: &Effect, scene: &Scene<'_>, gap: &GapKind) -> bool {
    let Act::Execute { code, origin } = &effect.act else {
        return false;
    };
    match code {
        Code::Task { runner, name } => {
            // The task itself was not seen; anything else that was not is another matter.
            let itself =
                matches!(gap, GapKind::Unseen(what) if *what == format!("{runner} {name}"));
            // What a declared task starts is the project's own choice, told nothing more.
            let within = origin.seen
                && !matches!(gap, GapKind::Unseen(_))
                && own_program::are_words_fine(scene, effect);
            (itself || within) && is_clean(origin.taint) && is_task(scene, effect, runner, name)
        }
        Code::File(target) => {
            let unseen_test = is_test(target) && matches!(gap, GapKind::Unseen(_));
            (origin.seen || unseen_test) && is_clean(origin.taint) && is_project_file(target, scene)
        }
        Code::Container { image, isolated } => {
            *isolated
                && matches!(gap, GapKind::Unseen(what) if INSIDE.contains(&what.as_str()))
                && is_clean(origin.taint)
                && is_own_container(image, effect, scene)
        }
        Code::Program(_)
        | Code::Inline { .. }
        | Code::Stream
        | Code::Package(_)
        | Code::Remote { .. } => false,
    }
}

/// What stays unseen of the project's containers: what they do inside. What else their
/// runner is told (`--cache-to`, `--secret`) is another matter.
const INSIDE: &[&str] = &[
    "the steps of the build file",
    "the services of the compose file",
];

/// The containers that the project itself describes, in files of this project
/// that this session did not write.
fn is_own_container(image: &str, effect: &Effect, scene: &Scene<'_>) -> bool {
    let described = matches!(image, "compose" | "build");
    let rewritten = rewrites_containers(scene);
    let elsewhere = scene.effects().any(|other| {
        let remote = matches!(
            other.act,
            Act::Connect {
                host: Host::Named(_) | Host::Unknown,
                ..
            }
        );
        other.by == effect.by && remote
    });
    described && !rewritten && !elsewhere && keeps_inside(scene, effect)
}

/// This session wrote a file that describes containers.
fn rewrites_containers(scene: &Scene<'_>) -> bool {
    scene.session.written.has(|path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = name.to_lowercase();
        name.contains("compose") || name.contains("dockerfile") || name == "containerfile"
    })
}

/// A program that nobody knows, which a declared task of the project starts.
fn is_started_by_task(effect: &Effect, scene: &Scene<'_>) -> bool {
    let nested = scene.invocation(effect).is_some_and(|start| {
        start
            .layers
            .iter()
            .any(|layer| matches!(layer, Layer::Task(_)))
    });
    nested
        && scene.effects().any(|task| {
            let overlap = task.span.start <= effect.span.end && effect.span.start <= task.span.end;
            matches!(&task.act, Act::Execute {
                code: Code::Task { runner, name },
                origin,
            } if overlap
                    && origin.seen
                    && is_clean(origin.taint)
                    && is_task(scene, task, runner, name)
                    && own_program::are_words_fine(scene, task))
        })
}

/// A program that a script of the project starts by which the project is tested or checked:
/// `scripts/lint` is `make lint` in a file of its own.
fn is_started_by_script(effect: &Effect, scene: &Scene<'_>) -> bool {
    let nested = scene.invocation(effect).is_some_and(|start| {
        let mut layers = start.layers.iter();
        layers.any(|layer| matches!(layer, Layer::File(_)))
    });
    nested
        && scene.effects().any(|script| {
            let overlap =
                script.span.start <= effect.span.end && effect.span.start <= script.span.end;
            matches!(&script.act, Act::Execute {
                code: Code::File(target),
                origin,
            } if overlap
                    && origin.seen
                    && is_clean(origin.taint)
                    && (is_test(target) || is_check_script(target))
                    && is_project_file(target, scene)
                    && own_program::are_words_fine(scene, script))
        })
}

/// A script among the project's scripts that bears the name of a check.
fn is_check_script(target: &Target) -> bool {
    let mut names = target.path.rsplit('/');
    let name = names.next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let shelved = names.next().is_some_and(|folder| {
        matches!(
            folder,
            "script" | "scripts" | "bin" | "ci" | "tools" | "hack" | "dev" | "test" | "tests"
        )
    });
    let script = matches!(
        ending,
        "" | "sh" | "bash" | "py" | "rb" | "js" | "mjs" | "ts"
    );
    target.extent == Extent::Exact && shelved && script && is_check(stem)
}

/// `./gradlew test`: the build tool's own wrapper, checked in beside the build file.
fn is_wrapper(effect: &Effect, target: &Target, scene: &Scene<'_>) -> bool {
    let name = target.path.rsplit('/').next().unwrap_or_default();
    let entry = scene.effects().any(|task| {
        task.by == effect.by
            && matches!(&task.act, Act::Execute { code: Code::Task { runner, name }, .. } if is_task(scene, task, runner, name))
    });
    natures_of(name).contains(Nature::BuildWrapper)
        && entry
        && scene.place(target).zone == Zone::Project
        && scene.written(&target.path).is_none()
}

/// A module that is installed, not one that this session wrote.
fn is_installed(name: &str, scene: &Scene<'_>) -> bool {
    let module = name.split(['.', ' ']).next().unwrap_or_default();
    let file = format!("/{module}.py");
    let package = format!("/{module}/");
    !module.is_empty()
        && !scene
            .session
            .written
            .has(|own| own.ends_with(&file) || own.contains(&package))
}

/// A test of the project, by the names that test runners look for themselves.
fn is_test(target: &Target) -> bool {
    target.extent == Extent::Exact && names_test(&target.path)
}

fn is_project_file(target: &Target, scene: &Scene<'_>) -> bool {
    let resolved = scene
        .path(&target.path)
        .and_then(|fact| fact.canonical.as_deref())
        .is_some_and(|path| scene.resolved_place(path).zone == Zone::Project);
    resolved && scene.place(target).zone == Zone::Project && scene.written(&target.path).is_none()
}

fn is_not_fetched(taint: Taint) -> bool {
    !taint.has(Taint::NETWORK) && !taint.has(Taint::DECODED)
}

fn is_clean(taint: Taint) -> bool {
    !taint.has(Taint::NETWORK) && !taint.has(Taint::DECODED) && !taint.has(Taint::SESSION)
}

/// A task of the project's own, by what it is for.
fn is_task(scene: &Scene<'_>, effect: &Effect, runner: &str, name: &str) -> bool {
    // The program that the project is, started as it stands: its own words could
    // make it do anything.
    let itself = name == "run"
        && natures_of(runner).contains(Nature::RunsProject)
        && scene.invocation(effect).is_some_and(|start| {
            start.argv.iter().skip(2).all(|word| {
                word.literal().is_some_and(|word| {
                    matches!(
                        word.as_ref(),
                        "--" | "--help"
                            | "-h"
                            | "--version"
                            | "-V"
                            | "--release"
                            | "-q"
                            | "--quiet"
                    )
                })
            })
        });
    // Hooks that the project declares for its own commits.
    let hooks = name == "run"
        && natures_of(runner).contains(Nature::GitHookManager)
        && scene.invocation(effect).is_some_and(|start| {
            start
                .layers
                .iter()
                .any(|layer| matches!(layer, Layer::Task(_)))
        });
    // What `make install` does is to leave the project.
    let leaves = name.contains("install") && natures_of(runner).contains(Nature::RunsRecipes);
    (itself || hooks || is_entry(name))
        && !leaves
        && keeps_inside(scene, effect)
        && scene.invocation(effect).is_none_or(are_goals_fine)
}

/// Every word of a tool whose words are goals: one goal that reaches further is enough.
fn are_goals_fine(start: &Invocation) -> bool {
    !start.is_a(Nature::RunsGoals)
        || start
            .argv
            .iter()
            .skip(1)
            .all(|word| word.literal().is_some_and(|word| is_goal_fine(&word)))
}

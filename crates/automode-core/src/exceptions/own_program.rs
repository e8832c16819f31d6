//! The project's own programs, and the tools that are installed for it.
//!
//! `cargo run`, `./target/debug/x` and `node examples/a.js` run what the project's
//! tests run too, and are trusted on the same terms: everything that changed was
//! read and is clean. What differs is what they are told, so every word is read:
//! a word that reaches out of the project, names a secret, carries code or asks
//! for more than to show something is not accepted.
//! A tool in the project's own environment (`.venv/bin/mypy`) is that tool where
//! this session did not put it there.

use automode_shell::language::capability::SourceLanguage;
use automode_shell::place::Zone;
use automode_shell::{
    Act, Code, Effect, Extent, FileChange, GapKind, Invocation, Nature, Piece, Stdin, Taint,
    Target, Value, WriteHow, natures_of,
};

use super::inside::keeps_inside;
use super::task_name::{NEVER, names_test, parts_of};
use crate::PathKind;
use crate::scene::Scene;

/// Where the project's package managers put the programs of installed packages.
const TOOL_FOLDERS: &[&str] = &[
    "/node_modules/.bin/",
    "/vendor/bin/",
    "/.venv/bin/",
    "/venv/bin/",
    "/env/bin/",
    "/.venv/Scripts/",
    "/venv/Scripts/",
    "/.tox/py/bin/",
    "/vendor/bundle/bin/",
    "/.bundle/bin/",
];

/// Where builds put the programs that they make.
const BUILD_FOLDERS: &[&str] = &[
    "/target/debug/",
    "/target/release/",
    "/build/",
    "/bin/",
    "/dist/",
    "/out/",
    "/.build/debug/",
    "/.build/release/",
    "/zig-out/bin/",
    "/bazel-bin/",
    "/_build/",
    "/cmake-build-debug/",
    "/cmake-build-release/",
    "/builddir/",
    "/.stack-work/",
    "/dist-newstyle/",
];

/// Words that ask a program for more than to compute and to show, beside those of tasks.
const REACHING: &[&str] = &[
    "allow",
    "allow-once",
    "approve",
    "authorize",
    "grant",
    "permit",
    "trust",
    "delete",
    "del",
    "remove",
    "wipe",
    "erase",
    "truncate",
    "overwrite",
    "flush",
    "flushdb",
    "clear",
    "cleanup",
    "prune",
    "uninstall",
    "kill",
    "stop",
    "shutdown",
    "reboot",
    "exec",
    "execute",
    "eval",
    "send",
    "mail",
    "email",
    "sms",
    "notify",
    "tweet",
    "webhook",
    "restore",
    "rollback",
    "revoke",
    "grant",
    "transfer",
    "pay",
    "charge",
    "refund",
    "superuser",
    "createsuperuser",
    "changepassword",
    "token",
    "password",
    "secret",
    "credentials",
    "apply",
    "provision",
    "terminate",
    "archive",
    "vacuum",
    "loaddata",
    "dbshell",
    "install",
];

/// Beginnings of words that ask for the same: `sendtestemail`, `delete_all`.
const REACHING_BEGINNINGS: &[&str] = &[
    "send",
    "delet",
    "remov",
    "drop",
    "destroy",
    "purg",
    "flush",
    "wip",
    "truncat",
    "deploy",
    "publish",
    "migrat",
    "uninstall",
    "overwrit",
    "upload",
];

fn is_reaching(part: &str) -> bool {
    REACHING.contains(&part)
        || natures_of(part).contains(Nature::AsksForMore)
        || NEVER.contains(&part)
        || REACHING_BEGINNINGS
            .iter()
            .any(|beginning| part.starts_with(beginning))
}

/// Interpreters whose one word of code would be the program.
const CODE_FLAGS: &[&str] = &["-c", "-e", "-r", "-p", "--eval", "--command", "--execute"];

/// Whether a tool of the project's environment runs as itself.
pub(super) fn is_installed_tool(target: &Target, scene: &Scene<'_>) -> bool {
    let folder = TOOL_FOLDERS
        .iter()
        .find_map(|folder| target.path.rfind(folder).map(|at| (at, *folder)));
    let direct = folder.is_some_and(|(at, folder)| {
        let name = target.path.get(at.saturating_add(folder.len())..);
        name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
    });
    direct && target.extent == Extent::Exact && is_unwritten_in_project(target, scene)
}

/// Whether a file that runs is the project's own program, told nothing that reaches further.
pub(super) fn is_own_file(target: &Target, effect: &Effect, scene: &Scene<'_>) -> bool {
    if target.extent != Extent::Exact || !is_unwritten_in_project(target, scene) {
        return false;
    }
    // Where code is looked for says nothing of what the words do.
    if is_folder(target, scene) || is_named_library(target, effect, scene) {
        return true;
    }
    let told = match is_build_output(target, scene) {
        true => are_words_quiet(scene, effect),
        false => is_script(target, scene) && are_words_fine(scene, effect),
    };
    told && !name_reaches(&target.path, scene) && !is_put_there(target, effect, scene)
}

/// Whether something else in the command may have put the file there: a copy, a link, an
/// archive, a checkout. What the project's own build puts there is what is meant.
pub(super) fn is_put_there(target: &Target, effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_build = |other: &Effect| {
        scene.effects().any(|task| {
            let runs = matches!(
                &task.act,
                Act::Execute {
                    code: Code::Task { .. },
                    ..
                }
            );
            runs && task.by == other.by
        })
    };
    scene.effects().any(|other| {
        let disturbs = match other.act.file_change() {
            FileChange::Write {
                target: put, how, ..
            } => match how {
                WriteHow::Touch | WriteHow::Attributes => false,
                WriteHow::Replace
                | WriteHow::Append
                | WriteHow::Edit
                | WriteHow::Link
                | WriteHow::Raw => {
                    let above = format!("{}/", put.path.trim_end_matches('/'));
                    put.extent != Extent::Exact
                        || put.path == target.path
                        || target.path.starts_with(&above)
                }
            },
            FileChange::Repository(_) => true,
            FileChange::Delete { .. } | FileChange::Nothing | FileChange::Untold => false,
        };
        other.by != effect.by && disturbs && !is_build(other)
    })
}

/// `-I lib`: a folder of the project in which code is looked for.
fn is_folder(target: &Target, scene: &Scene<'_>) -> bool {
    scene
        .path(&target.path)
        .is_some_and(|fact| fact.kind == PathKind::Directory)
}

/// Libraries of Ruby that do nothing by being loaded; `un` turns names into commands.
const QUIET_LIBRARIES: &[&str] = &[
    "json",
    "yaml",
    "set",
    "time",
    "date",
    "pp",
    "csv",
    "erb",
    "digest",
    "securerandom",
    "bigdecimal",
    "ostruct",
    "optparse",
    "benchmark",
    "minitest",
    "stringio",
    "strscan",
    "psych",
    "rubygems",
    "bundler",
    "rational",
    "matrix",
    "prime",
    "forwardable",
    "singleton",
    "delegate",
    "tsort",
    "uri",
    "logger",
    "English",
    "shellwords",
    "zlib",
    "base64",
];

/// `ruby -rjson`: a library of the environment, where the project has no file of that name.
fn is_named_library(target: &Target, effect: &Effect, scene: &Scene<'_>) -> bool {
    let name = target.path.rsplit('/').next().unwrap_or_default();
    let absent = scene
        .path(&target.path)
        .is_some_and(|fact| fact.kind == PathKind::Absent);
    let wanted = scene.invocation(effect).is_some_and(|start| {
        let words: Vec<_> = start.argv.iter().filter_map(Value::literal).collect();
        let glued = format!("-r{name}");
        start.is_a(Nature::RequiresLibraries)
            && (words.iter().any(|word| *word == glued) || words.iter().any(|word| word == "-r"))
    });
    absent && wanted && QUIET_LIBRARIES.contains(&name)
}

/// Whether a task that builds and starts the project's program is told nothing that reaches further.
pub(super) fn is_own_run(runner: &str, name: &str, effect: &Effect, scene: &Scene<'_>) -> bool {
    name == "run"
        && natures_of(runner).contains(Nature::RunsProject)
        && are_words_fine(scene, effect)
        && scene.invocation(effect).is_some_and(names_no_package)
}

/// A gap that says no more than that the program itself was not read.
pub(super) fn is_about_itself(gap: &GapKind, effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some(start) = scene.invocation(effect) else {
        return false;
    };
    let itself = |what: &str| {
        start.argv.iter().take(3).any(|word| {
            let shown = word.shown();
            what == shown || what == format!("{shown} could not be read")
        })
    };
    match gap {
        GapKind::Unseen(what) | GapKind::Refused(what) => itself(what),
        GapKind::Call { .. }
        | GapKind::Syntax(_)
        | GapKind::Program(_)
        | GapKind::DynamicProgram
        | GapKind::Argument { .. }
        | GapKind::DynamicWord { .. }
        | GapKind::Budget => false,
    }
}

/// A program that a build leaves: no text, where builds put it, or not built yet.
pub(super) fn is_build_output(target: &Target, scene: &Scene<'_>) -> bool {
    let below = |root: &String| {
        let inner = target.path.strip_prefix(root.as_str())?;
        Some(BUILD_FOLDERS.iter().any(|folder| inner.contains(folder)))
    };
    let placed = scene.context.roots.iter().filter_map(below).any(|is| is);
    let kind = scene.path(&target.path).map(|fact| fact.kind);
    placed && matches!(kind, Some(PathKind::File | PathKind::Absent))
}

/// A value of a variable that names nothing: `1`, `true`, `debug`.
fn is_plain_value(value: &Value) -> bool {
    const PLAIN: &[&str] = &[
        "",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "debug",
        "info",
        "warn",
        "warning",
        "error",
        "trace",
        "test",
        "testing",
        "dev",
        "development",
        "ci",
        "full",
        "all",
        "none",
        "always",
        "never",
        "auto",
        "verbose",
        "quiet",
    ];
    value.literal().is_some_and(|text| {
        text.chars().all(|letter| letter.is_ascii_digit())
            || PLAIN.contains(&text.to_lowercase().as_str())
    })
}

/// A gap about a variable that only the project's own code knows, with a value that names
/// nothing.
pub(super) fn is_plain_variable(gap: &GapKind, effect: &Effect, scene: &Scene<'_>) -> bool {
    let GapKind::Unseen(what) = gap else {
        return false;
    };
    let Some(name) = what
        .strip_prefix("what the variable `")
        .and_then(|rest| rest.strip_suffix("` changes"))
    else {
        return false;
    };
    scene.invocation(effect).is_some_and(|start| {
        let mut values = start.env.iter().filter(|(own, _)| own == name).peekable();
        values.peek().is_some() && values.all(|(_, value)| is_plain_value(value))
    })
}

/// Whether compiled code comes of sources that lie in the project and are read with
/// everything else that changed: `javac A.java && java A`, `gcc a.c -o a && ./a`.
pub(super) fn is_compiled_here(target: &Target, effect: &Effect, scene: &Scene<'_>) -> bool {
    let zone = scene.place(target).zone;
    let in_project = zone == Zone::Project
        && (is_class_with_source(target, effect, scene)
            || is_scanned(&target.path, scene)
            || is_output_of_sources(target, scene));
    let in_temp = zone == Zone::Temp
        && is_written_once(&target.path, scene)
        && is_output_of_sources(target, scene);
    target.extent == Extent::Exact && are_words_fine(scene, effect) && (in_project || in_temp)
}

/// One invocation of the command writes the file, and nothing else that it writes can be it.
fn is_written_once(path: &str, scene: &Scene<'_>) -> bool {
    let mut writers = scene.effects().filter_map(|effect| {
        let FileChange::Write { target, how, .. } = effect.act.file_change() else {
            return None;
        };
        let elsewhere = target.extent == Extent::Exact && target.path != path;
        (!elsewhere || how == WriteHow::Link).then_some(effect.by)
    });
    let first = writers.next();
    first.is_some() && writers.all(|by| Some(by) == first)
}

/// Source in a temporary directory whose whole text is in the command, and that takes nothing
/// in but headers of the system: what lies beside it there is not read.
fn is_scratch_source(source: &Target, scene: &Scene<'_>) -> bool {
    let is_c = matches!(
        source.path.rsplit_once('.').map(|(_, ending)| ending),
        Some("c" | "cc" | "cpp" | "cxx")
    );
    let mut bodies = scene
        .writes
        .iter()
        .filter(|write| write.path == source.path);
    let whole = bodies
        .next()
        .is_some_and(|write| !write.append && takes_system_headers_only(&write.body));
    is_c && whole
        && bodies.next().is_none()
        && is_written_once(&source.path, scene)
        && scene.place(source).zone == Zone::Temp
}

fn takes_system_headers_only(text: &str) -> bool {
    let is_system = |line: &str| {
        let name = line
            .strip_prefix("#include")
            .map(str::trim)
            .and_then(|rest| rest.strip_prefix('<'))
            .and_then(|rest| rest.split_once('>'));
        name.is_some_and(|(name, _)| !name.starts_with('/') && !name.contains(".."))
    };
    let takes = |line: &&str| {
        ["include", "embed", "import", "incbin", "asm", "pragma"]
            .iter()
            .any(|word| line.contains(word))
    };
    !text.contains("\\\n")
        && !text.contains("??")
        && text.lines().map(str::trim).filter(takes).all(is_system)
}

/// `java Main` beside `Main.java`, or the runner of tests in the project's jars.
fn is_class_with_source(target: &Target, effect: &Effect, scene: &Scene<'_>) -> bool {
    let runs_classes = scene.is_by(effect, Nature::RunsClasses);
    let name = target.path.rsplit('/').next().unwrap_or_default();
    let tests = name == "org.junit.runner.JUnitCore"
        || name == "org.junit.platform.console.ConsoleLauncher";
    runs_classes && (tests || is_scanned(&format!("{}.java", target.path), scene))
}

/// A compiler of this command made it, of sources that are all read.
fn is_output_of_sources(target: &Target, scene: &Scene<'_>) -> bool {
    let made = scene.effects().find(|effect| matches!(&effect.act, Act::Write { target: output, .. } if output.path == target.path && output.extent == Extent::Exact));
    let Some(made) = made else {
        return false;
    };
    let compiles = scene.is_by(made, Nature::Compiler);
    // The project's own build, of the project's own sources.
    let foreign = scene.invocation(made).is_none_or(|start| {
        start.argv.iter().skip(1).any(|word| {
            let word = word.literal();
            word.is_none_or(|word| {
                let first = word.split('/').next().unwrap_or_default();
                word.contains('/') && first.contains('.') && !first.starts_with('.')
            })
        })
    });
    let builds = !foreign && scene.effects().any(|effect| {
        let build = matches!(&effect.act, Act::Execute { code: Code::Task { name, .. }, .. } if name == "build");
        build && effect.by == made.by && keeps_inside(scene, effect)
    });
    if builds {
        return true;
    }
    let mut sources = scene
        .effects()
        .filter(|effect| effect.by == made.by)
        .filter_map(|effect| {
            let Act::Read { target } = &effect.act else {
                return None;
            };
            Some(target)
        })
        .peekable();
    compiles
        && !scene.invocation(made).is_none_or(links_more)
        && sources.peek().is_some()
        && sources.all(|source| {
            let own = scene.place(source).zone == Zone::Project && is_scanned(&source.path, scene);
            source.extent == Extent::Exact && (own || is_scratch_source(source, scene))
        })
}

/// Whether a compiler is told of libraries, scripts or plugins that are not the system's.
fn links_more(start: &Invocation) -> bool {
    const MORE: &[&str] = &[
        "-L", "-B", "-T", "-Wl,", "-Xlinker", "-specs", "-fplugin", "-l:",
    ];
    let mut words = start.argv.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else { continue };
        let Some(value) = MORE.iter().find_map(|flag| text.strip_prefix(flag)) else {
            continue;
        };
        let next = words.peek().and_then(|next| next.literal());
        let value = if value.is_empty() {
            next.as_deref().unwrap_or_default()
        } else {
            value
        };
        let system = value.starts_with("/usr/") || value.starts_with("/opt/homebrew/");
        if !system || value.contains("..") {
            return true;
        }
    }
    false
}

/// Source of a language that is scanned for what it can do, and that is there.
fn is_scanned(path: &str, scene: &Scene<'_>) -> bool {
    let there = scene
        .path(path)
        .is_some_and(|fact| fact.kind == PathKind::File);
    let read = matches!(
        scene.facts.shell.files.get(path),
        Some(automode_shell::FileFact::Text { .. })
    );
    let written = scene.effects().any(|effect| {
        matches!(&effect.act, Act::Write { target, .. } if target.path == path && target.extent == Extent::Exact)
    });
    SourceLanguage::of_path(path).is_some() && (there || read || written)
}

/// A script that is there.
fn is_script(target: &Target, scene: &Scene<'_>) -> bool {
    const ENDINGS: &[&str] = &[
        "py", "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "rb", "php", "pl", "lua",
    ];
    const NAMES: &[&str] = &["artisan", "manage.py", "console"];
    let name = target.path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    // In a world where nobody wrote it, it is nobody's.
    let is_there = scene
        .path(&target.path)
        .is_some_and(|fact| matches!(fact.kind, PathKind::File | PathKind::Link));
    // A program of the project that says itself what reads it.
    let says = !name.contains('.')
        && matches!(
            scene.facts.shell.files.get(&target.path),
            Some(automode_shell::FileFact::Text { body, .. }) if body.starts_with("#!")
        );
    is_there && (says || ENDINGS.contains(&ending) || NAMES.contains(&name))
}

/// In the project as named and as resolved, and nothing that this session wrote.
pub(super) fn is_unwritten_in_project(target: &Target, scene: &Scene<'_>) -> bool {
    let canonical = scene
        .path(&target.path)
        .and_then(|fact| fact.canonical.as_deref());
    let is_written = |path: &str| {
        scene.session.written.has(|own| {
            own == path
                || path
                    .strip_prefix(own.trim_end_matches('/'))
                    .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    // An interpreter of an environment is a link to the machine's own.
    let resolved = canonical.is_none_or(|path| {
        matches!(
            scene.resolved_place(path).zone,
            Zone::Project | Zone::System | Zone::SystemTree
        ) && !is_written(path)
    });
    scene.place(target).zone == Zone::Project && resolved && !is_written(&target.path)
}

/// A script by whose name it does more than the project's own work.
pub(super) fn name_reaches(path: &str, scene: &Scene<'_>) -> bool {
    let inner = scene
        .context
        .roots
        .iter()
        .find_map(|root| path.strip_prefix(root.as_str()))
        .unwrap_or(path);
    // Where builds put things says `release` of all that is optimised.
    let inner = inner.replace("/release/", "/");
    parts_of(&inner)
        .iter()
        .any(|part| !names_language(part) && is_reaching(part))
}

/// A folder of code is often called after the language that it is in.
fn names_language(part: &str) -> bool {
    natures_of(part).contains(Nature::Interpreter)
}

/// Every word that the program is given, and where it runs.
pub(super) fn are_words_fine(scene: &Scene<'_>, effect: &Effect) -> bool {
    are_words_quiet(scene, effect)
        && scene
            .invocation(effect)
            .is_some_and(|start| !starts_with_code(start))
}

/// The same for a program that is no interpreter: `-p` and `-c` are flags of its own.
pub(super) fn are_words_quiet(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(start) = scene.invocation(effect) else {
        return false;
    };
    let quiet = match &start.stdin {
        Stdin::Inherited | Stdin::File(_) => true,
        Stdin::Text(text) => !text.taint().has(Taint::NETWORK),
        Stdin::Pipe(taint) => !taint.has(Taint::NETWORK) && !taint.has(Taint::SECRET),
    };
    quiet
        && keeps_inside(scene, effect)
        && start
            .env
            .iter()
            .all(|(_, value)| is_word_fine(scene, start, value))
        && start
            .argv
            .iter()
            .skip(1)
            .all(|word| is_word_fine(scene, start, word))
}

/// The words of a program that runs in a container of the project, whose data may be
/// brought to the newest schema.
pub(super) fn are_plain_words(scene: &Scene<'_>, start: &Invocation) -> bool {
    start.argv.iter().skip(1).all(|word| {
        let migrates = |text: &str| matches!(text, "migrate" | "db:migrate" | "db:prepare");
        is_word_fine(scene, start, word) || word.literal().is_some_and(|text| migrates(&text))
    }) && !starts_with_code(start)
}

/// An interpreter that is told code before the name of a script.
fn starts_with_code(start: &Invocation) -> bool {
    start
        .argv
        .iter()
        .skip(1)
        .map_while(Value::literal)
        .take_while(|word| word.starts_with('-'))
        .any(|word| CODE_FLAGS.contains(&word.as_ref()))
}

/// Whether a word asks for nothing that reaches further, whichever of its values it has.
fn is_word_fine(scene: &Scene<'_>, start: &Invocation, word: &Value) -> bool {
    /// The most values of one word that are looked at.
    const VALUES: usize = 8;
    word.choices(VALUES).is_some_and(|values| {
        values
            .iter()
            .all(|value| is_value_fine(scene, start, value))
    })
}

fn is_value_fine(scene: &Scene<'_>, start: &Invocation, word: &Value) -> bool {
    // A number or a plain name in it leads nowhere by itself.
    let texts = word.pieces.iter().map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Dynamic(part) if part.source.stays_in_place() => Some("0"),
        Piece::Glob(pattern) => Some(pattern.as_str()),
        Piece::Dynamic(_) => None,
    });
    let Some(text) = texts.collect::<Option<String>>() else {
        return false;
    };
    let text = text.as_str();
    // What a pattern at the beginning matches may be an option.
    if matches!(word.pieces.first(), Some(Piece::Glob(_))) {
        return false;
    }
    let code = text.contains(['(', ';', '$', '`', '|', '>', '<', '{', '\n']);
    let value = text.rsplit('=').next().unwrap_or_default();
    let leads_away = text.contains("://") && !is_local_address(text)
        || matches!(value, "0.0.0.0" | "::" | "[::]")
        || value.starts_with("0.0.0.0:")
        || text.contains('@') && text.contains(':');
    // The name of a test says what is tested.
    let is_test = text.contains('.') && names_test(text);
    let reaches = !is_test && parts_of(text).iter().any(|part| is_reaching(part));
    let target = Target::locate(&Value::text(value, word.span), start.cwd.as_deref());
    let hidden = scene.place(&target).secret.is_some() || value.starts_with('~');
    let release_build = text == "--release" || text == "release";
    !code && !leads_away && (!reaches || release_build) && !hidden
}

/// An address of this machine.
fn is_local_address(text: &str) -> bool {
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// `go run example.com/x@latest` is somebody else's program.
fn names_no_package(start: &Invocation) -> bool {
    let mut words = start
        .argv
        .iter()
        .skip(2)
        .filter_map(Value::literal)
        .skip_while(|word| word.starts_with('-'));
    !start.is_a(Nature::RunsAddresses)
        || words.next().is_some_and(|word| {
            word == "." || word.starts_with("./") || word.ends_with(".go") && !word.starts_with('/')
        })
}

/// Whether an effect runs a tool of the environment or a program of the project.
pub(super) fn is_own(effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_own_target =
        |target: &Target| is_installed_tool(target, scene) || is_own_file(target, effect, scene);
    effect.act.executes().is_some_and(|(code, _)| {
        let file = matches!(code, Code::File(target) if is_own_target(target));
        let task =
            matches!(code, Code::Task { runner, name } if is_own_run(runner, name, effect, scene));
        file || task
    })
}

//! What a project's own task files and scripts run.
//!
//! [`resolve`] looks a task up where its runner would (`package.json`, a
//! Makefile, a justfile, …) and [`open`] looks into a file that is run.
//! Both see files only through [`Facts`]: what was not observed yet is asked for
//! as a need, and counts as unseen code until it is.

use crate::{
    Act, Code, Consequence, Context, Facts, Gap, GapKind, Language, Layer, Origin, Span, Taint,
    Target, Value,
};

/// A program that runs tasks which a project declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Runner {
    Npm,
    Pnpm,
    Yarn,
    Bun,
    Deno,
    Make,
    Just,
    /// `task`, with a Taskfile.
    Task,
    Composer,
    Rake,
    /// Aliases in `.cargo/config.toml`.
    Cargo,
    Poe,
    Pdm,
    Hatch,
    Tox,
    Nox,
}

/// What the runner was told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand<'a> {
    /// Tasks by name; none: the runner's default.
    Run(&'a [Value]),
    /// The scripts that run by themselves around an installation.
    Install,
    /// The scripts that run by themselves before and after packing or publishing.
    Publish,
}

/// One start of a task runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    pub runner: Runner,
    pub errand: Errand<'a>,
    /// Words after the task names: passed on to the task, or `NAME=value` of make.
    pub arguments: &'a [Value],
    /// The directory the runner works in (`make -C`, `npm --prefix`), absolute.
    pub directory: Option<&'a str>,
    /// The task file, where the command names it (`make -f`, `just -f`).
    pub file: Option<&'a Value>,
    pub span: Span,
}

/// A file that is run, with the interpreter that was named for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened<'a> {
    pub path: &'a Value,
    /// By the file's first line or its name otherwise.
    pub language: Option<Language>,
    pub arguments: &'a [Value],
    pub cwd: Option<&'a str>,
    pub layer: &'a Layer,
    pub span: Span,
}

/// What a task runner would run.
#[must_use]
pub fn resolve(request: &Request<'_>, _context: &Context, _facts: &Facts) -> Consequence {
    let name = match request.errand {
        Errand::Run([]) => "default".to_owned(),
        Errand::Run([first, ..]) => first.shown(),
        Errand::Install => "install".to_owned(),
        Errand::Publish => "publish".to_owned(),
    };
    let runner = request.runner.name();
    unseen(
        Code::Task {
            runner: runner.to_owned(),
            name: name.clone(),
        },
        format!("{runner} {name}"),
        request.span,
    )
}

/// What running a file would do.
#[must_use]
pub fn open(opened: &Opened<'_>, _context: &Context, _facts: &Facts) -> Consequence {
    let typed = opened.path.shown();
    let target = Target::locate(opened.path, opened.cwd);
    unseen(Code::File(target), typed, opened.span)
}

impl Runner {
    /// The program's name, as effects carry it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
            Self::Deno => "deno",
            Self::Make => "make",
            Self::Just => "just",
            Self::Task => "task",
            Self::Composer => "composer",
            Self::Rake => "rake",
            Self::Cargo => "cargo",
            Self::Poe => "poe",
            Self::Pdm => "pdm",
            Self::Hatch => "hatch",
            Self::Tox => "tox",
            Self::Nox => "nox",
        }
    }
}

fn unseen(code: Code, what: String, span: Span) -> Consequence {
    Consequence {
        effects: vec![(
            Act::Execute {
                code,
                origin: Origin {
                    seen: false,
                    taint: Taint::NONE,
                },
            },
            span,
        )],
        gaps: vec![Gap {
            kind: GapKind::Unseen(what),
            span,
        }],
        ..Consequence::default()
    }
}

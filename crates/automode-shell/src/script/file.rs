//! Files that are run: their language, then their text.

use super::ScriptFile;
use crate::language::{self, CodeSource};
use crate::{
    Act, Code, Context, Extent, Facts, FileFact, Gap, GapKind, Language, Need, Nested, NestedStdin,
    Origin, ProgramEffects, Taint, Target, Value,
};

/// What running a file would do.
#[must_use]
pub fn open(opened: &ScriptFile<'_>, context: &Context, facts: &Facts) -> ProgramEffects {
    let target = Target::locate(opened.path, opened.cwd);
    let exact = target.extent == Extent::Exact;
    let fact = facts.files.get(&target.path).filter(|_| exact);
    let Some(FileFact::Text { body, session }) = fact else {
        let mut found = match fact {
            // There, but too long, no text or not to be opened: not what a test is.
            Some(FileFact::Unreadable) => unreadable(opened, target.clone()),
            Some(FileFact::Absent | FileFact::Directory | FileFact::Text { .. }) | None => {
                unseen(opened, target.clone())
            }
        };
        if exact && fact.is_none() {
            found.needs.push(Need::File(target.path));
        }
        return found;
    };
    let taint = if *session {
        Taint::SESSION
    } else {
        Taint::NONE
    };
    match opened.language.or_else(|| language_of(&target.path, body)) {
        Some(Language::Shell) => shell(opened, body, taint, target),
        Some(language) => code(opened, language, body, taint, target, context, facts),
        None => unseen(opened, target),
    }
}

fn shell(opened: &ScriptFile<'_>, body: &str, taint: Taint, target: Target) -> ProgramEffects {
    let mut arguments = vec![opened.path.clone()];
    arguments.extend(opened.arguments.iter().cloned());
    ProgramEffects {
        effects: vec![(executed(target, taint, Sight::Seen), opened.span)],
        runs: vec![Nested::Shell {
            text: Value::text(body, opened.span),
            arguments,
            cwd: None,
            stdin: NestedStdin::Same,
            layer: opened.layer.clone(),
        }],
        ..ProgramEffects::default()
    }
}

fn code(
    opened: &ScriptFile<'_>,
    language: Language,
    body: &str,
    taint: Taint,
    target: Target,
    context: &Context,
    facts: &Facts,
) -> ProgramEffects {
    let text = Value::text(body, opened.span);
    let source = CodeSource {
        language,
        text: &text,
        arguments: opened.arguments,
        taint,
        input: opened.input,
        file: Some(&target.path),
        cwd: opened.cwd,
        layer: opened.layer,
        span: opened.span,
    };
    let mut found = language::read(&source, context, facts);
    let sight = if found.gaps.is_empty() {
        Sight::Seen
    } else {
        Sight::Hidden
    };
    // The file stands for its text: it is one piece of code, not two.
    found.effects.retain(|(act, _)| {
        !matches!(act, Act::Execute { code: Code::Inline { .. }, origin } if origin.seen)
    });
    found
        .effects
        .insert(0, (executed(target, taint, sight), opened.span));
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    Seen,
    Hidden,
}

fn executed(target: Target, taint: Taint, sight: Sight) -> Act {
    Act::Execute {
        code: Code::File(target),
        origin: Origin {
            seen: sight == Sight::Seen,
            taint,
        },
    }
}

fn unseen(opened: &ScriptFile<'_>, target: Target) -> ProgramEffects {
    ProgramEffects {
        effects: vec![(
            executed(target, opened.path.taint(), Sight::Hidden),
            opened.span,
        )],
        gaps: vec![Gap {
            kind: GapKind::Unseen(opened.path.shown()),
            span: opened.span,
        }],
        ..ProgramEffects::default()
    }
}

fn unreadable(opened: &ScriptFile<'_>, target: Target) -> ProgramEffects {
    let what = format!("{} could not be read", opened.path.shown());
    ProgramEffects {
        gaps: vec![Gap {
            kind: GapKind::Refused(what),
            span: opened.span,
        }],
        ..unseen(opened, target)
    }
}

/// The language of a file: its first line decides, then its name.
fn language_of(path: &str, body: &str) -> Option<Language> {
    if let Some(line) = body.strip_prefix("#!") {
        return interpreter(line.lines().next().unwrap_or_default());
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("py" | "pyw") => Some(Language::Python),
        Some("js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx" | "jsx") => {
            Some(Language::JavaScript)
        }
        Some("rb") => Some(Language::Ruby),
        Some("pl" | "pm") => Some(Language::Perl),
        Some("php") => Some(Language::Php),
        Some("lua") => Some(Language::Lua),
        Some("awk") => Some(Language::Awk),
        Some("sed") => Some(Language::Sed),
        Some("sql") => Some(Language::Sql),
        Some("ps1" | "psm1") => Some(Language::PowerShell),
        Some("sh" | "bash" | "ksh" | "dash") => Some(Language::Shell),
        // Another shell than the one that reads it here.
        Some("zsh") => None,
        // Without a first line the shell reads the file itself.
        Some(_) | None if is_text(body) => Some(Language::Shell),
        Some(_) | None => None,
    }
}

fn is_text(body: &str) -> bool {
    !body.contains('\0')
}

/// The language of `#!/usr/bin/env -S python3 -u`.
fn interpreter(line: &str) -> Option<Language> {
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        program = program.rsplit('/').next()?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match program {
        "sh" | "bash" | "dash" | "ksh" | "ash" | "mksh" => Some(Language::Shell),
        "python" | "pypy" => Some(Language::Python),
        "node" | "nodejs" | "deno" | "bun" | "ts-node" | "tsx" => Some(Language::JavaScript),
        "ruby" => Some(Language::Ruby),
        "perl" => Some(Language::Perl),
        "php" => Some(Language::Php),
        "lua" | "luajit" => Some(Language::Lua),
        "awk" | "gawk" | "mawk" => Some(Language::Awk),
        "sed" => Some(Language::Sed),
        "pwsh" | "powershell" => Some(Language::PowerShell),
        _ => None,
    }
}

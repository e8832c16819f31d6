//! New text of files, where an action carries it.
//!
//! An editing tool does, and so does a shell command that feeds a here-document
//! or a constant into a file. What is only known at run time is not here.

use automode_shell::{
    Analysis, Context, Extent, Facts, FileFact, Invocation, Nature, Stdin, Stdout, Target, Value,
};

use crate::{Action, FileEdit, Replacement};

/// A file and what an action puts into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Absolute.
    pub path: String,
    pub body: String,
    /// It is added to what is there.
    pub append: bool,
}

pub fn of(action: &Action, analysis: &Analysis, context: &Context, facts: &Facts) -> Vec<Body> {
    let whole = |path: &str, body: String| {
        vec![Body {
            path: absolute(path, context),
            body,
            append: false,
        }]
    };
    match action.file_edit() {
        Some(FileEdit::Write { path, content }) => whole(path, content.to_owned()),
        Some(FileEdit::Replace {
            path, new, steps, ..
        }) => {
            let body = edited(&absolute(path, context), new, steps, facts);
            whole(path, body)
        }
        Some(FileEdit::Notebook { path, source, .. }) => whole(path, source.to_owned()),
        None if matches!(action, Action::Shell { .. }) => {
            analysis.invocations.iter().flat_map(written).collect()
        }
        None => Vec::new(),
    }
}

/// The file after the edit, where its text is known; the new parts alone otherwise.
fn edited(path: &str, new: &str, steps: &[Replacement], facts: &Facts) -> String {
    let FileFact::Text { body, .. } = facts.files.get(path).unwrap_or(&FileFact::Absent) else {
        return new.to_owned();
    };
    steps
        .iter()
        .try_fold(body.clone(), |body, step| step.apply(&body))
        .unwrap_or_else(|| new.to_owned())
}

fn absolute(path: &str, context: &Context) -> String {
    crate::path::absolute(path, &context.cwd, context.home.as_deref())
}

/// `cat > f <<EOF`, `echo text >> f`, `tee f <<EOF`.
fn written(start: &Invocation) -> Vec<Body> {
    let words: Option<Vec<String>> = start
        .argv
        .iter()
        .skip(1)
        .map(|word| word.literal().map(std::borrow::Cow::into_owned))
        .collect();
    let Some(words) = words else {
        return Vec::new();
    };
    if start.is_a(Nature::Tee) {
        return teed(start, &words);
    }
    let body = if start.is_a(Nature::Concatenate) && words.is_empty() {
        fed(&start.stdin)
    } else if start.is_a(Nature::Formats) {
        match words.as_slice() {
            [only] if !only.contains('%') => Some(only.replace("\\n", "\n")),
            _ => None,
        }
    } else if start.is_a(Nature::Talker) {
        Some(echoed(&words))
    } else {
        None
    };
    let (Some(body), Stdout::File(target)) = (body, &start.stdout) else {
        return Vec::new();
    };
    let append = start
        .redirects
        .iter()
        .any(|redirect| redirect.append && redirect.target == *target);
    if target.extent == Extent::Exact {
        vec![Body {
            path: target.path.clone(),
            body,
            append,
        }]
    } else {
        Vec::new()
    }
}

/// What is fed to a program that copies it to every file it names.
fn teed(start: &Invocation, words: &[String]) -> Vec<Body> {
    let append = words.iter().any(|word| word == "-a" || word == "--append");
    let Some(body) = fed(&start.stdin) else {
        return Vec::new();
    };
    words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .map(|word| Target::locate(&Value::text(word, start.span), start.cwd.as_deref()))
        .filter(|target| target.extent == Extent::Exact)
        .map(|target| Body {
            path: target.path,
            body: body.clone(),
            append,
        })
        .collect()
}

fn fed(stdin: &Stdin) -> Option<String> {
    match stdin {
        Stdin::Text(value) => value.literal().map(std::borrow::Cow::into_owned),
        Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) => None,
    }
}

fn echoed(words: &[String]) -> String {
    let flags = words
        .iter()
        .take_while(|word| matches!(word.as_str(), "-e" | "-n" | "-ne" | "-en" | "-E"))
        .count();
    let escapes = words.iter().take(flags).any(|flag| flag.contains('e'));
    let text = words.get(flags..).unwrap_or_default().join(" ");
    let text = if escapes {
        text.replace("\\n", "\n").replace("\\t", "\t")
    } else {
        text
    };
    text + "\n"
}

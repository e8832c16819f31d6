//! Patches in the form that `apply_patch` takes.
//!
//! A patch of one file is an edit, a new file, a removal or a move, and is read as
//! such. One of several files is cut into patches of one, and each is decided by
//! itself. A text that is not wholly of the form is not a patch.

use crate::Action;
use crate::Replacement;
use crate::escape::shell_quoted;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";

/// The patches of one file that a patch is made of; nothing where it is not understood.
pub(super) fn parts(text: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    for line in body(text)? {
        let begins = [ADD, UPDATE, DELETE]
            .iter()
            .any(|mark| line.starts_with(mark));
        if begins {
            parts.push(format!("{BEGIN}\n"));
        }
        let part = parts.last_mut()?;
        part.push_str(line);
        part.push('\n');
    }
    for part in &mut parts {
        part.push_str(END);
    }
    (!parts.is_empty()).then_some(parts)
}

/// What a patch of one file does.
pub(super) fn read(text: &str) -> Option<Action> {
    let mut lines = body(text)?.into_iter();
    let head = lines.next()?;
    let rest: Vec<&str> = lines.collect();
    if let Some(path) = head.strip_prefix(ADD) {
        let added: Option<Vec<&str>> = rest.iter().map(|line| line.strip_prefix('+')).collect();
        let content = added?.iter().map(|line| format!("{line}\n")).collect();
        return Some(Action::Write {
            path: named(path)?,
            content,
        });
    }
    if let Some(path) = head.strip_prefix(DELETE) {
        let command = format!("rm -- {}", shell_quoted(&named(path)?));
        return rest.is_empty().then_some(Action::Shell { command });
    }
    let path = named(head.strip_prefix(UPDATE)?)?;
    match rest.as_slice() {
        [moved] if moved.starts_with(MOVE) => Some(Action::Shell {
            command: format!(
                "mv -- {} {}",
                shell_quoted(&path),
                shell_quoted(&named(moved.strip_prefix(MOVE)?)?)
            ),
        }),
        hunks => Some(Action::edit(path, steps(hunks)?)),
    }
}

/// The replacements that the hunks of a file are.
fn steps(lines: &[&str]) -> Option<Vec<Replacement>> {
    let mut steps: Vec<Replacement> = Vec::new();
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut close = |old: &mut Vec<&str>, new: &mut Vec<&str>| {
        if !old.is_empty() || !new.is_empty() {
            steps.push(Replacement {
                old: old.join("\n"),
                new: new.join("\n"),
                all: false,
            });
        }
        old.clear();
        new.clear();
    };
    for line in lines {
        if line.starts_with("@@") {
            close(&mut old, &mut new);
        } else if let Some(line) = line.strip_prefix('-') {
            old.push(line);
        } else if let Some(line) = line.strip_prefix('+') {
            new.push(line);
        } else if *line != "*** End of File" {
            let line = match line.strip_prefix(' ') {
                Some(line) => line,
                None if line.is_empty() => line,
                None => return None,
            };
            old.push(line);
            new.push(line);
        }
    }
    close(&mut old, &mut new);
    // A hunk without a line that is there says where nothing goes: only the end is left.
    (!steps.is_empty()).then_some(steps)
}

/// The lines between the marks, which must stand first and last.
fn body(text: &str) -> Option<Vec<&str>> {
    let inside = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let lines: Vec<&str> = inside.strip_prefix('\n')?.lines().collect();
    let whole = !lines
        .iter()
        .any(|line| line.starts_with(BEGIN) || line.starts_with(END));
    whole.then_some(lines)
}

fn named(path: &str) -> Option<String> {
    let path = path.trim();
    (!path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(body: &str) -> String {
        format!("*** Begin Patch\n{body}\n*** End Patch")
    }

    #[test]
    fn a_patch_of_one_file_is_what_it_does() {
        let check = |body: &str, expected: Option<Action>| {
            assert_eq!(read(&patch(body)), expected, "{body}");
        };
        let step = |old: &str, new: &str| Replacement {
            old: old.to_owned(),
            new: new.to_owned(),
            all: false,
        };
        let shell = |command: &str| Action::Shell {
            command: command.to_owned(),
        };
        check(
            "*** Add File: a/b.py\n+x = 1\n+",
            Some(Action::Write {
                path: "a/b.py".to_owned(),
                content: "x = 1\n\n".to_owned(),
            }),
        );
        check(
            "*** Update File: b.py\n@@ def f\n a\n-b\n+c\n@@\n-d\n+e\n*** End of File",
            Some(Action::edit(
                "b.py".to_owned(),
                vec![step("a\nb", "a\nc"), step("d", "e")],
            )),
        );
        check("*** Delete File: it's", Some(shell("rm -- 'it'\\''s'")));
        check(
            "*** Update File: a\n*** Move to: b",
            Some(shell("mv -- 'a' 'b'")),
        );
        check("*** Add File: a\nx", None);
        check("*** Add File: \n+x", None);
        check("*** Update File: a\n*** Move to: b\n@@\n-x\n+y", None);
        check("*** Update File: a\nx", None);
        check("*** Do Something: a", None);
        check("", None);
    }

    #[test]
    fn a_patch_of_several_files_is_cut() {
        let text = patch("*** Add File: a\n+x\n*** Delete File: b");
        let expected = [patch("*** Add File: a\n+x"), patch("*** Delete File: b")];
        assert_eq!(parts(&text).as_deref(), Some(&expected[..]));
        assert_eq!(parts("x"), None);
        assert_eq!(parts(&patch("+x")), None);
        assert_eq!(parts(&patch("*** End Patch")), None);
    }
}

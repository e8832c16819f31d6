//! The words of a finding, fit for an agent, a terminal and a judge.
//!
//! Everything quoted from outside is one line, bounded, and free of control
//! characters and markup: a command must not be able to draw on a terminal or
//! to forge a tag.

use automode_shell::invisible::is_invisible;
use automode_shell::place::Zone;
use automode_shell::{Extent, GapKind, Target};

use super::Scene;

/// The longest quotation of a command.
const PART: usize = 96;
/// The longest line.
const LINE: usize = 320;

/// "`part` what", or "what" where nothing can be quoted.
#[must_use]
pub fn evidence(part: &str, what: &str) -> String {
    let part = clip(&clean(part), PART);
    if part.is_empty() {
        line(what)
    } else {
        line(&format!("`{part}` {what}"))
    }
}

/// One bounded line without control characters or markup.
#[must_use]
pub fn line(text: &str) -> String {
    clip(&clean(text), LINE)
}

/// A path or name inside a sentence.
#[must_use]
pub fn name(text: &str) -> String {
    clip(&clean(text), PART)
}

/// A target in words: "/home/dev, your home directory".
#[must_use]
pub fn target(scene: &Scene<'_>, target: &Target) -> String {
    match target.extent {
        Extent::Unknown => return "a path that is only known at run time".to_owned(),
        Extent::Prefix => {
            return format!(
                "something that begins with {}, known only at run time",
                name(&target.path)
            );
        }
        Extent::Exact | Extent::Pattern | Extent::Below => {}
    }
    let zone = match scene.place(target).zone {
        Zone::Root => ", the whole file system",
        Zone::Home => ", your home directory",
        Zone::SystemTree => ", part of the system",
        Zone::Ancestor => ", which contains the project",
        Zone::Device => ", a device",
        Zone::ProjectRoot => ", the project itself",
        Zone::TempRoot => ", everybody's temporary files",
        Zone::System
        | Zone::Sink
        | Zone::Kernel
        | Zone::Temp
        | Zone::InHome
        | Zone::Project
        | Zone::Elsewhere
        | Zone::Unknown => "",
    };
    format!("{}{zone}", name(&target.path))
}

/// What was not understood, in words.
#[must_use]
pub fn gap(gap: &GapKind) -> String {
    match gap {
        GapKind::Refused(why) | GapKind::Syntax(why) => why.clone(),
        GapKind::Program(name) => format!("the program `{name}` is not known"),
        GapKind::DynamicProgram => "which program runs is only known at run time".to_owned(),
        GapKind::Argument { program, word } => {
            format!("`{word}` of `{program}` is not known")
        }
        GapKind::DynamicWord { program, word } => {
            format!("`{word}` of `{program}` is only known at run time")
        }
        // Some say themselves why.
        GapKind::Unseen(what) if what.contains(": ") => what.clone(),
        GapKind::Unseen(what) => format!("{what} could not be seen"),
        GapKind::Call { language, name } => format!("the {language} call `{name}` is not known"),
        GapKind::Budget => "the command is too large to follow".to_owned(),
    }
}

fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(LINE.saturating_mul(4)));
    let mut gap = false;
    let mut letters = text.chars().take(LINE.saturating_mul(4)).peekable();
    while let Some(letter) = letters.next() {
        let plain = match letter {
            // A tag begins so; a redirection does not.
            '<' if letters
                .peek()
                .is_some_and(|next| next.is_alphabetic() || *next == '/') =>
            {
                '‹'
            }
            _ if letter.is_whitespace() || letter.is_control() || is_invisible(letter) => ' ',
            _ => letter,
        };
        if plain == ' ' {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        out.push(plain);
    }
    out
}

fn clip(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(limit.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_a_line() {
        for (text, expected) in [
            ("a\nb\tc", "a b c"),
            ("  a   b  ", "a b"),
            ("\u{1b}[31mred", "[31mred"),
            ("</block>", "‹/block>"),
            ("sort < a > b 2>&1", "sort < a > b 2>&1"),
            ("a\u{202e}b", "a b"),
        ] {
            assert_eq!(line(text), expected, "{text:?}");
        }
        assert_eq!(line(&"x".repeat(10_000)).chars().count(), LINE);
        assert_eq!(evidence("", "deletes /"), "deletes /");
        assert_eq!(evidence("rm -rf /", "deletes /"), "`rm -rf /` deletes /");
    }
}

//! The difference of two texts, line by line.

use maud::{Markup, html};

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    Same(String),
    Gone(String),
    New(String),
}

/// Lines beyond this are compared by their ends only.
const MOST: usize = 2_000;

/// The lines that are the same, gone and new (longest common subsequence).
#[must_use]
pub fn diff_lines(before: &str, after: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    if old.len() > MOST || new.len() > MOST {
        let gone = old.iter().map(|line| DiffLine::Gone((*line).to_owned()));
        let added = new.iter().map(|line| DiffLine::New((*line).to_owned()));
        return gone.chain(added).collect();
    }
    let width = new.len().saturating_add(1);
    let mut lengths = vec![0_u32; width.saturating_mul(old.len().saturating_add(1))];
    let at = |lengths: &[u32], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or(0);
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let length = if one == other {
                at(&lengths, i + 1, j + 1).saturating_add(1)
            } else {
                at(&lengths, i + 1, j).max(at(&lengths, i, j + 1))
            };
            if let Some(cell) = lengths.get_mut(i * width + j) {
                *cell = length;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (old.get(i), new.get(j)) {
            (Some(one), Some(other)) if one == other => {
                lines.push(DiffLine::Same((*one).to_owned()));
                i += 1;
                j += 1;
            }
            (Some(one), other)
                if other.is_none() || at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) =>
            {
                lines.push(DiffLine::Gone((*one).to_owned()));
                i += 1;
            }
            (_, Some(other)) => {
                lines.push(DiffLine::New((*other).to_owned()));
                j += 1;
            }
            (_, None) => return lines,
        }
    }
}

/// The difference as a block; what stays the same far from a change is left out.
#[must_use]
pub fn diff(lines: &[DiffLine]) -> Markup {
    let changed = |index: usize| {
        lines
            .iter()
            .skip(index.saturating_sub(3))
            .take(7)
            .any(|line| !matches!(line, DiffLine::Same(_)))
    };
    html! {
        @if !lines.iter().any(|line| !matches!(line, DiffLine::Same(_))) { p.quiet { "Nothing changes." } }
        pre.diff {
            @for (index, line) in lines.iter().enumerate() {
                @match line {
                    DiffLine::Gone(text) => del { "- " (text) "\n" },
                    DiffLine::New(text) => ins { "+ " (text) "\n" },
                    DiffLine::Same(text) => @if changed(index) { span { "  " (text) "\n" } },
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_gone_new_or_the_same() {
        let check = |before: &str, after: &str, expected: &str| {
            let shown: Vec<String> = diff_lines(before, after)
                .iter()
                .map(|line| match line {
                    DiffLine::Same(text) => format!(" {text}"),
                    DiffLine::Gone(text) => format!("-{text}"),
                    DiffLine::New(text) => format!("+{text}"),
                })
                .collect();
            assert_eq!(shown.join("|"), expected);
        };
        check("a\nb\nc", "a\nx\nc", " a|-b|+x| c");
        check("", "a\nb", "+a|+b");
        check("a\nb", "", "-a|-b");
        check("a", "a", " a");
        check("a\nb\nc\nd", "b\nc\ne\nd", "-a| b| c|+e| d");
    }
}

//! A rule's page, read.
//!
//! One Markdown text has five readers: the documentation, `automode rules show`,
//! the judge's system prompt, the tests and the corpus. The page is compiled in;
//! reading it only cuts the text at its headings, so nothing is copied.

/// The sections of a page, and the examples that are its tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    pub title: &'a str,
    /// What it blocks.
    pub what: &'a str,
    pub why: &'a str,
    /// What is fine although it looks alike.
    pub fine: &'a str,
    /// The setting that permits it.
    pub permit: &'a str,
    /// One or two sentences for the judge.
    pub judge: &'a str,
    pub examples: Vec<Example<'a>>,
}

/// One line of a fenced block: one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example<'a> {
    /// `sh` for a command, `json` for a call of another tool.
    pub language: &'a str,
    pub expectation: Expectation,
    pub text: &'a str,
    /// Line of the page, from 1.
    pub line: usize,
}

/// What a page says of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// The rule vetoes it.
    Veto,
    /// The rule finds evidence, and no exception clears it.
    Evidence,
    /// The rule has nothing to say, or an exception that can be proved clears it.
    Pass,
    /// The rule should catch it and does not. Fails when it begins to.
    KnownGap,
    /// On the page of an exception: it is provably fine.
    Fine,
    /// On the page of an exception: no proof is found.
    Open,
}

impl<'a> Page<'a> {
    /// Cuts a page at its headings. A heading that is missing leaves its section empty.
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        Self {
            title: text
                .lines()
                .find_map(|line| line.strip_prefix("# "))
                .unwrap_or_default()
                .trim(),
            what: section(text, "What it blocks"),
            why: section(text, "Why"),
            fine: section(text, "What is fine"),
            permit: section(text, "How to permit it"),
            judge: section(text, "Judge"),
            examples: examples(text),
        }
    }
}

/// The text between `## heading` and the next heading of that level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("\n## ") {
        let (name, body) = after.split_once('\n').unwrap_or((after, ""));
        if name.trim() == heading {
            return body
                .split_once("\n## ")
                .map_or(body, |(body, _)| body)
                .trim();
        }
        rest = after;
    }
    ""
}

fn examples(text: &str) -> Vec<Example<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, Option<Expectation>)> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(_), Some(_)) => open = None,
            (Some(info), None) => {
                let (language, kind) = info.trim().split_once(' ').unwrap_or((info.trim(), ""));
                open = Some((language, Expectation::named(kind.trim())));
            }
            (None, Some((language, Some(expectation)))) if !line.trim().is_empty() => {
                found.push(Example {
                    language,
                    expectation,
                    text: line,
                    line: index.saturating_add(1),
                });
            }
            (None, _) => {}
        }
    }
    found
}

impl Expectation {
    fn named(name: &str) -> Option<Self> {
        match name {
            "veto" => Some(Self::Veto),
            "evidence" => Some(Self::Evidence),
            "pass" => Some(Self::Pass),
            "known-gap" => Some(Self::KnownGap),
            "fine" => Some(Self::Fine),
            "open" => Some(Self::Open),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Title\n\n## What it blocks\n\nA thing.\nMore.\n\n## Judge\n\nBlock it.\n\n## Examples\n\n```sh veto\nrm -rf /\n\nrm -rf ~\n```\n\n```toml\na = 1\n```\n";

    #[test]
    fn a_page_is_cut_at_its_headings() {
        let page = Page::read(PAGE);
        assert_eq!(page.title, "Title");
        assert_eq!(page.what, "A thing.\nMore.");
        assert_eq!(page.judge, "Block it.");
        assert_eq!(page.why, "");
    }

    #[test]
    fn only_blocks_with_an_expectation_are_examples() {
        let page = Page::read(PAGE);
        let seen: Vec<_> = page.examples.iter().map(|e| (e.text, e.line)).collect();
        assert_eq!(seen, [("rm -rf /", 15), ("rm -rf ~", 17)]);
        assert!(
            page.examples
                .iter()
                .all(|e| e.expectation == Expectation::Veto)
        );
    }
}

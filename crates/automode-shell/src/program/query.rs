//! Queries of jq and yq: what they read beside the data they are given.

use super::meaning::Meaning;
use crate::place::is_secret_variable;
use crate::template::PathUse;
use crate::{Act, Direction, Taint, Value};

impl Meaning<'_> {
    /// A query: it may read the environment and other files.
    pub(super) fn query(&mut self, value: &Value, cwd: Option<&str>) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            return self.gap(gap);
        };
        for (name, rest) in names(&text) {
            match name {
                "env" | "$ENV" | "strenv" | "envsubst" => self.environment(rest, value),
                "load" | "load_str" | "load_xml" | "load_props" | "load_base64" => {
                    match argument(rest) {
                        Some(file) => {
                            self.path(PathUse::Read, &Value::text(file, value.span), cwd);
                        }
                        None => self.query_gap(value),
                    }
                }
                "import" | "include" | "system" | "exec" => self.query_gap(value),
                _ => {}
            }
        }
    }

    fn query_gap(&mut self, value: &Value) {
        let gap = self.argument_gap(value);
        self.gap(gap);
    }

    /// One variable, `env.NAME` or `env(NAME)`, or all of them.
    fn environment(&mut self, rest: &str, value: &Value) {
        let name: String = rest
            .trim_start_matches(['.', '(', '"', '[', ' '])
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let one = rest.starts_with(['.', '(', '[']) && !name.is_empty();
        if one && !is_secret_variable(&name) {
            return;
        }
        self.marks = self.marks.with(Taint::SECRET);
        let act = Act::Credential {
            what: "environment".to_owned(),
            direction: Direction::Receive,
        };
        self.effect(act, value.span);
    }
}

/// The names in a query that are no fields, keys or text, with what follows them.
fn names(text: &str) -> Vec<(&str, &str)> {
    let mut names = Vec::new();
    let mut before = ' ';
    let mut quoted = false;
    let mut open: Vec<usize> = Vec::new();
    let mut depth = 0_usize;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if quoted {
            match letter {
                '"' => quoted = false,
                '\\' if letters.peek().is_some_and(|(_, next)| *next == '(') => {
                    open.push(depth);
                    quoted = false;
                }
                '\\' => drop(letters.next()),
                _ => {}
            }
            before = letter;
            continue;
        }
        match letter {
            '"' => quoted = true,
            '(' => depth = depth.saturating_add(1),
            ')' => {
                depth = depth.saturating_sub(1);
                if open.last() == Some(&depth) {
                    open.pop();
                    quoted = true;
                }
            }
            '#' => while letters.next_if(|(_, c)| *c != '\n').is_some() {},
            letter if letter.is_ascii_alphabetic() || matches!(letter, '_' | '$') => {
                let mut end = at.saturating_add(1);
                while let Some((at, _)) =
                    letters.next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '_')
                {
                    end = at.saturating_add(1);
                }
                let (name, rest) = (
                    text.get(at..end).unwrap_or_default(),
                    text.get(end..).unwrap_or_default(),
                );
                let is_key = rest.trim_start().starts_with(':') && !rest.starts_with("::");
                if before != '.' && !is_key {
                    names.push((name, rest));
                }
            }
            _ => {}
        }
        before = letter;
    }
    names
}

/// The text in `("text")`.
fn argument(rest: &str) -> Option<String> {
    let inside = rest.trim_start().strip_prefix('(')?.trim_start();
    let text = inside.strip_prefix('"')?;
    let (text, after) = text.split_once('"')?;
    (after.trim_start().starts_with(')') && !text.contains('\\')).then(|| text.to_owned())
}

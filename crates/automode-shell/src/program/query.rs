//! Words of data tools: queries of jq and yq, formats and bodies of curl, databases by address.

use super::meaning::Meaning;
use super::remote;
use super::table::Use;
use crate::place::is_secret_variable;
use crate::{Act, Direction, Host, Taint, Value};

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
                            self.path(Use::Read, &Value::text(file, value.span), cwd);
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

    /// What curl prints at the end; `%output{file}` sends the rest to a file.
    pub(super) fn write_out(&mut self, value: &Value, cwd: Option<&str>) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            return self.gap(gap);
        };
        if text.starts_with('@') {
            self.at_file(value, cwd);
            self.unseen(format!("a format in `{}`", value.shown()), value.span);
        }
        for part in text.split("%output{").skip(1) {
            let name = part.split('}').next().unwrap_or_default();
            match name.strip_prefix(">>") {
                Some(name) => self.path(Use::Append, &Value::text(name, value.span), cwd),
                None => self.path(Use::Write, &Value::text(name, value.span), cwd),
            }
        }
    }

    /// `@file` and `name@file` are sent; anything with `=` before is text.
    pub(super) fn encoded_file(&mut self, value: &Value, cwd: Option<&str>) {
        let prefix = value.prefix();
        match prefix.find(['=', '@']) {
            Some(at) if prefix.get(at..).is_some_and(|rest| rest.starts_with('@')) => {
                self.path(Use::Read, &value.after(at.saturating_add(1)), cwd);
            }
            Some(_) => {}
            None if value.literal().is_some() => {}
            None => {
                let gap = self.dynamic_gap(value);
                self.gap(gap);
            }
        }
    }

    /// A value, or the file that holds it.
    pub(super) fn file_scheme(&mut self, value: &Value, cwd: Option<&str>) {
        let prefix = value.prefix();
        let scheme = ["file://", "fileb://", "file:"]
            .into_iter()
            .find(|scheme| prefix.starts_with(scheme));
        if let Some(scheme) = scheme {
            self.path(Use::Read, &value.after(scheme.len()), cwd);
        }
    }

    /// A word that reads like more than a file's name is a gap.
    pub(super) fn plain(&mut self, value: &Value) {
        let prefix = value.prefix();
        if prefix.contains("://") {
            let host = remote::host(value);
            self.connect(host, Direction::Receive, value);
        } else if prefix.contains(':') || prefix.starts_with(['@', '|']) {
            let gap = self.argument_gap(value);
            self.gap(gap);
        }
    }

    /// A database: `scheme://host/name`, `host=… dbname=…`, or a name on the usual server.
    pub(super) fn dsn(&mut self, value: &Value) {
        let prefix = value.prefix();
        let keyed = |key: &str| {
            prefix
                .split_whitespace()
                .find_map(|word| word.strip_prefix(key))
                .map(str::to_owned)
        };
        let host = if prefix.contains("://") {
            match remote::host(value) {
                // `postgres:///name` is the local server.
                Host::Unknown if value.literal().is_some() => Host::Loopback,
                host @ (Host::Unknown | Host::Loopback | Host::Named(_) | Host::Default(_)) => host,
            }
        } else {
            match keyed("host=").or_else(|| keyed("hostaddr=")) {
                Some(host) if host.starts_with('/') => Host::Loopback,
                Some(host) => remote::named(&host),
                None if value.begins_unknown() => Host::Unknown,
                None => Host::Default("database".to_owned()),
            }
        };
        self.connect(host, Direction::Send, value);
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

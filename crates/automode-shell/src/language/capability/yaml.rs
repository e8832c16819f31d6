//! YAML as rows: the keys that lead to a value, the value, its line.
//!
//! Only the block style with flow lists and maps of scalars is read, which is what
//! compose files and workflows are written in. Anything else is an error: the rest
//! of the file could mean anything.

/// One scalar of a file with the keys above it; an item of a list adds `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct YamlRow {
    pub(super) keys: Vec<String>,
    pub(super) value: String,
    pub(super) line: usize,
}

impl YamlRow {
    /// The key that it stands under, whatever list it is in.
    pub(super) fn last_key(&self) -> &str {
        let mut keys = self.keys.iter().rev();
        keys.find(|key| *key != "-").map_or("", String::as_str)
    }

    pub(super) fn is_below(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }
}

struct Level {
    indent: usize,
    key: String,
}

/// Goes into the items of lists that a line opens, and out of what it does not belong to.
fn enter_items(indent: &mut usize, rest: &mut &str, levels: &mut Vec<Level>) {
    loop {
        let item = *rest == "-" || rest.starts_with("- ");
        // A list may stand at the column of the key it belongs to.
        while levels.last().is_some_and(|level| {
            level.indent > *indent || (level.indent == *indent && (level.key == "-" || !item))
        }) {
            levels.pop();
        }
        if !item {
            return;
        }
        levels.push(Level {
            indent: *indent,
            key: "-".to_owned(),
        });
        let trimmed = rest.get(1..).unwrap_or_default().trim_start();
        *indent = indent.saturating_add(rest.len().saturating_sub(trimmed.len()));
        *rest = trimmed;
        if rest.is_empty() {
            return;
        }
    }
}

pub(super) fn rows(text: &str) -> Result<Vec<YamlRow>, String> {
    let mut rows = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let number = number.saturating_add(1);
        let bare = without_comment(line);
        let trimmed = bare.trim_start();
        if trimmed.trim().is_empty() || trimmed.starts_with("---") || trimmed.starts_with('%') {
            continue;
        }
        let mut indent = bare.len().saturating_sub(trimmed.len());
        if bare.get(..indent).is_some_and(|space| space.contains('\t')) {
            return Err(format!("line {number}: a tab"));
        }
        let mut rest = trimmed.trim_end();
        enter_items(&mut indent, &mut rest, &mut levels);
        if rest.is_empty() {
            continue;
        }
        let (key, value) = split_key(rest);
        let mut keys: Vec<String> = levels.iter().map(|level| level.key.clone()).collect();
        if let Some(key) = key {
            keys.push(key.clone());
            levels.push(Level { indent, key });
        }
        let value = strip_tags(value);
        if value.starts_with(['|', '>']) {
            // A text of many lines: everything that is further in.
            let mut long = String::new();
            while let Some((_, next)) = lines.peek() {
                let inner = next.len().saturating_sub(next.trim_start().len());
                let base = levels.last().map_or(0, |level| level.indent);
                if !next.trim().is_empty() && inner <= base {
                    break;
                }
                long.push_str(next.trim());
                long.push('\n');
                lines.next();
            }
            rows.push(YamlRow {
                keys,
                value: long,
                line: number,
            });
            continue;
        }
        let mut whole = value.to_owned();
        while opens(&whole) {
            match lines.next() {
                Some((_, next)) => {
                    whole.push(' ');
                    whole.push_str(without_comment(next).trim());
                }
                None => return Err(format!("line {number}: a list does not end")),
            }
        }
        flow(&whole, &keys, number, &mut rows, 0)?;
    }
    Ok(rows)
}

fn opens(text: &str) -> bool {
    let count = |marks: [char; 2]| text.chars().filter(|c| marks.contains(c)).count();
    text.starts_with(['[', '{']) && count(['[', '{']) > count([']', '}'])
}

fn strip_tags(value: &str) -> &str {
    let mut value = value.trim();
    while value.starts_with(['&', '!']) {
        value = value.split_once(' ').map_or("", |(_, rest)| rest).trim();
    }
    value
}

/// `# …` at the start or behind a space, outside quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'')
                && matches!(before, ' ' | '[' | ',' | ':' | '{' | '-') =>
            {
                quote = Some(letter)
            }
            None if letter == '#' && before.is_whitespace() => {
                return line.get(..at).unwrap_or(line);
            }
            None => {}
        }
        before = letter;
    }
    line
}

fn split_key(text: &str) -> (Option<String>, &str) {
    if text.starts_with(['[', '{', '|', '>', '*']) {
        return (None, text);
    }
    let quoted = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let from = match quoted {
        Some(quote) => text
            .get(1..)
            .and_then(|rest| rest.find(quote))
            .map_or(text.len(), |end| end.saturating_add(2)),
        None => 0,
    };
    let rest = text.get(from..).unwrap_or_default();
    let colon = rest
        .match_indices(':')
        .find(|(at, _)| matches!(rest.as_bytes().get(at.saturating_add(1)), None | Some(b' ')));
    match colon {
        Some((at, _)) => {
            let end = from.saturating_add(at);
            let key = unquoted(text.get(..end).unwrap_or_default().trim()).to_owned();
            (
                Some(key),
                text.get(end.saturating_add(1)..).unwrap_or_default(),
            )
        }
        None => (None, text),
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .or_else(|| {
            text.strip_prefix('\'')
                .and_then(|rest| rest.strip_suffix('\''))
        })
        .unwrap_or(text)
}

/// A value on one line: a scalar, a list or a map.
fn flow(
    value: &str,
    keys: &[String],
    line: usize,
    rows: &mut Vec<YamlRow>,
    depth: usize,
) -> Result<(), String> {
    let value = strip_tags(value);
    if depth > 8 {
        return Err(format!("line {line}: lists nest too deep"));
    }
    let inside = |open: char, close: char| {
        value
            .strip_prefix(open)
            .map(|rest| rest.trim_end().strip_suffix(close))
    };
    if let Some(list) = inside('[', ']') {
        let list = list.ok_or_else(|| format!("line {line}: a list does not end"))?;
        for item in parts(list) {
            let mut keys = keys.to_vec();
            keys.push("-".to_owned());
            flow(item, &keys, line, rows, depth.saturating_add(1))?;
        }
        return Ok(());
    }
    if let Some(map) = inside('{', '}').filter(|_| !value.starts_with("{{")) {
        let map = map.ok_or_else(|| format!("line {line}: a map does not end"))?;
        for item in parts(map) {
            let (key, value) = split_key(item.trim());
            let mut keys = keys.to_vec();
            keys.extend(key);
            flow(value, &keys, line, rows, depth.saturating_add(1))?;
        }
        return Ok(());
    }
    let open = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = open
        && (value.len() < 2 || !value.ends_with(quote))
    {
        return Err(format!("line {line}: a text does not end on its line"));
    }
    rows.push(YamlRow {
        keys: keys.to_vec(),
        value: unquoted(value).to_owned(),
        line,
    });
    Ok(())
}

/// Split at commas outside brackets and quotes.
fn parts(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut start) = (0_usize, None, 0_usize);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth = depth.saturating_add(1),
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(text.get(start..at).unwrap_or_default());
                start = at.saturating_add(1);
            }
            (None, _) => {}
        }
    }
    found.push(text.get(start..).unwrap_or_default());
    found.retain(|part| !part.trim().is_empty());
    found
}

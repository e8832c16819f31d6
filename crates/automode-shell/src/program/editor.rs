//! Commands of line editors: `ed`, `ex`, `vim -c`.
//!
//! What they run is nested code, what they name is read or written, and what
//! only moves or changes the text at hand is fine. Everything else is a gap.

use super::meaning::Meaning;
use crate::template::PathUse;
use crate::{Language, Stdin, Value};

/// Commands that stay inside the text, by their names and short names.
const QUIET: &[&str] = &[
    "F",
    "G",
    "H",
    "P",
    "Q",
    "co",
    "colorscheme",
    "copy",
    "cq",
    "d",
    "delete",
    "filetype",
    "h",
    "j",
    "join",
    "k",
    "l",
    "m",
    "move",
    "n",
    "noh",
    "nohlsearch",
    "nu",
    "number",
    "p",
    "print",
    "pu",
    "put",
    "q",
    "qa",
    "qall",
    "quit",
    "quitall",
    "retab",
    "sort",
    "syn",
    "syntax",
    "t",
    "u",
    "undo",
    "y",
    "yank",
    "z",
];

/// Parts of options that make the editor run or load something.
const STEERING: &[&str] = &[
    "shell", "prg", "expr", "func", "file", "dir", "exrc", "modeline",
];

/// Commands after which another command stands.
const MODIFIERS: &[&str] = &[
    "argdo",
    "bufdo",
    "keepjumps",
    "keeppatterns",
    "noautocmd",
    "sil",
    "silent",
    "tabdo",
    "verbose",
    "windo",
];

/// More commands than this on standard input count as not seen.
const LINES: usize = 512;

impl Meaning<'_> {
    /// A command line of an editor; `|` stands between commands.
    pub(super) fn editor(&mut self, value: &Value, cwd: Option<&str>) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            return self.gap(gap);
        };
        self.edit_line(&text, value, cwd);
    }

    /// The commands that arrive on standard input.
    /// Commands of an editor that takes them from the keyboard, and from whatever stands for it.
    pub(super) fn fed_editor_input(&mut self) {
        match &self.invocation.stdin {
            Stdin::Inherited => {}
            Stdin::File(target) if target.path == "/dev/null" => {}
            Stdin::File(_) | Stdin::Pipe(_) | Stdin::Text(_) => self.editor_input(),
        }
    }

    pub(super) fn editor_input(&mut self) {
        let Stdin::Text(value) = &self.invocation.stdin else {
            return self.unseen("editor commands".to_owned(), self.invocation.span);
        };
        let Some(text) = value.literal().filter(|text| text.lines().count() <= LINES) else {
            return self.unseen("editor commands".to_owned(), value.span);
        };
        let cwd = self.invocation.cwd.clone();
        let mut typing = false;
        for line in text.lines() {
            if typing {
                typing = line != ".";
            } else if matches!(after_range(line.trim()), "a" | "i" | "c") {
                typing = true;
            } else {
                self.edit_line(line, value, cwd.as_deref());
            }
        }
    }

    fn edit_line(&mut self, text: &str, value: &Value, cwd: Option<&str>) {
        let command = after_range(text.trim_start_matches([':', ' ']));
        if let Some(shell) = command.strip_prefix('!') {
            return self.shell(Value::text(shell, value.span), &[]);
        }
        let end = command
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(command.len());
        let (name, rest) = command.split_at(end);
        // A substitution is `s` with any mark after it, and takes a bar as text.
        if matches!(name, "s" | "substitute" | "g" | "v" | "global" | "vglobal") {
            return self.edit_pattern(name, rest, value, cwd);
        }
        let (rest, next) = match rest.split_once('|') {
            Some((before, next)) if !takes_shell(name, rest) => (before, Some(next)),
            Some(_) | None => (rest, None),
        };
        self.edit_command(name, rest, value, cwd);
        if let Some(next) = next {
            self.edit_line(next, value, cwd);
        }
    }

    /// `s/a/b/` changes the text, `g/a/command` runs a command on lines.
    fn edit_pattern(&mut self, name: &str, rest: &str, value: &Value, cwd: Option<&str>) {
        if rest.is_empty() {
            return;
        }
        if name.starts_with('s') {
            // `\=` computes the replacement, and a bar may begin another command.
            if rest.contains("\\=") || rest.contains('|') {
                self.edit_gap(value);
            }
            return;
        }
        match skip_pattern(rest.trim_start_matches('!')) {
            Some("") => {}
            Some(command) => self.edit_line(command, value, cwd),
            None => self.edit_gap(value),
        }
    }

    fn edit_command(&mut self, name: &str, rest: &str, value: &Value, cwd: Option<&str>) {
        let file = |text: &str| Value::text(text.trim().to_owned(), value.span);
        match name {
            "" => {
                let moves = ["", "=", "$", "&", "&&"].contains(&rest.trim());
                if !moves {
                    self.edit_gap(value);
                }
            }
            "w" | "W" | "wq" | "write" | "x" | "xit" | "wa" | "wqa" | "up" | "update" | "sav"
            | "saveas" | "f" | "file" => {
                let (bang, rest) = forced(rest);
                match rest.strip_prefix('!') {
                    Some(shell) if !bang => self.shell(file(shell), &[]),
                    Some(_) => self.edit_gap(value),
                    None => match rest.strip_prefix(">>") {
                        Some(rest) => self.path(PathUse::Append, &file(rest), cwd),
                        None => self.path(PathUse::Write, &file(rest), cwd),
                    },
                }
            }
            "r" | "read" | "e" | "edit" | "E" | "sp" | "split" | "vs" | "vsplit" | "tabe"
            | "tabedit" | "tabnew" | "new" | "view" | "badd" | "argadd" => {
                match rest.trim_start().strip_prefix('!') {
                    Some(shell) if name == "r" || name == "read" || rest.starts_with(' ') => {
                        self.shell(file(shell), &[]);
                    }
                    Some(path) => self.path(PathUse::Read, &file(path), cwd),
                    None => self.path(PathUse::Read, &file(rest), cwd),
                }
            }
            "set" | "se" | "setlocal" | "setl" => {
                if STEERING.iter().any(|word| rest.contains(word)) {
                    self.edit_gap(value);
                }
            }
            "so" | "source" | "ru" | "runtime" => {
                self.path(PathUse::Read, &file(rest), cwd);
                self.unseen(format!("editor commands in `{}`", rest.trim()), value.span);
            }
            "py" | "python" | "py3" | "python3" | "pyx" | "pythonx" => {
                self.code(Language::Python, &file(rest), &[]);
            }
            "lua" => self.code(Language::Lua, &file(rest), &[]),
            "ruby" | "rub" => self.code(Language::Ruby, &file(rest), &[]),
            "perl" | "pe" => self.code(Language::Perl, &file(rest), &[]),
            name if MODIFIERS.contains(&name) => {
                let rest = rest.strip_prefix('!').unwrap_or(rest).trim_start();
                if rest.is_empty() {
                    self.edit_gap(value);
                } else {
                    self.edit_line(rest, value, cwd);
                }
            }
            name if QUIET.contains(&name) => {}
            _ => self.edit_gap(value),
        }
    }

    pub(super) fn edit_gap(&mut self, value: &Value) {
        let gap = self.argument_gap(value);
        self.gap(gap);
    }
}

/// Whether the rest of a command is shell text, in which a bar is a pipe.
fn takes_shell(name: &str, rest: &str) -> bool {
    let reads = matches!(name, "r" | "read");
    (reads || rest.starts_with(' ')) && rest.trim_start().starts_with('!')
}

/// `!` right after a command forces it; after a space it begins a shell command.
fn forced(rest: &str) -> (bool, &str) {
    match rest.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest.trim_start()),
    }
}

/// What follows the lines that a command is for: `1,$`, `%`, `/a/,/b/`, `'a`.
fn after_range(text: &str) -> &str {
    let mut rest = text;
    loop {
        let bare =
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || " \t,;.$%+-".contains(c));
        let next = match bare.chars().next() {
            Some('/' | '?') => skip_pattern(bare).unwrap_or_default(),
            Some('\'') => bare.get(2..).unwrap_or_default(),
            Some(_) | None => return bare,
        };
        rest = next;
    }
}

/// What follows `/pattern/`, whatever the mark is.
fn skip_pattern(text: &str) -> Option<&str> {
    let mark = text.chars().next()?;
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\\' if !escaped => escaped = true,
            letter if letter == mark && !escaped => {
                return text.get(at.saturating_add(mark.len_utf8())..);
            }
            _ => escaped = false,
        }
    }
    // A pattern at the end needs no closing mark.
    Some("")
}

//! Commands of debuggers.
//!
//! What they run is nested code, what they name is read, and what looks around or
//! goes on with the program is fine. Everything else is a gap.

use super::meaning::Meaning;
use crate::template::PathUse;
use crate::{Language, Value};

/// Commands of a debugger that look around or go on with the program.
const LOOKING: &[&str] = &[
    "b",
    "backtrace",
    "break",
    "breakpoint",
    "bt",
    "c",
    "continue",
    "delete",
    "detach",
    "directory",
    "disable",
    "disas",
    "disassemble",
    "down",
    "echo",
    "enable",
    "exit",
    "f",
    "finish",
    "frame",
    "help",
    "image",
    "info",
    "kill",
    "l",
    "list",
    "n",
    "next",
    "ni",
    "nexti",
    "p",
    "print",
    "process",
    "ptype",
    "q",
    "quit",
    "r",
    "register",
    "run",
    "s",
    "si",
    "start",
    "step",
    "stepi",
    "t",
    "tbreak",
    "thread",
    "until",
    "up",
    "watch",
    "whatis",
    "where",
    "x",
];

impl Meaning<'_> {
    /// A command of gdb or lldb.
    pub(super) fn debugger(&mut self, value: &Value, cwd: Option<&str>) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            return self.gap(gap);
        };
        let text = text.trim();
        let text = text.strip_prefix("platform ").unwrap_or(text);
        if let Some(shell) = text.strip_prefix('!') {
            return self.shell(Value::text(shell, value.span), &[]);
        }
        let (name, rest) = text.split_once([' ', '/']).unwrap_or((text, ""));
        let rest_value = Value::text(rest.to_owned(), value.span);
        match name {
            "shell" => self.shell(rest_value, &[]),
            "python" | "py" | "script" => self.code(Language::Python, &rest_value, &[]),
            "file" | "exec-file" | "symbol-file" | "core-file" => {
                self.path(PathUse::Read, &rest_value, cwd);
            }
            "target" => match rest.split_once(' ') {
                Some(("exec" | "core" | "create", file)) => {
                    self.path(PathUse::Read, &Value::text(file, value.span), cwd);
                }
                Some(_) | None => self.edit_gap(value),
            },
            "set" => {
                let steers = [
                    "logging",
                    "args",
                    "environment",
                    "exec",
                    "startup",
                    "history",
                ];
                if rest.contains('(') || steers.iter().any(|word| rest.contains(word)) {
                    self.edit_gap(value);
                }
            }
            "" => {}
            // An expression may call a function of the program.
            name if LOOKING.contains(&name) && !rest.contains('(') => {}
            _ => self.edit_gap(value),
        }
    }
}

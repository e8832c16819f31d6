//! Commands of the clients themselves: `\!` of psql, `.shell` of sqlite, `tee` of mysql.

use crate::language::cursor::Cursor;
use crate::language::reading::CodeReading;
use crate::{Code, DatabaseVerb, NestedStdin, Taint, WriteHow};

/// A line for the client itself: `\dt`, `.tables`, `source x`, `system ls`.
pub(super) fn client_command(cursor: &mut Cursor<'_>, reading: &mut CodeReading<'_>) -> bool {
    if cursor.eat("\\") {
        psql(cursor, reading);
        return true;
    }
    if cursor.peek() == Some('.') && cursor.peek_second().is_some_and(char::is_alphabetic) {
        cursor.next();
        sqlite(cursor.line(), reading);
        return true;
    }
    let line = cursor.rest().split('\n').next().unwrap_or_default();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_ascii_lowercase().as_str() {
        "system" => {
            reading.shell(reading.word(rest.trim()), NestedStdin::Same);
        }
        "source" => script_file(rest, reading),
        "tee" => {
            reading.writes(
                &reading.word(rest.trim().trim_end_matches(';')),
                WriteHow::Append,
                Taint::LOCAL,
            );
        }
        "pager" => reading.shell(reading.word(rest.trim()), NestedStdin::Data(Taint::LOCAL)),
        _ => return false,
    }
    cursor.line();
    true
}

fn script_file(path: &str, reading: &mut CodeReading<'_>) {
    let path = path.trim().trim_end_matches(';').trim_matches('\'');
    let place = reading.word(path);
    reading.reads(&place);
    let target = crate::Target::locate(&place, reading.source.cwd);
    reading.hidden_code(Code::File(target), path, Taint::LOCAL);
}

/// Backslash commands that only show something, or change how it is shown; those that
/// begin with `d` do too.
const INFORMING: &[&str] = &[
    "l",
    "c",
    "connect",
    "q",
    "x",
    "t",
    "a",
    "f",
    "pset",
    "timing",
    "echo",
    "qecho",
    "conninfo",
    "encoding",
    "z",
    "sf",
    "sv",
    "set",
    "unset",
    "watch",
    "h",
    "?",
    "help",
    "g",
    "gx",
    "p",
    "r",
    "o",
    "H",
    "C",
    "errverbose",
    "if",
    "else",
    "elif",
    "endif",
    "gset",
    "gdesc",
    "crosstabview",
    "prompt",
    "u",
    "use",
    "G",
    "s",
    "lo_list",
    "prset",
];

/// A backslash command of psql or mysql, up to the end of the line or the next backslash.
pub(super) fn psql(cursor: &mut Cursor<'_>, reading: &mut CodeReading<'_>) {
    let whole = cursor.rest().split('\n').next().unwrap_or_default();
    if cursor.eat("!") {
        let command = cursor.line();
        return reading.shell(reading.word(command.trim()), NestedStdin::Same);
    }
    let name =
        cursor.take_while(|c| c.is_alphanumeric() || matches!(c, '?' | '+' | '_' | '.' | '*'));
    let arguments = cursor.take_while(|c| c != '\n' && c != '\\').trim();
    if whole.contains('`') {
        reading.unknown_call(&format!("\\{name} with a command in backticks"));
    }
    let command = name.trim_end_matches('+');
    let file = arguments.trim_matches('\'');
    match command {
        "copy" => client_copy(arguments, reading),
        "i" | "ir" | "include" | "include_relative" | "." => script_file(arguments, reading),
        "o" | "out" | "w" | "write" | "s" | "g" | "gx" | "T" | "tee" if !file.is_empty() => {
            match file.strip_prefix('|') {
                Some(pipe) => {
                    reading.shell(reading.word(pipe.trim()), NestedStdin::Data(Taint::LOCAL));
                }
                None => reading.writes(&reading.word(file), WriteHow::Replace, Taint::LOCAL),
            }
        }
        // Another server, not just another database.
        "c" | "connect" if arguments.contains(['=', '/', ' ']) => {
            reading.unknown_call(&format!("\\{name}"));
        }
        "e" | "edit" | "ef" | "ev" | "gexec" | "cd" | "setenv" | "lo_import" | "lo_export"
        | "password" | "P" | "R" | "getenv" | "lo_unlink" => {
            reading.unknown_call(&format!("\\{name}"))
        }
        command if command.starts_with('d') || INFORMING.contains(&command) => {
            reading.database(DatabaseVerb::Read);
        }
        _ => reading.unknown_call(&format!("\\{name}")),
    }
}

/// `\copy t from 'file'`, `\copy (query) to program 'command'`.
fn client_copy(arguments: &str, reading: &mut CodeReading<'_>) {
    let lower = arguments.to_ascii_lowercase();
    let place = arguments
        .split('\'')
        .nth(1)
        .or_else(|| arguments.split_whitespace().last())
        .unwrap_or_default();
    let from = lower.contains(" from ");
    reading.database(if from {
        DatabaseVerb::Insert
    } else {
        DatabaseVerb::Read
    });
    if lower.contains(" program ") {
        reading.shell(reading.word(place), NestedStdin::Data(Taint::LOCAL));
    } else if lower.ends_with("stdin") || lower.ends_with("stdout") {
    } else if from {
        reading.reads(&reading.word(place));
    } else {
        reading.writes(&reading.word(place), WriteHow::Replace, Taint::LOCAL);
    }
}

/// A dot command of sqlite3.
fn sqlite(line: &str, reading: &mut CodeReading<'_>) {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default();
    let rest = line.strip_prefix(name).unwrap_or_default().trim();
    let last = words.last().unwrap_or_default().trim_matches(['\'', '"']);
    match name {
        "tables" | "schema" | "databases" | "indexes" | "indices" | "mode" | "headers"
        | "header" | "quit" | "exit" | "help" | "width" | "nullvalue" | "separator" | "timer"
        | "stats" | "show" | "echo" | "bail" | "changes" | "eqp" | "explain" | "fullschema"
        | "print" | "dbinfo" | "dump" | "lint" | "sha3sum" | "timeout" | "version" | "limit" => {
            reading.database(DatabaseVerb::Read);
        }
        // The value of a parameter is a statement of its own.
        "parameter" if matches!(rest, "" | "list" | "init" | "clear") => {
            reading.database(DatabaseVerb::Read);
        }
        "parameter" => reading.unknown_call(".parameter"),
        "shell" | "system" => reading.shell(reading.word(rest), NestedStdin::Same),
        "read" => match rest.trim_matches(['\'', '"']).strip_prefix('|') {
            Some(command) => reading.shell(reading.word(command.trim()), NestedStdin::Same),
            None => script_file(last, reading),
        },
        "output" | "once" if last.starts_with('-') => {
            reading.unknown_call(&format!(".{name} {last}"))
        }
        "output" | "once" | "log" if last.is_empty() || last == "stdout" || last == "off" => {}
        "output" | "once" | "log" => match rest.trim_matches(['\'', '"']).strip_prefix('|') {
            Some(pipe) => {
                reading.shell(reading.word(pipe.trim()), NestedStdin::Data(Taint::LOCAL));
            }
            None => reading.writes(&reading.word(last), WriteHow::Replace, Taint::LOCAL),
        },
        "backup" | "save" | "clone" | "open" => {
            reading.writes(&reading.word(last), WriteHow::Replace, Taint::LOCAL);
        }
        "restore" => {
            reading.reads(&reading.word(last));
            reading.database(DatabaseVerb::Destroy);
        }
        "import" => {
            let file = rest
                .split_whitespace()
                .find(|word| !word.starts_with('-'))
                .unwrap_or_default();
            match file.trim_matches(['\'', '"']).strip_prefix('|') {
                Some(_) => reading.unknown_call(".import from a command"),
                None => {
                    reading.reads(&reading.word(file.trim_matches(['\'', '"'])));
                }
            }
            reading.database(DatabaseVerb::Insert);
        }
        _ => reading.unknown_call(&format!(".{name}")),
    }
}

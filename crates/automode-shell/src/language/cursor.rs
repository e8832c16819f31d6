//! A reading position in text, for the hand-written readers.
//!
//! It only moves forward, never past the end, and never splits a character.

#[derive(Clone, Debug)]
pub(in crate::language) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(in crate::language) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(in crate::language) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(in crate::language) const fn at(&self) -> usize {
        self.at
    }

    /// The text between an earlier position and this one.
    pub(in crate::language) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Whether only a space stands between an earlier position and this one.
    pub(in crate::language) fn since_is_space(&self, start: usize) -> bool {
        self.since(start).chars().all(char::is_whitespace)
    }

    pub(in crate::language) fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    pub(in crate::language) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(in crate::language) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(in crate::language) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at = self.at.saturating_add(next.len_utf8());
        Some(next)
    }

    /// Moves past `expected` where it comes next.
    pub(in crate::language) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at = self.at.saturating_add(expected.len());
        }
        found
    }

    pub(in crate::language) fn take_while(
        &mut self,
        mut keep: impl FnMut(char) -> bool,
    ) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&mut keep) {
            self.next();
        }
        self.since(start)
    }

    /// Moves past the point of `1.5`, which that of `1..5` and of `1.to_s` is not.
    pub(in crate::language) fn eat_decimal_point(&mut self) -> bool {
        let found =
            self.peek() == Some('.') && self.peek_second().is_some_and(|c| c.is_ascii_digit());
        found && self.eat(".")
    }

    /// Everything up to the end of the line, which is not taken.
    pub(in crate::language) fn line(&mut self) -> &'a str {
        self.take_while(|c| c != '\n')
    }

    /// Everything up to `end`, which is taken too; nothing where it never comes.
    pub(in crate::language) fn until(&mut self, end: &str) -> Option<&'a str> {
        let (before, _) = self.rest().split_once(end)?;
        self.at = self
            .at
            .saturating_add(before.len())
            .saturating_add(end.len());
        Some(before)
    }
}

//! Simple commands: assignments, words, redirections, and `name()` functions.

use super::compound::identifier;
use super::parser::{ParsedScript, ShellParser};
use super::scope::ParserScope;
use super::tree::{
    Assignment, AssignmentValue, Command, CommandKind, Element, Redirect, Simple, Word,
};

/// Builtins whose arguments may be array assignments.
const DECLARATIONS: &[&str] = &["declare", "typeset", "local", "export", "readonly", "eval"];

impl ShellParser<'_> {
    pub(super) fn simple(&mut self) -> ParsedScript<Command> {
        let start = self.at;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if self.peek() == Some(b'(') {
                return self.function_by_name(start, &simple, &redirects);
            }
            if self.at_word_end() {
                break;
            }
            self.element(&mut simple)?;
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return self.fail("expected a command");
        }
        Ok(Command {
            kind: CommandKind::Simple(simple),
            redirects,
            span: self.span(start),
        })
    }

    /// The next assignment or word.
    fn element(&mut self, simple: &mut Simple) -> ParsedScript<()> {
        if simple.words.is_empty() {
            if let Some(assignment) = self.assignment()? {
                simple.assignments.push(assignment);
                return Ok(());
            }
        } else if self.at_array_literal()
            && declares(simple)
            && let Some(assignment) = self.assignment()?
        {
            simple.arrays.push(assignment);
            return Ok(());
        }
        simple.words.push(self.word(ParserScope::Argument)?);
        Ok(())
    }

    /// `name() body`, the only place where `(` may follow a word.
    fn function_by_name(
        &mut self,
        start: usize,
        simple: &Simple,
        redirects: &[Redirect],
    ) -> ParsedScript<Command> {
        let (true, true, [word]) = (
            simple.assignments.is_empty(),
            redirects.is_empty(),
            simple.words.as_slice(),
        ) else {
            return self.fail("unexpected `(`");
        };
        let Some(name) = word.bare().map(str::to_owned) else {
            return self.fail("unexpected `(`");
        };
        if name.bytes().any(|byte| {
            matches!(
                byte,
                b'*' | b'?' | b'[' | b'=' | b'{' | b'~' | b'+' | b'@' | b'!'
            )
        }) {
            return self.fail("a pattern or an odd function name in front of `(`");
        }
        self.at += 1;
        self.skip_blanks();
        self.expect(b')', "unexpected `(`")?;
        let kind = self.function_body(name)?;
        Ok(Command {
            kind,
            redirects: Vec::new(),
            span: self.span(start),
        })
    }

    /// `name=`, `name+=`, `name[key]=`, with its value.
    fn assignment(&mut self) -> ParsedScript<Option<Assignment>> {
        let start = self.at;
        let length = identifier(self.rest());
        if length == 0 {
            return Ok(None);
        }
        let name = self.slice(start, start + length).to_owned();
        self.at += length;
        let subscript = match self.raw(0) {
            Some(b'[') if self.rest().contains("]=") || self.rest().contains("]+=") => {
                self.at += 1;
                let key = self.word(ParserScope::Subscript)?;
                if !self.eat(b']') {
                    self.at = start;
                    return Ok(None);
                }
                Some(key)
            }
            _ => None,
        };
        let append = self.raw(0) == Some(b'+') && self.raw(1) == Some(b'=');
        self.at += usize::from(append);
        if self.raw(0) != Some(b'=') {
            self.at = start;
            return Ok(None);
        }
        self.at += 1;
        let value = self.assigned_value(subscript.is_some())?;
        Ok(Some(Assignment {
            name,
            subscript,
            append,
            value,
            span: self.span(start),
        }))
    }

    fn assigned_value(&mut self, subscripted: bool) -> ParsedScript<AssignmentValue> {
        match self.peek() {
            Some(b'(') if subscripted => self.fail("an array inside an array"),
            Some(b'(') => {
                self.at += 1;
                let elements = self.nested(Self::elements)?;
                if !self.at_word_end() {
                    return self.fail("text right behind an array");
                }
                Ok(AssignmentValue::Array(elements))
            }
            _ => self.word_or_empty().map(AssignmentValue::Scalar),
        }
    }

    fn word_or_empty(&mut self) -> ParsedScript<Word> {
        if self.at_word_end() {
            return Ok(Word {
                parts: Vec::new(),
                span: self.span(self.at),
            });
        }
        self.word(ParserScope::Argument)
    }

    /// The elements of an array literal, up to its `)`.
    fn elements(&mut self) -> ParsedScript<Vec<Element>> {
        let mut elements = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat(b')') {
                return Ok(elements);
            }
            let key = self.element_key()?;
            let value = if key.is_some() {
                self.word_or_empty()?
            } else {
                self.word(ParserScope::Argument)?
            };
            elements.push(Element { key, value });
        }
    }

    /// `[key]=` in front of an element.
    fn element_key(&mut self) -> ParsedScript<Option<Word>> {
        let start = self.at;
        if self.raw(0) != Some(b'[') || !(self.rest().contains("]=") || self.rest().contains("]+="))
        {
            return Ok(None);
        }
        self.at += 1;
        let key = self.word(ParserScope::Subscript)?;
        if self.eat(b']') {
            if self.raw(0) == Some(b'+') && self.raw(1) == Some(b'=') {
                self.at += 1;
            }
            if self.raw(0) == Some(b'=') {
                self.at += 1;
                return Ok(Some(key));
            }
        }
        self.at = start;
        Ok(None)
    }

    /// Whether `name=(` or `name+=(` stands here.
    fn at_array_literal(&self) -> bool {
        let rest = self.rest();
        rest.get(identifier(rest)..)
            .is_some_and(|rest| rest.starts_with("=(") || rest.starts_with("+=("))
    }
}

fn declares(simple: &Simple) -> bool {
    simple
        .words
        .first()
        .and_then(Word::bare)
        .is_some_and(|name| DECLARATIONS.contains(&name))
}

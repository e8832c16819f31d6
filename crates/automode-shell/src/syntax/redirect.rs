//! Redirections.

use super::compound::identifier;
use super::parser::{ParsedScript, ShellParser};
use super::scope::ParserScope;
use super::tree::{Descriptor, Redirect, RedirectOperator, RedirectTarget};

impl ShellParser<'_> {
    /// The redirections after a compound command.
    pub(super) fn redirects(&mut self) -> ParsedScript<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    /// A redirection, if one begins here.
    pub(super) fn redirect(&mut self) -> ParsedScript<Option<Redirect>> {
        self.peek();
        let start = self.at;
        let Some(descriptor) = self.descriptor() else {
            self.at = start;
            return Ok(None);
        };
        let Some(operator) = self.redirect_operator() else {
            self.at = start;
            return Ok(None);
        };
        self.step()?;
        let target = match operator {
            RedirectOperator::HereDocument => self.here_document().map(RedirectTarget::Document)?,
            RedirectOperator::Read
            | RedirectOperator::Write
            | RedirectOperator::Clobber
            | RedirectOperator::Append
            | RedirectOperator::ReadWrite
            | RedirectOperator::WriteBoth
            | RedirectOperator::AppendBoth
            | RedirectOperator::DuplicateOutput
            | RedirectOperator::DuplicateInput
            | RedirectOperator::HereString => {
                self.skip_blanks();
                self.word(ParserScope::Argument).map(RedirectTarget::Word)?
            }
        };
        Ok(Some(Redirect {
            descriptor,
            operator,
            target,
            span: self.span(start),
        }))
    }

    /// Digits or `{name}` right in front of `<` or `>`; `None` where no operator can follow.
    fn descriptor(&mut self) -> Option<Descriptor> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number = rest.get(..digits)?.parse().ok()?;
            self.at += digits;
            return matches!(self.raw(0), Some(b'<' | b'>')).then_some(Descriptor::Number(number));
        }
        if let Some(inner) = rest.strip_prefix('{') {
            let name = inner.get(..identifier(inner))?;
            let after = inner.get(name.len()..)?;
            if name.is_empty() || !(after.starts_with("}<") || after.starts_with("}>")) {
                return None;
            }
            self.at += name.len() + 2;
            return Some(Descriptor::Variable(name.to_owned()));
        }
        Some(Descriptor::Implied)
    }

    fn redirect_operator(&mut self) -> Option<RedirectOperator> {
        let (length, operator) = match (self.raw(0)?, self.raw(1), self.raw(2)) {
            (b'&', Some(b'>'), Some(b'>')) => (3, RedirectOperator::AppendBoth),
            (b'&', Some(b'>'), _) => (2, RedirectOperator::WriteBoth),
            (b'<', Some(b'<'), Some(b'<')) => (3, RedirectOperator::HereString),
            (b'<', Some(b'<'), _) => (2, RedirectOperator::HereDocument),
            (b'<', Some(b'>'), _) => (2, RedirectOperator::ReadWrite),
            (b'<', Some(b'&'), _) => (2, RedirectOperator::DuplicateInput),
            (b'>', Some(b'>'), _) => (2, RedirectOperator::Append),
            (b'>', Some(b'&'), _) => (2, RedirectOperator::DuplicateOutput),
            (b'>', Some(b'|'), _) => (2, RedirectOperator::Clobber),
            // `<(` and `>(` begin a word.
            (b'<' | b'>', Some(b'('), _) => return None,
            (b'<', _, _) => (1, RedirectOperator::Read),
            (b'>', _, _) => (1, RedirectOperator::Write),
            _ => return None,
        };
        self.at += length;
        Some(operator)
    }
}

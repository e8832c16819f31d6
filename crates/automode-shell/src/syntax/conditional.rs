//! `[[ … ]]`.

use super::parser::{Keyword, ParsedScript, ShellParser};
use super::scope::ParserScope;
use super::tree::{CommandKind, Condition, PartKind, Quoting, Word};

const UNARY: &str = "abcdefghknoprstuvwxzGLNORS";
const BINARY: &[&str] = &[
    "==", "=", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
];

impl ShellParser<'_> {
    /// Reads from behind `[[` to behind `]]`.
    pub(super) fn conditional(&mut self) -> ParsedScript<CommandKind> {
        let condition = self.nested(Self::either)?;
        self.skip_lines()?;
        self.expect_keyword(Keyword::CloseTest, "expected `]]`")?;
        Ok(CommandKind::Conditional(condition))
    }

    fn either(&mut self) -> ParsedScript<Condition> {
        let mut left = self.both()?;
        let mut links = 0;
        while self.at_connector(b'|')? {
            links += 1;
            let right = self.both()?;
            left = Condition::Either(Box::new(left), Box::new(right));
            self.bounded(links)?;
        }
        Ok(left)
    }

    fn both(&mut self) -> ParsedScript<Condition> {
        let mut left = self.negation()?;
        let mut links = 0;
        while self.at_connector(b'&')? {
            links += 1;
            let right = self.negation()?;
            left = Condition::Both(Box::new(left), Box::new(right));
            self.bounded(links)?;
        }
        Ok(left)
    }

    /// Chains nest to the left in the tree, so they count as depth.
    fn bounded(&self, links: usize) -> ParsedScript<()> {
        if links > 64 {
            return self.fail("nested too deep");
        }
        Ok(())
    }

    /// Steps over a doubled byte.
    fn at_connector(&mut self, byte: u8) -> ParsedScript<bool> {
        self.skip_lines()?;
        let found = self.raw(0) == Some(byte) && self.raw(1) == Some(byte);
        if found {
            self.at += 2;
        }
        Ok(found)
    }

    fn negation(&mut self) -> ParsedScript<Condition> {
        self.skip_lines()?;
        self.step()?;
        if self.eat_keyword(Keyword::Not) {
            return self.nested(|parser| parser.negation().map(Box::new).map(Condition::Not));
        }
        if self.eat(b'(') {
            let inner = self.nested(Self::either)?;
            self.skip_lines()?;
            self.expect(b')', "expected `)`")?;
            return Ok(inner);
        }
        self.primary()
    }

    fn primary(&mut self) -> ParsedScript<Condition> {
        let first = self.condition_word(ParserScope::Condition)?;
        self.skip_lines()?;
        if let Some(operator) = first
            .bare()
            .filter(|text| is_unary(text))
            .map(str::to_owned)
            && !self.at_condition_end()
            && !self.at_binary_operator()
        {
            let operand = self.condition_word(ParserScope::Condition)?;
            return Ok(Condition::Unary { operator, operand });
        }
        let Some(operator) = self.binary_operator()? else {
            return Ok(Condition::Word(first));
        };
        self.skip_lines()?;
        let scope = if operator == "=~" {
            ParserScope::Regex
        } else {
            ParserScope::Condition
        };
        let right = self.condition_word(scope)?;
        if operator == "=~" && pipes(&right) {
            return self.fail("an alternative in a regex, which other shells read as a pipe");
        }
        Ok(Condition::Binary {
            left: first,
            operator,
            right,
        })
    }

    fn condition_word(&mut self, scope: ParserScope) -> ParsedScript<Word> {
        if self.at_condition_end() {
            return self.fail("expected a word in `[[`");
        }
        self.word(scope)
    }

    fn at_condition_end(&mut self) -> bool {
        matches!(self.peek(), None | Some(b')' | b'&' | b'|' | b';'))
            || self.keyword() == Some(Keyword::CloseTest)
    }

    fn at_binary_operator(&mut self) -> bool {
        let start = self.at;
        let found = matches!(self.binary_operator(), Ok(Some(_)));
        self.at = start;
        found
    }

    fn binary_operator(&mut self) -> ParsedScript<Option<String>> {
        if let Some(byte @ (b'<' | b'>')) = self.peek()
            && self.raw(1) != Some(b'(')
        {
            self.at += 1;
            return Ok(Some(char::from(byte).to_string()));
        }
        let rest = self.rest();
        let length = rest.find([' ', '\t', '\n']).unwrap_or(rest.len());
        let operator = rest.get(..length).unwrap_or_default();
        if BINARY.contains(&operator) {
            self.at += length;
            return Ok(Some(operator.to_owned()));
        }
        Ok(None)
    }
}

/// Whether a bare `|` stands outside parentheses.
fn pipes(word: &Word) -> bool {
    let mut depth = 0_usize;
    for part in &word.parts {
        let (PartKind::Literal(text), Quoting::Bare) = (&part.kind, part.quoting) else {
            continue;
        };
        for byte in text.bytes() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b'|' if depth == 0 => return true,
                _ => {}
            }
        }
    }
    false
}

fn is_unary(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next() == Some('-')
        && letters.next().is_some_and(|letter| UNARY.contains(letter))
        && letters.next().is_none()
}

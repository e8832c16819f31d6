//! Commands: which kind begins here, and the compound ones.

use std::sync::Arc;

use super::parser::{Keyword, ParsedScript, ShellParser};
use super::scope::ParserScope;
use super::tree::{CaseArm, CaseEnd, Command, CommandKind, Script, Word};

impl ShellParser<'_> {
    /// One command with its redirections.
    pub(super) fn command(&mut self) -> ParsedScript<Command> {
        self.skip_blanks();
        self.step()?;
        let start = self.at;
        let Some(kind) = self.compound()? else {
            return self.simple();
        };
        let redirects = self.redirects()?;
        Ok(Command {
            kind,
            redirects,
            span: self.span(start),
        })
    }

    fn compound(&mut self) -> ParsedScript<Option<CommandKind>> {
        if self.peek() == Some(b'(') {
            return self.parenthesis().map(Some);
        }
        let Some(keyword) = self.keyword() else {
            return Ok(None);
        };
        let read = match keyword {
            Keyword::If => Self::if_command,
            Keyword::While | Keyword::Until => Self::loop_command,
            Keyword::For => Self::for_command,
            Keyword::Select => Self::select_command,
            Keyword::Case => Self::case_command,
            Keyword::Function => Self::function_command,
            Keyword::Coproc => Self::coprocess,
            Keyword::OpenBrace => Self::group,
            Keyword::OpenTest => Self::conditional,
            Keyword::Then
            | Keyword::Elif
            | Keyword::Else
            | Keyword::Fi
            | Keyword::Do
            | Keyword::Done
            | Keyword::Esac
            | Keyword::CloseBrace => return self.fail("unexpected reserved word"),
            // After `|`, `time` and `!` are ordinary words; `in` and `]]` always are.
            Keyword::Not | Keyword::Time | Keyword::In | Keyword::CloseTest => return Ok(None),
        };
        self.eat_keyword(keyword);
        read(self).map(Some)
    }

    /// `( list )` or `(( expression ))`.
    fn parenthesis(&mut self) -> ParsedScript<CommandKind> {
        if self.raw(1) == Some(b'(') && self.closes_as_arithmetic(self.at + 2) {
            self.at += 2;
            let expression = self.arithmetic(b')')?;
            self.expect(b')', "expected `))`")?;
            return Ok(CommandKind::Arithmetic(expression));
        }
        self.at += 1;
        let script = self.body()?;
        self.expect(b')', "expected `)`")?;
        Ok(CommandKind::Subshell(script))
    }

    fn group(&mut self) -> ParsedScript<CommandKind> {
        let script = self.body()?;
        self.expect_keyword(Keyword::CloseBrace, "expected `}`")?;
        Ok(CommandKind::Group(script))
    }

    fn if_command(&mut self) -> ParsedScript<CommandKind> {
        let mut arms = Vec::new();
        loop {
            let condition = self.body()?;
            self.expect_keyword(Keyword::Then, "expected `then`")?;
            let branch = self.body()?;
            arms.push((condition, branch));
            if !self.eat_keyword(Keyword::Elif) {
                break;
            }
        }
        let otherwise = if self.eat_keyword(Keyword::Else) {
            Some(self.body()?)
        } else {
            None
        };
        self.expect_keyword(Keyword::Fi, "expected `fi`")?;
        Ok(CommandKind::If { arms, otherwise })
    }

    fn loop_command(&mut self) -> ParsedScript<CommandKind> {
        let condition = self.body()?;
        let body = self.do_body()?;
        Ok(CommandKind::Loop { condition, body })
    }

    fn do_body(&mut self) -> ParsedScript<Script> {
        self.expect_keyword(Keyword::Do, "expected `do`")?;
        let body = self.body()?;
        self.expect_keyword(Keyword::Done, "expected `done`")?;
        Ok(body)
    }

    fn for_command(&mut self) -> ParsedScript<CommandKind> {
        self.skip_blanks();
        if self.raw(0) == Some(b'(') && self.raw(1) == Some(b'(') {
            self.at += 2;
            return self.arithmetic_for();
        }
        let (name, words, body) = self.for_parts()?;
        Ok(CommandKind::For { name, words, body })
    }

    fn select_command(&mut self) -> ParsedScript<CommandKind> {
        let (name, words, body) = self.for_parts()?;
        Ok(CommandKind::Select { name, words, body })
    }

    fn for_parts(&mut self) -> ParsedScript<(String, Option<Vec<Word>>, Script)> {
        let name = self.name("expected a variable name")?;
        self.skip_lines()?;
        let words = if self.eat_keyword(Keyword::In) {
            let words = self.words()?;
            self.end_of_header()?;
            Some(words)
        } else {
            self.skip_blanks();
            self.eat(b';');
            None
        };
        self.skip_lines()?;
        let body = self.loop_body()?;
        Ok((name, words, body))
    }

    /// `;` or a newline after the words of a `for`.
    fn end_of_header(&mut self) -> ParsedScript<()> {
        self.skip_blanks();
        match self.peek() {
            Some(b'\n') => Ok(()),
            Some(b';') if !self.at_case_end() => {
                self.at += 1;
                Ok(())
            }
            _ => self.fail("expected `;`"),
        }
    }

    /// `do … done` or, as bash also takes it, `{ … }`.
    fn loop_body(&mut self) -> ParsedScript<Script> {
        if self.eat_keyword(Keyword::OpenBrace) {
            let body = self.body()?;
            self.expect_keyword(Keyword::CloseBrace, "expected `}`")?;
            return Ok(body);
        }
        self.do_body()
    }

    fn arithmetic_for(&mut self) -> ParsedScript<CommandKind> {
        let header = vec![
            self.arithmetic(b';')?,
            self.arithmetic(b';')?,
            self.arithmetic(b')')?,
        ];
        self.expect(b')', "expected `))`")?;
        self.skip_blanks();
        self.eat(b';');
        self.skip_lines()?;
        let body = self.loop_body()?;
        Ok(CommandKind::ArithmeticFor { header, body })
    }

    fn case_command(&mut self) -> ParsedScript<CommandKind> {
        self.skip_blanks();
        let subject = self.word(ParserScope::Argument)?;
        self.skip_lines()?;
        self.expect_keyword(Keyword::In, "expected `in`")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_keyword(Keyword::Esac) {
                return Ok(CommandKind::Case { subject, arms });
            }
            let (arm, ended) = self.case_arm()?;
            arms.push(arm);
            if !ended {
                self.skip_lines()?;
                self.expect_keyword(Keyword::Esac, "expected `esac`")?;
                return Ok(CommandKind::Case { subject, arms });
            }
        }
    }

    /// One arm, and whether a `;;` ends it.
    fn case_arm(&mut self) -> ParsedScript<(CaseArm, bool)> {
        self.eat(b'(');
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            patterns.push(self.word(ParserScope::Argument)?);
            self.skip_blanks();
            if self.eat(b')') {
                break;
            }
            self.expect(b'|', "expected `)`")?;
        }
        let body = self.list()?;
        let ended = self.at_case_end();
        let end = if !ended {
            CaseEnd::Leave
        } else {
            self.at += 1;
            match (self.raw(0), self.raw(1)) {
                (Some(b';'), Some(b'&')) => {
                    self.at += 2;
                    CaseEnd::TryNext
                }
                (Some(b';'), _) => {
                    self.at += 1;
                    CaseEnd::Leave
                }
                _ => {
                    self.at += 1;
                    CaseEnd::FallThrough
                }
            }
        };
        Ok((
            CaseArm {
                patterns,
                body,
                end,
            },
            ended,
        ))
    }

    /// `function name [()] body`.
    fn function_command(&mut self) -> ParsedScript<CommandKind> {
        self.skip_blanks();
        let word = self.word(ParserScope::Argument)?;
        let Some(name) = word.bare().map(str::to_owned) else {
            return self.fail("a function name with quotes or expansions");
        };
        self.skip_blanks();
        let start = self.at;
        if self.eat(b'(') {
            self.skip_blanks();
            if !self.eat(b')') {
                // The body is a subshell.
                self.at = start;
            }
        }
        self.function_body(name)
    }

    /// The body of a function: a compound command.
    pub(super) fn function_body(&mut self, name: String) -> ParsedScript<CommandKind> {
        self.skip_lines()?;
        let body = self.nested(Self::command)?;
        if matches!(body.kind, CommandKind::Simple(_)) {
            return self.fail("expected a compound command as the body of a function");
        }
        Ok(CommandKind::Function {
            name,
            body: Arc::new(body),
        })
    }

    /// `coproc [name] command`.
    fn coprocess(&mut self) -> ParsedScript<CommandKind> {
        self.skip_blanks();
        let start = self.at;
        let mut name = "COPROC".to_owned();
        if !self.begins_compound() {
            // A name counts as one only in front of a compound command.
            if let Ok(candidate) = self.name("expected a name") {
                self.skip_blanks();
                if self.begins_compound() {
                    name = candidate;
                } else {
                    self.at = start;
                }
            }
        }
        let body = Box::new(self.nested(Self::command)?);
        Ok(CommandKind::Coprocess { name, body })
    }

    fn begins_compound(&mut self) -> bool {
        self.peek() == Some(b'(')
            || matches!(
                self.keyword(),
                Some(
                    Keyword::If
                        | Keyword::While
                        | Keyword::Until
                        | Keyword::For
                        | Keyword::Select
                        | Keyword::Case
                        | Keyword::OpenBrace
                        | Keyword::OpenTest
                )
            )
    }

    /// Words up to the end of the command.
    fn words(&mut self) -> ParsedScript<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.at_word_end() {
                return Ok(words);
            }
            words.push(self.word(ParserScope::Argument)?);
        }
    }

    /// An identifier as a whole word.
    pub(super) fn name(&mut self, message: &'static str) -> ParsedScript<String> {
        self.skip_blanks();
        let length = identifier(self.rest());
        let name = self.slice(self.at, self.at + length).to_owned();
        let follows = self.text.as_bytes().get(self.at + length).copied();
        let whole = self.at + length >= self.end
            || matches!(follows, Some(b' ' | b'\t' | b'\n' | b';' | b'(' | b')'));
        if length == 0 || !whole {
            return self.fail(message);
        }
        self.at += length;
        Ok(name)
    }
}

/// The length of the identifier that a text begins with.
pub(super) fn identifier(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first().is_none_or(u8::is_ascii_digit) {
        return 0;
    }
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count()
}

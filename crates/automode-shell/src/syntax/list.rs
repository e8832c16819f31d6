//! Lists, and-or lists and pipelines.

use super::parser::{Keyword, ParsedScript, ShellParser, SyntaxError};
use super::tree::{Connector, ListItem, ListMode, Pipeline, PipelineStage, Script};

/// Commands, and how many of them stand on lines that are over.
#[derive(Default)]
struct ScriptLines {
    items: Vec<ListItem>,
    whole: usize,
}

impl ShellParser<'_> {
    /// Reads commands up to what closes the list; the caller checks the closer.
    pub(super) fn list(&mut self) -> ParsedScript<Script> {
        let start = self.at;
        let mut lines = ScriptLines::default();
        self.list_onto(&mut lines)?;
        Ok(Script {
            items: lines.items,
            span: self.span(start),
        })
    }

    /// Reads line after line, as a shell that runs each before it reads the next: the
    /// commands in front of the line that is not understood, and what is wrong with that.
    pub(super) fn lines(&mut self) -> (Script, Option<SyntaxError>) {
        let mut lines = ScriptLines::default();
        let read = self
            .nested(|parser| parser.list_onto(&mut lines))
            .and_then(|()| match self.peek() {
                Some(_) => self.fail("unexpected token"),
                None => {
                    // A here-document that is cut short does not keep its command from running.
                    lines.whole = lines.items.len();
                    self.no_pending()
                }
            });
        if read.is_err() {
            lines.items.truncate(lines.whole);
        }
        let script = Script {
            items: lines.items,
            span: self.span(0),
        };
        (script, read.err())
    }

    fn list_onto(&mut self, lines: &mut ScriptLines) -> ParsedScript<()> {
        loop {
            self.skip_blanks();
            if self.peek() == Some(b'\n') {
                lines.whole = lines.items.len();
            }
            self.skip_lines()?;
            if self.at_list_end() {
                return Ok(());
            }
            let item = self.item()?;
            let mode = item.mode;
            lines.items.push(item);
            if !self.separated(mode)? {
                return Ok(());
            }
        }
    }

    /// A list that must hold a command.
    pub(super) fn body(&mut self) -> ParsedScript<Script> {
        let script = self.list()?;
        if script.items.is_empty() {
            return self.fail("expected a command");
        }
        Ok(script)
    }

    fn item(&mut self) -> ParsedScript<ListItem> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let connector = match (self.peek(), self.double()) {
                (Some(b'&'), true) => Connector::And,
                (Some(b'|'), true) => Connector::Or,
                _ => break,
            };
            self.at += 1;
            self.peek();
            self.at += 1;
            self.skip_lines()?;
            rest.push((connector, self.pipeline()?));
        }
        let mode = if self.peek() == Some(b'&') {
            self.at += 1;
            ListMode::Background
        } else {
            ListMode::Foreground
        };
        Ok(ListItem { first, rest, mode })
    }

    /// Steps over what stands between two commands; whether another may follow.
    fn separated(&mut self, mode: ListMode) -> ParsedScript<bool> {
        let ended = mode == ListMode::Background;
        self.skip_blanks();
        match self.peek() {
            Some(b'\n') => Ok(true),
            Some(b';') if !ended && !self.at_case_end() => {
                self.at += 1;
                Ok(true)
            }
            _ if self.at_list_end() => Ok(false),
            Some(_) if ended => Ok(true),
            _ => self.fail("unexpected token after a command"),
        }
    }

    fn at_list_end(&mut self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => self.at_case_end(),
            Some(_) => self.keyword().is_some_and(Keyword::closes),
        }
    }

    /// Whether `;;`, `;&` or `;;&` stands here.
    pub(super) fn at_case_end(&self) -> bool {
        self.raw(0) == Some(b';') && matches!(self.raw(1), Some(b';' | b'&'))
    }

    /// Whether the next operator byte is doubled, also across a continuation.
    pub(super) fn double(&mut self) -> bool {
        let first = self.peek();
        let start = self.at;
        self.at += 1;
        let second = self.peek();
        self.at = start;
        first.is_some() && first == second
    }

    fn pipeline(&mut self) -> ParsedScript<Pipeline> {
        self.skip_blanks();
        let start = self.at;
        let (negated, prefixed) = self.pipeline_prefix()?;
        let mut stages = Vec::new();
        if !(prefixed && self.at_pipeline_end()) {
            self.stages(&mut stages)?;
        }
        Ok(Pipeline {
            stages,
            negated,
            span: self.span(start),
        })
    }

    /// `!` and `time`, in any number that a person would write.
    fn pipeline_prefix(&mut self) -> ParsedScript<(bool, bool)> {
        let mut negated = false;
        let mut count = 0;
        loop {
            if self.eat_keyword(Keyword::Not) {
                negated = !negated;
            } else if self.eat_keyword(Keyword::Time) {
                self.time_options();
            } else {
                return Ok((negated, count > 0));
            }
            count += 1;
            if count > 8 {
                return self.fail("too many `!` or `time`");
            }
        }
    }

    fn time_options(&mut self) {
        self.skip_blanks();
        for option in ["-p", "--"] {
            let ends = matches!(self.raw(2), None | Some(b' ' | b'\t' | b'\n'));
            if ends && self.rest().starts_with(option) {
                self.at += 2;
                self.skip_blanks();
            }
        }
    }

    fn at_pipeline_end(&mut self) -> bool {
        self.skip_blanks();
        matches!(self.peek(), None | Some(b'\n' | b';' | b')'))
    }

    fn stages(&mut self, stages: &mut Vec<PipelineStage>) -> ParsedScript<()> {
        loop {
            let command = self.nested(Self::command)?;
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.double() {
                stages.push(PipelineStage {
                    command,
                    joins_stderr: false,
                });
                return Ok(());
            }
            self.at += 1;
            let joins_stderr = self.eat(b'&');
            stages.push(PipelineStage {
                command,
                joins_stderr,
            });
            self.skip_lines()?;
        }
    }
}

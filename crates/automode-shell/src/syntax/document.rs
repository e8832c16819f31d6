//! Here-documents: the delimiter where it is named, the body at the next newline.

use super::parser::{ParsedScript, Pending, ShellParser, TextOrigin};
use super::scope::ParserScope;
use super::tree::{HereDocumentBody, PartKind, Quoting, Word, WordPart};

impl ShellParser<'_> {
    /// Reads the delimiter after `<<` and remembers that a body follows.
    pub(super) fn here_document(&mut self) -> ParsedScript<HereDocumentBody> {
        let strips_tabs = self.eat(b'-');
        self.skip_blanks();
        let word = self.word(ParserScope::Argument)?;
        let Some(delimiter) = word.literal() else {
            return self.fail("an expansion in a here-document delimiter");
        };
        let expands = word.parts.iter().all(|part| part.quoting == Quoting::Bare);
        let document = HereDocumentBody::default();
        self.pending.push(Pending {
            document: document.clone(),
            delimiter,
            strips_tabs,
            expands,
        });
        Ok(document)
    }

    /// Steps over a newline; the bodies of here-documents named before it follow.
    pub(super) fn newline(&mut self) -> ParsedScript<()> {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            let body = self.document_body(&pending)?;
            // Set once: each document is pending once.
            let _ = pending.document.0.set(body);
        }
        Ok(())
    }

    /// Every here-document named so far must have met its body.
    pub(super) fn no_pending(&self) -> ParsedScript<()> {
        if !self.pending.is_empty() {
            return self.fail("a here-document without a body");
        }
        Ok(())
    }

    fn document_body(&mut self, pending: &Pending) -> ParsedScript<Word> {
        let start = self.at;
        let end = self.document_end(pending)?;
        let span = match self.origin {
            TextOrigin::Typed => crate::ir::Span::new(start, end),
            TextOrigin::Within(span) => span,
        };
        if pending.expands && pending.strips_tabs {
            let text = stripped(self.slice(start, end));
            let mut inner =
                ShellParser::new(&text, TextOrigin::Within(span), self.depth, self.steps);
            return inner.document_text();
        }
        if pending.expands {
            return self.within(start, end).document_text();
        }
        let text = self.slice(start, end);
        let text = if pending.strips_tabs {
            stripped(text)
        } else {
            text.to_owned()
        };
        Ok(Word {
            parts: vec![WordPart {
                kind: PartKind::Literal(text),
                quoting: Quoting::Quoted,
                span,
            }],
            span,
        })
    }

    /// Finds the delimiter line and steps behind it; the end of the body.
    fn document_end(&mut self, pending: &Pending) -> ParsedScript<usize> {
        let mut continued = false;
        while self.at < self.end {
            let body_end = self.at;
            let line = self.rest().split('\n').next().unwrap_or_default();
            self.at = (self.at + line.len() + 1).min(self.end);
            let bare = if pending.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if !continued && bare == pending.delimiter {
                return Ok(body_end);
            }
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            continued = pending.expands && backslashes % 2 == 1;
        }
        // A shell takes the rest of the text for the body, warns and runs the command.
        if self.whole {
            return Ok(self.end);
        }
        self.fail("a here-document without its end")
    }

    fn document_text(&mut self) -> ParsedScript<Word> {
        let word = self.nested(|parser| parser.word_or_nothing(ParserScope::Document))?;
        if self.peek().is_some() {
            return self.fail("unexpected text in a here-document");
        }
        Ok(word)
    }
}

fn stripped(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| line.trim_start_matches('\t'))
        .collect()
}

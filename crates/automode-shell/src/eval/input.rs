//! `read` and `mapfile`: variables from the input.

use super::Evaluator;
use super::listing;
use super::option::BuiltinOptions;
use super::output::{CommandOutput, stdin_taint};
use super::parameter;
use super::shell_state::ShellState;
use super::variable::Stored;
use crate::ir::{DynamicSource, GapKind, Span, Stdin, Taint, Value};

/// How many lines a variable may be one of.
const MAX_LINES: usize = 16;

impl Evaluator<'_> {
    /// `read`: a line of the input, of which only the marks may be known.
    pub(super) fn read(
        &mut self,
        arguments: &[Value],
        span: Span,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let options = BuiltinOptions::read(arguments, "adinNptu");
        if options.unsure {
            self.forget_all(span, shell);
        }
        let other = options.has('u');
        let taint = if other {
            Taint::UNKNOWN
        } else {
            stdin_taint(&shell.stdin)
        };
        let item = Value::dynamic(DynamicSource::Item, taint, span);
        if let Some(array) = options.value('a') {
            self.store_named(array, Stored::Hidden(taint), shell);
        }
        let plain = options
            .letters()
            .all(|letter| matches!(letter, 'r' | 's' | 'p'));
        let lines = Some(&shell.stdin)
            .filter(|_| plain && !other)
            .and_then(lines);
        // Without `-r` a backslash hides what follows it.
        let lines =
            lines.filter(|lines| options.has('r') || !lines.iter().any(|line| line.contains('\\')));
        let separators = self.separators(shell);
        self.consumed(shell);
        let reply = [Value::text("REPLY", span)];
        let names = match options.operands {
            [] if options.has('a') => return CommandOutput::default(),
            [] => &reply[..],
            names => names,
        };
        let whole = options.operands.is_empty();
        for (at, name) in names.iter().enumerate() {
            let last = at + 1 == names.len();
            let value = match (&lines, &separators) {
                (Some(lines), _) if whole => one_of(lines.clone(), span),
                (Some(lines), Some(separators)) => {
                    let cut = lines.iter().map(|line| field(line, separators, at, last));
                    one_of(cut.collect(), span)
                }
                // A line of a listing is a name that it printed.
                (None, _) if names.len() == 1 && plain && !other => {
                    listing::names_in(&shell.stdin).unwrap_or_else(|| item.clone())
                }
                (Some(_), None) | (None, _) => item.clone(),
            };
            self.store_named(name, Stored::Scalar(value), shell);
        }
        CommandOutput::default()
    }

    /// `mapfile`, `readarray`.
    pub(super) fn read_array(
        &mut self,
        arguments: &[Value],
        span: Span,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let options = BuiltinOptions::read(arguments, "dnOsuCc");
        if options.has('C') {
            self.gap(GapKind::Unseen("a callback of mapfile".to_owned()), span);
        }
        let simple = options.letters().all(|letter| letter == 't');
        let values = match &shell.stdin {
            Stdin::Text(text) if simple && !self.is_consumed(shell) => text.literal().map(|text| {
                let lines = text.split_inclusive('\n');
                let cut = |line: &str| match options.has('t') {
                    true => line.strip_suffix('\n').unwrap_or(line).to_owned(),
                    false => line.to_owned(),
                };
                lines.map(|line| Value::text(cut(line), span)).collect()
            }),
            Stdin::Text(_) | Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) => None,
        };
        let listed = listing::names_in(&shell.stdin).filter(|_| simple);
        let values = values.or_else(|| Some(vec![parameter::splitting(listed?)]));
        let taint = stdin_taint(&shell.stdin);
        let stored = values.map_or(Stored::Hidden(taint), Stored::List);
        self.consumed(shell);
        let fallback = Value::text("MAPFILE", span);
        let name = options.operands.first().unwrap_or(&fallback);
        self.store_named(name, stored, shell);
        CommandOutput::default()
    }
}

/// The lines that a `read` may get, the first of them if it runs once.
fn lines(stdin: &Stdin) -> Option<Vec<String>> {
    let Stdin::Text(text) = stdin else {
        return None;
    };
    let text = text.literal()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.dedup();
    (!lines.is_empty() && lines.len() <= MAX_LINES).then_some(lines)
}

fn one_of(mut texts: Vec<String>, span: Span) -> Value {
    texts.dedup();
    match texts.as_slice() {
        [only] => Value::text(only.as_str(), span),
        _ => Value::dynamic(DynamicSource::OneOf(texts), Taint::NONE, span),
    }
}

/// The part of a line that the variable at a place gets: a word, or at last the rest.
fn field(line: &str, separators: &str, at: usize, last: bool) -> String {
    let blank =
        |character: char| separators.contains(character) && matches!(character, ' ' | '\t' | '\n');
    let separates = |character: char| separators.contains(character);
    let mut rest = line.trim_start_matches(blank);
    for _ in 0..at {
        let cut = rest.find(separates).unwrap_or(rest.len());
        let (_, behind) = rest.split_at_checked(cut).unwrap_or((rest, ""));
        rest = behind_separator(behind, separators, blank);
    }
    if !last {
        let cut = rest.find(separates).unwrap_or(rest.len());
        return rest.get(..cut).unwrap_or_default().to_owned();
    }
    let trimmed = rest.trim_end_matches(blank);
    // One separator at the end goes where it ends the only word that is left.
    let bare = trimmed.strip_suffix(|character| separates(character) && !blank(character));
    match bare {
        Some(word) if !word.contains(separates) => word.trim_end_matches(blank).to_owned(),
        Some(_) | None => trimmed.to_owned(),
    }
}

/// Steps over one separator with the blanks around it.
fn behind_separator<'t>(text: &'t str, separators: &str, blank: impl Fn(char) -> bool) -> &'t str {
    let text = text.trim_start_matches(&blank);
    let hard = |character: char| separators.contains(character) && !blank(character);
    let text = text.strip_prefix(hard).unwrap_or(text);
    text.trim_start_matches(&blank)
}

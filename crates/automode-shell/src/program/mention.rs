//! Words that name a place nobody spoke about.
//!
//! An operand that is only text to the table, or the value of an inert option, may
//! still be a file to the program. A word that names a secret, resolved against the
//! working directory, or a protected place by its absolute path, and that no role
//! has claimed, is therefore a gap, and a secret counts as read. Text that is
//! printed or looked for is only text.

use super::meaning::{Meaning, Side};
use super::table::{OutputKind, Style};
use crate::place::Place;
use crate::{Act, Target, Value};

impl Meaning<'_> {
    /// Looks at the words that no role has claimed.
    pub(super) fn flag_unclaimed_places(&mut self) {
        let command = self.parsed.command;
        let prints = command
            .output
            .iter()
            .any(|rule| matches!(rule.kind, OutputKind::Echo | OutputKind::Printf));
        if command.style == Style::Plain || prints {
            return;
        }
        let cwd = self.cwd_at(usize::MAX, Side::Operand);
        let invocation = self.invocation;
        for word in invocation.argv.iter().skip(1) {
            self.mention(word, cwd.as_deref());
        }
    }

    fn mention(&mut self, word: &Value, cwd: Option<&str>) {
        let Some(path) = word.literal().as_deref().and_then(named_path) else {
            return;
        };
        let path = match (path.strip_prefix('~'), self.context.home.as_deref()) {
            (Some(rest), Some(home)) => format!("{home}{rest}"),
            (Some(_), None) => return,
            (None, _) => path,
        };
        let absolute = path.starts_with('/');
        let target = Target::locate(&Value::text(path, word.span), cwd);
        let place = Place::of(&target, self.context);
        let protected = absolute && place.protected.is_some();
        if (place.secret.is_none() && !protected)
            || self.touches(&target.path)
            || self.is_claimed(word)
        {
            return;
        }
        self.gap(self.argument_gap(word));
        if place.secret.is_some() {
            self.effect(Act::Read { target }, word.span);
        }
    }

    /// Whether a role spoke about this word, or about the value in it.
    fn is_claimed(&self, word: &Value) -> bool {
        let text = word.shown();
        self.claimed
            .iter()
            .any(|value| value.span == word.span && text.ends_with(&value.shown()))
    }

    /// Whether an effect already speaks of this path.
    fn touches(&self, path: &str) -> bool {
        self.out.effects.iter().any(|(act, _)| match act {
            Act::Read { target }
            | Act::List { target }
            | Act::Write { target, .. }
            | Act::Delete { target, .. } => target.path == path,
            Act::Execute { .. }
            | Act::Connect { .. }
            | Act::Listen { .. }
            | Act::Vcs(_)
            | Act::Package { .. }
            | Act::Process { .. }
            | Act::Privilege(_)
            | Act::Persist { .. }
            | Act::System(_)
            | Act::Cloud { .. }
            | Act::Database { .. }
            | Act::Credential { .. }
            | Act::Publish { .. }
            | Act::Message { .. }
            | Act::Agent { .. }
            | Act::Environment { .. }
            | Act::Exhaust => false,
        })
    }
}

/// The path in a word: the word itself, or what follows a flag.
fn named_path(word: &str) -> Option<String> {
    let path = if word.starts_with('-') {
        match word.split_once('=') {
            Some((_, value)) => value,
            None => word.get(2..)?,
        }
    } else {
        word
    };
    let named = path.starts_with(['/', '.']) || path.starts_with("~/") || path.contains('/');
    (named && !path.contains(char::is_whitespace) && !path.contains("://")).then(|| path.to_owned())
}

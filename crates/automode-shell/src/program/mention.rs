//! Words that name a place nobody spoke about.
//!
//! A command whose table lets any flag pass may still have one that reads or
//! writes a file. A word that names a secret or protected place by its absolute
//! path, and that no role has claimed, is therefore a gap, and a secret counts
//! as read. Text that is printed or looked for is only text.

use super::meaning::Meaning;
use super::table::{Other, OutputKind, Style};
use crate::place::Place;
use crate::{Act, Target, Value};

impl Meaning<'_> {
    /// Looks at the words of a command that lets any flag pass.
    pub(super) fn flag_unclaimed_places(&mut self) {
        let command = self.parsed.command;
        let prints = command
            .output
            .iter()
            .any(|rule| matches!(rule.kind, OutputKind::Echo | OutputKind::Printf));
        if command.other != Other::Harmless || command.style == Style::Plain || prints {
            return;
        }
        let claimed: Vec<_> = self
            .parsed
            .given
            .iter()
            .flat_map(|given| given.values.iter().chain(&given.rest))
            .map(|value| value.span)
            .chain(self.said.iter().copied())
            .collect();
        let words: Vec<&Value> = self.invocation.argv.iter().skip(1).collect();
        for word in words {
            if !claimed.contains(&word.span) {
                self.mention(word);
            }
        }
    }

    fn mention(&mut self, word: &Value) {
        let Some(path) = word.literal().as_deref().and_then(named_path) else {
            return;
        };
        let path = match (path.strip_prefix('~'), self.context.home.as_deref()) {
            (Some(rest), Some(home)) => format!("{home}{rest}"),
            (Some(_), None) => return,
            (None, _) => path,
        };
        let target = Target::locate(&Value::text(path, word.span), None);
        let place = Place::of(&target, self.context);
        let known = self.touches(&target.path);
        if known || (place.secret.is_none() && place.protected.is_none()) {
            return;
        }
        self.gap(self.argument_gap(word));
        if place.secret.is_some() {
            self.effect(Act::Read { target }, word.span);
        }
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

/// The absolute path in a word: the word itself, or what follows a flag.
fn named_path(word: &str) -> Option<String> {
    let path = if word.starts_with('-') {
        match word.split_once('=') {
            Some((_, value)) => value,
            None => word.get(2..)?,
        }
    } else {
        word
    };
    let named = path.starts_with('/') || path.starts_with("~/");
    (named && !path.contains(char::is_whitespace)).then(|| path.to_owned())
}

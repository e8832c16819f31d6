//! Words that name a place nobody spoke about.
//!
//! An operand that is only text to the table, or the value of an inert option, may
//! still be a file to the program. A word that names a secret, resolved against the
//! working directory, or a protected place by its absolute path, and that no role
//! has claimed, is therefore a gap, and a secret counts as read. Text that is
//! printed or looked for is only text.

use super::meaning::{Meaning, Side};
use super::table::{OutputKind, Style};
use crate::place::{Place, Zone};
use crate::{Act, Target, Touch, Value};

impl Meaning<'_> {
    /// An option that is said to do nothing has no business with a file or an address:
    /// where its value names one, the table may be wrong about it.
    pub(super) fn check_inert_values(&mut self, values: &[Value]) {
        for value in values {
            if value.literal().as_deref().is_some_and(names_a_place) {
                let gap = self.argument_gap(value);
                self.gap(gap);
            }
        }
    }

    /// Looks at the words that no role has claimed.
    pub(super) fn flag_unclaimed_places(&mut self) {
        let command = self.parsed.command;
        let prints = command.output.iter().any(|rule| {
            matches!(
                rule.kind,
                OutputKind::Echo | OutputKind::Printf | OutputKind::Basename | OutputKind::Dirname
            )
        });
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
        let outside = absolute || path.starts_with("..");
        let target = Target::locate(&Value::text(path, word.span), cwd);
        let place = Place::of(&target, self.context);
        let protected = absolute && place.protected.is_some();
        if self.touches(&target.path) || self.is_claimed(word) {
            return;
        }
        if place.secret.is_none() && !protected {
            // A tool that nobody told the role of may go through everything there.
            let everything = matches!(place.zone, Zone::Root | Zone::Home | Zone::Ancestor);
            if everything && outside && !word.shown().starts_with('-') {
                self.gap(self.argument_gap(word));
            }
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
        self.out.effects.iter().any(|(act, _)| {
            act.touches()
                .is_some_and(|(touch, target)| touch != Touch::Run && target.path == path)
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
    // A value that many programs take for the name of a file that holds it.
    let held = ["file://", "fileb://", "file:", "@"]
        .iter()
        .find_map(|scheme| path.strip_prefix(scheme));
    let path = held.unwrap_or(path);
    let named = held.is_some()
        || path.starts_with(['/', '.'])
        || path.starts_with("~/")
        || path.contains('/');
    (named && !path.contains(char::is_whitespace) && !path.contains("://")).then(|| path.to_owned())
}

/// Endings of files that programs write, load or are steered by.
pub(super) const ENDINGS: &[&str] = &[
    "bin", "bz2", "c", "cfg", "cjs", "conf", "cpp", "crt", "cs", "css", "csv", "db", "dll",
    "dylib", "env", "exe", "go", "gz", "h", "hs", "htm", "html", "ini", "jar", "java", "jpeg",
    "jpg", "js", "json", "jsonl", "jsx", "key", "kt", "lock", "log", "lua", "md", "mjs", "out",
    "pdf", "pem", "php", "pl", "plist", "png", "ps1", "pub", "py", "pyc", "rb", "rc", "rs", "rst",
    "scala", "sh", "so", "sock", "sql", "sqlite", "sqlite3", "svg", "swift", "tar", "tf", "tgz",
    "tmp", "toml", "ts", "tsx", "txt", "vim", "vue", "wasm", "whl", "xml", "xz", "yaml", "yml",
    "zip", "zst",
];

/// Whether the value of an option reads like a file or an address: `/tmp/x`, `../x`,
/// `notes.txt`, `key=~/x`, `https://…`. A lone `/` is a separator.
fn names_a_place(text: &str) -> bool {
    let value = text.split_once('=').map_or(text, |(_, value)| value);
    let plain = !value.contains(char::is_whitespace);
    let rooted = value.len() > 1
        && (value.starts_with(['/', '~'])
            || value.starts_with("./")
            || value.starts_with("../")
            || value == "..");
    let ending = value
        .rsplit_once('.')
        .filter(|(name, _)| !name.is_empty() && !name.ends_with('*'))
        .is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    plain && (rooted || ending || value.contains("://"))
}

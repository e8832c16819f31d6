//! Words that name files: what happens to them, and which they may be.

use super::lookup;
use super::meaning::{Meaning, Words};
use super::mention::ENDINGS;
use crate::ir::Nature;
use crate::place::{Place, STREAMS, Zone, is_endless};
use crate::template::{PathUse, PlaceEffect};
use crate::{Account, Act, Code, Direction, Extent, Piece, Taint, Target, Value};

impl Meaning<'_> {
    pub(super) fn path(&mut self, used: PathUse, value: &Value, cwd: Option<&str>) {
        let deletes = matches!(
            used,
            PathUse::Delete | PathUse::DeleteTree | PathUse::DeleteBelow
        );
        // `--out=~/x` reaches the program as it is, and many programs expand it themselves.
        if let (Some(text), Some(home)) = (value.literal(), self.context.home.as_deref())
            && let Some(rest) = text.strip_prefix("~/")
        {
            let value = Value::text(format!("{home}/{rest}"), value.span);
            return self.path(used, &value, cwd);
        }
        if let Some(text) = value.literal() {
            if text.is_empty() || (text == "-" && !deletes && !self.names_a_file(used)) {
                return;
            }
            let looks = matches!(used.happens(), PlaceEffect::Read | PlaceEffect::List);
            // A stream that is written may be a file that is opened once more.
            let reopens = !looks && matches!(&*text, "/dev/stdin" | "/dev/stdout" | "/dev/stderr");
            if STREAMS.contains(&&*text) && !deletes && !reopens && used != PathUse::Attributes {
                if used == PathUse::Read && is_endless(&text) {
                    self.marks = self.marks.with(Taint::ENDLESS);
                }
                return;
            }
        }
        if matches!(used, PathUse::Read | PathUse::List) && is_fetched(&value.prefix()) {
            return self.url(Direction::Receive, value, cwd);
        }
        // `strip @list`: many programs take the words that such a file holds.
        if used != PathUse::List && value.prefix().len() > 1 && value.prefix().starts_with('@') {
            self.unseen(
                format!("the words that `{}` holds", value.shown()),
                value.span,
            );
        }
        // `rm -rf target/*/` goes through links, and empties what they lead to.
        if deletes && value.literal().is_none() && value.shown().ends_with('/') {
            let gap = self.argument_gap(value);
            self.gap(gap);
        }
        for target in Target::locate_each(value, cwd) {
            self.effect(used.act(target), value.span);
        }
    }

    /// Whether `-` is a file of that name: most programs write it to standard output, but
    /// `tee -` and `cp a -` make the file.
    fn names_a_file(&self, used: PathUse) -> bool {
        if used == PathUse::Link {
            return true;
        }
        let natures = [Nature::Tee, Nature::FileCopy, Nature::FileMove];
        let takes_names = || natures.iter().any(|nature| self.invocation.is_a(*nature));
        matches!(used, PathUse::Write | PathUse::Append) && takes_names()
    }

    /// A search deletes what it finds below a place.
    pub(super) fn delete_found(&mut self, place: &Value, cwd: Option<&str>) {
        if self.search_pattern().is_none() {
            return self.path(PathUse::DeleteBelow, place, cwd);
        }
        let found = Value {
            pieces: self.found_below(place),
            ..place.clone()
        };
        self.path(PathUse::Delete, &found, cwd);
    }

    /// The place that files go to: itself, and the names that they get in it.
    pub(super) fn into(&mut self, words: &Words<'_>) {
        for value in words.values {
            self.path(PathUse::Write, value, words.cwd.as_deref());
            let folder = Target::locate(value, words.cwd.as_deref());
            if folder.extent != Extent::Exact || !self.is_folder(value, &folder, words) {
                continue;
            }
            for source in words.arguments {
                let name = source.literal().and_then(|text| {
                    let name = text.trim_end_matches('/').rsplit('/').next()?;
                    (!matches!(name, "" | "." | "..")).then(|| name.to_owned())
                });
                let used = if name.is_some() {
                    PathUse::Write
                } else {
                    PathUse::WriteBelow
                };
                let target = match name {
                    Some(name) => Target {
                        path: format!("{}/{name}", folder.path.trim_end_matches('/')),
                        ..folder.clone()
                    },
                    None => folder.clone(),
                };
                self.effect(used.act(target), value.span);
            }
        }
    }

    pub(super) fn is_folder(&self, value: &Value, folder: &Target, words: &Words<'_>) -> bool {
        let observed = matches!(
            self.facts.files.get(&folder.path),
            Some(crate::FileFact::Directory)
        );
        let cwd = self.invocation.cwd.as_deref().unwrap_or("/");
        let above_cwd = folder.path == "/"
            || cwd
                .strip_prefix(folder.path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        observed
            || words.arguments.len() > 1
            || value.shown().ends_with('/')
            || above_cwd
            || self.context.home.as_deref() == Some(&folder.path)
    }

    /// The files that a search finds below a place.
    pub(super) fn found_below(&self, place: &Value) -> Vec<Piece> {
        let mut pieces = place.pieces.clone();
        let ends_open = place.shown().ends_with('/');
        pieces.push(Piece::Text(if ends_open { "" } else { "/" }.to_owned()));
        let pattern = self.search_pattern();
        pieces.push(Piece::Glob(pattern.unwrap_or_else(|| "**".to_owned())));
        pieces
    }

    /// Whether a search may also find the place it starts at: a file may be named there.
    pub(super) fn finds_itself(&self, place: &Value) -> bool {
        let shown = place.shown();
        let folder = matches!(shown.as_str(), "." | ".." | "/" | "~") || shown.ends_with('/');
        let name = shown.rsplit('/').next().unwrap_or_default();
        let named = self.search_pattern().is_none_or(|pattern| {
            let pattern = pattern.strip_prefix("**/").unwrap_or(&pattern);
            pattern.contains(['?', '[', '\\']) || crate::place::name_matches(pattern, name)
        });
        named && !folder && !self.has("-mindepth")
    }

    /// `**/name` where the search has one `-name` in front of what it does, and nothing
    /// that widens it: `find -delete -name x` deletes before it looks at a name.
    pub(super) fn search_pattern(&self) -> Option<String> {
        let widened = ["-o", "-or", "!", "-not", ",", "("];
        if widened.iter().any(|name| self.has(name)) {
            return None;
        }
        let mut tests = self.given(&["-name", "-iname"]);
        let only = tests.next().filter(|_| tests.next().is_none())?;
        let mut actions = self.given(&["-delete", "-exec", "-execdir", "-ok", "-okdir"]);
        if actions.any(|action| action.order < only.order) {
            return None;
        }
        let text = only.values.first()?.literal()?;
        Some(format!("**/{text}"))
    }

    /// Files whose names begin so: the first of them tells whether the names are taken.
    /// `notes.t` is cut off where another file's ending begins, and the rest may follow.
    pub(super) fn write_beginning(&mut self, value: &Value, cwd: Option<&str>) {
        let length = self
            .flag_text(&["-a", "--digits"])
            .and_then(|digits| digits.parse().ok())
            .filter(|length| (1..=9).contains(length))
            .unwrap_or(2);
        let mut ends = vec!["a".repeat(length), "0".repeat(length)];
        let shown = value.shown();
        let name = shown.rsplit('/').next().unwrap_or_default();
        if let Some((_, cut)) = name.rsplit_once('.').filter(|(_, cut)| !cut.is_empty()) {
            let rest = ENDINGS.iter().filter_map(|ending| ending.strip_prefix(cut));
            ends.extend(rest.filter(|rest| !rest.is_empty()).map(str::to_owned));
        }
        for end in ends {
            let mut name = value.clone();
            name.pieces.push(Piece::Text(end));
            self.path(PathUse::Write, &name, cwd);
        }
    }

    /// Settings that may make the program do anything.
    pub(super) fn config(&mut self, value: &Value, cwd: Option<&str>) {
        self.path(PathUse::Read, value, cwd);
        self.unseen(format!("configuration in `{}`", value.shown()), value.span);
    }

    /// Settings of a tool: those of the project are its own, others may say anything.
    pub(super) fn own_config(&mut self, value: &Value, cwd: Option<&str>) {
        let target = Target::locate(value, cwd);
        let here = format!("{}/", self.context.cwd.trim_end_matches('/'));
        let ours = matches!(
            Place::of(&target, self.context).zone,
            Zone::Project | Zone::ProjectRoot
        );
        let own = target.extent == Extent::Exact
            && (ours || target.path.starts_with(&here))
            && !value.prefix().contains("://");
        match own {
            true => self.path(PathUse::Read, value, cwd),
            false => self.config(value, cwd),
        }
    }

    pub(super) fn load(&mut self, value: &Value, cwd: Option<&str>) {
        let code = Code::File(Target::locate(value, cwd));
        self.effect(lookup::unseen(code), value.span);
        self.unseen(format!("`{}`", value.shown()), value.span);
    }

    pub(super) fn at_file(&mut self, value: &Value, cwd: Option<&str>) {
        let prefix = value.prefix();
        if prefix.starts_with('@') || prefix.starts_with('<') {
            let file = match value.after(1).split_once(';') {
                Some((file, _)) => Value::text(file, value.span),
                None => value.after(1),
            };
            self.path(PathUse::Read, &file, cwd);
        }
    }

    /// `@file` and `name@file` are sent; anything with `=` before is text.
    pub(super) fn encoded_file(&mut self, value: &Value, cwd: Option<&str>) {
        let prefix = value.prefix();
        match prefix.find(['=', '@']) {
            Some(at) if prefix.get(at..).is_some_and(|rest| rest.starts_with('@')) => {
                self.path(PathUse::Read, &value.after(at.saturating_add(1)), cwd);
            }
            Some(_) => {}
            None if value.literal().is_some() => {}
            None => {
                let gap = self.dynamic_gap(value);
                self.gap(gap);
            }
        }
    }

    /// A value, or the file that holds it.
    pub(super) fn file_scheme(&mut self, value: &Value, cwd: Option<&str>) {
        let prefix = value.prefix();
        let scheme = ["file://", "fileb://", "file:"]
            .into_iter()
            .find(|scheme| prefix.starts_with(scheme));
        if let Some(scheme) = scheme {
            self.path(PathUse::Read, &value.after(scheme.len()), cwd);
        }
    }

    /// What curl prints at the end; `%output{file}` sends the rest to a file.
    pub(super) fn write_out(&mut self, value: &Value, cwd: Option<&str>) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            return self.gap(gap);
        };
        if text.starts_with('@') {
            self.at_file(value, cwd);
            self.unseen(format!("a format in `{}`", value.shown()), value.span);
        }
        for part in text.split("%output{").skip(1) {
            let name = part.split('}').next().unwrap_or_default();
            match name.strip_prefix(">>") {
                Some(name) => self.path(PathUse::Append, &Value::text(name, value.span), cwd),
                None => self.path(PathUse::Write, &Value::text(name, value.span), cwd),
            }
        }
    }

    pub(super) fn mount(&mut self, value: &Value, cwd: Option<&str>) {
        let text = value.shown();
        let keyed = text.contains("source=") || text.contains("src=");
        let (source, read_only) = if keyed {
            let field = text
                .split(',')
                .find_map(|part| part.strip_prefix("source=").or(part.strip_prefix("src=")));
            let bound = text.contains("type=bind");
            let source = field.filter(|_| bound).unwrap_or_default();
            (Value::text(source, value.span), text.contains("readonly"))
        } else {
            let source = value.split_once(':').map(|(source, _)| source);
            let source = match source {
                Some(source) => Value::text(source, value.span),
                // The host's part is not known to its end.
                None if value.is_dynamic() => value.clone(),
                None => Value::text("", value.span),
            };
            (source, text.ends_with(":ro") || text.contains(":ro,"))
        };
        let shown = source.shown();
        let is_path = shown.starts_with(['/', '.', '~']) || source.is_dynamic();
        if !is_path {
            return;
        }
        self.open_mount |= shown == "/" || shown.ends_with("docker.sock");
        let used = if read_only {
            PathUse::Read
        } else {
            PathUse::Edit
        };
        self.path(used, &source, cwd);
    }

    /// Mode bits that open a file to others, or lend its owner's rights.
    pub(super) fn mode(&mut self, value: &Value) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            self.gap(gap);
            return;
        };
        let octal = text.chars().all(|c| c.is_digit(8));
        let (setuid, world) = if octal {
            let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(8)).collect();
            let special = digits.len() > 3 && digits.first().is_some_and(|bits| bits & 6 != 0);
            (special, digits.last().is_some_and(|bits| bits & 2 != 0))
        } else {
            let parts = || {
                text.split(',')
                    .filter_map(|part| part.split_once(['+', '=']))
            };
            (
                parts().any(|(_, bits)| bits.contains('s')),
                parts().any(|(who, bits)| {
                    (who.contains('o') || who.contains('a')) && bits.contains('w')
                }),
            )
        };
        if setuid {
            self.effect(Act::Privilege(Account::Setuid), value.span);
        }
        if world {
            self.effect(Act::Privilege(Account::World), value.span);
        }
    }
}

/// Whether the name of a file is an address that many readers fetch: `https://…`.
fn is_fetched(text: &str) -> bool {
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    matches!(
        scheme.to_ascii_lowercase().as_str(),
        "http" | "https" | "ftp" | "ftps" | "sftp" | "scp" | "git" | "ssh" | "s3" | "gs"
    )
}

impl PathUse {
    /// What happens at a place that is used so.
    pub(super) fn act(self, target: Target) -> Act {
        let target = match self {
            Self::WriteBelow | Self::DeleteBelow => below(target),
            Self::Read
            | Self::List
            | Self::Write
            | Self::Append
            | Self::Edit
            | Self::Touch
            | Self::Delete
            | Self::DeleteTree
            | Self::Attributes
            | Self::Link
            | Self::Raw => target,
        };
        match self.happens() {
            PlaceEffect::Read => Act::Read { target },
            PlaceEffect::List => Act::List { target },
            PlaceEffect::Write(how) => Act::Write {
                target,
                how,
                data: Taint::NONE,
            },
            PlaceEffect::Delete { tree } => Act::Delete { target, tree },
        }
    }
}

/// Everything at or below an exact place.
pub(super) fn below(target: Target) -> Target {
    let extent = match target.extent {
        Extent::Exact | Extent::Below => Extent::Below,
        other @ (Extent::Pattern | Extent::Prefix | Extent::Unknown) => other,
    };
    Target { extent, ..target }
}

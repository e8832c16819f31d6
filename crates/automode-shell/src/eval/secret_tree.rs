//! A tree that is shown whole shows the secrets in it.
//!
//! `grep -r "" .` prints `.env` as `cat .env` does. For a command that shows what
//! it reads, the usual names of secret files are asked for in the directory; each
//! one that is there becomes a read of its own, and so does one that is packed or
//! copied with its tree. Searches that leave hidden and ignored files out count only
//! when they are told not to.

use super::{Evaluator, sought};
use crate::ir::Nature;
use crate::place::{COMMON_SECRETS, has_secret_name, stores_below};
use crate::{Act, Effect, Extent, FileFact, Invocation, Need, Stdin, Target, Value, WriteHow};

/// Trees of one command that are looked into.
const TREES: usize = 4;
/// Stores of credentials that are asked for in one tree.
const STORES: usize = 32;

/// A directory whose files are shown, packed or taken in by an effect.
struct ShownTree {
    effect: Effect,
    directory: String,
    /// The names in it that are taken; all where there is none.
    pattern: Option<String>,
    /// Names that are left out.
    excluded: Vec<String>,
    /// Names that a search is held to; all where there is none.
    included: Vec<String>,
    /// Words that a text must hold one of to be shown.
    sought: Option<Vec<String>>,
    depth: Depth,
}

/// How far down a tree is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// The names in the directory.
    Here,
    /// Everything below it, but not the names in it.
    Below,
    Both,
}

impl ShownTree {
    /// Whether a text with these words would be shown.
    fn shows(&self, body: &str) -> bool {
        let body = body.to_lowercase();
        let holds = |words: &Vec<String>| words.iter().any(|word| body.contains(word.as_str()));
        self.sought.as_ref().is_none_or(holds)
    }
}

impl Evaluator<'_> {
    /// Adds a read of every secret file that a shown tree is known to hold.
    pub(super) fn secrets_in_trees(&mut self) {
        let mut trees = self.shown_trees();
        trees.extend(self.unignored());
        for tree in trees {
            if tree.pattern.is_none() && !self.may_be_directory(&tree.directory) {
                continue;
            }
            let start = self.invocations.get(tree.effect.by);
            // What goes through a tree by itself, as `find` does, names hidden files too.
            let hidden = start.is_some_and(|start| start.is_a(Nature::Interpreter))
                || matches!(tree.depth, Depth::Both);
            let taken = |name: &&str| {
                let pattern = tree.pattern.as_deref();
                pattern.is_none_or(|pattern| takes(pattern, name, hidden))
                    && !tree.excluded.iter().any(|left| leaves_out(left, name))
                    && (tree.included.is_empty()
                        || tree.included.iter().any(|own| takes(own, name, true)))
            };
            let names: Vec<&str> = match tree.depth {
                Depth::Here | Depth::Both => COMMON_SECRETS.iter().copied().filter(taken).collect(),
                Depth::Below => Vec::new(),
            };
            // `cat *` shows whatever lies there, `cat *.md` what is named so.
            let open = |pattern: &String| pattern.ends_with('*');
            let found: Vec<String> = match tree.depth {
                Depth::Here if tree.pattern.as_ref().is_some_and(|pattern| !open(pattern)) => {
                    Vec::new()
                }
                Depth::Here | Depth::Below | Depth::Both => {
                    self.secrets_found(&tree.directory, tree.depth)
                }
            };
            let stores = stores_below(&tree.directory, self.context.home.as_deref());
            let stores = stores.into_iter().filter(|name| !name.contains('*'));
            let stores = stores.filter(|name| match tree.depth {
                Depth::Here => !name.contains('/'),
                Depth::Below => name.contains('/'),
                Depth::Both => true,
            });
            let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            let stores: Vec<&str> = stores.filter(|name| taken(&last(name).as_str())).collect();
            let found = found.iter().filter(|path| taken(&last(path).as_str()));
            for name in names.into_iter().chain(found.map(String::as_str)) {
                self.secret_in(&tree, name);
            }
            for name in stores.into_iter().take(STORES) {
                self.secret_in(&tree, name);
            }
        }
    }

    /// The secret files that are known to lie in a directory or below it, by their names from there.
    fn secrets_found(&mut self, directory: &str, depth: Depth) -> Vec<String> {
        let root = format!("{}/", directory.trim_end_matches('/'));
        if !self.facts.files.contains_key(&root) {
            let need = Need::Below(root);
            if !self.needs.contains(&need) {
                self.needs.push(need);
            }
            return Vec::new();
        }
        let files = self.facts.files.range(root.clone()..);
        files
            .map_while(|(path, _)| path.strip_prefix(&root))
            .filter(|rest| match depth {
                Depth::Here => !rest.contains('/'),
                Depth::Below => rest.contains('/'),
                Depth::Both => true,
            })
            .filter(|rest| !COMMON_SECRETS.contains(rest))
            .filter(|rest| has_secret_name(rest))
            .map(str::to_owned)
            .collect()
    }

    /// Adds a read of one secret file, where it is there.
    fn secret_in(&mut self, tree: &ShownTree, name: &str) {
        let path = format!("{}/{name}", tree.directory.trim_end_matches('/'));
        match self.facts.files.get(&path) {
            Some(FileFact::Text { body, .. }) if !tree.shows(body) || is_public(body) => {}
            Some(FileFact::Text { .. } | FileFact::Unreadable) => {
                let target = Target {
                    typed: path.clone(),
                    path,
                    extent: Extent::Exact,
                };
                self.effects.push(Effect {
                    act: Act::Read { target },
                    ..tree.effect.clone()
                });
            }
            Some(FileFact::Absent | FileFact::Directory) => {}
            None => {
                let need = Need::Secret(path);
                if !self.needs.contains(&need) {
                    self.needs.push(need);
                }
            }
        }
    }

    fn shown_trees(&self) -> Vec<ShownTree> {
        self.effects
            .iter()
            .filter_map(|effect| {
                let Act::Read { target } = &effect.act else {
                    return None;
                };
                let invocation = self.invocations.get(effect.by)?;
                let (directory, pattern, depth) = self.tree(target, invocation)?;
                let search = invocation.is_a(Nature::TextSearch);
                Some(ShownTree {
                    effect: effect.clone(),
                    directory,
                    pattern,
                    excluded: exclusions(invocation),
                    included: if search {
                        sought::included(invocation)
                    } else {
                        Vec::new()
                    },
                    sought: search.then(|| sought::words(invocation)).flatten(),
                    depth,
                })
            })
            .take(TREES)
            .collect()
    }

    /// What git takes in after this script has made the list of ignored files shorter.
    fn unignored(&self) -> Vec<ShownTree> {
        let shortened = self.effects.iter().find_map(|effect| {
            let excluded = self.kept_ignores(effect)?;
            Some((effect.by, excluded))
        });
        let Some((first, excluded)) = shortened else {
            return Vec::new();
        };
        self.invocations
            .iter()
            .enumerate()
            .skip(first)
            .filter(|(_, start)| {
                let mut words = start.argv.iter().skip(1).filter_map(|word| word.literal());
                start.is_a(Nature::Git) && words.any(|word| matches!(&*word, "add" | "stage"))
            })
            .filter_map(|(by, start)| {
                let directory = start.cwd.clone()?;
                let target = Target {
                    typed: directory.clone(),
                    path: directory.clone(),
                    extent: Extent::Exact,
                };
                Some(ShownTree {
                    effect: Effect {
                        act: Act::Read { target },
                        by,
                        span: start.span,
                        certainty: start.certainty,
                    },
                    directory,
                    pattern: None,
                    excluded: excluded.clone(),
                    included: Vec::new(),
                    sought: None,
                    depth: Depth::Both,
                })
            })
            .take(TREES)
            .collect()
    }

    /// What is still ignored after an effect that may take a line out of a list of ignored
    /// files; nothing where it takes none. A line that is added does not, unless it begins
    /// with `!`.
    fn kept_ignores(&self, effect: &Effect) -> Option<Vec<String>> {
        let (Act::Write { target, .. } | Act::Delete { target, .. }) = &effect.act else {
            return None;
        };
        let listed =
            target.path.ends_with("/.gitignore") || target.path.ends_with("/.git/info/exclude");
        let start = self.invocations.get(effect.by).filter(|_| listed)?;
        let fed = match &start.stdin {
            Stdin::Text(text) => text.literal().map(std::borrow::Cow::into_owned),
            Stdin::Inherited => Some(String::new()),
            Stdin::File(_) | Stdin::Pipe(_) => None,
        };
        let words: Option<String> = start
            .argv
            .iter()
            .skip(1)
            .map(|word| word.literal().map(|word| format!("{word}\n")))
            .collect();
        let text = fed.zip(words).map(|(fed, words)| format!("{fed}\n{words}"));
        let spelled = text.filter(|text| !text.contains('!'));
        let how = if let Act::Write { how, .. } = &effect.act {
            Some(*how)
        } else {
            None
        };
        match (how, spelled) {
            (Some(WriteHow::Append), Some(_)) => None,
            (Some(WriteHow::Replace), Some(text)) => {
                // `printf '.env\\n'` spells the ends of its lines.
                let text = text.replace("\\n", "\n");
                let lines = text
                    .lines()
                    .map(|line| line.trim_start_matches('/').to_owned());
                Some(lines.filter(|line| !line.is_empty()).collect())
            }
            (_, _) => Some(Vec::new()),
        }
    }

    /// Whether a path may be a directory; where it was not looked at, it is asked for.
    fn may_be_directory(&mut self, path: &str) -> bool {
        match self.facts.files.get(path) {
            // A link to a directory cannot be read as what its name says, and is gone through.
            Some(FileFact::Directory | FileFact::Unreadable) => true,
            Some(FileFact::Text { .. } | FileFact::Absent) => false,
            None => {
                let need = Need::Tree(path.to_owned());
                if !self.needs.contains(&need) {
                    self.needs.push(need);
                }
                true
            }
        }
    }

    /// The directory that a command shows, and the names in it that it takes.
    fn tree(
        &self,
        target: &Target,
        invocation: &Invocation,
    ) -> Option<(String, Option<String>, Depth)> {
        let says = |flags: &[&str], letters: &[char]| {
            invocation.argv.iter().skip(1).any(|word| {
                word.literal().is_some_and(|word| {
                    let short = word.starts_with('-') && !word.starts_with("--");
                    flags.contains(&word.as_ref()) || (short && word.contains(letters))
                })
            })
        };
        // Code that goes through a tree may show all it reads.
        let runs_code = invocation.is_a(Nature::Interpreter);
        let shows = invocation.is_a(Nature::Concatenate)
            || invocation.is_a(Nature::LineFilter)
            || runs_code;
        let search = invocation.is_a(Nature::TextSearch);
        let reads = invocation.is_a(Nature::TreeReader)
            || invocation.is_a(Nature::Git)
            || invocation.is_a(Nature::Archiver)
            || invocation.is_a(Nature::FileCopy);
        match target.extent {
            Extent::Exact if search && !invocation.is_a(Nature::TreeReader) => {
                let recursive = if shows {
                    says(
                        &[
                            "--recursive",
                            "--dereference-recursive",
                            "--directories=recurse",
                        ],
                        &['r', 'R'],
                    ) || says(&["recurse"], &[])
                } else {
                    says(
                        &[
                            "--hidden",
                            "--no-ignore",
                            "--unrestricted",
                            "--no-ignore-vcs",
                            "--no-ignore-parent",
                            "--no-ignore-exclude",
                            "--no-ignore-global",
                            "--all-types",
                        ],
                        &['u', '.'],
                    ) || !sought::included(invocation).is_empty()
                        || is_named_whole(target, invocation)
                        || !self.context.is_inside(&target.path)
                };
                recursive.then(|| (target.path.clone(), None, Depth::Both))
            }
            Extent::Exact | Extent::Below if reads => {
                Some((target.path.clone(), None, Depth::Both))
            }
            // Whoever reads a set of files may show them: only who tells figures does not.
            Extent::Pattern if !invocation.is_a(Nature::Summary) => {
                let recursive = says(&["--recursive"], &['r', 'R']) && search;
                matched_tree(&target.path, recursive || reads, runs_code)
            }
            Extent::Exact | Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => {
                None
            }
        }
    }
}

/// Whether a folder is named and every line in it looked for: a search that leaves out what is
/// ignored goes into an ignored folder that it is given.
fn is_named_whole(target: &Target, invocation: &Invocation) -> bool {
    invocation.cwd.as_deref() != Some(target.path.trim_end_matches('/'))
        && sought::takes_every_line(invocation)
}

/// Certificates, of authorities most often: everybody may have them.
fn is_public(body: &str) -> bool {
    body.contains("-----BEGIN CERTIFICATE-----") && !body.contains("PRIVATE KEY")
}

/// The directory that a pattern takes its names from, and the names.
fn matched_tree(
    path: &str,
    takes_directories: bool,
    runs_code: bool,
) -> Option<(String, Option<String>, Depth)> {
    let (directory, names) = path.rsplit_once('/')?;
    let names = Some(names.to_owned());
    let at = directory.find(['*', '?', '[']);
    let (known, open) = directory.split_at(at.unwrap_or(directory.len()));
    // Below a directory that a pattern names too.
    if !matches!(open, "" | "**") {
        let above = known.rsplit_once('/').map(|(above, _)| above)?;
        return Some((above.to_owned(), names, Depth::Below));
    }
    let all = names.as_deref() == Some("**");
    let known = known.strip_suffix('/').unwrap_or(known).to_owned();
    Some(if takes_directories {
        // The names are those of directories too, and all is taken in them.
        (known, None, Depth::Both)
    } else if all || open == "**" || runs_code {
        (known, names, Depth::Both)
    } else {
        (known, names, Depth::Here)
    })
}

/// What a copy or an archive is told to leave out: `--exclude=.env`, `-x .env`.
fn exclusions(invocation: &Invocation) -> Vec<String> {
    const FLAGS: &[&str] = &["--exclude", "-x", "-xr", "-X"];
    let words: Vec<String> = invocation.argv.iter().skip(1).map(Value::shown).collect();
    // `--include=.env --exclude='*'`: what is taken first is not left out.
    if words.iter().any(|word| takes_again(word)) {
        return Vec::new();
    }
    let glued = words.iter().filter_map(|word| {
        word.strip_prefix("--exclude=")
            .or_else(|| word.strip_prefix("-xr!"))
            .or_else(|| word.strip_prefix("-x!"))
    });
    let next = words
        .windows(2)
        .filter(|pair| {
            pair.first()
                .is_some_and(|flag| FLAGS.contains(&flag.as_str()))
        })
        .filter_map(|pair| pair.get(1));
    glued.map(str::to_owned).chain(next.cloned()).collect()
}

/// Whether an option takes names in that another leaves out.
fn takes_again(word: &str) -> bool {
    let fronts = ["--include", "--filter", "+ ", "-i!", "-ir!"];
    fronts.iter().any(|front| word.starts_with(front))
}

/// Whether an exclusion covers a name to the letter, or by a star at its end.
fn leaves_out(pattern: &str, name: &str) -> bool {
    let pattern = pattern.trim_matches(['"', '\'']).trim_start_matches("./");
    let pattern = pattern.strip_prefix("*/").unwrap_or(pattern);
    let uncertain = pattern.contains(['?', '[', '{', '(', '/']);
    !uncertain && crate::place::name_matches(pattern, name)
}

/// Whether a pattern of names takes a name; `**` is every file there is.
/// `*` of a shell leaves hidden names out, that of most languages does not.
fn takes(pattern: &str, name: &str, with_hidden: bool) -> bool {
    if pattern == "**" {
        return true;
    }
    let hidden = !with_hidden && name.starts_with('.') && !pattern.starts_with('.');
    let uncertain = pattern.contains(['?', '[', '{', '(', '\\']);
    // Some patterns do not ask for case: `-iname '*ENV*'`.
    let matches = || {
        let pattern = pattern.to_ascii_lowercase();
        crate::place::name_matches(&pattern, &name.to_ascii_lowercase())
    };
    !name.contains('/') && !hidden && (uncertain || matches())
}

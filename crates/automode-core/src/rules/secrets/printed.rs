//! Secrets that a command shows to the agent.
//!
//! What a program prints comes back into the model's context. The marks on its
//! output say whether a variable of the environment is in it; which one, the
//! program that brought it in tells. A list of names, a length or a test of
//! whether something is set shows no secret.

use automode_shell::place::is_secret_variable;
use automode_shell::{
    Act, Code, DynamicSource, Effect, Extent, Invocation, Nature, Piece, Stdin, Stdout, Taint,
    Touch, Value,
};

use super::credential_leak::{ID, KEEP};
use crate::Finding;
use crate::scene::{ENVIRONMENT, Scene};

/// What of the environment the agent would get to see.
pub fn detect(scene: &Scene<'_>) -> Vec<Finding> {
    let starts: Vec<&Invocation> = scene.invocations().collect();
    let shows = |start: &&&Invocation| {
        matches!(start.stdout, Stdout::Shown) && start.output.has(Taint::SECRET)
    };
    if reads_secret_file(scene) {
        // The rule on browsing names the file.
        return Vec::new();
    }
    let shown = starts.iter().any(|start| shows(&start));
    let sources = starts.iter().enumerate().filter_map(|(at, start)| {
        let next = starts.get(at.saturating_add(1)).copied();
        let what = match source(start, dumped(scene, at))? {
            PrintedSource::Everything if is_narrowed(start, next) => return None,
            PrintedSource::Everything if runs_files(scene, at) && !dumped(scene, at) => {
                return None;
            }
            PrintedSource::Everything if reads_open_pattern(scene, at) && !dumped(scene, at) => {
                return None;
            }
            PrintedSource::Everything if dumps(start) || dumped(scene, at) => {
                "shows every variable of the environment, secrets among them".to_owned()
            }
            PrintedSource::Everything => {
                "shows secrets of the environment or of a store".to_owned()
            }
            PrintedSource::Variable(name) => format!("shows the value of {name}"),
        };
        let direct = matches!(start.stdout, Stdout::Shown | Stdout::File(_));
        (shown || direct).then(|| scene.evidence(ID, start.span, &what, KEEP))
    });
    let told = starts
        .iter()
        .enumerate()
        .filter_map(|(at, start)| mentioned(scene, at, start));
    sources.chain(told).collect()
}

/// A secret among the words of a program that did not ask for one: `ls $TOKEN` shows it in its
/// complaint, `git commit -m $TOKEN` keeps it. What is sent is the business of other rules.
fn mentioned(scene: &Scene<'_>, at: usize, start: &Invocation) -> Option<Finding> {
    let sets = start.is_a(Nature::PrintsEnvironment) && sets_as_it_is(start);
    let is_said = |word: &&Value| word.taint().has(Taint::SECRET) && !(sets && is_assignment(word));
    let word = start.argv.iter().skip(1).find(is_said)?;
    let is_expected = scene
        .effects()
        .filter(|effect| effect.by == at)
        .any(|effect| matches!(effect.act, Act::Connect { .. } | Act::Environment { .. }));
    if is_expected || is_sound_test(start) || start.is_a(Nature::Talker) {
        return None;
    }
    let name = secret_in(word).unwrap_or("a secret variable");
    let what = format!("hands the value of {name} to a program that may show or keep it");
    Some(scene.evidence(ID, start.span, &what, KEEP))
}

/// `export KEY=$TOKEN` says nothing; `declare -i KEY=$TOKEN` complains that it is no number.
fn sets_as_it_is(start: &Invocation) -> bool {
    const MANNERS: &str = "xrg";
    start
        .argv
        .iter()
        .skip(1)
        .filter_map(|word| word.literal())
        .filter_map(|word| word.strip_prefix(['-', '+']).map(str::to_owned))
        .all(|letters| letters.chars().all(|letter| MANNERS.contains(letter)))
}

/// A name with a value: `export a/b=$TOKEN` names nothing, and the complaint shows it all.
fn is_assignment(word: &Value) -> bool {
    let prefix = word.prefix();
    let name = prefix.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        let name = name.strip_suffix('+').unwrap_or(name);
        !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// A test that compares words or asks whether one is empty says nothing; any other complains
/// about the word that it did not expect, and shows it.
fn is_sound_test(start: &Invocation) -> bool {
    const JOINTS: [&str; 9] = ["-a", "-o", "&&", "||", "(", ")", "!", "]", "]]"];
    const EMPTY: [&str; 2] = ["-n", "-z"];
    const ALIKE: [&str; 6] = ["=", "==", "!=", "=~", "<", ">"];
    let is_one = |word: &Value, words: &[&str]| {
        let text = word.literal();
        text.is_some_and(|text| words.contains(&text.as_ref()))
    };
    let words = start.argv.get(1..).unwrap_or_default();
    let mut parts = words.split(|word| is_one(word, &JOINTS));
    start.is_a(Nature::Test)
        && parts.all(|part| {
            let is_plain = !part.iter().any(|word| word.taint().has(Taint::SECRET));
            match part {
                [] | [_] => true,
                [asked, _] => is_plain || is_one(asked, &EMPTY),
                [_, asked, _] => is_plain || is_one(asked, &ALIKE),
                _ => false,
            }
        })
}

enum PrintedSource<'a> {
    Everything,
    Variable(&'a str),
}

/// What a start itself brings into the open, beside what it was fed.
fn source(start: &Invocation, dumped: bool) -> Option<PrintedSource<'_>> {
    let talks = start.is_a(Nature::Talker);
    let fed = match &start.stdin {
        Stdin::Text(text) => secret_in(text),
        Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) => None,
    };
    if start.is_a(Nature::PrintsNamedVariables) {
        let mut names = start.argv.iter().skip(1).filter_map(only_text).peekable();
        if names.peek().is_some() {
            return names
                .find(|name| is_credential(name))
                .map(PrintedSource::Variable);
        }
    }
    let said = talks
        .then(|| start.argv.iter().skip(1).find_map(secret_in))
        .flatten();
    if let Some(name) = said.or(fed) {
        return Some(PrintedSource::Variable(name));
    }
    // A part of a variable, or one in other letters.
    let part = |word: &Value| word.taint().has(Taint::SECRET);
    let shows = talks || start.output.has(Taint::SECRET);
    if shows && start.argv.iter().any(part) {
        return Some(PrintedSource::Variable("a secret variable"));
    }
    if dumped {
        return Some(PrintedSource::Everything);
    }
    // The history of a shell that nobody types into is empty.
    let own = !start.is_a(Nature::History)
        && start.output.has(Taint::SECRET)
        && !start
            .argv
            .iter()
            .any(|word| word.taint().has(Taint::SECRET))
        && !fed_taint(&start.stdin).has(Taint::SECRET);
    own.then_some(PrintedSource::Everything)
}

/// The effects of a start say that it prints all variables.
fn dumped(scene: &Scene<'_>, by: usize) -> bool {
    scene
        .effects()
        .filter(|effect| effect.by == by)
        .any(|effect| matches!(&effect.act, Act::Credential { what, .. } if what == ENVIRONMENT))
}

fn only_text(word: &Value) -> Option<&str> {
    match word.pieces.as_slice() {
        [Piece::Text(text)] if !text.starts_with('-') => Some(text),
        _ => None,
    }
}

fn fed_taint(stdin: &Stdin) -> Taint {
    match stdin {
        Stdin::Inherited | Stdin::File(_) => Taint::NONE,
        Stdin::Text(text) => text.taint(),
        Stdin::Pipe(taint) => *taint,
    }
}

/// The first variable in a word that holds a credential.
fn secret_in(word: &Value) -> Option<&str> {
    word.pieces.iter().find_map(|piece| match piece {
        Piece::Dynamic(dynamic) => match &dynamic.source {
            DynamicSource::Variable(name) if is_credential(name) => Some(name.as_str()),
            DynamicSource::Variable(_)
            | DynamicSource::Argument
            | DynamicSource::Output
            | DynamicSource::OneOf(_)
            | DynamicSource::Item
            | DynamicSource::Number
            | DynamicSource::Name
            | DynamicSource::Unknown => None,
        },
        Piece::Text(_) | Piece::Glob(_) => None,
    })
}

/// A name that says secret, or the address of a store with its password in it.
fn is_credential(name: &str) -> bool {
    const STORES: &[&str] = &[
        "DATABASE",
        "DB",
        "POSTGRES",
        "POSTGRESQL",
        "PG",
        "MYSQL",
        "MONGO",
        "MONGODB",
        "REDIS",
        "AMQP",
        "RABBITMQ",
        "BROKER",
        "SQLALCHEMY",
        "JDBC",
        "CONNECTION",
    ];
    const ADDRESSES: &[&str] = &["URL", "URI", "DSN", "STRING"];
    let upper = name.to_uppercase();
    let words: Vec<&str> = upper.split('_').collect();
    let store = words.iter().any(|word| STORES.contains(word))
        && words.last().is_some_and(|last| ADDRESSES.contains(last));
    store || is_secret_variable(name)
}

/// A search that picks out of the environment, by a word that means no secret.
fn is_narrowed(start: &Invocation, next: Option<&Invocation>) -> bool {
    const SOUGHT: &[&str] = &[
        "key",
        "tok",
        "secret",
        "pass",
        "pwd",
        "cred",
        "auth",
        "api",
        "aws",
        "azure",
        "gcp",
        "google",
        "github",
        "gitlab",
        "npm",
        "priv",
        "cert",
        "dsn",
        "database",
        "cookie",
        "openai",
        "anthropic",
        "slack",
        "stripe",
    ];
    let Some(next) = next.filter(|_| matches!(start.stdout, Stdout::Pipe)) else {
        return false;
    };
    let words: Option<Vec<String>> = next
        .argv
        .iter()
        .skip(1)
        .map(|word| word.literal().map(|word| word.to_lowercase()))
        .collect();
    let filters = next.is_a(Nature::TextSearch);
    let plain = |word: &String| {
        let letters = word.chars().filter(char::is_ascii_alphabetic).count();
        let named = word
            .split(['|', '\\'])
            .all(|part| !SOUGHT.iter().any(|sought| part.contains(sought)));
        letters >= 3 && named && !word.contains(".*")
    };
    filters
        && words.is_some_and(|words| {
            let flags = words.iter().filter(|word| word.starts_with('-'));
            let inverted = flags
                .clone()
                .any(|flag| flag.contains('v') || flag.contains('f'));
            let mut patterns = words
                .iter()
                .filter(|word| !word.starts_with('-'))
                .peekable();
            !inverted && patterns.peek().is_some() && patterns.all(plain)
        })
}

/// Programs that print the environment as such.
fn dumps(start: &Invocation) -> bool {
    start.is_a(Nature::PrintsEnvironment)
}

/// Code of files and tasks handles the secrets it is given.
fn runs_files(scene: &Scene<'_>, by: usize) -> bool {
    scene
        .effects()
        .filter(|effect| effect.by == by)
        .any(|effect| {
            matches!(
                &effect.act,
                Act::Execute {
                    code: Code::File(_)
                        | Code::Task { .. }
                        | Code::Container { .. }
                        | Code::Program(_),
                    ..
                }
            )
        })
}

/// All that made its output secret is a pattern that might have taken a secret, and takes none.
fn reads_open_pattern(scene: &Scene<'_>, by: usize) -> bool {
    let mut effects = scene.effects().filter(|effect| effect.by == by).peekable();
    let is_open = |effect: &Effect| {
        effect
            .act
            .touches()
            .is_some_and(|(touch, target)| match touch {
                Touch::Read => {
                    target.extent == Extent::Pattern && scene.place(target).secret.is_none()
                }
                Touch::List => true,
                Touch::Run | Touch::Write | Touch::Delete | Touch::DeleteTree => false,
            })
    };
    effects.peek().is_some() && effects.all(is_open)
}

fn reads_secret_file(scene: &Scene<'_>) -> bool {
    scene.effects().any(|effect| {
        let Act::Read { target } = &effect.act else {
            return false;
        };
        scene.place(target).secret.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::is_credential;

    #[test]
    fn names_tell_what_they_hold() {
        for (name, expected) in [
            ("GITHUB_TOKEN", true),
            ("AWS_SECRET_ACCESS_KEY", true),
            ("DATABASE_URL", true),
            ("CELERY_BROKER_URL", true),
            ("PGPASSWORD", true),
            ("BASE_URL", false),
            ("PATH", false),
            ("HOME", false),
            ("NODE_ENV", false),
        ] {
            assert_eq!(is_credential(name), expected, "{name}");
        }
    }
}

//! Values that a project keeps in its file of variables, whole or in pieces.
//!
//! A secret that nobody knows by its form is known by its value. What leaves in several
//! parts leaves all the same, so a part that is long enough counts as the whole.

use automode_shell::{Facts, FileFact};

/// Names of variables that hold a secret.
const NAMES: &[&str] = &[
    "PASS",
    "SECRET",
    "TOKEN",
    "KEY",
    "PIN",
    "PWD",
    "CREDENTIAL",
    "AUTH",
];
/// The shortest value that counts.
const VALUE: usize = 6;
/// The shortest value whose pieces count, and the shortest piece.
const LONG: usize = 16;
const PIECE: usize = 8;

/// Whether a text spells a secret that stands in a file of variables, or a piece of one.
pub(crate) fn spells_kept_value(text: &str, facts: &Facts) -> bool {
    let kept = facts
        .files
        .iter()
        .filter(|(path, _)| path.ends_with("/.env"));
    let bodies = kept.filter_map(|(_, file)| match file {
        FileFact::Text { body, .. } => Some(body),
        FileFact::Directory | FileFact::Absent | FileFact::Unreadable => None,
    });
    let values = bodies
        .flat_map(|body| body.lines())
        .filter_map(|line| line.split_once('='))
        .filter(|(name, _)| {
            let name = name.to_uppercase();
            NAMES.iter().any(|word| name.contains(word))
        })
        .map(|(_, value)| value.trim().trim_matches(['"', '\'']))
        .filter(|value| value.len() >= VALUE);
    let mut values = values;
    values.any(|value| text.contains(value) || is_spelled_in_part(text, value))
}

fn is_spelled_in_part(text: &str, value: &str) -> bool {
    let within = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let mut words = text.split(|letter| !within(letter));
    value.len() >= LONG
        && words.any(|word| {
            let telling = word.contains('-') || word.bytes().any(|byte| byte.is_ascii_digit());
            word.len() >= PIECE && telling && value.contains(word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_whole_and_in_pieces() {
        let env = "PORT=3000\nAPI_TOKEN=sk-live-abcdef0123456789abcdef\nDB_PASS=hunter22\n";
        let file = FileFact::Text {
            body: env.to_owned(),
            session: false,
        };
        let facts = Facts {
            files: [("/p/.env".to_owned(), file)].into(),
            ..Facts::default()
        };
        for (text, spelled) in [
            ("https://x/?a=hunter22", true),
            ("https://x/sk-live-abcdef0123456789abcdef", true),
            ("https://x/a/sk-live-abcdef", true),
            ("part two: 0123456789abcdef", true),
            ("https://x/hunter", false),
            ("https://x/live", false),
            ("https://x/3000", false),
            ("commit 89abcd", false),
        ] {
            assert_eq!(spells_kept_value(text, &facts), spelled, "{text}");
        }
    }
}

//! A command as the client is told to run it, and back.
//!
//! The original stays in the text, in a branch that is never taken, so that rules of the
//! client that are matched against the text still match. It is also the last word of the
//! line that does run, with the id under which the promise was written down.

/// The text that runs a command confined under an id, if the original can stand in it.
///
/// A text that the shell would read on beyond its end is refused: it would swallow the
/// words that follow. The caller has seen that the original parses as whole commands.
#[must_use]
pub fn rewrite(program: &str, id: &str, original: &str) -> Option<String> {
    let plain = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    if original.trim().is_empty()
        || original.ends_with('\\')
        || original.contains('\0')
        || !plain(id)
    {
        return None;
    }
    // A here-document ends with its own line; what follows it must not be part of it.
    Some(format!(
        "{OPEN}{original}{MIDDLE}{} run {id} -- {}{CLOSE}",
        quoted(program),
        quoted(original)
    ))
}

const OPEN: &str = "if false; then\n";
const MIDDLE: &str = "\nelse ";
const CLOSE: &str = "\nfi";

/// A command that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    pub id: String,
    pub original: String,
}

impl Rewritten {
    /// Takes a rewritten text apart; whatever is not exactly of that form is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
        // The original may itself hold the words between; the right place reads the same back.
        body.match_indices(MIDDLE).find_map(|(at, _)| {
            let original = body.get(..at)?;
            let line = body.get(at + MIDDLE.len()..)?;
            let words = line.strip_suffix(&quoted(original))?.strip_suffix(" -- ")?;
            let (_, id) = words.rsplit_once(" run ")?;
            Some(Self {
                id: id.to_owned(),
                original: original.to_owned(),
            })
        })
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rewritten_reads_back() {
        let originals = [
            "make test",
            "echo 'it''s'",
            "cat <<EOF\nhi\nEOF",
            "if true; then\nx\nelse y\nfi",
            "a\nelse automode run k -- 'a'\nfi",
        ];
        for original in originals {
            let text = rewrite("/usr/bin/automode", "k3f9x2ab", original).unwrap();
            let back = Rewritten::parse(&text).unwrap();
            assert_eq!(
                (back.id.as_str(), back.original.as_str()),
                ("k3f9x2ab", original)
            );
        }
    }

    #[test]
    fn what_would_swallow_the_rest_is_refused() {
        for original in ["", "  ", "echo a \\", "a\0b"] {
            assert_eq!(rewrite("automode", "k", original), None, "{original:?}");
        }
        assert_eq!(rewrite("automode", "k; rm -rf ~", "ls"), None);
        assert_eq!(Rewritten::parse("make test"), None);
        assert_eq!(
            Rewritten::parse("if false; then\nx\nelse automode run k -- 'y'\nfi"),
            None
        );
    }
}

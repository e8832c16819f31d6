//! The gate in front of the parser.
//!
//! One pass over the text refuses what no honest command holds: too many bytes,
//! control characters, which a terminal hides and bash drops or runs. What passes
//! is [`Admitted`], the only thing the parser takes, so nothing reaches it unread.
//! Characters that make text look other than it is (bidirectional and invisible
//! ones) pass, but are reported: such a command is never fully understood.

use crate::invisible::disguises;
use crate::ir::Span;

/// The longest command that is read, in bytes.
pub const MAX_BYTES: usize = 10_000;

/// Openers up to which an ordinary thread stack surely suffices.
const FLAT_OPENERS: usize = 64;

/// Text that the parser may read.
#[derive(Clone, Copy, Debug)]
pub struct Admitted<'t> {
    text: &'t str,
    openers: usize,
    disguise: Option<Span>,
}

/// Why a text is not read at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRefusal {
    TooLong { bytes: usize },
    Control { character: char, at: usize },
}

/// Admits text or says why not. Linear in its length.
pub fn admit(text: &str) -> Result<Admitted<'_>, TextRefusal> {
    if text.len() > MAX_BYTES {
        return Err(TextRefusal::TooLong { bytes: text.len() });
    }
    // Nearly every command: nothing but letters and signs.
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    if text.bytes().all(plain) {
        let opens = |byte: &u8| matches!(byte, b'(' | b'{' | b'[' | b'`' | b'"');
        return Ok(Admitted {
            text,
            openers: text.bytes().filter(opens).count(),
            disguise: None,
        });
    }
    let mut openers = 0_usize;
    let mut disguise = None;
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map(|(_, after)| *after);
        match character {
            '\t' | '\n' => {}
            _ if character.is_control() => return Err(TextRefusal::Control { character, at }),
            '(' | '{' | '[' | '`' | '"' => openers = openers.saturating_add(1),
            _ if disguise.is_none() && disguises(before, character, after) => {
                disguise = Some(Span::new(at, at.saturating_add(character.len_utf8())));
            }
            _ => {}
        }
        before = Some(character);
    }
    Ok(Admitted {
        text,
        openers,
        disguise,
    })
}

impl<'t> Admitted<'t> {
    #[must_use]
    pub fn text(self) -> &'t str {
        self.text
    }

    /// Whether a 2 MiB stack is enough to analyse it, whatever the text means.
    #[must_use]
    pub fn fits_small_stack(self) -> bool {
        self.openers <= FLAT_OPENERS
    }

    /// The first character that makes the text look other than it is.
    #[must_use]
    pub fn disguise(self) -> Option<Span> {
        self.disguise
    }
}

impl std::fmt::Display for TextRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLong { bytes } => {
                write!(f, "the command has {bytes} bytes, the limit is {MAX_BYTES}")
            }
            Self::Control { character, at } => write!(
                f,
                "control character U+{:04X} at byte {at}",
                u32::from(*character)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, TextRefusal, admit};

    #[test]
    fn ordinary_text_is_admitted() {
        for text in [
            "",
            "ls -l",
            "echo 'é ü 漢字 🎉'",
            "echo ⚠\u{fe0f}",
            "cat <<E\n\tx\nE\n",
        ] {
            let admitted = admit(text).expect(text);
            assert_eq!(admitted.text(), text);
            assert_eq!(admitted.disguise(), None, "{text}");
            assert!(admitted.fits_small_stack());
        }
    }

    #[test]
    fn controls_are_refused() {
        for control in [
            '\0', '\r', '\x07', '\x1b', '\x08', '\x7f', '\u{85}', '\u{9b}',
        ] {
            let text = format!("ls {control}");
            assert_eq!(
                admit(&text).err(),
                Some(TextRefusal::Control {
                    character: control,
                    at: 3
                })
            );
        }
    }

    #[test]
    fn length_is_bounded() {
        assert!(admit(&"a".repeat(MAX_BYTES)).is_ok());
        assert!(admit(&"a".repeat(MAX_BYTES + 1)).is_err());
    }

    #[test]
    fn disguises_are_reported() {
        for character in ['\u{202E}', '\u{2066}', '\u{200B}', '\u{FEFF}', '\u{E0041}'] {
            let text = format!("ls {character}x");
            let admitted = admit(&text).expect("admitted");
            assert_eq!(admitted.disguise().map(|span| span.start), Some(3));
        }
    }

    #[test]
    fn deep_text_wants_a_large_stack() {
        assert!(!admit(&"(".repeat(65)).expect("admitted").fits_small_stack());
    }
}

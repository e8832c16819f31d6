//! Whether a record is still whole.
//!
//! The lock file of a record holds how long the record is and a checksum over its
//! lines, as the last writer left them. A record that is shorter, or whose lines say
//! something else, has lost notes that may have counted against a call. The checksum
//! finds damage, not an attacker: the directory is the user's own and guarded.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of a seal on disk: two pairs of sixteen digits, so that it is overwritten in place.
const WIDTH: usize = 68;

/// The beginning of a record that was once written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SessionSeal {
    pub(super) length: u64,
    sum: u64,
}

/// What stands in a lock file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seals {
    /// The record as it is; nothing where no writer has said so yet.
    pub(super) now: Option<SessionSeal>,
    /// The record that is about to take its place.
    next: Option<SessionSeal>,
}

impl SessionSeal {
    /// The seal of a whole record.
    pub(super) fn of(text: &[u8]) -> Self {
        Self::default().with(text)
    }

    /// The seal once more lines stand behind.
    pub(super) fn with(self, text: &[u8]) -> Self {
        let mut sum = self.sum;
        for line in lines(text) {
            sum = mix(sum, hash(line));
        }
        Self {
            length: self.length.saturating_add(text.len() as u64),
            sum,
        }
    }

    /// Whether a record begins with what was sealed.
    fn holds(self, text: &[u8]) -> bool {
        usize::try_from(self.length)
            .ok()
            .and_then(|length| text.get(..length))
            .is_some_and(|sealed| Self::of(sealed) == self)
    }
}

impl Seals {
    /// Reads a lock file. An error is damage: every writer leaves all of it.
    pub(super) fn read(file: &File) -> io::Result<Self> {
        let mut bytes = [0_u8; WIDTH];
        let mut length = 0;
        while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, length as u64)? {
                0 => break,
                more => length = length.saturating_add(more),
            }
        }
        if length == 0 {
            return Ok(Self::default());
        }
        let text = bytes.get(..length).unwrap_or_default();
        let text = str::from_utf8(text).map_err(io::Error::other)?;
        let mut numbers = text
            .split_whitespace()
            .map(|word| u64::from_str_radix(word, 16).map_err(io::Error::other));
        let mut seal = || match (numbers.next(), numbers.next()) {
            (Some(length), Some(sum)) => Ok(SessionSeal {
                length: length?,
                sum: sum?,
            }),
            (_, None) | (None, _) => Err(io::Error::from(io::ErrorKind::InvalidData)),
        };
        let (now, next) = (seal()?, seal()?);
        Ok(Self {
            now: Some(now),
            next: (next.length > 0).then_some(next),
        })
    }

    pub(super) fn only(now: SessionSeal) -> Self {
        Self {
            now: Some(now),
            next: None,
        }
    }

    pub(super) const fn before(self, next: SessionSeal) -> Self {
        Self {
            next: Some(next),
            ..self
        }
    }

    pub(super) fn write(self, file: &File) -> io::Result<()> {
        let (now, next) = (self.now.unwrap_or_default(), self.next.unwrap_or_default());
        let text = format!(
            "{:016x} {:016x} {:016x} {:016x}\n",
            now.length, now.sum, next.length, next.sum
        );
        // Cut short first, some file systems would bring it to the disk when it is closed.
        file.write_all_at(text.as_bytes(), 0)
    }

    /// Whether a record is what its writers left. One that nobody sealed yet is.
    pub(super) fn hold(self, text: &[u8]) -> bool {
        match (self.now, self.next) {
            (None, _) => true,
            (Some(now), None) => now.holds(text),
            (Some(now), Some(next)) => now.holds(text) || next.holds(text),
        }
    }
}

/// The lines of a record, each with its end.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end.saturating_add(1));
        let (line, behind) = rest.split_at_checked(end)?;
        rest = behind;
        (!line.is_empty()).then_some(line)
    })
}

/// Any change of a line changes this: each step can be undone.
fn hash(line: &[u8]) -> u64 {
    let (words, rest) = line.as_chunks::<8>();
    let mut last = [0_u8; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let last = (!rest.is_empty()).then_some(last);
    words
        .iter()
        .chain(&last)
        .fold(line.len() as u64, |hash, word| {
            mix(hash, u64::from_le_bytes(*word))
        })
}

const fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"{\"note\":\"end\"}\n{\"note\":\"user\",\"text\":\"go\"}\n";

    #[test]
    fn a_record_that_only_grew_holds() {
        let (first, _) = TEXT.split_at(15);
        let seals = Seals::only(SessionSeal::of(first));
        assert!(seals.hold(first) && seals.hold(TEXT));
        assert_eq!(
            SessionSeal::of(first).with(TEXT.get(15..).unwrap()),
            SessionSeal::of(TEXT)
        );
        assert!(Seals::default().hold(TEXT));
    }

    #[test]
    fn any_other_change_shows() {
        let seals = Seals::only(SessionSeal::of(TEXT));
        for at in 0..TEXT.len() {
            for bit in 0..8 {
                let mut other = TEXT.to_vec();
                other[at] ^= 1 << bit;
                assert!(!seals.hold(&other), "byte {at}, bit {bit}");
            }
            assert!(!seals.hold(&TEXT[..at]), "cut at {at}");
        }
    }
}

//! Lines from one program to another.
//!
//! A line is handed over whole, with its end as it came. One that is longer than may be
//! held is handed over in pieces: nobody looks into it, so it reaches the other side
//! unanswered.

use std::io::{self, BufRead, Read};

/// The longest line that is looked into.
const MAX_LINE: u64 = 32 * 1024 * 1024;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PipePiece<'a> {
    /// A whole line.
    Line(&'a [u8]),
    /// A part of a line that is too long.
    Part(&'a [u8]),
}

/// Hands over every line until the end, or until nobody takes them.
pub(crate) fn lines(
    from: &mut impl BufRead,
    mut take: impl FnMut(PipePiece<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    let mut within = false;
    loop {
        buffer.clear();
        let read = from
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        let ends = buffer.ends_with(b"\n");
        let whole = !within && (ends || (read as u64) < MAX_LINE);
        take(if whole {
            PipePiece::Line(&buffer)
        } else {
            PipePiece::Part(&buffer)
        })?;
        within = !ends && !whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_and_long_lines_in_parts() {
        let long = "x".repeat(usize::try_from(MAX_LINE).unwrap() + 7);
        let text = format!("one\r\n{long}\ntwo");
        let (mut all, mut kinds) = (Vec::new(), Vec::new());
        lines(&mut text.as_bytes(), |piece| {
            let (kind, bytes) = match piece {
                PipePiece::Line(bytes) => ('l', bytes),
                PipePiece::Part(bytes) => ('p', bytes),
            };
            kinds.push(kind);
            all.extend_from_slice(bytes);
            Ok(())
        })
        .unwrap();
        assert_eq!(all, text.as_bytes());
        assert_eq!(kinds, ['l', 'p', 'p', 'l']);
    }
}

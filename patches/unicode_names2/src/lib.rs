//! Stands in for `unicode_names2`, whose table of all names of characters is 830 KB of the binary.
//!
//! The parser of Python asks for the character in `"\N{EM DASH}"`. These are the names that
//! people write; a text with another one does not parse, which is a gap and never a guess.

const NAMES: &[(&str, char)] = &[
    ("BLACK CIRCLE", '●'),
    ("BLACK SQUARE", '■'),
    ("BULLET", '•'),
    ("CHECK MARK", '✓'),
    ("COPYRIGHT SIGN", '©'),
    ("CROSS MARK", '❌'),
    ("DEGREE SIGN", '°'),
    ("DOWNWARDS ARROW", '↓'),
    ("EM DASH", '—'),
    ("EN DASH", '–'),
    ("EURO SIGN", '€'),
    ("GREEK SMALL LETTER ALPHA", 'α'),
    ("GREEK SMALL LETTER BETA", 'β'),
    ("GREEK SMALL LETTER LAMDA", 'λ'),
    ("GREEK SMALL LETTER MU", 'μ'),
    ("GREEK SMALL LETTER PI", 'π'),
    ("HEAVY CHECK MARK", '✔'),
    ("HORIZONTAL ELLIPSIS", '…'),
    ("INFINITY", '∞'),
    ("LEFT DOUBLE QUOTATION MARK", '“'),
    ("LEFT SINGLE QUOTATION MARK", '‘'),
    ("LEFTWARDS ARROW", '←'),
    ("MICRO SIGN", 'µ'),
    ("MIDDLE DOT", '·'),
    ("MULTIPLICATION SIGN", '×'),
    ("NO-BREAK SPACE", '\u{a0}'),
    ("PLUS-MINUS SIGN", '±'),
    ("REPLACEMENT CHARACTER", '\u{fffd}'),
    ("RIGHT DOUBLE QUOTATION MARK", '”'),
    ("RIGHT SINGLE QUOTATION MARK", '’'),
    ("RIGHTWARDS ARROW", '→'),
    ("SNOWMAN", '☃'),
    ("UPWARDS ARROW", '↑'),
    ("WARNING SIGN", '⚠'),
    ("WHITE HEAVY CHECK MARK", '✅'),
];

/// The character of this name, in letters of either case.
#[must_use]
pub fn character(name: &str) -> Option<char> {
    let known = NAMES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    known.map(|(_, character)| *character)
}

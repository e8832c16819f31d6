//! Brace expansion: `{a,b}` and `{1..9}` on words, before anything else.
//!
//! Works on the parts of a word: only bare literal text holds active braces, so
//! quotes and expansions inside an alternative stay as they are.

use super::tree::{PartKind, Quoting, Word, WordPart};

/// The most words one word may become.
const MAX_WORDS: usize = 256;

/// The expansion has more words than are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// The words that a word stands for; itself where nothing is to expand.
pub fn expand(word: &Word) -> Result<Vec<Word>, TooMany> {
    let active = word
        .parts
        .iter()
        .any(|part| bare(part).is_some_and(|text| text.contains('{')));
    if !active {
        return Ok(vec![word.clone()]);
    }
    let mut budget = MAX_WORDS * 16;
    let rows = alternatives(&atoms(word), &mut budget, 0)?;
    if rows.len() > MAX_WORDS {
        return Err(TooMany);
    }
    Ok(rows.into_iter().map(|row| joined(row, word)).collect())
}

/// A bare character, or a part that braces do not look into.
#[derive(Clone, Debug)]
enum Atom {
    Bare(char, crate::ir::Span),
    Whole(WordPart),
}

impl Atom {
    fn is(&self, wanted: char) -> bool {
        matches!(self, Self::Bare(character, _) if *character == wanted)
    }
}

fn bare(part: &WordPart) -> Option<&str> {
    match &part.kind {
        PartKind::Literal(text) if part.quoting == Quoting::Bare => Some(text),
        PartKind::Literal(_)
        | PartKind::Parameter(_)
        | PartKind::Command(_)
        | PartKind::Process(..)
        | PartKind::Arithmetic(_) => None,
    }
}

fn atoms(word: &Word) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for part in &word.parts {
        match bare(part) {
            Some(text) => atoms.extend(
                text.chars()
                    .map(|character| Atom::Bare(character, part.span)),
            ),
            None => atoms.push(Atom::Whole(part.clone())),
        }
    }
    atoms
}

fn joined(row: Vec<Atom>, word: &Word) -> Word {
    let mut parts: Vec<WordPart> = Vec::new();
    for atom in row {
        match atom {
            Atom::Whole(part) => parts.push(part),
            Atom::Bare(character, span) => match parts.last_mut() {
                Some(WordPart {
                    kind: PartKind::Literal(text),
                    quoting: Quoting::Bare,
                    ..
                }) => text.push(character),
                _ => parts.push(WordPart {
                    kind: PartKind::Literal(character.to_string()),
                    quoting: Quoting::Bare,
                    span,
                }),
            },
        }
    }
    Word {
        parts,
        span: word.span,
    }
}

type BraceRow = Vec<Atom>;

/// Expands the first brace expression and what follows it.
fn alternatives(
    atoms: &[Atom],
    budget: &mut usize,
    depth: usize,
) -> Result<Vec<BraceRow>, TooMany> {
    *budget = budget.checked_sub(1).ok_or(TooMany)?;
    if depth > 32 {
        return Err(TooMany);
    }
    for (open, _) in atoms.iter().enumerate().filter(|(_, atom)| atom.is('{')) {
        let inside = atoms.get(open + 1..).unwrap_or_default();
        let Some(choices) = choices(inside, budget, depth)? else {
            continue;
        };
        let before = atoms.get(..open).unwrap_or_default();
        let after = inside.get(choices.length..).unwrap_or_default();
        let tails = alternatives(after, budget, depth + 1)?;
        let mut rows = Vec::new();
        for choice in &choices.rows {
            for tail in &tails {
                *budget = budget.checked_sub(1).ok_or(TooMany)?;
                rows.push([before, choice, tail].concat());
            }
        }
        return Ok(rows);
    }
    Ok(vec![atoms.to_vec()])
}

/// What one brace expression stands for, and how many atoms it takes with its `}`.
struct BraceChoices {
    rows: Vec<BraceRow>,
    length: usize,
}

fn choices(
    inside: &[Atom],
    budget: &mut usize,
    depth: usize,
) -> Result<Option<BraceChoices>, TooMany> {
    let mut nesting = 0_usize;
    let mut cuts = Vec::new();
    let mut close = None;
    for (at, atom) in inside.iter().enumerate() {
        if atom.is('{') {
            nesting += 1;
        } else if atom.is('}') && nesting == 0 {
            close = Some(at);
            break;
        } else if atom.is('}') {
            nesting -= 1;
        } else if atom.is(',') && nesting == 0 {
            cuts.push(at);
        }
    }
    let Some(close) = close else {
        return Ok(None);
    };
    let length = close + 1;
    if cuts.is_empty() {
        let rows = sequence(inside.get(..close).unwrap_or_default())?;
        return Ok(rows.map(|rows| BraceChoices { rows, length }));
    }
    cuts.push(close);
    let mut rows = Vec::new();
    let mut start = 0;
    for cut in cuts {
        let piece = inside.get(start..cut).unwrap_or_default();
        rows.extend(alternatives(piece, budget, depth + 1)?);
        start = cut + 1;
    }
    Ok(Some(BraceChoices { rows, length }))
}

type Items = Box<dyn Iterator<Item = String>>;

/// `{1..5}`, `{a..e}`, `{1..9..2}`.
fn sequence(inside: &[Atom]) -> Result<Option<Vec<BraceRow>>, TooMany> {
    let mut text = String::new();
    let mut place = crate::ir::Span::default();
    for atom in inside {
        let Atom::Bare(character, span) = atom else {
            return Ok(None);
        };
        text.push(*character);
        place = *span;
    }
    let pieces: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match pieces.as_slice() {
        [first, last] => (*first, *last, "1"),
        [first, last, step] => (*first, *last, *step),
        _ => return Ok(None),
    };
    let Ok(step) = step.parse::<i64>() else {
        return Ok(None);
    };
    let items = match numbers(first, last, step) {
        Some(items) => items,
        None => match letters(first, last, step)? {
            Some(items) => items,
            None => return Ok(None),
        },
    };
    let items: Vec<String> = items.take(MAX_WORDS + 1).collect();
    if items.len() > MAX_WORDS {
        return Err(TooMany);
    }
    let row = |item: String| {
        item.chars()
            .map(|character| Atom::Bare(character, place))
            .collect()
    };
    Ok(Some(items.into_iter().map(row).collect()))
}

fn numbers(first: &str, last: &str, step: i64) -> Option<Items> {
    let (from, to) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
    let padded = |text: &str| {
        text.trim_start_matches('-').starts_with('0') && text.trim_start_matches('-').len() > 1
    };
    let width = if padded(first) || padded(last) {
        first.len().max(last.len())
    } else {
        0
    };
    Some(Box::new(
        stride(from, to, step)?.map(move |number| format!("{number:0width$}")),
    ))
}

fn letters(first: &str, last: &str, step: i64) -> Result<Option<Items>, TooMany> {
    let letter = |text: &str| {
        let mut characters = text.chars();
        let letter = characters.next().filter(char::is_ascii_alphabetic)?;
        characters
            .next()
            .is_none()
            .then_some(i64::from(u32::from(letter)))
    };
    let (Some(from), Some(to)) = (letter(first), letter(last)) else {
        return Ok(None);
    };
    // Between upper and lower case stand characters that are special to the shell.
    if (from < 97) != (to < 97) {
        return Err(TooMany);
    }
    let name = |code: i64| u8::try_from(code).map_or('?', char::from).to_string();
    Ok(stride(from, to, step).map(|codes| Box::new(codes.map(name)) as Items))
}

fn stride(from: i64, to: i64, step: i64) -> Option<impl Iterator<Item = i64>> {
    let size = step.checked_abs()?.max(1);
    let step = if from <= to { size } else { -size };
    Some(std::iter::successors(Some(from), move |at| {
        at.checked_add(step)
            .filter(|next| if step > 0 { *next <= to } else { *next >= to })
    }))
}

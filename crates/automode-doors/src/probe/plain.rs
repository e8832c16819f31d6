//! Text as a model reads it: without what cannot be seen, with look-alikes as what they look like.

use automode_shell::invisible::is_invisible;

/// The text without invisible characters and with look-alikes resolved.
pub(super) fn of(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| !is_invisible(*c))
        .map(latin)
        .collect()
}

/// The Latin letter that a letter looks like; itself where it looks like none.
fn latin(c: char) -> char {
    match c {
        // Full width, as in a form of its own.
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = u32::from(c).saturating_sub(0xfee0);
            char::from_u32(ascii).unwrap_or(c)
        }
        'а' | 'ɑ' | 'α' => 'a',
        'е' | 'є' | 'ε' => 'e',
        'о' | 'ο' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'с' | 'ϲ' => 'c',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'і' | 'ι' | 'ı' => 'i',
        'ѕ' => 's',
        'ј' => 'j',
        'ԁ' => 'd',
        'ɡ' => 'g',
        'һ' => 'h',
        'ո' => 'n',
        'т' => 't',
        'υ' => 'u',
        'ν' | 'ѵ' => 'v',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'Е' | 'Ε' => 'E',
        'І' | 'Ι' => 'I',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'С' => 'C',
        'Т' | 'Τ' => 'T',
        'Ѕ' => 'S',
        'М' | 'Μ' => 'M',
        'Н' | 'Η' => 'H',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
        '\u{2018}' | '\u{2019}' => '\'',
        _ => c,
    }
}

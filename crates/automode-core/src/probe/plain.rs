//! Text as a model reads it: without what cannot be seen, with look-alikes as what they look like.

use automode_shell::invisible::is_invisible;

/// The text without invisible characters and with look-alikes resolved.
pub(super) fn of(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| !is_invisible(*c) && !is_combining(*c))
        .map(latin)
        .collect()
}

/// Marks above and below letters, which a reader looks past.
const fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

/// The letter at a place of an alphabet that stands in the code table as a block.
fn letter(c: char, block: u32, first: char) -> char {
    let at = u32::from(c).saturating_sub(block) % 26;
    char::from_u32(u32::from(first).saturating_add(at)).unwrap_or(c)
}

/// The Latin letter that a letter looks like; itself where it looks like none.
fn latin(c: char) -> char {
    match c {
        // Full width, as in a form of its own.
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = u32::from(c).saturating_sub(0xfee0);
            char::from_u32(ascii).unwrap_or(c)
        }
        // Letters of formulas: capitals and small ones in turn, in many hands.
        '\u{1d400}'..='\u{1d6a3}' => {
            let small = (u32::from(c).saturating_sub(0x1d400) / 26) % 2 == 1;
            letter(c, 0x1d400, if small { 'a' } else { 'A' })
        }
        // Letters in circles and squares.
        '\u{24b6}'..='\u{24cf}' => letter(c, 0x24b6, 'A'),
        '\u{24d0}'..='\u{24e9}' => letter(c, 0x24d0, 'a'),
        '\u{1f130}'..='\u{1f149}' => letter(c, 0x1f130, 'A'),
        '\u{1f150}'..='\u{1f169}' => letter(c, 0x1f150, 'A'),
        '\u{1f170}'..='\u{1f189}' => letter(c, 0x1f170, 'A'),
        'À'..='Å' => 'A',
        'È'..='Ë' => 'E',
        'Ì'..='Ï' => 'I',
        'Ò'..='Ö' | 'Ø' => 'O',
        'Ù'..='Ü' => 'U',
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ᴀ' => 'a',
        'è'..='ë' | 'ē' | 'ę' | 'ě' | 'ᴇ' => 'e',
        'ì'..='ï' | 'ī' | 'ɪ' | 'ℹ' => 'i',
        'ò'..='ö' | 'ø' | 'ō' | 'ᴏ' => 'o',
        'ù'..='ü' | 'ū' | 'ů' | 'ᴜ' => 'u',
        'ñ' | 'ń' | 'ɴ' => 'n',
        'ç' | 'ć' | 'č' | 'ᴄ' => 'c',
        'ś' | 'š' | 'ꜱ' => 's',
        'ɢ' => 'g',
        'ʀ' => 'r',
        'ʟ' => 'l',
        'ᴛ' => 't',
        'ᴘ' => 'p',
        'ᴠ' => 'v',
        'ᴅ' => 'd',
        'ᴍ' => 'm',
        'ʏ' => 'y',
        'ʜ' | 'ℎ' => 'h',
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
        'υ' | 'ս' => 'u',
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

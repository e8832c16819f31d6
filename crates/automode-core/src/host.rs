//! One spelling for each host, whatever a client would still understand.
//!
//! Letters are folded, names of other scripts encoded, and numbers in any base are
//! the address that they mean: a rule on a host must not be escaped by its spelling.

use core::net::{Ipv4Addr, Ipv6Addr};

use automode_shell::invisible::is_invisible;

use crate::escape::percent_decoded;

/// Lower case, no trailing dot, look-alike forms of ASCII folded, other letters in
/// their ASCII encoding.
#[must_use]
pub fn normal(host: &str) -> String {
    // A zone of an IPv6 address has a sign of its own.
    let host = if host.contains(':') {
        host.into()
    } else {
        percent_decoded(host)
    };
    let folded: String = host
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| match c {
            '\u{3002}' | '\u{ff0e}' | '\u{ff61}' => '.',
            '\u{ff01}'..='\u{ff5e}' => u32::from(c)
                .checked_sub(0xfee0)
                .and_then(char::from_u32)
                .unwrap_or(c),
            c => plain_form(c).unwrap_or(c),
        })
        .flat_map(char::to_lowercase)
        .collect();
    let labels: Vec<String> = folded
        .trim_end_matches('.')
        .split('.')
        .map(|label| {
            if label.is_ascii() {
                label.to_owned()
            } else {
                punycode(label).map_or_else(|| label.to_owned(), |code| format!("xn--{code}"))
            }
        })
        .collect();
    let name = labels.join(".");
    address(&name).unwrap_or(name)
}

/// The letter or digit that a circled, raised, lowered or styled one stands for.
fn plain_form(c: char) -> Option<char> {
    let at = u32::from(c);
    let step = |start: u32, first: char, count: u32| {
        let place = at.checked_sub(start)?.checked_rem(count)?;
        char::from_u32(u32::from(first).checked_add(place)?)
    };
    match c {
        '\u{b9}' => Some('1'),
        '\u{b2}' | '\u{b3}' => step(0xb2, '2', 10),
        '\u{2070}' | '\u{2074}'..='\u{2079}' => step(0x2070, '0', 10),
        '\u{2080}'..='\u{2089}' => step(0x2080, '0', 10),
        '\u{2460}'..='\u{2468}' => step(0x2460, '1', 9),
        '\u{24ea}' => Some('0'),
        '\u{24b6}'..='\u{24cf}' => step(0x24b6, 'a', 26),
        '\u{24d0}'..='\u{24e9}' => step(0x24d0, 'a', 26),
        '\u{1d400}'..='\u{1d6a3}' => step(0x1d400, 'a', 26),
        '\u{1d7ce}'..='\u{1d7ff}' => step(0x1d7ce, '0', 10),
        _ => None,
    }
}

/// A number in any base, as the address that a client connects to.
fn address(name: &str) -> Option<String> {
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let bare = bare.split('%').next().unwrap_or(bare);
    if let Ok(six) = bare.parse::<Ipv6Addr>() {
        let four = six.to_ipv4_mapped();
        return Some(four.map_or_else(|| six.to_string(), |four| four.to_string()));
    }
    let parts: Option<Vec<u64>> = name.split('.').map(number).collect();
    let parts = parts.filter(|parts| (1..=4).contains(&parts.len()))?;
    let (last, leading) = parts.split_last()?;
    if leading.iter().any(|part| *part > 255) {
        return None;
    }
    let shift = u32::try_from(leading.len()).ok()?.checked_mul(8)?;
    let high = leading
        .iter()
        .enumerate()
        .try_fold(0_u64, |sum, (at, part)| {
            let places = 24_u32.checked_sub(u32::try_from(at).ok()?.checked_mul(8)?)?;
            sum.checked_add(part.checked_shl(places)?)
        })?;
    let room = 1_u64.checked_shl(32_u32.checked_sub(shift)?)?;
    (*last < room).then_some(())?;
    let whole = u32::try_from(high.checked_add(*last)?).ok()?;
    Some(Ipv4Addr::from(whole).to_string())
}

/// `169`, `0251`, `0xa9`.
fn number(part: &str) -> Option<u64> {
    match part.strip_prefix("0x") {
        Some("") => Some(0),
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u64::from_str_radix(part, 8).ok(),
        None if part.bytes().all(|byte| byte.is_ascii_digit()) => part.parse().ok(),
        None => None,
    }
}

/// RFC 3492, encoding only.
fn punycode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    let digit = |d: u32| {
        let at = usize::try_from(d).ok()?;
        "abcdefghijklmnopqrstuvwxyz0123456789".chars().nth(at)
    };
    let mut output: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(output.len()).ok()?;
    let mut handled = basic;
    if basic > 0 {
        output.push('-');
    }
    let total = u32::try_from(label.chars().count()).ok()?;
    let (mut n, mut delta, mut bias) = (128_u32, 0_u32, 72_u32);
    while handled < total {
        let next = label.chars().map(u32::from).filter(|c| *c >= n).min()?;
        delta = delta.checked_add(next.checked_sub(n)?.checked_mul(handled.checked_add(1)?)?)?;
        n = next;
        for c in label.chars().map(u32::from) {
            if c < n {
                delta = delta.checked_add(1)?;
            }
            if c == n {
                let mut q = delta;
                let mut k = BASE;
                loop {
                    let t = k.saturating_sub(bias).clamp(1, 26);
                    if q < t {
                        break;
                    }
                    let (over, step) = (q.checked_sub(t)?, BASE.checked_sub(t)?);
                    output.push(digit(t.checked_add(over.checked_rem(step)?)?)?);
                    q = over.checked_div(step)?;
                    k = k.checked_add(BASE)?;
                }
                output.push(digit(q)?);
                bias = adapted(delta, handled.checked_add(1)?, handled == basic)?;
                delta = 0;
                handled = handled.checked_add(1)?;
            }
        }
        delta = delta.checked_add(1)?;
        n = n.checked_add(1)?;
    }
    Some(output)
}

fn adapted(delta: u32, points: u32, first: bool) -> Option<u32> {
    let mut delta = delta.checked_div(if first { 700 } else { 2 })?;
    delta = delta.checked_add(delta.checked_div(points)?)?;
    let mut k = 0_u32;
    while delta > 455 {
        delta = delta.checked_div(35)?;
        k = k.checked_add(36)?;
    }
    k.checked_add(delta.checked_mul(36)?.checked_div(delta.checked_add(38)?)?)
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn every_spelling_of_a_host_is_one() {
        for (host, expected) in [
            ("Example.COM.", "example.com"),
            ("metadata.google.internal.", "metadata.google.internal"),
            ("0xa9.254.169.254", "169.254.169.254"),
            ("0251.0376.0251.0376", "169.254.169.254"),
            ("0xa9fea9fe", "169.254.169.254"),
            ("2852039166", "169.254.169.254"),
            ("169.16689662", "169.254.169.254"),
            ("::ffff:169.254.169.254", "169.254.169.254"),
            ("[::FFFF:a9fe:a9fe]", "169.254.169.254"),
            ("0:0:0:0:0:0:0:1", "::1"),
            ("127.1", "127.0.0.1"),
            ("1.2.3.4.5", "1.2.3.4.5"),
            ("256.1.1.1", "256.1.1.1"),
            ("b\u{fc}cher.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(normal(host), expected, "{host}");
        }
    }
}

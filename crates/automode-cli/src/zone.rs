//! The time zone of this machine: how far local time is from UTC at a moment.
//!
//! `TZ` names a zone or is a rule itself; without it `/etc/localtime` counts. The
//! compiled file lists changes of the past, and its last line is the rule for all that
//! follow. What cannot be read is UTC.

use std::fs;
use std::path::PathBuf;

const HEADER: usize = 44;
const DAY: i64 = 86_400;

/// Seconds east of UTC at a moment in seconds since the epoch.
pub fn offset_at(at: i64) -> i64 {
    let named = std::env::var("TZ").ok();
    offset_in(named.as_deref(), at).unwrap_or_default()
}

/// `+01:00`.
pub fn name(offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

fn offset_in(named: Option<&str>, at: i64) -> Option<i64> {
    let path = match named.map(|name| name.trim_start_matches(':')) {
        None => PathBuf::from("/etc/localtime"),
        Some("") => return Some(0),
        Some(path) if path.starts_with('/') => PathBuf::from(path),
        Some(name) if name.contains("..") => return None,
        Some(name) => PathBuf::from("/usr/share/zoneinfo").join(name),
    };
    match (fs::read(path), named) {
        (Ok(bytes), _) => compiled(&bytes, at),
        (Err(_), Some(rule)) => by_rule(rule.trim_start_matches(':'), at),
        (Err(_), None) => None,
    }
}

/// The counts of one header: what decides the lengths behind it.
struct ZoneCounts {
    utc: usize,
    standard: usize,
    leaps: usize,
    times: usize,
    types: usize,
    letters: usize,
}

fn counts(bytes: &[u8], start: usize) -> Option<ZoneCounts> {
    let header = bytes.get(start..start.checked_add(HEADER)?)?;
    header.starts_with(b"TZif").then_some(())?;
    let count = |at: usize| {
        let number: [u8; 4] = header.get(at..at.checked_add(4)?)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(number)).ok()
    };
    Some(ZoneCounts {
        utc: count(20)?,
        standard: count(24)?,
        leaps: count(28)?,
        times: count(32)?,
        types: count(36)?,
        letters: count(40)?,
    })
}

impl ZoneCounts {
    /// How long the data behind a header is, with times of this width.
    fn length(&self, width: usize) -> Option<usize> {
        let parts = [
            self.times.checked_mul(width.checked_add(1)?)?,
            self.types.checked_mul(6)?,
            self.letters,
            self.leaps.checked_mul(width.checked_add(4)?)?,
            self.standard,
            self.utc,
        ];
        parts.into_iter().try_fold(0_usize, usize::checked_add)
    }
}

/// A compiled zone: the second block, whose times have eight bytes, and the rule behind it.
fn compiled(bytes: &[u8], at: i64) -> Option<i64> {
    let start = counts(bytes, 0)?.length(4)?.checked_add(HEADER)?;
    let known = counts(bytes, start)?;
    let data = start.checked_add(HEADER)?;
    let rule = bytes.get(data.checked_add(known.length(8)?)?..)?;
    let rule = std::str::from_utf8(rule).ok()?.trim_matches('\n');
    let time = |index: usize| {
        let from = data.checked_add(index.checked_mul(8)?)?;
        let number: [u8; 8] = bytes.get(from..from.checked_add(8)?)?.try_into().ok()?;
        Some(i64::from_be_bytes(number))
    };
    let indices = data.checked_add(known.times.checked_mul(8)?)?;
    let types = indices.checked_add(known.times)?;
    let passed = (0..known.times)
        .take_while(|index| time(*index).is_some_and(|time| time <= at))
        .count();
    if passed == known.times && !rule.is_empty() {
        return by_rule(rule, at);
    }
    let index = match passed.checked_sub(1) {
        None => 0,
        Some(last) => usize::from(*bytes.get(indices.checked_add(last)?)?),
    };
    let from = types.checked_add(index.checked_mul(6)?)?;
    let number: [u8; 4] = bytes.get(from..from.checked_add(4)?)?.try_into().ok()?;
    Some(i64::from(i32::from_be_bytes(number)))
}

/// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
fn by_rule(rule: &str, at: i64) -> Option<i64> {
    let (zone, changes) = rule.split_once(',').unwrap_or((rule, ""));
    let rest = after_name(zone)?;
    let (standard, rest) = hours(rest)?;
    let standard = standard.checked_neg()?;
    if rest.is_empty() {
        return Some(standard);
    }
    let rest = after_name(rest)?;
    let summer = match hours(rest) {
        Some((offset, _)) => offset.checked_neg()?,
        None => standard.checked_add(3_600)?,
    };
    let (begins, ends) = changes.split_once(',')?;
    let year = year_of(at.checked_add(standard)?.div_euclid(DAY));
    let begins = change(begins, year)?.checked_sub(standard)?;
    let ends = change(ends, year)?.checked_sub(summer)?;
    let is_summer = if begins < ends {
        (begins..ends).contains(&at)
    } else {
        !(ends..begins).contains(&at)
    };
    Some(if is_summer { summer } else { standard })
}

/// What follows the letters of a zone's name.
fn after_name(text: &str) -> Option<&str> {
    if let Some(quoted) = text.strip_prefix('<') {
        return quoted.split_once('>').map(|(_, rest)| rest);
    }
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    (rest.len() < text.len()).then_some(rest)
}

/// `-1`, `+5:30`, `2`: in seconds, and what follows.
fn hours(text: &str) -> Option<(i64, &str)> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != ':')
        .unwrap_or(text.len());
    let (clock, rest) = text.split_at_checked(end)?;
    let mut seconds = 0_i64;
    let mut unit = 3_600;
    for part in clock.split(':') {
        let count: i64 = part.parse().ok().filter(|count| *count < 200)?;
        seconds = seconds.checked_add(count.checked_mul(unit)?)?;
        unit /= 60;
    }
    Some((seconds.checked_mul(sign)?, rest))
}

/// When a change comes in a year: local seconds since the epoch.
fn change(text: &str, year: i64) -> Option<i64> {
    let (date, time) = text.split_once('/').unwrap_or((text, "2"));
    let (time, _) = hours(time)?;
    let day = match date.strip_prefix('M') {
        Some(date) => {
            let mut parts = date.split('.').map(|part| part.parse::<i64>().ok());
            let (month, week, weekday) = (parts.next()??, parts.next()??, parts.next()??);
            let first = days_before(year, month);
            // The first of January 1970 was a Thursday.
            let lead = weekday.checked_sub(first.checked_add(4)?)?.rem_euclid(7);
            let day = first
                .checked_add(lead)?
                .checked_add(week.checked_sub(1)?.checked_mul(7)?)?;
            let next = if month == 12 {
                days_before(year.checked_add(1)?, 1)
            } else {
                days_before(year, month.checked_add(1)?)
            };
            if day < next { day } else { day.checked_sub(7)? }
        }
        None => {
            let (number, skips) = match date.strip_prefix('J') {
                Some(number) => (number.parse::<i64>().ok()?.checked_sub(1)?, true),
                None => (date.parse::<i64>().ok()?, false),
            };
            let leap = days_before(year, 3).checked_sub(days_before(year, 2)) == Some(29);
            let shift = i64::from(skips && leap && number >= 59);
            days_before(year, 1)
                .checked_add(number)?
                .checked_add(shift)?
        }
    };
    day.checked_mul(DAY)?.checked_add(time)
}

/// Days from the epoch to the first of a month.
fn days_before(year: i64, month: i64) -> i64 {
    let shifted = if month <= 2 {
        year.saturating_sub(1)
    } else {
        year
    };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (month.saturating_add(9) % 12)
        .saturating_mul(153)
        .saturating_add(2)
        / 5;
    let days = of_era
        .saturating_mul(365)
        .saturating_add(of_era / 4)
        .saturating_sub(of_era / 100)
        .saturating_add(of_year);
    era.saturating_mul(146_097)
        .saturating_add(days)
        .saturating_sub(719_468)
}

fn year_of(day: i64) -> i64 {
    let guess = day.div_euclid(365).saturating_add(1971);
    let mut year = guess;
    while days_before(year, 1) > day {
        year = year.saturating_sub(1);
    }
    year
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_change_with_the_season() {
        let check = |rule: &str, at: i64, expected: &str| {
            assert_eq!(
                by_rule(rule, at).map(name).as_deref(),
                Some(expected),
                "{rule} {at}"
            );
        };
        let (january, july) = (1_768_478_400, 1_784_116_800);
        check("UTC0", january, "+00:00");
        check("CET-1CEST,M3.5.0,M10.5.0/3", january, "+01:00");
        check("CET-1CEST,M3.5.0,M10.5.0/3", july, "+02:00");
        // The hour around the change of 25 October 2026, 01:00 UTC.
        check("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_889_999, "+02:00");
        check("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_890_000, "+01:00");
        check("EST5EDT,M3.2.0,M11.1.0", july, "-04:00");
        check("<+0530>-5:30", july, "+05:30");
        check("AEST-10AEDT,M10.1.0,M4.1.0/3", january, "+11:00");
        check("AEST-10AEDT,M10.1.0,M4.1.0/3", july, "+10:00");
        for wrong in ["", "5", "CET", "CET-1CEST,nonsense", "<x"] {
            assert_eq!(by_rule(wrong, july), None, "{wrong}");
        }
    }

    #[test]
    fn compiled_zones_are_read() {
        for (zone, winter, summer) in [
            ("Europe/Berlin", "+01:00", "+02:00"),
            ("America/New_York", "-05:00", "-04:00"),
            ("Asia/Kolkata", "+05:30", "+05:30"),
        ] {
            if PathBuf::from("/usr/share/zoneinfo").join(zone).exists() {
                let seen = |at| offset_in(Some(zone), at).map(name);
                assert_eq!(seen(1_768_478_400).as_deref(), Some(winter), "{zone}");
                assert_eq!(seen(1_784_116_800).as_deref(), Some(summer), "{zone}");
                assert_eq!(
                    seen(1_000_000_000).as_deref(),
                    Some(summer),
                    "{zone} in 2001"
                );
            }
        }
        assert_eq!(compiled(b"TZif", 0), None);
        assert_eq!(compiled(&[0; 200], 0), None);
    }
}

//! The time, and how it is written.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::ingest::DAY;

/// Milliseconds since the epoch.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The day that a time lies in, counted from the epoch.
#[must_use]
pub fn day(time: u64) -> i64 {
    i64::try_from(time / DAY).unwrap_or_default()
}

/// `2026-11-16`.
#[must_use]
pub fn date(day: i64) -> String {
    // Days to year, month and day: the years are counted from March, so that the leap day
    // is the last one of a year (Howard Hinnant, `civil_from_days`).
    let shifted = day.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day_of_month = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

/// `12:40:07`, in UTC.
#[must_use]
pub fn time_of_day(time: u64) -> String {
    let seconds = time % DAY / 1_000;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

/// `2026-11-16 12:40:07`, in UTC.
#[must_use]
pub fn stamp(time: u64) -> String {
    format!("{} {}", date(day(time)), time_of_day(time))
}

/// `3 minutes ago`.
#[must_use]
pub fn ago(time: u64, now: u64) -> String {
    let seconds = now.saturating_sub(time) / 1_000;
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (day, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_773, "2026-11-16"),
        ] {
            assert_eq!(date(day), expected);
        }
    }

    #[test]
    fn the_past_is_told_in_words() {
        for (seconds, expected) in [
            (5, "just now"),
            (60, "1 minute ago"),
            (7_200, "2 hours ago"),
            (200_000, "2 days ago"),
        ] {
            assert_eq!(ago(0, seconds * 1_000), expected);
        }
    }
}

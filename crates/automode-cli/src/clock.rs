//! Times as people write and read them: local, with the zone where the date stands.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::zone;

const DAY: u64 = 86_400;

/// Now, in milliseconds since the epoch.
pub fn now() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// `2026-11-15 22:39:09 +01:00`.
pub fn stamp(milliseconds: u64) -> String {
    let zone = zone::name(offset(milliseconds));
    format!("{} {} {zone}", day(milliseconds), time(milliseconds))
}

/// `22:39:09`.
pub fn time(milliseconds: u64) -> String {
    let seconds = local(milliseconds) / 1000;
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{hour:02}:{minute:02}:{second:02}")
}

/// `2026-11-15`, as it was here.
pub fn day(milliseconds: u64) -> String {
    date(local(milliseconds))
}

/// `2026-11-15 (+01:00)`.
pub fn day_and_zone(milliseconds: u64) -> String {
    format!(
        "{} ({})",
        day(milliseconds),
        zone::name(offset(milliseconds))
    )
}

fn offset(milliseconds: u64) -> i64 {
    zone::offset_at(i64::try_from(milliseconds / 1000).unwrap_or_default())
}

fn local(milliseconds: u64) -> u64 {
    milliseconds.saturating_add_signed(offset(milliseconds).saturating_mul(1000))
}

fn date(milliseconds: u64) -> String {
    let days = milliseconds / 1000 / DAY;
    // Days since 1 March of year 0, in cycles of 400 years.
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = of_era
        .saturating_sub(of_era / 1_460)
        .saturating_add(of_era / 36_524)
        .saturating_sub(of_era / 146_096)
        / 365;
    let before = year
        .saturating_mul(365)
        .saturating_add(year / 4)
        .saturating_sub(year / 100);
    let of_year = of_era.saturating_sub(before);
    let shifted = of_year.saturating_mul(5).saturating_add(2) / 153;
    let first = shifted.saturating_mul(153).saturating_add(2) / 5;
    let date = of_year.saturating_sub(first).saturating_add(1);
    let month = if shifted < 10 {
        shifted.saturating_add(3)
    } else {
        shifted.saturating_sub(9)
    };
    let year = year
        .saturating_add(era.saturating_mul(400))
        .saturating_add(u64::from(month <= 2));
    format!("{year:04}-{month:02}-{date:02}")
}

/// `90s`, `15m`, `2h`, `7d`.
pub fn span(text: &str) -> Result<Duration, String> {
    let (digits, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => DAY,
        _ => {
            return Err(format!(
                "`{text}` is not a span of time (hint: 90s, 15m, 2h, 7d)"
            ));
        }
    };
    digits
        .parse::<u64>()
        .map(|count| Duration::from_secs(count.saturating_mul(seconds)))
        .map_err(|_| format!("`{text}` is not a span of time (hint: 90s, 15m, 2h, 7d)"))
}

/// `3 minutes ago`.
pub fn ago(milliseconds: u64) -> String {
    let seconds = now().saturating_sub(milliseconds) / 1000;
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..DAY => (seconds / 3_600, "hour"),
        _ => (seconds / DAY, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_spans() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400_000), "2000-02-29");
        assert_eq!(date(4_107_542_400_000), "2100-03-01");
        assert_eq!(span("2h"), Ok(Duration::from_secs(7200)));
        for wrong in ["", "h", "2", "2w", "-1s"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }
}

//! Timestamps in the form of RFC 3339.

use crate::Timestamp;

const SECONDS_PER_DAY: i64 = 86_400;

impl Timestamp {
    /// Parses a timestamp such as `2026-09-21T14:13:20.25Z` or `2026-09-21T16:13:20+02:00`; `None` if it is not valid.
    ///
    /// A leap second counts as the second that follows it.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let number = |from: usize, to: usize| -> Option<i64> {
            let digits =
                text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
            digits.parse().ok()
        };
        let has = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|byte| allowed.contains(byte));
        let separators = [(4, b"-"), (7, b"-"), (13, b":"), (16, b":")];
        if !separators.into_iter().all(|(at, byte)| has(at, byte)) || !has(10, b"Tt ") {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let is_valid = (1..=12).contains(&month)
            && (1..=days_of_month(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second <= 60;
        if !is_valid {
            return None;
        }
        let rest = text.get(19..)?;
        let digits = rest.strip_prefix('.').map_or(0, |fraction| fraction_digits(fraction) + 1);
        let (fraction, zone) = rest.split_at_checked(digits)?;
        let fraction: f64 = if fraction.is_empty() { 0.0 } else { format!("0{fraction}").parse().ok()? };
        if digits == 1 {
            return None;
        }
        let seconds =
            days_since_1970(year, month, day) * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second
                - parse_zone(zone)?;
        #[expect(clippy::cast_precision_loss, reason = "four digits of years are far below 2^53 seconds")]
        Self::from_seconds(seconds as f64 + fraction)
    }

    /// Writes the timestamp in UTC with milliseconds, as in `2026-09-21T14:13:20.250Z`; `None` outside of the years 0
    /// to 9999.
    pub fn to_rfc3339(self) -> Option<String> {
        let milliseconds = (self.as_seconds() * 1e3).round();
        if !(-62_167_219_200_000.0..253_402_300_800_000.0).contains(&milliseconds) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the range is checked, and the value has no fraction"
        )]
        let milliseconds = milliseconds as i64;
        let (seconds, millisecond) = (milliseconds.div_euclid(1_000), milliseconds.rem_euclid(1_000));
        let (days, second) = (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
        let (year, month, day) = date_of(days);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z"))
    }
}

fn fraction_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the offset of a time zone in seconds.
fn parse_zone(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match (zone.strip_prefix('+'), zone.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |text: &str| -> Option<i64> {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year => 29,
        2 => 28,
        _ => 31,
    }
}

/// Returns the days since 1970. Years begin in March, so that the leap day is the last one of a year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Returns year, month and day; the inverse of [`days_since_1970`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

//! Formatting of the timestamps of the journal.

/// Formats milliseconds since 1970-01-01 as an RFC 3339 timestamp in UTC.
pub fn rfc3339(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}

/// Returns year, month and day of a day, counted from 1970-01-01.
///
/// Years are counted from March, so that the leap day is the last day of a year and the lengths of the preceding
/// months repeat: every five months have 153 days.
fn date(days: u64) -> (u64, u64, u64) {
    // From 0000-03-01; 146,097 days are 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = 400 * era + year;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(milliseconds: u64, expected: &str) {
        assert_eq!(rfc3339(milliseconds), expected);
    }

    #[test]
    fn times_are_written_in_utc() {
        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_399_999, "2000-02-28T23:59:59.999Z");
        check(951_782_400_000, "2000-02-29T00:00:00.000Z");
        check(951_868_800_000, "2000-03-01T00:00:00.000Z");
        check(1_709_164_800_000, "2024-02-29T00:00:00.000Z");
        check(1_735_689_599_001, "2024-12-31T23:59:59.001Z");
        check(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
        check(1_000_000_000_123, "2001-09-09T01:46:40.123Z");
    }

    #[test]
    fn consecutive_days_have_consecutive_dates() {
        let mut before = date(0);
        for days in 1..300_000 {
            let (year, month, day) = date(days);
            let (old_year, old_month, old_day) = before;
            let is_next = (year, month, day) == (old_year, old_month, old_day + 1)
                || ((year, month, day) == (old_year, old_month + 1, 1) && old_day >= 28)
                || ((year, month, day) == (old_year + 1, 1, 1) && (old_month, old_day) == (12, 31));
            assert!(is_next && day <= 31, "{before:?} and {:?}", (year, month, day));
            before = (year, month, day);
        }
    }

    #[test]
    fn the_latest_timestamp_can_be_formatted() {
        assert!(rfc3339(u64::MAX).ends_with('Z'));
    }
}

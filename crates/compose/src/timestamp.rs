//! Timestamps in configuration files.

/// Returns whether `text` is a date such as `2026-05-01` or an RFC 3339 timestamp such as
/// `2026-05-01T09:00:00Z`. The seconds and the time zone are optional.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(10) else { return false };
    is_date(date) && (time.is_empty() || time.strip_prefix(['T', 't', ' ']).is_some_and(is_time))
}

fn is_date(date: &str) -> bool {
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let (time, is_zoned) = match text.strip_suffix(['Z', 'z']) {
        Some(time) => (time, true),
        None => match text.rfind(['+', '-']).and_then(|at| text.split_at_checked(at)) {
            Some((time, zone)) => (time, zone.get(1..).is_some_and(|zone| is_clock(zone, false))),
            None => (text, true),
        },
    };
    is_zoned && is_clock(time, true)
}

fn is_clock(text: &str, has_seconds: bool) -> bool {
    let (text, fraction) =
        text.split_once('.').map_or((text, None), |(text, fraction)| (text, Some(fraction)));
    let parts: Vec<&str> = text.split(':').collect();
    let within = |part: &str, max: u32| number(part, 2).is_some_and(|number| number <= max);
    let is_fraction =
        |digits: &str| (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [hour, minute] => fraction.is_none() && within(hour, 23) && within(minute, 59),
        [hour, minute, second] if has_seconds => {
            within(hour, 23) && within(minute, 59) && within(second, 60) && fraction.is_none_or(is_fraction)
        }
        _ => false,
    }
}

fn number(digits: &str, length: usize) -> Option<u32> {
    let is_number = digits.len() == length && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_rfc_3339_timestamps_are_accepted() {
        for timestamp in [
            "2026-05-01",
            "2024-02-29",
            "2000-02-29",
            "2026-05-01T09:00:00Z",
            "2026-05-01 09:00",
            "2026-05-01t23:59:60.123456789+14:00",
            "2026-05-01T09:00:00",
        ] {
            assert!(is_timestamp(timestamp), "{timestamp}");
        }
        for invalid in [
            "",
            "tomorrow",
            "2026-5-1",
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-04-31",
            "2026-05-01T",
            "2026-05-01T24:00",
            "2026-05-01T09:60",
            "2026-05-01T09:00:61Z",
            "2026-05-01T09:00Zz",
            "2026-05-01T09:00:00.Z",
            "2026-05-01T09:00+1",
            "2026-05-01x09:00",
            "２026-05-01",
            "2026-05-01T09",
            "2026-05-0é",
            "+026-05-01",
        ] {
            assert!(!is_timestamp(invalid), "{invalid}");
        }
    }
}

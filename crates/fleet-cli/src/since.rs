//! Points in time on the command line.

use std::str::FromStr;

use minds_fleet_protocol::Timestamp;

/// A point in time as users write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Since {
    /// So many seconds ago.
    Ago(f64),
    /// At a time.
    At(Timestamp),
}

impl Since {
    /// Returns the point in time.
    pub(crate) fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(time) => time,
            Self::Ago(seconds) => Timestamp::from_seconds(now.as_seconds() - seconds).unwrap_or(now),
        }
    }
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ago = text.strip_prefix("now-").unwrap_or(text);
        if text == "now" {
            return Ok(Self::Ago(0.0));
        }
        if let Some(seconds) = parse_duration(ago) {
            return Ok(Self::Ago(seconds));
        }
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let seconds = text.parse().ok().filter(|_| is_number).and_then(Timestamp::from_seconds);
        let time = seconds.or_else(|| Timestamp::parse_rfc3339(text));
        time.map(Self::At).ok_or(
            "expected a time such as `5m`, `now-5m`, `2026-11-28T15:00:00Z`, or seconds since 1970; units are s, m, h and d",
        )
    }
}

/// Returns the seconds of a whole number with a unit.
fn parse_duration(text: &str) -> Option<f64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let number: u32 = number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(f64::from(number) * f64::from(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_in_time_has_several_forms() {
        let now = Timestamp::from_seconds(1_790_000_000.0).unwrap();
        for (text, expected) in [
            ("5m", Some(1_789_999_700.0)),
            ("now-5m", Some(1_789_999_700.0)),
            ("now", Some(1_790_000_000.0)),
            ("30s", Some(1_789_999_970.0)),
            ("2h", Some(1_789_992_800.0)),
            ("1d", Some(1_789_913_600.0)),
            ("1789999999.5", Some(1_789_999_999.5)),
            ("0", Some(0.0)),
            ("2026-09-21T14:13:20Z", Some(1_790_000_000.0)),
            ("5", Some(5.0)),
            ("", None),
            ("m", None),
            ("-5m", None),
            ("+5m", None),
            ("5w", None),
            ("5µ", None),
            ("yesterday", None),
            ("now-", None),
            ("now-2026-09-21T14:13:20Z", None),
            ("nan", None),
            ("inf", None),
        ] {
            let found = text.parse::<Since>().ok().map(|since| since.at(now).as_seconds());
            assert_eq!(found, expected, "{text}");
        }
    }
}

//! Points in time, as the protocol writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

/// A point in time: finite seconds since 1970, with fractions.
///
/// Reading and writing keeps the value exactly. In files, the form of RFC 3339 is read as well.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, JsonSchema)]
pub struct Timestamp(f64);

impl Timestamp {
    /// Returns a number of milliseconds since 1970 in UTC.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of the next 200,000 years are below 2^53")]
    pub fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds as f64 / 1000.0)
    }

    /// Makes a timestamp, if the number is finite.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        seconds.is_finite().then_some(Self(seconds))
    }

    /// Returns the seconds since 1970.
    pub fn as_seconds(self) -> f64 {
        self.0
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let number = parse_number(&raw).and_then(Self::from_seconds);
        let parse_text = || Self::parse_rfc3339(&serde_json::from_str::<String>(raw.get()).ok()?);
        number.or_else(parse_text).ok_or_else(|| de::Error::custom("expected seconds since 1970"))
    }
}

/// Reads a number exactly: the parser of `serde_json` may be off by one in the last digit.
pub(crate) fn parse_number(raw: &RawValue) -> Option<f64> {
    let text = raw.get();
    let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    is_number.then(|| text.parse::<f64>().ok()).flatten()
}

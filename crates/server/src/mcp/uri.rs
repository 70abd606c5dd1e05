//! Encoding names as segments of URIs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that are encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a name as one segment.
pub(crate) fn encode(name: &str) -> String {
    utf8_percent_encode(name, ENCODED).to_string()
}

/// Decodes a segment; `None` if it is not valid.
pub(crate) fn decode(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_a_round_trip() {
        for name in ["coder", "a/b", "ü ?#%", "", "..", "\n", "100%"] {
            let encoded = encode(name);
            assert!(
                encoded.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#".contains(&byte)),
                "{encoded}"
            );
            assert_eq!(decode(&encoded).as_deref(), Some(name));
        }
    }

    #[test]
    fn invalid_encodings_are_not_names() {
        for part in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decode(part), None, "{part}");
        }
    }
}

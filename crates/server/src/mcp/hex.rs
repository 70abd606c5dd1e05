//! Hexadecimal encoding.

use std::fmt::Write as _;

/// Encodes bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Decodes bytes; `None` if the digits are not valid.
pub(crate) fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |sign: u8| char::from(sign).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    };
    hex.as_bytes().chunks(2).map(byte).collect()
}

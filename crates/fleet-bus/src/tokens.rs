//! Tokens and tickets.

use std::fmt;

use minds_fleet_protocol::{ErrorCode, Failure};
use serde::{Deserialize, Serialize};

/// A secret of hexadecimal digits. Its debug output does not show it.
macro_rules! token {
    ($(#[$doc:meta])* $name:ident, $digits:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Makes a token from random bytes.
            pub fn new(random: [u8; $digits / 2]) -> Self {
                Self(encode(&random))
            }

            /// Parses a token; none if it does not have the form of the type.
            pub fn parse(text: &str) -> Option<Self> {
                let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
                (text.len() == $digits && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
            }

            /// Returns the digits.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(****)"))
            }
        }

        impl TryFrom<String> for $name {
            type Error = &'static str;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text).ok_or(concat!("expected ", $digits, " hexadecimal digits"))
            }
        }

        impl From<$name> for String {
            fn from(token: $name) -> Self {
                token.0
            }
        }
    };
}

token! {
    /// Proves that a client is the owner of an agent: 32 hexadecimal digits.
    ///
    /// A client whose connection ended passes it to stay the owner.
    OwnerToken, 32
}

token! {
    /// Permits the first start of an agent: 64 hexadecimal digits.
    BootstrapToken, 64
}

/// Identifies one message of a client until it is answered. With the feature `conformance` it can be copied, so that a test
/// can deliver a message twice.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(feature = "conformance", derive(Clone))]
pub struct Ticket {
    /// The connection that the message came from.
    pub(crate) connection: u64,
    /// The number of the message, for transports without connections.
    pub(crate) number: u64,
}

/// Returns a number of random bytes of the system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let failed = |error: std::io::Error| Failure::new(ErrorCode::HandlerError, error.to_string());
    minds_process::random::<N>().map_err(failed)
}

fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.filter_map(|digit| DIGITS.get(usize::from(digit)).copied().map(char::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_is_written_and_not_displayed() {
        let token = OwnerToken::new([0x0f; 16]);
        assert_eq!(token.as_str(), "0f".repeat(16));
        assert_eq!(OwnerToken::parse(token.as_str()), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "OwnerToken(****)");
        for text in ["", "0f", &"0F".repeat(16), &"0g".repeat(16), &"0f".repeat(17)] {
            assert_eq!(OwnerToken::parse(text), None, "{text}");
        }
    }
}

//! Which connection a message belongs to.
//!
//! A channel has no connections, and clients of one name may use the same request ids. Therefore a client puts the member
//! `conn` in front of its requests, and the agent in front of the responses. Programs that do not know the member ignore it,
//! as every member that they do not know.

use minds_fleet_protocol::Failure;

use crate::tokens::random;

const START: &[u8] = b"{\"conn\":\"";
const END: &[u8] = b"\",";
const DIGITS: usize = 16;

/// Returns the name of a new connection.
pub(super) fn connection() -> Result<String, Failure> {
    Ok(format!("{:016x}", u64::from_le_bytes(random()?)))
}

/// Puts the name of a connection in front of a message, which is an object with members.
pub(super) fn mark(connection: &str, message: &str) -> Vec<u8> {
    let members = message.strip_prefix('{').unwrap_or(message);
    [START, connection.as_bytes(), END, members.as_bytes()].concat()
}

/// Removes the name of a connection from a message, and returns both. The name is empty if the message has none.
pub(super) fn unmark(message: Vec<u8>) -> (String, Vec<u8>) {
    let split = message.strip_prefix(START).and_then(|rest| {
        let (name, rest) = rest.split_at_checked(DIGITS)?;
        let name = std::str::from_utf8(name).ok()?;
        Some((name.to_owned(), [b"{", rest.strip_prefix(END)?].concat()))
    });
    split.unwrap_or_else(|| (String::new(), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_marked_and_unmarked() {
        let message = r#"{"req_id":"r-1","method":"status"}"#;
        let marked = mark("0123456789abcdef", message);
        let value: serde_json::Value = serde_json::from_slice(&marked).unwrap();
        assert_eq!(value["conn"], "0123456789abcdef");
        assert_eq!(unmark(marked), ("0123456789abcdef".to_owned(), message.as_bytes().to_vec()));
        for other in [message, "", "{", "{\"conn\":\"", "{\"conn\":\"0123456789abcdef\"}", "{\"conn\":1}"] {
            assert_eq!(unmark(other.into()), (String::new(), other.as_bytes().to_vec()), "{other}");
        }
    }
}

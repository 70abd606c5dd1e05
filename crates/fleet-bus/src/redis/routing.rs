//! Which connection a message belongs to.
//!
//! A channel has no connections, and clients of one name may use the same request ids. Therefore a client puts two members in
//! front of its requests: `conn`, its connection, and `to`, the process that it is connected to. An agent ignores a request to
//! another process, and puts `conn` in front of the response. Programs that do not know these members ignore them, as every
//! member that they do not know.

use minds_fleet_protocol::Failure;

use crate::tokens::random;

const CONNECTION: &[u8] = b"\"conn\":\"";
const PROCESS: &[u8] = b"\"to\":\"";
const END: &[u8] = b"\",";
const DIGITS: usize = 16;

/// A message as a channel has it. Names are empty if the message has none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Routed {
    pub(super) connection: String,
    pub(super) process: String,
    pub(super) message: Vec<u8>,
}

/// Returns the name of a new connection or process.
pub(super) fn new_name() -> Result<String, Failure> {
    Ok(format!("{:016x}", u64::from_le_bytes(random()?)))
}

/// Puts the name of a connection, and that of a process if there is one, in front of a message, which is an object with
/// members.
pub(super) fn mark(connection: &str, process: Option<&str>, message: &str) -> Vec<u8> {
    let members = message.strip_prefix('{').unwrap_or(message);
    let mut marked = [b"{", CONNECTION, connection.as_bytes(), END].concat();
    if let Some(process) = process {
        marked.extend([PROCESS, process.as_bytes(), END].concat());
    }
    marked.extend(members.as_bytes());
    marked
}

/// Removes the names from a message.
pub(super) fn unmark(message: Vec<u8>) -> Routed {
    let members = message.strip_prefix(b"{").unwrap_or_default();
    let Some((connection, members)) = split(members, CONNECTION) else {
        return Routed { connection: String::new(), process: String::new(), message };
    };
    let (process, members) = split(members, PROCESS).unwrap_or((String::new(), members));
    Routed { connection, process, message: [b"{", members].concat() }
}

/// Returns the value of a member, and what follows it.
fn split<'m>(members: &'m [u8], member: &[u8]) -> Option<(String, &'m [u8])> {
    let (name, rest) = members.strip_prefix(member)?.split_at_checked(DIGITS)?;
    Some((std::str::from_utf8(name).ok()?.to_owned(), rest.strip_prefix(END)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_marked_and_unmarked() {
        let message = r#"{"req_id":"r-1","method":"status"}"#;
        let (connection, process) = ("0123456789abcdef", "fedcba9876543210");
        for to in [Some(process), None] {
            let marked = mark(connection, to, message);
            let value: serde_json::Value = serde_json::from_slice(&marked).unwrap();
            assert_eq!(value["conn"], connection);
            assert_eq!(value["to"].as_str(), to);
            assert_eq!(value["req_id"], "r-1");
            let expected = Routed {
                connection: connection.to_owned(),
                process: to.unwrap_or_default().to_owned(),
                message: message.into(),
            };
            assert_eq!(unmark(marked), expected);
        }
    }

    #[test]
    fn a_message_without_names_stays_as_it_is() {
        for other in [
            "{\"req_id\":\"r-1\"}",
            "",
            "{",
            "{\"conn\":\"",
            "{\"conn\":\"0123456789abcdef\"}",
            "{\"conn\":1}",
        ] {
            let expected =
                Routed { connection: String::new(), process: String::new(), message: other.into() };
            assert_eq!(unmark(other.into()), expected, "{other}");
        }
    }
}

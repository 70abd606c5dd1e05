//! Validating lines from a client before they are processed.

use serde_json::{Value, json};

use crate::mcp::scan::{Outline, Scan, scan};

/// The maximum length of a line, in bytes: the longest argument of a tool, with escapes.
pub(crate) const MAX_LINE: usize = 32 * 1024 * 1024;

/// The id of a reply to a message without an id.
const NO_ID: &str = "null";
/// The line is not valid JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// The line is JSON, but not a message.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// The parameters of a known method are not valid.
pub(crate) const INVALID_PARAMS: i32 = -32602;

/// The result of validating a line.
#[derive(Debug, PartialEq)]
pub(crate) enum Frame {
    /// A message whose outer structure is valid.
    Message(Value),
    /// An invalid message, with the error reply, a line of JSON without a line break.
    Refused(String),
    /// An empty line.
    Blank,
}

/// Validates a line.
pub(crate) fn read(line: &[u8]) -> Frame {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Frame::Blank;
    }
    let outline = || match scan(line) {
        Scan::Valid(outline) => outline,
        Scan::Invalid => Outline::default(),
    };
    let value = match serde_json::from_slice::<Value>(line) {
        Ok(value) => value,
        Err(error) => {
            return match scan(line) {
                Scan::Invalid => Frame::Refused(refusal(NO_ID, PARSE_ERROR, "the line is not valid JSON")),
                // Notifications are not answered.
                Scan::Valid(outline) if outline.has_method && !outline.has_id => Frame::Blank,
                Scan::Valid(outline) => {
                    let why = format!("the message is valid JSON that is not supported: {error}");
                    Frame::Refused(refusal(outline.id.unwrap_or(NO_ID), INVALID_REQUEST, &why))
                }
            };
        }
    };
    let wrong = match &value {
        Value::Object(message) => invalid_field(message),
        Value::Array(_) => {
            Some("batches are not part of the protocol; send each message on a line of its own")
        }
        _ => Some("a message is an object"),
    };
    match wrong {
        None => Frame::Message(value),
        // Notifications are not answered.
        Some(_) if value.get("method").is_some_and(Value::is_string) && value.get("id").is_none() => {
            Frame::Blank
        }
        Some(why) => Frame::Refused(refusal(outline().id.unwrap_or(NO_ID), INVALID_REQUEST, why)),
    }
}

/// Returns the reply to a line that is too long.
pub(crate) fn too_long() -> String {
    refusal(NO_ID, INVALID_REQUEST, &format!("the line has more than {MAX_LINE} bytes"))
}

/// Returns an error reply to the message with an id, which is given as JSON.
pub(crate) fn refusal(id: &str, code: i32, message: &str) -> String {
    let error = json!({"code": code, "message": message});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
}

/// Returns the id of a message as JSON; `null` without a valid one.
pub(crate) fn id(message: &Value) -> String {
    match message.get("id") {
        Some(id @ (Value::String(_) | Value::Number(_))) => id.to_string(),
        _ => NO_ID.to_owned(),
    }
}

fn invalid_field(message: &serde_json::Map<String, Value>) -> Option<&'static str> {
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("`jsonrpc` must be \"2.0\"");
    }
    match message.get("id") {
        None | Some(Value::String(_)) => {}
        Some(Value::Number(number)) if number.is_i64() => {}
        // The reply to an unreadable message has no id.
        Some(Value::Null) if message.contains_key("error") => {}
        Some(_) => return Some("`id` must be a string or a whole number of 64 bits"),
    }
    match message.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return Some("`method` must be a string"),
        None if message.contains_key("result") || message.contains_key("error") => {}
        None => return Some("there is neither `method` nor `result` nor `error`"),
    }
    match message.get("params") {
        None | Some(Value::Object(_)) => None,
        Some(_) => Some("`params` must be an object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A code and an id of a refusal; none of a message.
    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "cases read better")]
    fn check(line: &[u8], expected: Option<(i32, Value)>) {
        let found = match read(line) {
            Frame::Refused(reply) => {
                let reply: Value = serde_json::from_str(&reply).unwrap();
                assert_eq!(reply["jsonrpc"], "2.0");
                let code = i32::try_from(reply["error"]["code"].as_i64().unwrap()).unwrap();
                Some((code, reply["id"].clone()))
            }
            Frame::Message(_) | Frame::Blank => None,
        };
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(line));
    }

    #[test]
    fn invalid_json_is_a_parse_error_without_an_id() {
        let refused = Some((PARSE_ERROR, Value::Null));
        check(b"garbage", refused.clone());
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1", refused.clone());
        check(b"\xff\xfe{}", refused.clone());
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", refused.clone());
        check(b"{} {}", refused.clone());
        check(&b"[".repeat(100_000), refused);
    }

    #[test]
    fn an_invalid_message_is_an_invalid_request_with_its_id() {
        let refused = |id: Value| Some((INVALID_REQUEST, id));
        check(b"[]", refused(Value::Null));
        check(b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", refused(Value::Null));
        check(b"1", refused(Value::Null));
        check(b"{}", refused(Value::Null));
        check(b"{\"id\":1,\"method\":\"ping\"}", refused(json!(1)));
        check(b"{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"ping\"}", refused(json!("a")));
        check(b"{\"jsonrpc\":\"2.0\",\"id\":2}", refused(json!(2)));
        check(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":7}", refused(json!(2)));
        check(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":[1]}", refused(json!(2)));
        check(b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", refused(Value::Null));
        check(b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", refused(Value::Null));
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", refused(json!(1.5)));
        check(
            b"{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,\"method\":\"ping\"}",
            refused(json!(u64::MAX)),
        );
    }

    /// The text of the id that a refusal has.
    #[track_caller]
    fn check_id(line: &str, id: &str) {
        let Frame::Refused(reply) = read(line.as_bytes()) else { panic!("{line:.80}") };
        let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32600,");
        assert!(reply.starts_with(&start), "{line:.80}: {reply}");
        assert!(!reply.contains('\n'));
    }

    #[test]
    fn the_id_of_a_refusal_is_the_text_that_was_sent() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for id in ["7", "\"a\"", "1.50", "-0", "1e999", "123456789012345678901234567890", "\"\\ud800\""] {
            for value in ["\"\\ud800\"", "1e999", deep.as_str()] {
                let message = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\",\"params\":{{\"x\":{value}}}}}"
                );
                check_id(&message, id);
            }
            check_id(&format!("{{\"id\":{id},\"method\":\"ping\"}}"), id);
        }
        check_id("{\"id\":[1],\"method\":\"ping\",\"params\":{\"x\":1e999}}", "null");
        let notification =
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"x\":1e999}}";
        assert_eq!(read(notification), Frame::Blank);
    }

    #[test]
    fn messages_pass_and_blank_lines_are_nothing() {
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", None);
        check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\r", None);
        check(b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}", None);
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", None);
        assert_eq!(read(b" \r"), Frame::Blank);
        assert_eq!(
            read(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}"),
            Frame::Blank
        );
        assert_eq!(read(b""), Frame::Blank);
    }
}

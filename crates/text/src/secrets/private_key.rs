//! Private keys in PEM (RFC 7468).

use super::alphabet::run;
use super::{Secret, SecretKind};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The maximum length of the label: the longest known one has 30 characters.
const MAX_LABEL: usize = 60;

/// The minimum number of base64 characters: even the shortest key has more.
const MIN_BASE64: usize = 24;

/// Returns the private key whose first line begins at `at`. Without a last line, it ends where its content does.
pub(super) fn at(text: &str, at: usize) -> Option<Secret> {
    let rest = text.get(at..)?.strip_prefix(BEGIN)?;
    let label = run(rest, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let body = rest.get(label.len()..)?.strip_prefix(DASHES)?;
    if label.len() > MAX_LABEL || !label.contains("PRIVATE KEY") {
        return None;
    }
    let length = body_length(body);
    let base64 = body.bytes().take(length).filter(u8::is_ascii_alphanumeric).count();
    if base64 < MIN_BASE64 {
        return None;
    }
    let from = at + BEGIN.len() + label.len() + DASHES.len();
    let hidden = from..from + length;
    let last = body.get(length..)?.strip_prefix(END).map_or(0, |last| {
        let label = run(last, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
        END.len()
            + label.len()
            + if last.get(label.len()..).is_some_and(|rest| rest.starts_with(DASHES)) { 5 } else { 0 }
    });
    Some(Secret { kind: SecretKind::PrivateKey, span: at..hidden.end + last, hidden })
}

/// Returns how many bytes of a string can be those between the first and the last line: base64, headers, and the
/// characters that quoting, comments or truncation insert between the lines.
fn body_length(text: &str) -> usize {
    let mut length = 0;
    for (at, c) in text.char_indices() {
        let is_last = c == '-' && text.get(at..).is_some_and(|rest| rest.starts_with(DASHES));
        let is_body = c.is_ascii_alphanumeric() || c.is_whitespace() || "+/=\\:,-.()#>…".contains(c);
        if is_last || !is_body {
            break;
        }
        length = at + c.len_utf8();
    }
    length
}

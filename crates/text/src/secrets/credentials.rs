//! Credentials in URLs (RFC 3986) and in `Authorization` headers (RFC 6750, RFC 7617).

use super::alphabet::{is_word, run};
use super::placeholder::{distinct, is_its_own_name, is_placeholder, is_unset};
use super::{Secret, SecretKind, TextKind, formats, structured};

/// Returns the password in front of the host of the URL whose scheme ends at `at`.
pub(super) fn password(text: &str, at: usize, reading: TextKind) -> Option<Secret> {
    let rest = text.get(at..)?.strip_prefix("://")?;
    let authority = rest.split(ends_authority).next()?;
    let (user_info, host) = authority.rsplit_once('@').or_else(|| split_unescaped(rest, authority))?;
    let (user, password) = user_info.split_once(':')?;
    let start = at + 3;
    // The prefix of a key of a known format identifies its issuer.
    let known = |from| formats::at(text, from).or_else(|| structured::at(text, from));
    if let Some(secret) = known(start).or_else(|| known(start + user.len() + 1)) {
        return Some(secret);
    }
    if is_unset(password) || host.is_empty() {
        return None;
    }
    let is_weak = is_its_own_name(password) || password == user;
    if is_weak && (reading == TextKind::Prose || is_this_machine(host)) {
        return None;
    }
    let from = start + user.len() + 1;
    let span = from..from + password.len();
    Some(Secret { kind: SecretKind::UrlPassword, hidden: span.clone(), span })
}

/// The maximum length of a user and password with characters that end a host.
const MAX_USER_INFO: usize = 256;

/// Returns the user info and the host of a URL whose password has an unescaped `/`, `?` or `#`: then `authority`,
/// which ends there, has something that is not a port.
fn split_unescaped<'t>(rest: &'t str, authority: &'t str) -> Option<(&'t str, &'t str)> {
    let (host, port) = authority.split_once(':')?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) || port.eq_ignore_ascii_case("port");
    if is_port || host.starts_with('[') {
        return None;
    }
    let ends = |(at, c): (usize, char)| at > MAX_USER_INFO || (ends_authority(c) && !"/?#".contains(c));
    let end = rest.char_indices().find(|found| ends(*found)).map_or(rest.len(), |(at, _)| at);
    let (user_info, behind) = rest.get(..end)?.rsplit_once('@')?;
    Some((user_info, behind.split(ends_authority).next()?))
}

fn ends_authority(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '/' | '?' | '#' | '\\' | '"' | '\'' | '`' | '(' | ')' | ',')
}

fn is_this_machine(host: &str) -> bool {
    ["localhost", "127.", "0.0.0.0", "[::1]", "host.docker.internal"].iter().any(|own| host.starts_with(own))
}

/// The maximum length of the name of a parameter.
const MAX_PARAMETER_NAME: usize = 40;

/// Returns the value of the parameter after the `?` or `&` at `at`, if it is a secret.
pub(super) fn parameter(text: &str, at: usize) -> Option<Secret> {
    let rest = text.get(at + 1..)?;
    let length = rest.bytes().take(MAX_PARAMETER_NAME).take_while(|byte| is_word(*byte)).count();
    let (name, rest) = rest.split_at_checked(length)?;
    let value = rest.strip_prefix('=')?;
    if !names_a_secret(name) {
        return None;
    }
    let value = run(value, |byte| byte.is_ascii_graphic() && !b"&#?\"'`<>)],;\\ ".contains(&byte));
    let from = at + 1 + length + 1;
    // The prefix of a key of a known format identifies its issuer.
    if let Some(secret) = formats::at(text, from).or_else(|| structured::at(text, from)) {
        return Some(secret);
    }
    let is_mixed =
        value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic());
    let is_covered = value.contains('*');
    if value.len() < 8 || !is_mixed || is_covered || is_unset(value) || distinct(value) < 6 {
        return None;
    }
    let span = from..from + value.len();
    Some(Secret { kind: SecretKind::UrlParameter, hidden: span.clone(), span })
}

/// Returns whether the value of a parameter with this name grants access.
fn names_a_secret(name: &str) -> bool {
    let folded: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let is_page =
        ["page", "next", "continuation", "sync", "cursor"].iter().any(|word| folded.starts_with(word));
    let is_secret = ["key", "auth", "sig", "signature"].contains(&folded.as_str())
        || ["apikey", "token", "secret", "password", "passwd", "accesskey"]
            .iter()
            .any(|word| folded.ends_with(word));
    is_secret && !is_page
}

/// Returns the credentials after the name of a scheme that begins at `at`.
pub(super) fn authorization(text: &str, at: usize, reading: TextKind) -> Option<Secret> {
    const SCHEMES: [(&str, &str); 2] = [("bearer", "Bearer"), ("basic", "Basic")];
    let rest = text.get(at..)?;
    let (scheme, rest) = SCHEMES.iter().find_map(|(word, scheme)| {
        let (name, rest) = rest.split_at_checked(word.len())?;
        name.eq_ignore_ascii_case(word).then_some((*scheme, rest))
    })?;
    let spaces = rest.bytes().take(4).take_while(|byte| *byte == b' ').count();
    if spaces == 0 {
        // The rest may be long, and is examined again where its next word begins.
        return None;
    }
    let value = run(rest.get(spaces..)?, |byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte));
    let from = at + scheme.len() + spaces;
    // A word with asterisks is already masked.
    let word = text.get(from..)?.split(char::is_whitespace).next().unwrap_or_default();
    let is_covered = word.contains('*');
    if value.is_empty() || is_covered {
        return None;
    }
    // The prefix of a key of a known format identifies its issuer.
    if let Some(secret) = formats::at(text, from).or_else(|| structured::at(text, from)) {
        return Some(secret);
    }
    let is_secret = match (scheme, reading) {
        ("Basic", _) => is_basic(value),
        (_, TextKind::Settings | TextKind::Message) => is_bearer(value, 8),
        (_, TextKind::Prose) => is_bearer(value, 16),
    };
    let span = from..from + value.len();
    is_secret.then(|| Secret { kind: SecretKind::Authorization(scheme), hidden: span.clone(), span })
}

fn is_bearer(value: &str, least: usize) -> bool {
    value.len() >= least && value.bytes().any(|byte| byte.is_ascii_digit()) && !is_placeholder(value)
}

/// Returns whether a string is a user name and password in base64, as opposed to a word.
fn is_basic(value: &str) -> bool {
    let Some(decoded) = decode(value) else { return false };
    let Ok(text) = String::from_utf8(decoded) else { return false };
    let Some((_, password)) = text.split_once(':') else { return false };
    !text.contains(char::is_control) && !is_unset(password)
}

/// Decodes base64 (RFC 4648), with or without padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    (count < 6).then_some(bytes)
}

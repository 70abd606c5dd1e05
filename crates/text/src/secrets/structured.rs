//! Keys and tokens that are recognized by their parts.

use super::alphabet::Alphabet;
use super::formats::{Format, JWT, SENDGRID, TELEGRAM, ZHIPU};
use super::placeholder::is_placeholder;
use super::{Secret, SecretKind};

/// Returns whether a string may begin with a key. For most words nothing else is examined.
pub(super) fn may_begin(text: &[u8]) -> bool {
    let is_zhipu = || text.get(ZHIPU_ID) == Some(&b'.');
    match text {
        [b'e', b'y', ..] | [b'S', b'G', ..] => true,
        [b'0'..=b'9', ..] => text.get(MIN_BOT - 1).is_some_and(u8::is_ascii_digit) || is_zhipu(),
        [b'a'..=b'f', ..] => is_zhipu(),
        _ => false,
    }
}

/// Returns the key that begins at `at`.
pub(super) fn at(text: &str, at: usize) -> Option<Secret> {
    let rest = text.get(at..)?;
    let (format, shown, length) = match rest.as_bytes() {
        [b'e', b'y', b'J', ..] => jwt(rest)?,
        [b'S', b'G', b'.', ..] => sendgrid(rest)?,
        [b'0'..=b'9', ..] => telegram(rest).or_else(|| zhipu(rest))?,
        [b'a'..=b'f', ..] => zhipu(rest)?,
        _ => return None,
    };
    let span = at..at + length;
    Some(Secret { kind: SecretKind::Token(format), hidden: at + shown..span.end, span })
}

/// The minimum number of digits of a Telegram bot id.
const MIN_BOT: usize = 8;

/// The number of hexadecimal digits of the first part of a Zhipu key.
const ZHIPU_ID: usize = 32;

/// The format, the number of characters to show, and the total length.
type Match = (&'static Format, usize, usize);

/// Three base64 parts separated by dots; the first two are JSON (RFC 7519).
fn jwt(text: &str) -> Option<Match> {
    let (header, payload, signature) = three_parts(text)?;
    let is_token = header.len() >= 16 && payload.starts_with("eyJ") && signature.len() >= 16;
    let length = header.len() + payload.len() + signature.len() + 2;
    (is_token && !is_placeholder(signature)).then_some((&JWT, JWT.prefix.len(), length))
}

fn sendgrid(text: &str) -> Option<Match> {
    let (prefix, id, key) = three_parts(text)?;
    let is_key = (16..=32).contains(&id.len()) && (32..=64).contains(&key.len());
    let length = prefix.len() + id.len() + key.len() + 2;
    (is_key && !is_placeholder(key)).then_some((&SENDGRID, SENDGRID.prefix.len(), length))
}

/// The id of the bot, a colon and 35 characters.
fn telegram(text: &str) -> Option<Match> {
    const KEY: usize = 35;
    let bot: usize = text.bytes().take(11).take_while(u8::is_ascii_digit).count();
    let key = Alphabet::Url.run(text.get(bot..)?.strip_prefix(':')?);
    ((MIN_BOT..=10).contains(&bot) && key.len() == KEY && !is_placeholder(key)).then_some((
        &TELEGRAM,
        bot + 1,
        bot + 1 + KEY,
    ))
}

/// 32 hexadecimal digits, a dot and 16 letters and digits.
fn zhipu(text: &str) -> Option<Match> {
    const ID: usize = ZHIPU_ID;
    const KEY: usize = 16;
    if text.as_bytes().get(ID) != Some(&b'.') {
        return None;
    }
    let id = text.bytes().take(ID + 1).take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    if id != ID {
        return None;
    }
    let key = Alphabet::Letters.run(text.get(ID..)?.strip_prefix('.')?);
    (key.len() == KEY && !is_placeholder(key)).then_some((&ZHIPU, 4, ID + 1 + KEY))
}

fn three_parts(text: &str) -> Option<(&str, &str, &str)> {
    let first = Alphabet::Url.run(text);
    let rest = text.get(first.len()..)?.strip_prefix('.')?;
    let second = Alphabet::Url.run(rest);
    let third = Alphabet::Url.run(rest.get(second.len()..)?.strip_prefix('.')?);
    Some((first, second, third))
}

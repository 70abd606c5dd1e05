//! Placeholders for secrets.

/// Words that do not occur in random text and are common in examples.
const WORDS: [&str; 12] = [
    "example",
    "your",
    "placeholder",
    "redacted",
    "changeme",
    "dummy",
    "sample",
    "insert",
    "replace",
    "xxxx",
    "fake",
    "****",
];

/// Names of kinds of secrets.
const ITS_NAMES: [&str; 14] = [
    "pass", "passwd", "password", "pw", "pwd", "secret", "token", "key", "apikey", "user", "username", "foo",
    "bar", "test",
];

/// Returns whether the random part of a key is a placeholder: an explicit word, or a few characters repeated.
pub(super) fn is_placeholder(key: &str) -> bool {
    let least = if key.len() < 24 { 6 } else { 8 };
    has_word(key) || distinct(key) < least
}

/// Returns whether a password, or the value of a parameter, is a reference or a placeholder.
pub(super) fn is_unset(value: &str) -> bool {
    value.is_empty()
        || value.starts_with(['$', '<', '{', '[', '%'])
        || value.contains("${")
        || value.contains("...")
        || value.contains('…')
        || (value.len() > 1 && distinct(value) == 1)
        || has_word(value)
}

/// Returns whether a value is the name of what it stands for.
pub(super) fn is_its_own_name(value: &str) -> bool {
    let word = value.strip_prefix("my").unwrap_or(value).trim_matches(['-', '_']);
    ITS_NAMES.iter().any(|name| word.eq_ignore_ascii_case(name))
}

fn has_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    WORDS.iter().any(|word| bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes())))
}

pub(super) fn distinct(text: &str) -> usize {
    let mut seen = [false; 256];
    for byte in text.bytes() {
        if let Some(seen) = seen.get_mut(usize::from(byte)) {
            *seen = true;
        }
    }
    seen.iter().filter(|seen| **seen).count()
}

//! Parses the question of a line.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use minds_access_control::Access;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A question.
#[derive(Debug)]
pub(super) enum Question<'l> {
    /// Set the lists for the following lines.
    Set(&'l str),
    /// Whether an access is allowed, optionally with its own lists.
    Decide { dirs: Option<&'l str>, access: Access, path: Cow<'l, str> },
    /// Whether a pattern matches a path.
    Match { pattern: Cow<'l, str>, path: Cow<'l, str> },
}

/// Parses a line.
pub(super) fn read(text: &str) -> Result<Question<'_>, String> {
    let Entries(entries, _): Entries<'_, Key> =
        serde_json::from_str(text).map_err(|error| message_without_position(&error))?;
    let find = |key: Key| entries.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    let dirs = find(Key::Dirs).map(RawValue::get);
    let op = find(Key::Op).map(|op| string("op", op)).transpose()?;
    let path = find(Key::Path).map(|path| string("path", path)).transpose()?;
    let pattern = find(Key::Pattern).map(|pattern| string("pattern", pattern)).transpose()?;
    match (dirs, op, path, pattern) {
        (Some(dirs), None, None, None) => Ok(Question::Set(dirs)),
        (dirs, Some(op), Some(path), None) => {
            let access = Access::ALL.into_iter().find(|access| access.as_str() == op);
            let access = access.ok_or("`op` must be `read` or `write`")?;
            Ok(Question::Decide { dirs, access, path })
        }
        (None, None, Some(path), Some(pattern)) => Ok(Question::Match { pattern, path }),
        _ => {
            Err("the keys must be `dirs`, or `op` and `path` with or without `dirs`, or `pattern` and `path`"
                .to_owned())
        }
    }
}

/// Returns an error message without the position, which refers to an internal string.
pub(super) fn message_without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or(&message).to_owned()
}

/// Parses a string, borrowing it if it contains no escapes, as most strings do.
pub(super) fn string<'l>(key: &str, value: &'l RawValue) -> Result<Cow<'l, str>, String> {
    let text = value.get();
    if !text.starts_with('"') {
        return Err(format!("`{key}` must be a string"));
    }
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text.trim_matches('"')));
    }
    serde_json::from_str::<String>(text)
        .map(Cow::Owned)
        .map_err(|error| format!("`{key}`: {}", message_without_position(&error)))
}

/// A known key of an object.
pub(super) trait Name: Copy + PartialEq {
    /// Returns the key with this text.
    fn find(text: &str) -> Option<Self>;
}

/// The keys of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Dirs,
    Op,
    Path,
    Pattern,
}

impl Name for Key {
    fn find(text: &str) -> Option<Self> {
        match text {
            "dirs" => Some(Self::Dirs),
            "op" => Some(Self::Op),
            "path" => Some(Self::Path),
            "pattern" => Some(Self::Pattern),
            _ => None,
        }
    }
}

/// The entries of an object with known, unique keys.
pub(super) struct Entries<'l, K>(pub(super) Vec<(K, &'l RawValue)>, PhantomData<K>);

impl<'de, K: Name> Deserialize<'de> for Entries<'de, K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object(PhantomData))
    }
}

struct Object<K>(PhantomData<K>);

impl<'de, K: Name> Visitor<'de> for Object<K> {
    type Value = Entries<'de, K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Vec<(K, &'de RawValue)> = Vec::new();
        while let Some(text) = map.next_key::<Cow<'de, str>>()? {
            let error = |what: &str| serde::de::Error::custom(format!("{what} `{}`", text.escape_debug()));
            let key = K::find(&text).ok_or_else(|| error("unknown key"))?;
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(error("duplicate key"));
            }
            entries.push((key, map.next_value()?));
        }
        Ok(Entries(entries, PhantomData))
    }
}

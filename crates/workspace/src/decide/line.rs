//! What a line asks.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use minds_access_control::Access;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What a line asks for.
#[derive(Debug)]
pub(super) enum Question<'l> {
    /// To decide by these lists from now on.
    Set(&'l str),
    /// Whether something is allowed, by lists of its own if it has any.
    Decide { dirs: Option<&'l str>, access: Access, path: Cow<'l, str> },
    /// Whether a pattern covers a path.
    Match { pattern: Cow<'l, str>, path: Cow<'l, str> },
}

/// Reads a line; the error says why it is no question.
pub(super) fn read(text: &str) -> Result<Question<'_>, String> {
    let Entries(entries, _): Entries<'_, Key> = serde_json::from_str(text).map_err(|error| said(&error))?;
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

/// Returns what is wrong without the place, which is that of a line nobody sees.
pub(super) fn said(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.split(" at line ").next().unwrap_or(&said).to_owned()
}

/// Reads a string; most have no escapes and stay where they are.
pub(super) fn string<'l>(key: &str, value: &'l RawValue) -> Result<Cow<'l, str>, String> {
    let text = value.get();
    if !text.starts_with('"') {
        return Err(format!("`{key}` must be a string"));
    }
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text.trim_matches('"')));
    }
    serde_json::from_str::<String>(text).map(Cow::Owned).map_err(|error| format!("`{key}`: {}", said(&error)))
}

/// A name that an object may have, once.
pub(super) trait Name: Copy + PartialEq {
    /// Returns the name with this text.
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

/// The entries of an object whose keys are known, each there at most once.
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

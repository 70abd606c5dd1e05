//! The members of a JSON object, not yet decoded.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The values of `N` members by their position in a list of names.
#[derive(Debug)]
pub(crate) struct Members<'t, const N: usize> {
    values: [Option<&'t RawValue>; N],
    duplicates: BTreeSet<String>,
}

impl<'t, const N: usize> Members<'t, N> {
    /// Reads an object. Members that are not in `names` are skipped.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not one JSON object.
    pub(crate) fn parse(text: &'t str, names: [&str; N]) -> Result<Self, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let members = deserializer.deserialize_map(MembersVisitor { names })?;
        deserializer.end()?;
        Ok(members)
    }

    /// Returns the value of a member, by its position in the list.
    pub(crate) fn value(&self, position: usize) -> Option<&'t RawValue> {
        self.values.get(position).copied().flatten()
    }

    /// Returns the name of a member that is given twice.
    pub(crate) fn duplicate(&self) -> Option<&str> {
        self.duplicates.first().map(String::as_str)
    }

    /// Returns whether the member is given twice.
    pub(crate) fn is_duplicate(&self, name: &str) -> bool {
        self.duplicates.contains(name)
    }
}

struct MembersVisitor<'n, const N: usize> {
    names: [&'n str; N],
}

impl<'t, const N: usize> Visitor<'t> for MembersVisitor<'_, N> {
    type Value = Members<'t, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members { values: [None; N], duplicates: BTreeSet::new() };
        let mut skipped = BTreeSet::new();
        while let Some(key) = map.next_key_seed(KeySeed { names: &self.names })? {
            let value: &RawValue = map.next_value()?;
            match key {
                Key::Position(position) => {
                    let slot =
                        members.values.get_mut(position).ok_or_else(|| A::Error::custom("unknown member"))?;
                    if slot.replace(value).is_some()
                        && let Some(name) = self.names.get(position)
                    {
                        members.duplicates.insert((*name).to_owned());
                    }
                }
                Key::Skipped(name) => {
                    if let Some(name) = skipped.replace(name) {
                        members.duplicates.insert(name);
                    }
                }
            }
        }
        Ok(members)
    }
}

enum Key {
    Position(usize),
    Skipped(String),
}

struct KeySeed<'n> {
    names: &'n [&'n str],
}

impl<'t> DeserializeSeed<'t> for KeySeed<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
        let position = self.names.iter().position(|own| *own == name);
        Ok(position.map_or_else(|| Key::Skipped(name.to_owned()), Key::Position))
    }
}

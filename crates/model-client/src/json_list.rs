//! Lists of events with a limited number of members, because a member needs more memory than its text.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::limits::MAX_ITEMS;

/// A list of at most 1024 members.
#[derive(Debug)]
pub(crate) struct JsonList<T>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for JsonList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = JsonList<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<JsonList<T>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = list.next_element()? {
            if members.len() >= MAX_ITEMS {
                return Err(A::Error::custom("the list is too long"));
            }
            members.push(member);
        }
        Ok(JsonList(members))
    }
}

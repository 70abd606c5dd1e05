//! Decoding the values of a data file.

use crate::Kind;
use crate::shape::Shape;
use crate::tree::{Item, Value};

pub(super) fn add_keys(shape: &mut Shape, item: &Item) -> Result<(), String> {
    item.entries().iter().try_for_each(|entry| shape.add(&entry.key, &text(&entry.item)?))
}

pub(super) fn patterns(item: &Item) -> Result<Vec<(Kind, String)>, String> {
    let pattern = |item: &Item| {
        let get = |key| item.get(key).map_or_else(|| Err(format!("`{key}` is missing")), text);
        let (kind, path) = (get("kind")?, get("path")?);
        Ok((Kind::parse(&kind).ok_or_else(|| format!("unknown kind `{kind}`"))?, path))
    };
    item.items().iter().map(pattern).collect()
}

pub(super) fn text(item: &Item) -> Result<String, String> {
    item.text().map(str::to_owned).ok_or_else(|| format!("{} is not a string", item.type_name()))
}

pub(super) fn decode_strings(item: &Item) -> Result<Vec<String>, String> {
    item.items().iter().map(text).collect()
}

pub(super) fn boolean(item: &Item) -> Result<bool, String> {
    match item.value {
        Value::Bool(value) => Ok(value),
        _ => Err(format!("{} is not a boolean", item.type_name())),
    }
}

pub(super) fn number(item: &Item) -> Result<u64, String> {
    match item.value {
        Value::Integer(value) => u64::try_from(value).map_err(|error| error.to_string()),
        _ => Err(format!("{} is not an integer", item.type_name())),
    }
}

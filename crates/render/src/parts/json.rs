//! Members and list items of a JSON file.

use minds_vfs::ContentHash;

use super::JsonPart;
use super::record::UnitRecord;
use super::unit::{NewUnit, Outcome, Unit};
use crate::jsonc::{Change, Dialect, Json, JsonError, JsonText};

/// Returns the parts to write.
pub(super) fn new_units(parts: &[JsonPart]) -> Vec<NewUnit<&Json>> {
    let part = |part: &'_ JsonPart| -> (Unit, ContentHash) {
        match part {
            JsonPart::Member(keys, value) => (Unit::Member(keys.clone()), hash(&meaning(value))),
            JsonPart::Item(keys, value) => (Unit::Item(keys.clone()), hash(&meaning(value))),
        }
    };
    let mut wanted = Vec::new();
    for one in parts {
        let (unit, hash) = part(one);
        let (JsonPart::Member(_, value) | JsonPart::Item(_, value)) = one;
        wanted.push(NewUnit { unit, hash, value });
    }
    wanted
}

/// Changes the parts of a file: writes those that are wanted, and removes previous ones that are not.
///
/// # Errors
///
/// Fails if the text is not valid, or a value on the way to a part is not an object.
pub(super) fn write(
    text: &str,
    dialect: Dialect,
    wanted: &[NewUnit<&Json>],
    previous: &[UnitRecord],
) -> Result<Outcome, JsonError> {
    let mut written = Outcome { text: text.to_owned(), ..Outcome::default() };
    JsonText::parse(text, dialect)?;
    for old in previous.iter().filter(|old| !wanted.iter().any(|wanted| is_same_place(wanted, old))) {
        remove(&mut written, dialect, old)?;
    }
    for part in wanted {
        set(&mut written, dialect, part, previous)?;
    }
    Ok(written)
}

/// Returns whether a record is of the same member, or of an equal item.
fn is_same_place(wanted: &NewUnit<&Json>, old: &UnitRecord) -> bool {
    wanted.unit == old.unit && (matches!(wanted.unit, Unit::Member(_)) || wanted.hash == old.hash)
}

fn set(
    written: &mut Outcome,
    dialect: Dialect,
    part: &NewUnit<&Json>,
    previous: &[UnitRecord],
) -> Result<(), JsonError> {
    let text = written.text.clone();
    let json = JsonText::parse(&text, dialect)?;
    match &part.unit {
        Unit::Member(keys) => {
            let path: Vec<&str> = keys.iter().map(String::as_str).collect();
            let found = json.find(&path)?.map(|node| hash(&node.to_value().unwrap_or_default()));
            written.owned.push(part.record());
            if found == Some(part.hash) {
                return Ok(());
            }
            let is_ours =
                |found: ContentHash| previous.iter().any(|old| old.unit == part.unit && old.hash == found);
            if found.is_some_and(|found| !is_ours(found)) {
                written.add_drift(&part.unit);
            }
            if let Some((key, objects)) = path.split_last() {
                written.text = json.change(objects, &[Change { key, value: Some(part.value) }])?;
            }
        }
        Unit::Item(keys) => {
            let path: Vec<&str> = keys.iter().map(String::as_str).collect();
            let has = match json.find(&path)? {
                Some(list) => {
                    list.items().any(|item| item.to_value().is_some_and(|value| hash(&value) == part.hash))
                }
                None => false,
            };
            if !has || previous.contains(&part.record()) {
                written.owned.push(part.record());
            }
            if !has {
                written.text = json.push(&path, part.value)?;
            }
        }
        Unit::File | Unit::Block | Unit::Table(_) => {}
    }
    Ok(())
}

fn remove(written: &mut Outcome, dialect: Dialect, old: &UnitRecord) -> Result<(), JsonError> {
    let text = written.text.clone();
    let json = JsonText::parse(&text, dialect)?;
    let (Unit::Member(keys) | Unit::Item(keys)) = &old.unit else { return Ok(()) };
    let path: Vec<&str> = keys.iter().map(String::as_str).collect();
    let Some(found) = json.find(&path)? else { return Ok(()) };
    let Some((key, objects)) = path.split_last() else { return Ok(()) };
    let is_ours = |value: &serde_json::Value| hash(value) == old.hash;
    match &old.unit {
        Unit::Member(_) => {
            if !found.to_value().is_some_and(|value| is_ours(&value)) {
                written.add_drift(&old.unit);
            }
            written.text = json.change(objects, &[Change { key, value: None }])?;
        }
        // An item that was changed since is another one.
        _ => written.text = json.remove_items(&path, is_ours)?,
    }
    written.text = remove_empty(&written.text, dialect, &path)?;
    Ok(())
}

/// Removes objects and lists that became empty, from the inside.
fn remove_empty(text: &str, dialect: Dialect, path: &[&str]) -> Result<String, JsonError> {
    let mut text = text.to_owned();
    for length in (1..=path.len()).rev() {
        let Some(inner) = path.get(..length) else { break };
        let json = JsonText::parse(&text, dialect)?;
        let Some(found) = json.find(inner)? else { continue };
        let compact: String = found.source_text().chars().filter(|c| !c.is_whitespace()).collect();
        let (true, Some((key, objects))) = (compact == "{}" || compact == "[]", inner.split_last()) else {
            break;
        };
        text = json.change(objects, &[Change { key, value: None }])?;
    }
    Ok(text)
}

/// Returns whether a file has nothing but an empty object.
pub(super) fn is_empty(text: &str) -> bool {
    let rest: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    rest.is_empty() || rest == "{}"
}

/// The hash does not depend on the layout or the order of keys.
fn hash(value: &serde_json::Value) -> ContentHash {
    ContentHash::of(value.to_string().as_bytes())
}

fn meaning(value: &Json) -> serde_json::Value {
    match value {
        Json::Bool(value) => (*value).into(),
        Json::Text(text) => text.as_str().into(),
        Json::Written(text) => serde_json::from_str(text).unwrap_or_default(),
        Json::List(items) => items.iter().map(meaning).collect::<Vec<_>>().into(),
        Json::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.clone(), meaning(value)));
            serde_json::Value::Object(members.collect())
        }
    }
}

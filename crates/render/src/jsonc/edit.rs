//! Changes to members of objects, and additions to lists.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;

use super::layout::{Edit, Items, Style, apply, indent, newline};
use super::remove::removals;
use super::value::{Json, quote};
use super::{JsonError, JsonText};

/// The desired value of a key of an object.
#[derive(Clone, Copy, Debug)]
pub struct Change<'c> {
    /// The key.
    pub key: &'c str,
    /// The value; none to remove the key.
    pub value: Option<&'c Json>,
}

impl JsonText<'_> {
    /// Returns the text in which the object at `path` has the values of `changes`, which contain each key at most
    /// once.
    ///
    /// An existing key keeps its place, a new one is added at the end; missing objects on the path are created.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the keys exists twice, or if a value on the path is not an object.
    pub fn change(&self, path: &[&str], changes: &[Change<'_>]) -> Result<String, JsonError> {
        let Some(root) = &self.root else { return Ok(self.with_root(path, changes)) };
        let mut object = self.object(root, None)?;
        let style = self.style();
        for (depth, key) in path.iter().enumerate() {
            let Some(property) = self.member(object, key)? else {
                let inner = path.get(depth + 1..).unwrap_or_default();
                return Ok(self.with_new(object, &style, key, nest_members(inner, changes)));
            };
            object = self.object(&property.value, Some(*key))?;
        }
        for change in changes {
            self.member(object, change.key)?;
        }
        let new: Vec<Change<'_>> = changes
            .iter()
            .copied()
            .filter(|change| !has(object, change.key) && change.value.is_some())
            .collect();
        let text = self.with_old(object, &style, changes);
        if new.is_empty() {
            return Ok(text);
        }
        // A removal and an addition may share a comma, so they are applied one after the other.
        JsonText::parse(&text, self.dialect)?.with_members(path, &new)
    }

    /// Returns the text in which the list at a path of at least one key has one more item at its end. A value that is
    /// not a list becomes the first item of one; a missing list is created.
    ///
    /// # Errors
    ///
    /// Returns an error if a key of the path exists twice, or if a value on the path is not an object.
    pub fn push(&self, path: &[&str], item: &Json) -> Result<String, JsonError> {
        let Some((&key, objects)) = path.split_last() else { return Ok(self.with_mark(self.text)) };
        let Some(found) = self.find(path)? else {
            let list = Json::List(vec![item.clone()]);
            return self.change(objects, &[Change { key, value: Some(&list) }]);
        };
        let style = self.style();
        let edits = match found.value {
            Value::Array(list) => Items::of_list(list)
                .append(self.text, &style, |indent| vec![item.print(style.newline, style.unit, indent)]),
            value => {
                let (range, indent) = (value.range(), indent(self.text, value.range().start));
                let item = item.print(style.newline, style.unit, indent);
                vec![
                    Edit { start: range.start, end: range.start, text: "[".to_owned() },
                    Edit { start: range.end, end: range.end, text: format!(", {item}]") },
                ]
            }
        };
        Ok(self.with_mark(&apply(self.text, &edits)))
    }

    /// Returns the text in which the list at a path has none of the items for which `is_removed` holds, with the text between
    /// such an item and its neighbor. A value that is not a list stays.
    ///
    /// # Errors
    ///
    /// Returns an error if a key of the path exists twice, or if a value on the path is not an object.
    pub fn remove_items(
        &self,
        path: &[&str],
        is_removed: impl Fn(&serde_json::Value) -> bool,
    ) -> Result<String, JsonError> {
        let list = self.find(path)?.and_then(|found| found.value.as_array());
        let Some(list) = list else { return Ok(self.with_mark(self.text)) };
        let removed: Vec<bool> = list
            .elements
            .iter()
            .map(|item| super::value::meaning(item).is_some_and(|item| is_removed(&item)))
            .collect();
        let mut edits = Vec::new();
        if removed.iter().all(|removed| *removed) {
            let range = list.range;
            edits.push(Edit { start: range.start, end: range.end, text: "[]".to_owned() });
            return Ok(self.with_mark(&apply(self.text, &edits)));
        }
        let mut last_kept: Option<usize> = None;
        for (at, (item, is_removed)) in list.elements.iter().zip(&removed).enumerate() {
            let range = item.range();
            if !is_removed {
                last_kept = Some(range.end);
                continue;
            }
            // Up to the end of the item before, or to the start of the next one.
            let (start, end) = match (last_kept, list.elements.get(at + 1)) {
                (Some(end), _) => (end, range.end),
                (None, Some(next)) => (range.start, next.range().start),
                (None, None) => (range.start, range.end),
            };
            last_kept = last_kept.map(|_| range.end);
            edits.push(Edit { start, end, text: String::new() });
        }
        Ok(self.with_mark(&apply(self.text, &edits)))
    }

    /// Returns the text with a new root, for a string that is empty or has only comments.
    fn with_root(&self, path: &[&str], changes: &[Change<'_>]) -> String {
        let Some(value) = nest_members(path, changes) else { return self.with_mark(self.text) };
        let newline = newline(self.text);
        let line_break = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { newline };
        let value = value.print(newline, "  ", "");
        self.with_mark(&format!("{}{line_break}{value}{newline}", self.text))
    }

    fn style(&self) -> Style<'_> {
        let root = self.root.as_ref().and_then(Value::as_object);
        root.map_or(Style { newline: newline(self.text), unit: "  " }, |root| Style::of(self.text, root))
    }

    fn with_new(&self, object: &Object<'_>, style: &Style<'_>, key: &str, value: Option<Json>) -> String {
        let Some(value) = value else { return self.with_mark(self.text) };
        let edits = Items::of_object(object)
            .append(self.text, style, |indent| vec![member(key, &value, style, indent)]);
        self.with_mark(&apply(self.text, &edits))
    }

    /// Returns the text with new members at the end of an existing object.
    fn with_members(&self, path: &[&str], new: &[Change<'_>]) -> Result<String, JsonError> {
        let style = self.style();
        let Some(found) = self.find(path)? else { return self.change(path, new) };
        let object = self.object(found.value, path.last().copied())?;
        let edits = Items::of_object(object).append(self.text, &style, |indent| {
            let members = new.iter().filter_map(|new| Some(member(new.key, new.value?, &style, indent)));
            members.collect()
        });
        Ok(self.with_mark(&apply(self.text, &edits)))
    }

    /// Returns the text in which existing members are changed or removed.
    fn with_old(&self, object: &Object<'_>, style: &Style<'_>, changes: &[Change<'_>]) -> String {
        let change_of = |key: &str| changes.iter().find(|change| change.key == key);
        let mut edits = removals(self.text, object, |property| {
            change_of(property.name.as_str()).is_some_and(|change| change.value.is_none())
        });
        for property in &object.properties {
            let Some(value) = change_of(property.name.as_str()).and_then(|change| change.value) else {
                continue;
            };
            let range = property.value.range();
            let indent = indent(self.text, property.range.start);
            let text = value.print(style.newline, style.unit, indent);
            edits.push(Edit { start: range.start, end: range.end, text });
        }
        edits.sort_by_key(|edit| edit.start);
        self.with_mark(&apply(self.text, &edits))
    }

    /// Returns a string with the byte order mark of this one.
    fn with_mark(&self, text: &str) -> String {
        format!("{}{text}", self.mark)
    }
}

fn has(object: &Object<'_>, key: &str) -> bool {
    object.properties.iter().any(|property| property.name.as_str() == key)
}

fn member(key: &str, value: &Json, style: &Style<'_>, indent: &str) -> String {
    format!("{}: {}", quote(key), value.print(style.newline, style.unit, indent))
}

/// Returns the new members inside an object for each key of `path`; none without members.
fn nest_members(path: &[&str], changes: &[Change<'_>]) -> Option<Json> {
    let members = changes.iter().filter_map(|change| Some((change.key.to_owned(), change.value?.clone())));
    let members: Vec<(String, Json)> = members.collect();
    if members.is_empty() {
        return None;
    }
    let wrap = |inner, key: &&str| Json::Object(vec![((*key).to_owned(), inner)]);
    Some(path.iter().rev().fold(Json::Object(members), wrap))
}

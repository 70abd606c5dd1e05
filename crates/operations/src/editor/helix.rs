//! Helix: `.helix/languages.toml`.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TomlError, Value};

use super::{EditorSchema, Setting, for_yaml};

pub(super) const SETTINGS: &[Setting] = &[Setting { path: ".helix/languages.toml", merge: settings }];

/// The tables that contain the schemas of the YAML language server.
const TABLES: &[&str] = &["language-server", "yaml-language-server", "config", "yaml", "schemas"];

fn settings(old: &str, schemas: &[EditorSchema]) -> Result<String, String> {
    let mut document: DocumentMut = old.parse().map_err(|error: TomlError| {
        let before = error.span().and_then(|span| old.get(..span.start)).unwrap_or_default();
        format!("line {} is not valid TOML", before.matches('\n').count() + 1)
    })?;
    let is_windows = old.contains("\r\n") && old.matches('\n').count() == old.matches("\r\n").count();
    let plain = |text: &str| if is_windows { text.replace("\r\n", "\n") } else { text.to_owned() };
    if plain(&document.to_string()).trim_end() != plain(old).trim_end() {
        return Err("it cannot be written back unchanged".to_owned());
    }
    // Comments in an otherwise empty file would be moved to the end.
    let comments = if document.is_empty() { plain(old).trim_end().to_owned() } else { String::new() };
    if document.is_empty() {
        document = DocumentMut::new();
    }
    if !ensure_all(&mut document, schemas)? {
        return Ok(old.to_owned());
    }
    let gap = if comments.is_empty() { "" } else { "\n\n" };
    let new = format!("{comments}{gap}{}", plain(&document.to_string()));
    Ok(if is_windows { new.replace('\n', "\r\n") } else { new })
}

/// Adds all missing schemas; returns whether that changed anything.
fn ensure_all(document: &mut DocumentMut, schemas: &[EditorSchema]) -> Result<bool, String> {
    let mut changed = false;
    for schema in for_yaml(schemas) {
        changed |= ensure(document, &schema.relative(), &schema.files)?;
    }
    Ok(changed)
}

/// Adds a schema for `files` if it is missing; returns whether that changed anything.
fn ensure(document: &mut DocumentMut, schema: &str, files: &str) -> Result<bool, String> {
    let mut item = document.as_item_mut();
    let mut path = String::new();
    for name in TABLES {
        let new = child_of(item, *name == "schemas");
        path = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
        let table = item.as_table_like_mut().ok_or_else(|| format!("`{path}` is not in a table"))?;
        if !table.contains_key(name) {
            table.insert(name, new);
        }
        item = table.get_mut(name).ok_or_else(|| format!("`{path}` cannot be written"))?;
    }
    let table = item.as_table_like_mut().ok_or_else(|| format!("`{path}` is not a table"))?;
    match table.get_mut(schema) {
        None => {
            table.insert(schema, toml_edit::value(files));
            Ok(true)
        }
        Some(Item::Value(value)) => match value {
            Value::String(text) if text.value() == files => Ok(false),
            Value::String(text) => {
                let both: Array = [text.value().as_str(), files].into_iter().collect();
                let decor = text.decor().clone();
                *value = Value::Array(both);
                *value.decor_mut() = decor;
                Ok(true)
            }
            Value::Array(list) if list.iter().any(|item| item.as_str() == Some(files)) => Ok(false),
            Value::Array(list) => {
                list.push(files);
                Ok(true)
            }
            _ => Err(format!("`{path}.\"{schema}\"` is neither a string nor a list")),
        },
        Some(_) => Err(format!("`{path}.\"{schema}\"` is neither a string nor a list")),
    }
}

/// Returns an empty table in the same notation as its parent.
fn child_of(parent: &Item, is_last: bool) -> Item {
    if parent.is_inline_table() {
        return Item::Value(Value::InlineTable(InlineTable::new()));
    }
    let mut table = Table::new();
    table.set_implicit(!is_last);
    table.set_dotted(parent.as_table().is_some_and(Table::is_dotted));
    Item::Table(table)
}

//! Tables of a TOML file.

use minds_vfs::ContentHash;
use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError, Value};

use super::record::UnitRecord;
use super::unit::{NewUnit, Outcome, Unit};

/// Why a file is not changed.
#[derive(Debug)]
pub(super) enum TomlRefusal {
    /// It is not valid.
    Syntax(TomlError),
    /// A key on the way to a table has another value.
    NotATable(String),
}

/// Returns the tables to write.
pub(super) fn new_units(tables: &[(Vec<String>, String)]) -> Vec<NewUnit<&str>> {
    let mut wanted = Vec::new();
    for (keys, body) in tables {
        let parsed = body.parse::<DocumentMut>();
        let hash = parsed.map_or_else(|_| ContentHash::of(body.as_bytes()), |parsed| hash(parsed.as_item()));
        wanted.push(NewUnit { unit: Unit::Table(keys.clone()), hash, value: body.as_str() });
    }
    wanted
}

/// Changes the tables of a file: writes those that are wanted, and removes previous ones that are not.
///
/// # Errors
///
/// Fails if the text is not valid, or a value on the way to a table is not one.
pub(super) fn write(
    text: &str,
    wanted: &[NewUnit<&str>],
    previous: &[UnitRecord],
) -> Result<Outcome, TomlRefusal> {
    let mut document: DocumentMut = text.parse().map_err(TomlRefusal::Syntax)?;
    let mut written = Outcome::default();
    for old in previous.iter().filter(|old| !wanted.iter().any(|wanted| wanted.unit == old.unit)) {
        let Unit::Table(keys) = &old.unit else { continue };
        let Some(found) = find(document.as_item(), keys) else { continue };
        if hash(found) != old.hash {
            written.add_drift(&old.unit);
        }
        remove(document.as_table_mut(), keys);
    }
    for part in wanted {
        let Unit::Table(keys) = &part.unit else { continue };
        written.owned.push(part.record());
        let found = find(document.as_item(), keys).map(hash);
        if found == Some(part.hash) {
            continue;
        }
        let is_ours =
            |found: ContentHash| previous.iter().any(|old| old.unit == part.unit && old.hash == found);
        if found.is_some_and(|found| !is_ours(found)) {
            written.add_drift(&part.unit);
        }
        set(document.as_table_mut(), keys, part.value)?;
    }
    written.text = document.to_string();
    Ok(written)
}

fn find<'d>(item: &'d Item, keys: &[String]) -> Option<&'d Item> {
    keys.iter().try_fold(item, |item, key| item.as_table_like()?.get(key))
}

fn set(root: &mut Table, keys: &[String], body: &str) -> Result<(), TomlRefusal> {
    let Some((last, parents)) = keys.split_last() else { return Ok(()) };
    let parsed: DocumentMut = body.parse().map_err(TomlRefusal::Syntax)?;
    let mut table = root;
    for key in parents {
        let next = table.entry(key).or_insert_with(|| {
            let mut parent = Table::new();
            parent.set_implicit(true);
            Item::Table(parent)
        });
        table = next.as_table_mut().ok_or_else(|| TomlRefusal::NotATable(key.clone()))?;
    }
    let mut inner = parsed.as_table().clone();
    let has_values = inner.iter().any(|(_, item)| item.is_value());
    inner.set_implicit(!has_values);
    inner.set_position(None);
    forget_positions(&mut inner);
    inner.decor_mut().set_prefix("\n");
    table.insert(last, Item::Table(inner));
    Ok(())
}

/// Lets tables follow their parent: a position of another document would move them.
fn forget_positions(table: &mut Table) {
    for (_, item) in table.iter_mut() {
        if let Item::Table(inner) = item {
            inner.set_position(None);
            forget_positions(inner);
        }
    }
}

/// Removes a table, and the tables around it that become empty and have no header.
fn remove(table: &mut dyn TableLike, keys: &[String]) {
    match keys {
        [] => {}
        [last] => {
            table.remove(last);
        }
        [first, rest @ ..] => {
            let Some(inner) = table.get_mut(first) else { return };
            let is_implicit = inner.as_table().is_some_and(Table::is_implicit);
            if let Some(inner) = inner.as_table_like_mut() {
                remove(inner, rest);
            }
            let is_empty = table.get(first).and_then(Item::as_table_like).is_some_and(TableLike::is_empty);
            if is_empty && is_implicit {
                table.remove(first);
            }
        }
    }
}

/// Returns whether a file has nothing but white space.
pub(super) fn is_empty(text: &str) -> bool {
    text.trim().is_empty()
}

/// The hash does not depend on the layout or the order of keys.
fn hash(item: &Item) -> ContentHash {
    ContentHash::of(meaning(item).to_string().as_bytes())
}

fn meaning(item: &Item) -> serde_json::Value {
    match item {
        Item::None => serde_json::Value::Null,
        Item::Value(value) => meaning_of_value(value),
        Item::Table(table) => meaning_of_table(table),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| meaning_of_table(table)).collect::<Vec<_>>().into()
        }
    }
}

fn meaning_of_table(table: &dyn TableLike) -> serde_json::Value {
    let members = table.iter().map(|(key, item)| (key.to_owned(), meaning(item)));
    serde_json::Value::Object(members.collect())
}

fn meaning_of_value(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(truth) => (*truth.value()).into(),
        Value::Datetime(date) => date.value().to_string().into(),
        Value::Array(list) => list.iter().map(meaning_of_value).collect::<Vec<_>>().into(),
        Value::InlineTable(table) => meaning_of_table(table),
    }
}

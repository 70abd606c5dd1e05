//! One tree for the values of JSON, YAML and TOML, so that a rule does not depend on the format of a file.

use minds_diagnostics::Span;
use minds_document::{Document, Node};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The place of the value.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null, or an empty value in YAML.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(String),
    /// A list.
    List(Vec<Item>),
    /// A mapping.
    Mapping(Vec<Entry>),
    /// Something that was already reported.
    Unknown,
}

/// A key of a mapping and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The place of the key.
    pub key_span: Span,
    /// The value.
    pub item: Item,
}

/// The maximum number of values of one file. Aliases of YAML are expanded, so this bounds memory.
const MAX_VALUES: usize = 200_000;

impl Item {
    /// Returns the tree of a parsed document with its aliases expanded. Beyond a limit, values are unknown.
    pub(crate) fn of_document(document: &Document) -> Self {
        let mut left = MAX_VALUES;
        Self::of_node(document.root(), &mut left)
    }

    // The depth of a document is limited, so this recursion is, too.
    fn of_node(node: Node<'_>, left: &mut usize) -> Self {
        use minds_document::Value as Parsed;
        let span = node.span();
        let Some(rest) = left.checked_sub(1) else { return Self { span, value: Value::Unknown } };
        *left = rest;
        let value = match node.value() {
            Parsed::Null => Value::Null,
            Parsed::Bool(value) => Value::Bool(value),
            Parsed::Integer(value) => Value::Integer(value),
            Parsed::Float(value) => Value::Float(value),
            Parsed::String(text) | Parsed::Date(text) => Value::String(text.to_owned()),
            Parsed::Sequence => Value::List(node.items().map(|item| Self::of_node(item, left)).collect()),
            Parsed::Mapping => {
                let entries = node.entries().map(|entry| Entry {
                    key: entry.key.to_owned(),
                    key_span: entry.key_node.span(),
                    item: Self::of_node(entry.value, left),
                });
                Value::Mapping(entries.collect())
            }
            Parsed::Unknown => Value::Unknown,
        };
        Self { span, value }
    }

    /// Returns the entries of a mapping; none for any other value.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the items of a list; none for any other value.
    pub fn items(&self) -> &[Item] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the entry of a key. Of a key that is repeated, the last entry counts, as in every client.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.entry(key).map(|entry| &entry.item)
    }

    /// Returns the value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Item> {
        path.iter().try_fold(self, |item, key| item.get(key))
    }

    /// Returns the string, if the value is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the name of the type for messages, as in "not a list".
    pub fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "empty",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Mapping(_) => "a mapping",
            Value::Unknown => "an unreadable value",
        }
    }
}

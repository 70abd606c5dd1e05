//! JSON Schemas, from the types that are decoded.
//!
//! A type that is [`Decode`](crate::Decode)d says with [`Describe`] which shape it takes; [`Object`] does that for a
//! mapping, key by key, and takes the type of each value from the field that holds it. [`Draft`] writes the result down.
//!
//! ```
//! use minds_document::Field;
//! use minds_document::schema::{Describe, Draft, Object, Schema};
//!
//! struct Member {
//!     name: Field<String>,
//! }
//!
//! impl Describe for Member {
//!     fn schema() -> Schema {
//!         Object::<Member>::new("member").field("name", |member| &member.name, "What people read.").finish()
//!     }
//! }
//!
//! let text = Draft::Draft7.write(&Member::schema());
//! assert!(text.contains("\"type\": \"string\""));
//! ```

mod draft;
mod file_kind;
mod object;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{FiniteNumber, List};

pub use draft::Draft;
pub use file_kind::FileKind;
pub use object::Object;

/// A type that has a shape in files.
pub trait Describe {
    /// Returns the shape.
    fn schema() -> Schema;
}

/// Strings that editors suggest. It is a word of ours: each draft says it in its own way.
const SUGGESTIONS: &str = "suggestions";

/// A shape: a JSON Schema, and the shapes that it refers to by name.
///
/// It is kept in the words of draft 2020-12, with those of editors (`defaultSnippets`, `doNotSuggest`, `enumDescriptions`,
/// `patternErrorMessage`) beside them.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    words: Map<String, Value>,
    shared: BTreeMap<&'static str, Value>,
}

impl Schema {
    /// Returns the shape of everything.
    pub fn any() -> Self {
        Self::default()
    }

    /// Returns the shape of a string.
    pub fn string() -> Self {
        Self::of(json!({ "type": "string" }))
    }

    /// Returns the shape of a string that holds more than white space.
    pub fn not_blank() -> Self {
        Self::string().pattern("\\S", "must not be blank")
    }

    /// Returns the shape of a number.
    pub fn number() -> Self {
        Self::of(json!({ "type": "number" }))
    }

    /// Returns the shape of an integer within limits, both included.
    pub fn integer(least: i64, most: Option<i64>) -> Self {
        let schema = Self::of(json!({ "type": "integer", "minimum": least }));
        match most {
            Some(most) => schema.with("maximum", json!(most)),
            None => schema,
        }
    }

    /// Returns the shape of a list.
    pub fn list(item: Self) -> Self {
        let mut list = Self::of(json!({ "type": "array" }));
        let item = list.absorb(item);
        list.with("items", item)
    }

    /// Returns the shape of one of some words, each with what it means.
    pub fn words<'w>(words: impl IntoIterator<Item = (&'w str, &'w str)>) -> Self {
        let (words, meanings): (Vec<&str>, Vec<&str>) = words.into_iter().unzip();
        let schema = Self::of(json!({ "enum": words }));
        if meanings.iter().all(|meaning| meaning.is_empty()) {
            return schema;
        }
        schema.with("enumDescriptions", json!(meanings))
    }

    /// Returns the shape of exactly one value.
    pub fn constant(value: Value) -> Self {
        Self::any().with("const", value)
    }

    /// Returns the shape of null.
    pub fn null() -> Self {
        Self::of(json!({ "type": "null" }))
    }

    /// Returns the shape of a mapping from names that people give.
    pub fn mapping(value: Self) -> Self {
        let mut mapping = Self::of(json!({ "type": "object" }));
        let value = mapping.absorb(value);
        mapping.with("additionalProperties", value)
    }

    /// Leaves the keys of a mapping that begin with `x-` to the user.
    #[must_use]
    pub fn user_keys(self) -> Self {
        self.with("patternProperties", json!({ "^x-": true }))
    }

    /// Refuses the key of a mapping that would merge: YAML 1.2 has none.
    #[must_use]
    pub fn no_merge_key(self) -> Self {
        self.with("propertyNames", json!({ "not": { "const": "<<" } }))
    }

    /// Returns the shape of a string for which editors suggest some, although it may be any other.
    pub fn string_suggesting<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        Self::string().with(SUGGESTIONS, words.into_iter().collect())
    }

    /// Suggests strings for a shape that takes any string.
    #[must_use]
    pub fn suggest<'w>(self, words: impl IntoIterator<Item = &'w str>) -> Self {
        self.with(SUGGESTIONS, words.into_iter().collect())
    }

    /// Keeps editors from suggesting a key, such as the second spelling of another one.
    #[must_use]
    pub fn do_not_suggest(self) -> Self {
        self.with("doNotSuggest", json!(true))
    }

    /// Returns the shape of what has one of several shapes.
    pub fn either(shapes: impl IntoIterator<Item = Self>) -> Self {
        let mut either = Self::any();
        let shapes: Vec<Value> = shapes.into_iter().map(|shape| either.absorb(shape)).collect();
        either.with("anyOf", json!(shapes))
    }

    /// Returns the same shape under a name, for a shape that occurs at several places.
    #[must_use]
    pub fn define(self, name: &'static str) -> Self {
        let mut schema = Self::any();
        let shape = schema.absorb(self);
        schema.shared.insert(name, shape);
        schema.with("$ref", json!(format!("#/$defs/{name}")))
    }

    /// Says what the value is for.
    #[must_use]
    pub fn describe(self, description: &str) -> Self {
        self.with("description", json!(description))
    }

    /// Names the shape.
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        self.with("title", json!(title))
    }

    /// Says what counts where nothing is written.
    #[must_use]
    pub fn default_value(self, value: Value) -> Self {
        self.with("default", value)
    }

    /// Gives examples, which editors also suggest. They do not limit what the value may be.
    #[must_use]
    pub fn examples<'e>(self, examples: impl IntoIterator<Item = &'e str>) -> Self {
        let examples: Vec<&str> = examples.into_iter().collect();
        self.with("examples", json!(examples))
    }

    /// Gives examples that are not strings.
    #[must_use]
    pub fn examples_of(self, examples: impl IntoIterator<Item = Value>) -> Self {
        self.with("examples", examples.into_iter().collect())
    }

    /// Gives a string that editors insert; `${1:…}` are its stops.
    #[must_use]
    pub fn snippet(mut self, label: &str, description: &str, body: &Value) -> Self {
        let snippet = json!({ "label": label, "description": description, "body": body });
        match self.words.get_mut("defaultSnippets") {
            Some(Value::Array(snippets)) => snippets.push(snippet),
            _ => {
                self.words.insert("defaultSnippets".to_owned(), json!([snippet]));
            }
        }
        self
    }

    /// Demands that strings match a regular expression, and gives the message for those that do not.
    #[must_use]
    pub fn pattern(self, expression: &str, message: &str) -> Self {
        self.with("pattern", json!(expression)).with("patternErrorMessage", json!(message))
    }

    /// Adds a word of the language of schemas. Words with shapes in them are better added by the function for them.
    #[must_use]
    pub fn with(mut self, word: &str, value: Value) -> Self {
        self.words.insert(word.to_owned(), value);
        self
    }

    /// Returns a schema for use within this one, which takes over the shapes that it refers to.
    pub(crate) fn absorb(&mut self, other: Self) -> Value {
        self.shared.extend(other.shared);
        Value::Object(other.words)
    }

    fn of(words: Value) -> Self {
        match words {
            Value::Object(words) => Self { words, shared: BTreeMap::new() },
            _ => Self::any(),
        }
    }
}

impl Describe for String {
    fn schema() -> Schema {
        Schema::string()
    }
}

impl Describe for bool {
    fn schema() -> Schema {
        Schema::of(json!({ "type": "boolean" }))
    }
}

impl Describe for FiniteNumber {
    fn schema() -> Schema {
        Schema::number()
    }
}

impl<T: Describe> Describe for List<T> {
    fn schema() -> Schema {
        Schema::list(T::schema())
    }
}

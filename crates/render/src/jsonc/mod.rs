//! Changes to JSON files of other programs, with or without comments.
//!
//! Everything else stays byte for byte: comments, order, indentation, line breaks, a byte order mark. A [`JsonText`]
//! is parsed once and returns the text after a change. Where the meaning of the file is ambiguous (a duplicate key on
//! the path, a value of another type), the change fails with the place.
//!
//! ```
//! use minds_render::jsonc::{Change, Dialect, Json, JsonText};
//!
//! let text = "{\n    // mine\n    \"servers\": {\n        \"a\": 1, // first\n    },\n}\n";
//! let json = JsonText::parse(text, Dialect::CommentsAndCommas)?;
//! let value = Json::Object(vec![("type".into(), Json::Text("http".into()))]);
//! let changes = [Change { key: "a", value: None }, Change { key: "b", value: Some(&value) }];
//! let new = json.change(&["servers"], &changes)?;
//! assert_eq!(
//!     new,
//!     "{\n    // mine\n    \"servers\": {\n        // first\n        \"b\": {\n            \"type\": \"http\"\n        }\n    },\n}\n",
//! );
//! # Ok::<(), minds_render::jsonc::JsonError>(())
//! ```

mod edit;
mod error;
mod layout;
mod parts;
mod remove;
mod strict;
mod value;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use minds_document::BOM;
use minds_document::limits::MAX_BYTES;

pub use self::edit::Change;
pub use self::error::{JsonError, JsonErrorKind};
pub use self::parts::JsonPart;
pub use self::value::Json;

/// The extensions of JSON that the reader of a file supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// None, and no byte order mark.
    StrictJson,
    /// None.
    Json,
    /// Comments, which are blanked before the JSON is parsed; no byte order mark.
    Comments,
    /// Comments, and trailing commas.
    StrictCommentsAndCommas,
    /// Comments, trailing commas, other white space, and control characters in strings except line breaks.
    CommentsAndCommas,
}

/// A JSON file that was parsed.
#[derive(Debug)]
pub struct JsonText<'t> {
    /// The byte order mark, if there is one.
    mark: &'t str,
    /// The text after it.
    text: &'t str,
    dialect: Dialect,
    /// None if there is only white space and comments.
    root: Option<Value<'t>>,
}

/// A value of a JSON file.
#[derive(Clone, Copy, Debug)]
pub struct JsonNode<'n, 't> {
    value: &'n Value<'t>,
    text: &'t str,
}

impl<'t> JsonText<'t> {
    /// Parses a string of at most 16 MiB and 512 levels.
    ///
    /// # Errors
    ///
    /// Returns the first place at which the text does not conform to the dialect.
    pub fn parse(text: &'t str, dialect: Dialect) -> Result<Self, JsonError> {
        let (mark, body) = text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 });
        if body.len() > MAX_BYTES {
            return Err(JsonError::new(JsonErrorKind::TooLarge, 0..0));
        }
        let options = ParseOptions {
            allow_comments: !matches!(dialect, Dialect::StrictJson | Dialect::Json),
            allow_trailing_commas: matches!(
                dialect,
                Dialect::StrictCommentsAndCommas | Dialect::CommentsAndCommas
            ),
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(body, &CollectOptions::default(), &options).map_err(|error| {
            let Range { start, end } = error.range();
            JsonError::new(JsonErrorKind::Syntax(error::sentence(error.kind())), start..end)
                .shift_by_mark(mark)
        })?;
        strict::check(mark, body, dialect)?;
        Ok(Self { mark, text: body, dialect, root: parsed.value })
    }

    /// Returns the value at a path of keys, if it exists.
    ///
    /// # Errors
    ///
    /// Returns an error if a key of the path exists twice, or if a value on the path is not an object.
    pub fn find(&self, path: &[&str]) -> Result<Option<JsonNode<'_, 't>>, JsonError> {
        let Some(mut value) = self.root.as_ref() else { return Ok(None) };
        let mut above = None;
        for key in path {
            let Some(property) = self.member(self.object(value, above)?, key)? else { return Ok(None) };
            (value, above) = (&property.value, Some(*key));
        }
        Ok(Some(JsonNode { value, text: self.text }))
    }

    /// Returns the object; `key` is the key of the value.
    fn object<'n>(&self, value: &'n Value<'t>, key: Option<&str>) -> Result<&'n Object<'t>, JsonError> {
        value
            .as_object()
            .ok_or_else(|| self.error(JsonErrorKind::NotAnObject(key.map(str::to_owned)), value.range()))
    }

    /// Returns the member of an object with this key; fails if there are several.
    fn member<'n>(&self, object: &'n Object<'t>, key: &str) -> Result<Option<&'n ObjectProp<'t>>, JsonError> {
        let mut found = object.properties.iter().filter(|property| property.name.as_str() == key);
        match (found.next(), found.next()) {
            (_, Some(second)) => {
                Err(self.error(JsonErrorKind::Repeated(key.to_owned()), second.name.range()))
            }
            (first, None) => Ok(first),
        }
    }

    fn error(&self, kind: JsonErrorKind, range: Range) -> JsonError {
        JsonError::new(kind, range.start..range.end).shift_by_mark(self.mark)
    }
}

impl JsonNode<'_, '_> {
    /// Returns the string that the value is, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        self.value.as_string_lit().map(|text| text.value.as_ref())
    }

    /// Returns whether the value is a list.
    pub fn is_list(&self) -> bool {
        self.value.as_array().is_some()
    }

    /// Returns whether the value is a list that contains this string.
    pub fn has_item(&self, text: &str) -> bool {
        let is_text = |item: &Value<'_>| item.as_string_lit().is_some_and(|item| item.value == text);
        self.value.as_array().is_some_and(|list| list.elements.iter().any(is_text))
    }

    /// Returns the items of a list in their order; none for any other value.
    pub fn items(&self) -> impl Iterator<Item = Self> {
        let items = self.value.as_array().map(|list| list.elements.as_slice()).unwrap_or_default();
        items.iter().map(|value| Self { value, text: self.text })
    }

    /// Returns the members of an object in their order; none for any other value.
    pub fn members(&self) -> impl Iterator<Item = (&str, Self)> {
        let members = self.value.as_object().map(|object| object.properties.as_slice()).unwrap_or_default();
        members.iter().map(|member| (member.name.as_str(), Self { value: &member.value, text: self.text }))
    }

    /// Returns the value as written in the file.
    pub fn source_text(&self) -> &str {
        let Range { start, end } = self.value.range();
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns the parsed value; none if a key in it exists twice, or a number has no exact representation.
    pub fn to_value(&self) -> Option<serde_json::Value> {
        value::meaning(self.value)
    }
}

//! JSON Schemas of decoded types, by `schemars`.
//!
//! A mapping with declared [`Keys`](crate::Keys) gets its schema from the declaration; other types implement
//! [`JsonSchema`] next to their decoding. [`Keywords`] adds the keywords that occur often. [`Draft`] writes the schemas of the
//! kinds of files.
//!
//! ```
//! use minds_document::inline_schema;
//! use minds_document::json_schema::{Keywords, string};
//!
//! struct LanguageTag(String);
//!
//! inline_schema!(LanguageTag, |_| string().pattern("^[a-z]{2}$", "must be a language tag such as `en`"));
//! ```

/// Implements [`JsonSchema`] for a type whose schema is repeated at every place, by a function of the generator.
#[macro_export]
macro_rules! inline_schema {
    ($type:ty, $schema:expr) => {
        impl $crate::json_schema::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(
                generator: &mut $crate::json_schema::SchemaGenerator,
            ) -> $crate::json_schema::Schema {
                let schema: fn(&mut $crate::json_schema::SchemaGenerator) -> $crate::json_schema::Schema =
                    $schema;
                schema(generator)
            }
        }
    };
}

mod draft;
mod file_kind;
mod keywords;
mod properties;
mod values;

pub use draft::Draft;
pub use file_kind::{FileKind, file_schema};
pub use keywords::Keywords;
pub use properties::Properties;
pub use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
pub use serde_json::json;
pub use values::{any_of, integer, list, mapping, mapping_of, not_blank, or_null, string, string_values};

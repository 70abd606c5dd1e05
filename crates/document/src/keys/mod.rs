//! Mappings whose keys are declared once, as the fields of a struct.
//!
//! ```
//! use minds_diagnostics::SourceFile;
//! use minds_document::json_schema::{Draft, file_schema};
//! use minds_document::{Context, Decode, Field, Keys, Text, yaml};
//!
//! #[derive(Debug, Default, Keys, Decode)]
//! #[keys(title = "member")]
//! struct Member {
//!     /// What people read.
//!     name: Field<Text>,
//!     /// Whether the member is omitted from lists.
//!     #[key(name = "is-hidden", also = "is_hidden", default = false)]
//!     is_hidden: Field<bool>,
//! }
//!
//! let names: Vec<&str> = Member::KEYS.iter().map(|key| key.name).collect();
//! assert_eq!(names, ["name", "is-hidden", "is_hidden"]);
//!
//! let source = SourceFile::new("member.yaml", "is_hidden: true\nnmae: x\n");
//! let parsed = yaml::parse(&source);
//! let document = parsed.value.expect("the syntax is right");
//! let member = Member::decode(document.root(), &mut Context::new()).expect("it is a mapping");
//! assert!(member.is_hidden.as_given().is_some_and(|hidden| hidden.value));
//! assert!(member.name.is_unreadable(), "the key is probably misspelled");
//!
//! let schema = Draft::Draft7.write(&file_schema::<Member>());
//! assert!(schema.contains("\"description\": \"What people read.\""));
//! ```
//!
//! A value that is useless without some of its keys has them as `Spanned<…>`; `partial` names the type that they are
//! decoded to first.
//!
//! ```
//! use minds_diagnostics::SourceFile;
//! use minds_document::{Context, Decode, Field, Keys, Spanned, Text, yaml};
//!
//! #[derive(Debug, Keys, Decode)]
//! #[keys(title = "desk", partial = DeskKeys)]
//! struct Desk {
//!     /// The group.
//!     group: Spanned<Text>,
//!     /// The number of its drawers.
//!     #[key(range = 0..=8)]
//!     drawers: Field<i64>,
//! }
//!
//! let source = SourceFile::new("desk.yaml", "drawers: 9\n");
//! let parsed = yaml::parse(&source);
//! let document = parsed.value.expect("the syntax is right");
//! let mut cx = Context::new();
//! assert!(Desk::decode(document.root(), &mut cx).is_none());
//! let found: Vec<String> = cx.into_problems().into_sorted().into_iter().map(|found| found.message).collect();
//! assert_eq!(found, ["the file lacks the key `group`", "`drawers` must be an integer from 0 to 8"]);
//! ```
//!
//! An incomplete or contradictory declaration does not compile: a key without a doc comment,
//!
//! ```compile_fail
//! #[derive(Debug, Default, minds_document::Keys)]
//! #[keys(title = "member")]
//! struct Member {
//!     name: minds_document::Field<minds_document::Text>,
//! }
//! ```
//!
//! an unknown attribute,
//!
//! ```compile_fail
//! #[derive(Debug, Default, minds_document::Keys)]
//! #[keys(title = "member")]
//! struct Member {
//!     /// What people read.
//!     #[key(nmae = "title")]
//!     name: minds_document::Field<minds_document::Text>,
//! }
//! ```
//!
//! a value that must exist in a mapping without `partial`,
//!
//! ```compile_fail
//! #[derive(Debug, minds_document::Keys)]
//! #[keys(title = "member")]
//! struct Member {
//!     /// What people read.
//!     name: minds_document::Spanned<minds_document::Text>,
//! }
//! ```
//!
//! or a decoder or a value without meaning for a key with two spellings.
//!
//! ```compile_fail
//! #[derive(Debug, Default, minds_document::Keys)]
//! #[keys(title = "member")]
//! struct Member {
//!     /// What people read.
//!     #[key(also = "title", decode = minds_document::Text::decode)]
//!     name: minds_document::Field<minds_document::Text>,
//! }
//! ```
//!
//! ```compile_fail
//! #[derive(Debug, Default, minds_document::Keys)]
//! #[keys(title = "member")]
//! struct Member {
//!     /// What people read.
//!     #[key(also = "title", absent = |_| true)]
//!     name: minds_document::Field<minds_document::Text>,
//! }
//! ```

mod completeness;
mod key;

use crate::json_schema::{Properties, SchemaGenerator};
use crate::{Context, Entry, Fields, Node, Spanned};

pub use completeness::Completeness;
pub use key::Key;
pub use minds_document_derive::Keys;

/// A mapping with declared keys; derived.
pub trait Keys: Sized {
    /// Every key, including other spellings, in canonical order.
    const KEYS: &'static [Key];

    /// Decodes the value of every key.
    fn read_keys(fields: &mut Fields<'_, '_>) -> Self;

    /// Makes every absent field unreadable whose key has a place here.
    fn mark_unreadable(&mut self, place: &dyn Fn(&str) -> Option<Spanned<()>>);

    /// Returns the required keys that are absent.
    fn missing_keys(&self) -> Vec<&'static str>;

    /// Returns whether all fields are absent.
    fn is_empty(&self) -> bool;

    /// Adds the keys to the schema of a mapping.
    fn describe_keys(properties: &mut Properties, generator: &mut SchemaGenerator);

    /// Returns whether a key is declared.
    fn is_key(name: &str) -> bool {
        Self::KEYS.iter().any(|key| key.name == name)
    }

    /// Decodes the values, reports unknown keys, and makes fields unreadable whose keys are probably misspelled. Missing
    /// keys are not reported. `hint` is as in [`Fields::finish_with`].
    fn from_fields<'d>(mut fields: Fields<'_, 'd>, hint: impl Fn(&Entry<'d>) -> Option<String>) -> Self {
        let mut value = Self::read_keys(&mut fields);
        let misspelled = fields.finish_with(hint);
        if !misspelled.is_empty() {
            value.mark_unreadable(&|key| misspelled.place(key));
        }
        value
    }
}

/// Decodes a mapping with declared keys, and reports the required keys that are missing. `hint` is as in
/// [`Fields::finish_with`].
pub fn decode_keys<'d, T: Keys>(
    node: Node<'d>,
    cx: &mut Context,
    hint: impl Fn(&Entry<'d>) -> Option<String>,
) -> Option<T> {
    let value = T::from_fields(cx.fields(node)?, hint);
    cx.missing_keys(node, &value.missing_keys(), None);
    Some(value)
}

/// A group of keys that is rarely used: nothing is stored if none of them is given.
impl<T: Keys + Default> Keys for Option<Box<T>> {
    const KEYS: &'static [Key] = T::KEYS;

    fn read_keys(fields: &mut Fields<'_, '_>) -> Self {
        let group = T::read_keys(fields);
        (!group.is_empty()).then(|| Box::new(group))
    }

    fn mark_unreadable(&mut self, place: &dyn Fn(&str) -> Option<Spanned<()>>) {
        if self.is_some() || T::KEYS.iter().any(|key| place(key.name).is_some()) {
            self.get_or_insert_default().mark_unreadable(place);
        }
    }

    fn missing_keys(&self) -> Vec<&'static str> {
        self.as_deref().map_or_else(|| T::default().missing_keys(), T::missing_keys)
    }

    fn is_empty(&self) -> bool {
        self.as_deref().is_none_or(T::is_empty)
    }

    fn describe_keys(properties: &mut Properties, generator: &mut SchemaGenerator) {
        T::describe_keys(properties, generator);
    }
}

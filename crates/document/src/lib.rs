#![doc = include_str!("../README.md")]

mod comments;
mod decode;
mod encoding;
mod env_var;
mod expression;
mod format;
mod front_matter;
mod hidden_text;
mod json;
pub mod json_schema;
mod key_filter;
mod keys;
pub mod limits;
pub mod rules;
mod scalar;
pub mod toml;
mod tree;
mod url;
pub mod yaml;

pub use decode::{
    Context, Decode, Field, Fields, FiniteNumber, LimitedNumber, Limits, List, ListItem, MisspelledKeys,
    Spanned, Text, decode_list,
};
pub use encoding::BOM;
pub use env_var::EnvVar;
pub use expression::{Expression, ExpressionError};
pub use format::Format;
pub use front_matter::{FrontMatter, Markdown, UnterminatedFrontMatter};
pub use hidden_text::check_hidden_text;
pub use keys::{Completeness, Key, Keys, decode_keys};
pub use tree::{Document, Entry, Node, NodeId, NodeKind, Value};
pub use url::UrlKind;

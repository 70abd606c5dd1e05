#![doc = include_str!("../README.md")]

mod change_set;
mod comments;
mod decode;
mod encoding;
mod env_var;
mod expression;
mod format;
mod front_matter;
mod hash;
mod hidden_text;
mod json;
pub mod jsonc;
mod key_filter;
pub mod limits;
mod parallel;
pub mod rules;
mod scalar;
pub mod schema;
mod scope;
pub mod secrets;
mod snapshot;
mod survey;
mod time;
pub mod toml;
mod tree;
mod url;
pub mod yaml;

pub use change_set::{Change, ChangeSet, ChangeSetError, ChangeSetId, Expected};
pub use decode::{
    Context, Decode, Field, Fields, FiniteNumber, List, MisspelledKeys, Spanned, Text, decode_list,
};
pub use env_var::EnvVar;
pub use expression::{Expression, ExpressionError};
pub use format::Format;
pub use front_matter::{FrontMatter, Markdown, UnterminatedFrontMatter};
pub use hash::{ContentHash, ContentHashError};
pub use hidden_text::check_hidden_text;
pub use parallel::map_on_two_threads;
pub use scope::{DirectoryScope, Scope};
pub use snapshot::{FileMode, HARD_LINKED, Snapshot, SnapshotEntry, diagnose_untrusted};
pub use survey::{Survey, SurveyResult};
pub use time::rfc3339;
pub use tree::{Document, Entry, Node, NodeId, Value};
pub use url::UrlKind;

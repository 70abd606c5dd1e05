//! Documents as trees with spans, and files as values.
//!
//! [`yaml::parse`] and [`toml::parse`] turn a text into a [`Document`]: every key and value has its place in the text, and
//! every problem of the syntax is reported. [`FrontMatter`] finds such a text at the head of a Markdown file. [`Decode`] turns nodes into types and reports every problem of the shape. A [`Snapshot`] is
//! what was read from disk, a [`ChangeSet`] what is to be written there; both are plain values.
//! [`jsonc`] changes JSON files of other programs in place.
//! [`schema`] turns the types that are decoded into JSON Schemas.
//!
//! ```
//! use minds_diagnostics::SourceFile;
//! use minds_document::yaml;
//!
//! let source = SourceFile::new("team.yaml", "members:\n  coder: {hidden: yes}\n");
//! let parsed = yaml::parse(&source);
//! assert!(parsed.problems.is_empty());
//!
//! let document = parsed.value.expect("the syntax is right");
//! let hidden = document.root().get("members").and_then(|node| node.get("coder")).and_then(|node| node.get("hidden"));
//! let hidden = hidden.expect("it is there");
//! assert_eq!(hidden.pointer(), "/members/coder/hidden");
//! assert_eq!(source.slice(hidden.span()), "yes");
//! ```

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
pub mod limits;
mod mark;
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
pub use decode::{Context, Decode, Field, Fields, FiniteNumber, List, Meant, Spanned, Text, decode_list};
pub use env_var::EnvVar;
pub use expression::{Expression, ExpressionError};
pub use format::Format;
pub use front_matter::{FrontMatter, Head, UnterminatedHead};
pub use hash::{ContentHash, ContentHashError};
pub use hidden_text::check_hidden_text;
pub use parallel::on_two_threads;
pub use scope::{Below, Scope};
pub use snapshot::{FileMode, SEVERAL_NAMES, Snapshot, SnapshotEntry, untrusted};
pub use survey::{Survey, Surveyed};
pub use time::rfc3339;
pub use tree::{Document, Entry, Node, NodeId, Value};
pub use url::UrlKind;

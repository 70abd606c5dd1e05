#![doc = include_str!("../README.md")]

mod completeness;
mod contents;
mod diagnostic;
pub mod emit;
mod error_code;
mod json_document;
mod kinds;
mod line_index;
mod parsed;
mod problems;
mod report;
mod rule;
mod source;
mod span;
mod suggest;
mod suppressions;

pub use completeness::Completeness;
pub use contents::Contents;
pub use diagnostic::{Diagnostic, Edit, Fix, Label};
pub use error_code::ErrorKind;
pub use json_document::{JSON_VERSION, JsonDocument, json_document_schema, json_line_schema, to_json_line};
pub use line_index::{LineIndex, Position, PositionRange};
pub use parsed::Parsed;
pub use problems::{FileSuppressions, MAX_PROBLEMS_PER_FILE, Problems};
pub use report::{Report, Summary};
pub use rule::{Origin, REPOSITORY, Rule, Severity, rule_page};
pub use source::SourceFile;
pub use span::Span;
pub use suggest::{Candidates, did_you_mean, find_closest, find_misspelled, find_nearest};
pub use suppressions::{SuppressedCode, SuppressionComment, SuppressionFlaw, Suppressions};

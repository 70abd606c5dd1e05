//! Reports as text, one file for each format.
//!
//! Emitters take a whole [`Report`](crate::Report), return one string that ends with a line break, and never fail.
//! Text that comes from files is made safe for terminals in the formats that people read.

mod concise;
mod github;
mod human;
mod json;
mod printable;
mod sarif;

pub use concise::concise;
pub use github::github;
pub use human::{Human, human, human_findings};
pub use json::{Finding, ReportDocument, escaped_json, json, json_findings};
pub use printable::{printable, visible};
pub use sarif::{Tool, sarif};

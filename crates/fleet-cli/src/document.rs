//! JSON documents: one line with the version first.

use minds_diagnostics::{JSON_VERSION, JsonDocument};
use minds_output::Output;
use serde::Serialize;

#[derive(Serialize)]
struct Versioned<'a, D> {
    version: u32,
    #[serde(flatten)]
    document: &'a D,
}

/// Writes a document to stdout.
pub(crate) fn write(out: &mut Output, document: &impl JsonDocument) {
    line(out, &Versioned { version: JSON_VERSION, document });
}

/// Writes a value as one line of JSON, without a version.
pub(crate) fn line(out: &mut Output, value: &impl Serialize) {
    out.json_value(value);
    out.text().push('\n');
}

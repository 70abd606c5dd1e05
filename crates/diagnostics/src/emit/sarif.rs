//! The report as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for code scanning services.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::escaped_json;
use crate::{Diagnostic, Edit, Fix, Label, Report, Rule, Severity, rule_page};

/// Who made the report.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// Every rule that it knows; those of the findings must be among them.
    pub rules: &'a [&'static Rule],
}

/// Returns the report as one SARIF log with one run, followed by a line break.
///
/// Files are named relative to where the root is relative to. Columns count Unicode code points. A finding about a whole
/// file has no region, one without a file no location.
pub fn sarif(report: &Report, tool: Tool<'_>) -> String {
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "minds",
                    "version": tool.version,
                    "semanticVersion": tool.version,
                    "rules": tool.rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "artifacts": report
                .files
                .iter()
                .map(|file| json!({ "location": { "uri": uri(report, file) } }))
                .collect::<Vec<_>>(),
            "results": report.diagnostics.iter().map(|found| result(report, found, tool)).collect::<Vec<_>>(),
        }],
    });
    escaped_json(format!("{log}\n"))
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.code,
        "shortDescription": { "text": rule.summary },
        "helpUri": rule_page(rule.code),
        "help": { "text": rule.page, "markdown": rule.page },
        "defaultConfiguration": { "level": level(rule.default_severity) },
    })
}

fn result(report: &Report, found: &Diagnostic, tool: Tool<'_>) -> Value {
    let mut text = found.message.clone();
    for more in found.notes.iter().chain(&found.help) {
        text.push('\n');
        text.push_str(more);
    }
    let mut result = json!({
        "ruleId": found.rule.code,
        "level": level(found.severity),
        "message": { "text": text },
        "locations": found.primary.iter().map(|label| location(report, label)).collect::<Vec<_>>(),
    });
    if let Some(index) = tool.rules.iter().position(|rule| rule.code == found.rule.code) {
        set(&mut result, "ruleIndex", index);
    }
    if !found.secondary.is_empty() {
        let related = found.secondary.iter().enumerate().map(|(id, label)| {
            let mut location = location(report, label);
            set(&mut location, "id", id);
            set(&mut location, "message", json!({ "text": label.message }));
            location
        });
        set(&mut result, "relatedLocations", related.collect::<Vec<_>>());
    }
    if let Some(fix) = &found.fix {
        set(&mut result, "fixes", json!([changes(report, fix)]));
    }
    result
}

fn location(report: &Report, label: &Label) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(report, label.source.name()) } });
    if label.span.end() > 0 {
        let range = label.source.range(label.span);
        set(
            &mut physical,
            "region",
            json!({
                "startLine": range.start.line,
                "startColumn": range.start.column,
                "endLine": range.end.line,
                "endColumn": range.end.column,
                "byteOffset": label.span.start(),
                "byteLength": label.span.len(),
            }),
        );
    }
    json!({ "physicalLocation": physical })
}

fn changes(report: &Report, fix: &Fix) -> Value {
    let change = |edit: &Edit| {
        json!({
            "artifactLocation": { "uri": uri(report, edit.source.name()) },
            "replacements": [{
                "deletedRegion": { "byteOffset": edit.span.start(), "byteLength": edit.span.len() },
                "insertedContent": { "text": edit.new_text },
            }],
        })
    };
    json!({
        "description": { "text": fix.title },
        "artifactChanges": fix.edits.iter().map(change).collect::<Vec<_>>(),
    })
}

/// Adds a key to an object.
fn set(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value.into());
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Returns the reference to a file: the path below the root, percent-encoded (RFC 3986).
fn uri(report: &Report, file: &str) -> String {
    let path = if report.root == "." { file.to_owned() } else { format!("{}/{file}", report.root) };
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => {
                // Writing to a string cannot fail.
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

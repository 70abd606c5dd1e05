//! The report for machines.

use std::fmt::Write as _;

use minds_text::{is_control, is_ignorable};
use serde::Serialize;

use crate::{Diagnostic, Edit, Label, PositionRange, Report, Severity, Span, Summary, rule_page};

/// The version of the documents that `--format json` prints.
pub const JSON_VERSION: u32 = 1;

/// Returns the report as one JSON document, followed by a line break.
///
/// ```json
/// {"version":1,"root":".","files":[],"diagnostics":[],"summary":{"errors":0,"warnings":0,"infos":0,"allowed":0}}
/// ```
///
/// Every finding has all keys: `code`, `severity` (`error`, `warning`, `info`), `message`, `file`, `span`, `range`,
/// `pointer`, `labels`, `notes`, `help`, `fix`, `url`. Of these `file`, `span`, `range`, `pointer`, `help` and `fix`
/// may be null. Spans are half-open byte ranges of the file as stored; lines and columns start at 1 and columns
/// count Unicode scalar values. `labels` holds the messages about places: the primary place first, if there is one
/// about it, then the others. `url` is the page about the rule.
/// Findings that comments allow are only counted: `allowed`.
pub fn json(report: &Report) -> String {
    let document = Document {
        version: JSON_VERSION,
        root: &report.root,
        files: &report.files,
        diagnostics: report.diagnostics.iter().map(JsonDiagnostic::new).collect(),
        summary: report.summary(),
    };
    // These types hold only strings and numbers, so serialization cannot fail.
    let mut out = serde_json::to_string(&document).unwrap_or_default();
    out.push('\n');
    escaped_json(out)
}

/// Returns JSON text in which every control character and every character that is not displayed is written as an escape.
/// The document stays the same, and a terminal or an editor shows all of it.
pub fn escaped_json(json: String) -> String {
    let is_hidden = |c: char| c >= '\u{7f}' && (is_control(c) || is_ignorable(c));
    let is_plain = |byte: u8| byte < 0x7f;
    if json.bytes().all(is_plain) || !json.contains(is_hidden) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Returns findings as a document of machines shows them, for documents that hold more than a report; see [`json()`].
pub fn json_findings(found: &[Diagnostic]) -> impl Serialize {
    found.iter().map(JsonDiagnostic::new).collect::<Vec<_>>()
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    root: &'a str,
    files: &'a [String],
    diagnostics: Vec<JsonDiagnostic<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    code: &'static str,
    severity: Severity,
    message: &'a str,
    file: Option<&'a str>,
    span: Option<JsonSpan>,
    range: Option<PositionRange>,
    pointer: Option<&'a str>,
    labels: Vec<JsonLabel<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    fix: Option<JsonFix<'a>>,
    url: String,
}

#[derive(Serialize)]
struct JsonSpan {
    start: u32,
    end: u32,
}

#[derive(Serialize)]
struct JsonLabel<'a> {
    file: &'a str,
    span: JsonSpan,
    range: PositionRange,
    message: &'a str,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    title: &'a str,
    edits: Vec<JsonEdit<'a>>,
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    file: &'a str,
    span: JsonSpan,
    new_text: &'a str,
}

impl<'a> JsonDiagnostic<'a> {
    fn new(found: &'a Diagnostic) -> Self {
        let place = found.primary.as_ref();
        let said = place.into_iter().filter(|label| !label.message.is_empty());
        Self {
            code: found.rule.code,
            severity: found.severity,
            message: &found.message,
            file: place.map(|label| label.source.name()),
            span: place.map(|label| label.span.into()),
            range: place.map(|label| label.source.range(label.span)),
            pointer: found.pointer.as_deref(),
            labels: said.chain(&found.secondary).map(JsonLabel::new).collect(),
            notes: &found.notes,
            help: found.help.as_deref(),
            fix: found.fix.as_ref().map(|fix| JsonFix {
                title: &fix.title,
                edits: fix.edits.iter().map(JsonEdit::new).collect(),
            }),
            url: rule_page(found.rule.code),
        }
    }
}

impl<'a> JsonLabel<'a> {
    fn new(label: &'a Label) -> Self {
        Self {
            file: label.source.name(),
            span: label.span.into(),
            range: label.source.range(label.span),
            message: &label.message,
        }
    }
}

impl<'a> JsonEdit<'a> {
    fn new(edit: &'a Edit) -> Self {
        Self { file: edit.source.name(), span: edit.span.into(), new_text: &edit.new_text }
    }
}

impl From<Span> for JsonSpan {
    fn from(span: Span) -> Self {
        Self { start: span.start(), end: span.end() }
    }
}

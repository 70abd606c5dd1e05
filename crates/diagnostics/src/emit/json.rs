//! The report for machines.

use std::fmt::Write as _;

use minds_text::{is_control, is_ignorable};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Diagnostic, Edit, JsonDocument, Label, PositionRange, Report, Severity, Span, Summary, rule_page,
    to_json_line,
};

/// Returns the report as one JSON document, followed by a line break.
///
/// ```json
/// {"version":1,"root":".","files":[],"diagnostics":[],"summary":{"errors":0,"warnings":0,"infos":0,"allowed":0}}
/// ```
pub fn json(report: &Report) -> String {
    to_json_line(&ReportDocument::new(report))
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

/// Returns findings in the form in which JSON documents contain them.
pub fn json_findings(found: &[Diagnostic]) -> Vec<Finding<'_>> {
    found.iter().map(Finding::new).collect()
}

/// The findings of a check.
///
/// Spans are half-open byte ranges of the file as stored. Lines and columns start at 1, and columns count Unicode scalar
/// values.
#[derive(Serialize, JsonSchema)]
pub struct ReportDocument<'a> {
    /// The workspace.
    root: &'a str,
    /// The files that were checked, relative to the workspace, sorted.
    files: &'a [String],
    /// The findings.
    diagnostics: Vec<Finding<'a>>,
    /// The number of findings of each severity.
    summary: Summary,
}

impl<'a> ReportDocument<'a> {
    /// Returns the document of a report.
    pub fn new(report: &'a Report) -> Self {
        Self {
            root: &report.root,
            files: &report.files,
            diagnostics: json_findings(&report.diagnostics),
            summary: report.summary(),
        }
    }
}

impl JsonDocument for ReportDocument<'_> {
    const NAME: &'static str = "report";
}

/// A problem that was found.
#[derive(Serialize, JsonSchema)]
pub struct Finding<'a> {
    /// The code of the rule.
    code: &'static str,
    /// The severity.
    severity: Severity,
    /// What is wrong.
    message: &'a str,
    /// The file, if the finding is about one.
    file: Option<&'a str>,
    /// The bytes of the primary place.
    span: Option<ByteSpan>,
    /// The lines and columns of the primary place.
    range: Option<PositionRange>,
    /// The JSON Pointer of the value.
    pointer: Option<&'a str>,
    /// Messages about places: that of the primary place first, if it has one.
    labels: Vec<FindingLabel<'a>>,
    /// The reasons.
    notes: &'a [String],
    /// What to do.
    help: Option<&'a str>,
    /// A safe fix.
    fix: Option<FindingFix<'a>>,
    /// The URL of the page about the rule.
    url: String,
}

/// A half-open range of bytes in the file as stored.
#[derive(Serialize, JsonSchema)]
struct ByteSpan {
    start: u32,
    end: u32,
}

/// A message about a place.
#[derive(Serialize, JsonSchema)]
struct FindingLabel<'a> {
    file: &'a str,
    span: ByteSpan,
    range: PositionRange,
    message: &'a str,
}

/// Edits that fix a problem.
#[derive(Serialize, JsonSchema)]
struct FindingFix<'a> {
    title: &'a str,
    edits: Vec<FindingEdit<'a>>,
}

/// A replacement of bytes in a file.
#[derive(Serialize, JsonSchema)]
struct FindingEdit<'a> {
    file: &'a str,
    span: ByteSpan,
    new_text: &'a str,
}

impl<'a> Finding<'a> {
    fn new(found: &'a Diagnostic) -> Self {
        let place = found.primary.as_ref();
        let labelled = place.into_iter().filter(|label| !label.message.is_empty());
        Self {
            code: found.rule.code,
            severity: found.severity,
            message: &found.message,
            file: place.map(|label| label.source.name()),
            span: place.map(|label| label.span.into()),
            range: place.map(|label| label.source.range(label.span)),
            pointer: found.pointer.as_deref(),
            labels: labelled.chain(&found.secondary).map(FindingLabel::new).collect(),
            notes: &found.notes,
            help: found.help.as_deref(),
            fix: found.fix.as_ref().map(|fix| FindingFix {
                title: &fix.title,
                edits: fix.edits.iter().map(FindingEdit::new).collect(),
            }),
            url: rule_page(found.rule.code),
        }
    }
}

impl<'a> FindingLabel<'a> {
    fn new(label: &'a Label) -> Self {
        Self {
            file: label.source.name(),
            span: label.span.into(),
            range: label.source.range(label.span),
            message: &label.message,
        }
    }
}

impl<'a> FindingEdit<'a> {
    fn new(edit: &'a Edit) -> Self {
        Self { file: edit.source.name(), span: edit.span.into(), new_text: &edit.new_text }
    }
}

impl From<Span> for ByteSpan {
    fn from(span: Span) -> Self {
        Self { start: span.start(), end: span.end() }
    }
}

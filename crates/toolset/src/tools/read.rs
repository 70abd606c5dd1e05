//! Reading a file.

use std::fmt::Write as _;

use minds_edit::{LineEndings, LineRange, Passage};
use minds_vfs::{ContentHash, WorkspacePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{READS, TEAM_MGMT};
use crate::answer::{Fields, Refusal};
use crate::call::Call;
use crate::file_refusal::quote;
use crate::input::Count;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

/// The largest file that is read, in bytes.
pub(crate) const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The number of lines returned by default.
const DEFAULT_LINES: usize = 500;

pub(super) static TEAM_MGMT_READ_FILE: Tool = Tool {
    name: "team_mgmt_read_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Read a text file below `.minds/`: its exact text in `content`, and `sha256`, \
         `size_bytes` and `total_lines` of the whole file, which `team_mgmt_overwrite_entire_file` needs. \
         If the text is incomplete, `truncated` is true and `next` is the call that continues. \
         FILE_NOT_FOUND: list the directory. INVALID_PATH: write `.minds/…`; links are never followed. \
         INVALID_UTF8: not a text file.",
    annotations: Annotations::READS,
    body: Body::of::<Read>(),
};

pub(super) static READ_FILE: Tool = Tool {
    name: "read_file",
    toolsets: READS,
    area: Area::Workspace,
    description: "Read a text file of the workspace: its exact text in `content`, and `sha256`, \
         `size_bytes` and `total_lines` of the whole file, which `overwrite_entire_file` needs. If the \
         text is incomplete, `truncated` is true and `next` is the call that continues. ACCESS_DENIED: \
         your lists deny it. FILE_NOT_FOUND: list the directory. INVALID_UTF8: not a text file.",
    ..TEAM_MGMT_READ_FILE
};

struct Read;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the file
    path: String,
    /// lines from 1: `3`, `3~7`, `3~`, `~7`; empty for all
    range: Option<String>,
    /// 0 for the default, 500
    max_lines: Option<Count>,
    /// number the lines of `content`; default false
    #[serde(default)]
    show_linenos: bool,
}

#[derive(Serialize, JsonSchema)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent facts about the content")]
struct Output {
    path: String,
    content: String,
    /// Of the whole file, as the two counts.
    sha256: String,
    size_bytes: usize,
    total_lines: usize,
    line_endings: Option<LineEndings>,
    /// Only if there is one.
    byte_order_mark: Option<bool>,
    first_line: usize,
    shown_lines: usize,
    truncated: bool,
    truncated_by_max_lines: bool,
    truncated_by_char_limit: bool,
    /// The call that continues.
    next: Option<String>,
}

impl Function for Read {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let path = call.path("path", &arguments.path)?;
        let range = arguments.range.as_deref().filter(|range| !range.trim().is_empty());
        let range = range.map_or(Ok(LineRange::ALL), parse_range)?;
        let most = arguments.max_lines.and_then(Count::positive);
        let most_lines = most.unwrap_or(DEFAULT_LINES);
        let is_numbered = arguments.show_linenos;
        let read = call.read(&path, MAX_BYTES)?;
        let (sha256, size_bytes) = (ContentHash::of(&read.bytes).to_string(), read.bytes.len());
        let text = text(read.bytes, &path)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (first, last) = range.within(lines.len()).ok_or_else(|| out_of_bounds(range, lines.len()))?;
        let passage = Passage::of(&lines, first, last, most_lines, is_numbered);
        let next = passage.continues_at.map(|line| {
            let end = range.end.map(|_| last.to_string()).unwrap_or_default();
            let mut args = json!({"path": path.as_str(), "range": format!("{line}~{end}")});
            if let (Some(args), Some(most)) = (args.as_object_mut(), most) {
                args.insert("max_lines".into(), most.into());
            }
            if let (Some(args), true) = (args.as_object_mut(), is_numbered) {
                args.insert("show_linenos".into(), true.into());
            }
            format!("{} {args}", call.tool.name)
        });
        let shown_lines = passage.lines;
        let mut summary = match shown_lines {
            0 => format!("`{path}` is empty"),
            _ => format!("lines {first}-{} of {} of `{path}`", first + shown_lines - 1, lines.len()),
        };
        if passage.is_line_cut {
            let _ = write!(summary, "; line {first} is too long: only its beginning is returned");
        }
        if let Some(next) = &next {
            let _ = write!(summary, "; next: {next}");
        }
        let output = Output {
            path: path.to_string(),
            content: passage.text,
            sha256,
            size_bytes,
            total_lines: lines.len(),
            line_endings: LineEndings::of(&text),
            byte_order_mark: text.starts_with('\u{feff}').then_some(true),
            first_line: first,
            shown_lines,
            truncated: passage.by_lines || passage.by_characters,
            truncated_by_max_lines: passage.by_lines,
            truncated_by_char_limit: passage.by_characters,
            next,
        };
        Ok(Outcome::new(summary, output))
    }
}

fn parse_range(text: &str) -> Result<LineRange, Refusal> {
    LineRange::parse(text).ok_or_else(|| {
        Refusal::new(Code::InvalidRange, format!("{} is not a valid range of lines", quote(text)))
            .next("pass `3`, `3~7`, `3~`, `~7` or `~`; lines count from 1")
    })
}

/// Returns the refusal of a range that begins after the text.
fn out_of_bounds(range: LineRange, total: usize) -> Refusal {
    let message = format!("the file has {total} lines, but the range begins at line {}", range.start);
    Refusal::new(Code::RangeOutOfBounds, message)
        .details(Fields::new().with("total_lines", total))
        .next(format!("pass a range within `1~{}`", total.max(1)))
}

/// Returns the text of a file.
pub(crate) fn text(bytes: Vec<u8>, path: &WorkspacePath) -> Result<String, Refusal> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{} is not valid UTF-8 at byte {at}", quote(path.as_str()));
        Refusal::new(Code::INVALID_UTF8, message).next("only text files can be read")
    })
}

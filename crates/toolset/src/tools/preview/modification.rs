//! Planning to replace lines by their numbers.

use serde_json::json;

use super::{EXISTING_HUNK_ID, PATH, field, preview, text};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::edit::{Edit, TargetMatch, body, split};
use crate::tool::{Annotations, OutputField, Tool};
use crate::tools::excerpt::{excerpt, first_lines, last_lines};
use crate::tools::{CHANGES, TEAM_MGMT};

const MODE: &str = "preview_file_modification";

pub(in crate::tools) static TEAM_MGMT_PREVIEW_FILE_MODIFICATION: Tool = Tool {
    name: "team_mgmt_preview_file_modification",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to replace, delete (empty content) or append lines of a text file below \
         `.minds/`. Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with \
         `hunk_id` within an hour. INVALID_RANGE, RANGE_OUT_OF_BOUNDS: read the file with line numbers \
         first. FILE_NOT_FOUND: list the directory. INVALID_UTF8: not a text file.",
    arguments: &[
        PATH,
        Argument::required(
            "range",
            Kind::Text,
            "Lines from 1: `N`, `N~M`, `N~`, `~M`, `~` (all); `N~` after the last line appends.",
        ),
        Argument::optional(
            "content",
            Kind::Text,
            "The new lines; empty deletes. One final newline only ends the last line.",
        ),
        EXISTING_HUNK_ID,
    ],
    output: OUTPUT,
    annotations: Annotations::READS,
    run,
};

pub(in crate::tools) static PREVIEW_FILE_MODIFICATION: Tool = Tool {
    name: "preview_file_modification",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Plan to replace, delete (empty content) or append lines of a text file. Nothing is \
         written: check `diff`, then call apply_file_modification with `hunk_id` within an hour. \
         INVALID_RANGE, RANGE_OUT_OF_BOUNDS: read the file with line numbers first. ACCESS_DENIED: you \
         need read and write access; `.minds/` is refused. INVALID_UTF8: not a text file.",
    ..TEAM_MGMT_PREVIEW_FILE_MODIFICATION
};

const OUTPUT: &[OutputField] = &[
    field("hunk_id", "string"),
    field("expires_at_ms", "integer"),
    field("action", "string"),
    field("range", "object"),
    field("lines", "object"),
    field("line_endings", "string"),
    field("normalized", "object"),
    field("evidence", "object"),
    field("diff", "string"),
];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let edit = Edit::Range { range: text(call, "range"), content: text(call, "content") };
    let previewed = preview(call, MODE, edit, false)?;
    let (start, end) = match previewed.done.target.found {
        TargetMatch::Range(range) => (range.start, range.end),
        _ => (0, 0),
    };
    let (before, after) = previewed.lines_around();
    let lines: Vec<&str> = split(&previewed.old).into_iter().map(body).collect();
    let old = previewed.done.target.span.of(&lines).unwrap_or_default();
    let fields = previewed
        .head(MODE)
        .with("range", json!({"input": text(call, "range"), "resolved": {"start": start, "end": end}}))
        .with("file_line_count", lines.len())
        .with("lines", previewed.lines())
        .with("match", "exact")
        .with(
            "evidence",
            json!({"before": last_lines(&before), "range": excerpt(old), "after": first_lines(&after)}),
        );
    let what = format!("{} lines", previewed.done.target.action.as_str());
    Ok(previewed.success(call, fields, &what))
}

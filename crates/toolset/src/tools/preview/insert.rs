//! Planning to insert lines before or after a line that contains an anchor.

use serde_json::json;

use super::{CONTENT, EXISTING_HUNK_ID, MATCH, OCCURRENCE, PATH, field, matching, preview, text};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::edit::{Edit, Side, TargetMatch, body, split};
use crate::tool::{Annotations, OutputField, Tool};
use crate::tools::excerpt::{blank_line_counts, excerpt, first_lines, last_lines};
use crate::tools::{CHANGES, TEAM_MGMT};

pub(in crate::tools) static TEAM_MGMT_PREVIEW_INSERT_AFTER: Tool = Tool {
    name: "team_mgmt_preview_insert_after",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to insert lines after the line with `anchor` in a text file below `.minds/`. \
         Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with `hunk_id` \
         within an hour. ANCHOR_NOT_FOUND: copy the anchor from the file. ANCHOR_AMBIGUOUS: pass \
         `occurrence`. OCCURRENCE_OUT_OF_RANGE: there are fewer.",
    arguments: ARGUMENTS,
    output: OUTPUT,
    annotations: Annotations::READS,
    run: |call| run(call, Side::After),
};

pub(in crate::tools) static TEAM_MGMT_PREVIEW_INSERT_BEFORE: Tool = Tool {
    name: "team_mgmt_preview_insert_before",
    description: "Plan to insert lines before the line with `anchor` in a text file below `.minds/`. \
         Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with `hunk_id` \
         within an hour. Refusals as in team_mgmt_preview_insert_after.",
    run: |call| run(call, Side::Before),
    ..TEAM_MGMT_PREVIEW_INSERT_AFTER
};

pub(in crate::tools) static PREVIEW_INSERT_AFTER: Tool = Tool {
    name: "preview_insert_after",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Plan to insert lines after the line with `anchor` in a text file. Nothing is \
         written: check `diff`, then call apply_file_modification with `hunk_id` within an hour. \
         ANCHOR_NOT_FOUND: copy the anchor from the file. ANCHOR_AMBIGUOUS: pass `occurrence`. \
         ACCESS_DENIED: you need read and write access; `.minds/` is refused.",
    ..TEAM_MGMT_PREVIEW_INSERT_AFTER
};

pub(in crate::tools) static PREVIEW_INSERT_BEFORE: Tool = Tool {
    name: "preview_insert_before",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Plan to insert lines before the line with `anchor` in a text file. Nothing is \
         written: check `diff`, then call apply_file_modification with `hunk_id` within an hour. Refusals \
         as in preview_insert_after; `.minds/` is refused.",
    run: |call| run(call, Side::Before),
    ..TEAM_MGMT_PREVIEW_INSERT_AFTER
};

const ARGUMENTS: &[Argument] = &[
    PATH,
    Argument::required("anchor", Kind::Text, "Part of one line; case and spaces count."),
    CONTENT,
    OCCURRENCE,
    MATCH,
    EXISTING_HUNK_ID,
];

const OUTPUT: &[OutputField] = &[
    field("hunk_id", "string"),
    field("expires_at_ms", "integer"),
    field("candidates_count", "integer"),
    field("occurrence_resolved", "string"),
    field("inserted_at_line", "integer"),
    field("inserted_line_count", "integer"),
    field("line_endings", "string"),
    field("normalized", "object"),
    field("evidence_preview", "object"),
    field("diff", "string"),
];

fn run(call: &Call<'_>, side: Side) -> Result<Success, Refusal> {
    let (anchor, content) = (text(call, "anchor"), text(call, "content"));
    let (mode, position) = match side {
        Side::After => ("preview_insert_after", "after"),
        Side::Before => ("preview_insert_before", "before"),
    };
    let (matching, occurrence) = (matching(call), call.arguments.occurrence("occurrence"));
    let edit = Edit::Insert { side, anchor: anchor.clone(), matching, occurrence, content: content.clone() };
    let previewed = preview(call, mode, edit, false)?;
    let (count, occurrence) = match previewed.done.target.found {
        TargetMatch::Anchor { count, occurrence, .. } => (count, occurrence),
        _ => (0, 0),
    };
    let new: Vec<&str> = split(&content).into_iter().map(body).collect();
    let (before, after) = previewed.lines_around();
    let fields = previewed
        .head(mode)
        .with("position", position)
        .with("anchor", anchor)
        .with("match", matching.as_str())
        .with("candidates_count", count)
        .with("occurrence_resolved", occurrence.to_string())
        .with("inserted_at_line", previewed.done.target.span.start + 1)
        .with("inserted_line_count", new.len())
        .with("lines", previewed.lines())
        .with(
            "blankline_style",
            json!({
                "before_trailing_blank_line_count": blank_line_counts(&before).0,
                "content_leading_blank_line_count": blank_line_counts(&new).1,
                "content_trailing_blank_line_count": blank_line_counts(&new).0,
                "after_leading_blank_line_count": blank_line_counts(&after).1,
            }),
        )
        .with_some("style_warning", previewed.style_warning(&content))
        .with(
            "evidence_preview",
            json!({"before": last_lines(&before), "insert": excerpt(&new), "after": first_lines(&after)}),
        );
    Ok(previewed.success(call, fields, &format!("insert {} lines", new.len())))
}

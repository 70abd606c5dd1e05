//! Planning to replace the lines between two anchors.

use serde_json::json;

use super::{CONTENT, EXISTING_HUNK_ID, MATCH, OCCURRENCE, PATH, field, matching, preview, text};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::edit::{Block, Edit, TargetMatch, body, split};
use crate::tool::{Annotations, OutputField, Tool};
use crate::tools::excerpt::{excerpt, first_lines, last_lines};
use crate::tools::{CHANGES, TEAM_MGMT};

const MODE: &str = "preview_block_replace";

pub(in crate::tools) static TEAM_MGMT_PREVIEW_BLOCK_REPLACE: Tool = Tool {
    name: "team_mgmt_preview_block_replace",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to replace the lines between a line with `start_anchor` and the next one with \
         `end_anchor` in a file below `.minds/`. Nothing is written: check `diff`, then call \
         team_mgmt_apply_file_modification with `hunk_id` within an hour. ANCHOR_NOT_FOUND: copy the \
         anchors from the file. ANCHOR_AMBIGUOUS: pass `occurrence`, or choose other anchors.",
    arguments: &[
        PATH,
        Argument::required("start_anchor", Kind::Text, "Part of the first line."),
        Argument::required("end_anchor", Kind::Text, "Part of the last line."),
        CONTENT,
        OCCURRENCE,
        Argument::optional("include_anchors", Kind::Flag, "Keep the anchor lines. Default: true."),
        MATCH,
        Argument::optional("require_unique", Kind::Flag, "Default: true. false: use the first block."),
        Argument::optional("strict", Kind::Flag, "Same as `require_unique`."),
        EXISTING_HUNK_ID,
    ],
    output: OUTPUT,
    annotations: Annotations::READS,
    run,
};

pub(in crate::tools) static PREVIEW_BLOCK_REPLACE: Tool = Tool {
    name: "preview_block_replace",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Plan to replace the lines between a line with `start_anchor` and the next one with \
         `end_anchor` in a text file. Nothing is written: check `diff`, then call apply_file_modification \
         with `hunk_id` within an hour. ANCHOR_NOT_FOUND: copy the anchors from the file. \
         ANCHOR_AMBIGUOUS: pass `occurrence`, or choose other anchors. `.minds/` is refused.",
    ..TEAM_MGMT_PREVIEW_BLOCK_REPLACE
};

const OUTPUT: &[OutputField] = &[
    field("hunk_id", "string"),
    field("expires_at_ms", "integer"),
    field("candidates_count", "integer"),
    field("occurrence_resolved", "string"),
    field("block_range", "object"),
    field("replace_slice", "object"),
    field("line_endings", "string"),
    field("normalized", "object"),
    field("evidence_preview", "object"),
    field("diff", "string"),
];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let first_will_do = !(call.arguments.flag("require_unique", true) && call.arguments.flag("strict", true));
    let include_anchors = call.arguments.flag("include_anchors", true);
    let edit = Edit::Block {
        start_anchor: text(call, "start_anchor"),
        end_anchor: text(call, "end_anchor"),
        matching: matching(call),
        occurrence: call.arguments.occurrence("occurrence"),
        include_anchors,
        first_will_do,
        content: text(call, "content"),
    };
    let previewed = preview(call, MODE, edit, false)?;
    let (block, count, occurrence) = match previewed.done.target.found {
        TargetMatch::Block { block, count, occurrence } => (block, count, occurrence),
        _ => (Block { start: 0, end: 0 }, 0, 0),
    };
    let span = previewed.done.target.span;
    let (before, after) = previewed.lines_around();
    let lines: Vec<&str> = split(&previewed.old).into_iter().map(body).collect();
    let fields = previewed
        .head(MODE)
        .with("match", matching(call).as_str())
        .with("include_anchors", include_anchors)
        .with("candidates_count", count)
        .with("occurrence_resolved", occurrence.to_string())
        .with("block_range", json!({"start_line": block.start + 1, "end_line": block.end + 1}))
        .with("replace_slice", json!({"start_line": span.start + 1, "delete_count": span.count}))
        .with("lines", previewed.lines())
        .with("reused_hunk_id", previewed.was_revised)
        .with(
            "evidence_preview",
            json!({
                "before": last_lines(&before),
                "range": excerpt(span.of(&lines).unwrap_or_default()),
                "after": first_lines(&after),
            }),
        );
    Ok(previewed.success(call, fields, &format!("replace {} lines", span.count)))
}

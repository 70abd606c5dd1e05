//! Planning to insert lines before or after a line that contains an anchor.

use minds_edit::{
    Edit, Matching, Side, TargetMatch, blank_line_counts, body, excerpt, first_lines, last_lines, split,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Head, Tail, preview};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::input::{Choice, MatchNumber};
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::tools::line_counts::LineCounts;
use crate::tools::{CHANGES, TEAM_MGMT};

pub(in crate::tools) static TEAM_MGMT_PREVIEW_INSERT_AFTER: Tool = Tool {
    name: "team_mgmt_preview_insert_after",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to insert lines after the line with `anchor` in a text file below `.minds/`. \
         Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with `hunk_id` \
         within an hour. ANCHOR_NOT_FOUND: copy the anchor from the file. ANCHOR_AMBIGUOUS: pass \
         `occurrence`. OCCURRENCE_OUT_OF_RANGE: there are fewer.",
    annotations: Annotations::READS,
    body: Body::of::<PreviewInsertAfter>(),
};

pub(in crate::tools) static TEAM_MGMT_PREVIEW_INSERT_BEFORE: Tool = Tool {
    name: "team_mgmt_preview_insert_before",
    description: "Plan to insert lines before the line with `anchor` in a text file below `.minds/`. \
         Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with `hunk_id` \
         within an hour. Refusals as in team_mgmt_preview_insert_after.",
    body: Body::of::<PreviewInsertBefore>(),
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
    body: Body::of::<PreviewInsertBefore>(),
    ..TEAM_MGMT_PREVIEW_INSERT_AFTER
};

struct PreviewInsertAfter;
struct PreviewInsertBefore;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file to change.
    path: String,
    /// Part of one line; case and spaces count.
    anchor: String,
    /// One final newline only ends the last line.
    content: String,
    /// Which one, from 1, or `last`.
    #[serde(default)]
    occurrence: MatchNumber,
    /// Default: contains.
    #[serde(default, rename = "match")]
    matching: Choice<Matching>,
    /// Revise this plan for the same file.
    existing_hunk_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(flatten)]
    head: Head,
    position: Side,
    anchor: String,
    #[serde(rename = "match")]
    matching: Matching,
    candidates_count: usize,
    occurrence_resolved: String,
    inserted_at_line: usize,
    inserted_line_count: usize,
    lines: LineCounts,
    blankline_style: BlankLines,
    style_warning: Option<&'static str>,
    evidence_preview: Evidence,
    #[serde(flatten)]
    tail: Tail,
}

#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are part of the answer")]
struct BlankLines {
    before_trailing_blank_line_count: usize,
    content_leading_blank_line_count: usize,
    content_trailing_blank_line_count: usize,
    after_leading_blank_line_count: usize,
}

#[derive(Serialize, JsonSchema)]
struct Evidence {
    before: Vec<String>,
    insert: Vec<String>,
    after: Vec<String>,
}

impl Function for PreviewInsertAfter {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        insert(call, Side::After, arguments)
    }
}

impl Function for PreviewInsertBefore {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        insert(call, Side::Before, arguments)
    }
}

fn insert(call: &Call<'_>, side: Side, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
    let Arguments { path, anchor, content, occurrence, matching, existing_hunk_id } = arguments;
    let (matching, occurrence) = (matching.0.unwrap_or_default(), occurrence.0);
    let edit = Edit::Insert { side, anchor: anchor.clone(), matching, occurrence, content: content.clone() };
    let previewed = preview(call, &path, existing_hunk_id.as_deref(), edit, false)?;
    let (candidates_count, occurrence) = match previewed.done.target.found {
        TargetMatch::Anchor { count, occurrence, .. } => (count, occurrence),
        _ => (0, 0),
    };
    let new: Vec<&str> = split(&content).into_iter().map(body).collect();
    let (before, after) = previewed.lines_around();
    let output = Output {
        head: previewed.head(),
        position: side,
        anchor,
        matching,
        candidates_count,
        occurrence_resolved: occurrence.to_string(),
        inserted_at_line: previewed.done.target.span.start + 1,
        inserted_line_count: new.len(),
        lines: previewed.lines(),
        blankline_style: BlankLines {
            before_trailing_blank_line_count: blank_line_counts(&before).0,
            content_leading_blank_line_count: blank_line_counts(&new).1,
            content_trailing_blank_line_count: blank_line_counts(&new).0,
            after_leading_blank_line_count: blank_line_counts(&after).1,
        },
        style_warning: previewed.style_warning(&content),
        evidence_preview: Evidence {
            before: last_lines(&before),
            insert: excerpt(&new),
            after: first_lines(&after),
        },
        tail: previewed.tail(&content),
    };
    Ok(Outcome::new(previewed.summary(call, &format!("insert {}", plural(new.len(), "line"))), output))
}

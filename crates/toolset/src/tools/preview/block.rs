//! Planning to replace the lines between two anchors.

use minds_edit::{Block, Edit, Matching, Span, TargetMatch, body, excerpt, first_lines, last_lines, split};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Head, Tail, TargetExcerpt, preview};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::input::{Choice, MatchNumber};
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::tools::line_counts::LineCounts;
use crate::tools::{CHANGES, TEAM_MGMT};

pub(in crate::tools) static TEAM_MGMT_PREVIEW_BLOCK_REPLACE: Tool = Tool {
    name: "team_mgmt_preview_block_replace",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to replace the lines between a line with `start_anchor` and the next one with \
         `end_anchor` in a file below `.minds/`. Nothing is written: check `diff`, then call \
         team_mgmt_apply_file_modification with `hunk_id` within an hour. ANCHOR_NOT_FOUND: copy the \
         anchors from the file. ANCHOR_AMBIGUOUS: pass `occurrence`, or choose other anchors.",
    annotations: Annotations::READS,
    body: Body::of::<PreviewBlockReplace>(),
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

struct PreviewBlockReplace;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file to change.
    path: String,
    /// Part of the first line.
    start_anchor: String,
    /// Part of the last line.
    end_anchor: String,
    /// One final newline only ends the last line.
    content: String,
    /// Which one, from 1, or `last`.
    #[serde(default)]
    occurrence: MatchNumber,
    /// Keep the anchor lines. Default: true.
    include_anchors: Option<bool>,
    /// Default: contains.
    #[serde(default, rename = "match")]
    matching: Choice<Matching>,
    /// Default: true. false: use the first block.
    require_unique: Option<bool>,
    /// Same as `require_unique`.
    strict: Option<bool>,
    /// Revise this plan for the same file.
    existing_hunk_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(flatten)]
    head: Head,
    #[serde(rename = "match")]
    matching: Matching,
    include_anchors: bool,
    candidates_count: usize,
    occurrence_resolved: String,
    block_range: BlockRange,
    replace_slice: ReplacedLines,
    lines: LineCounts,
    reused_hunk_id: bool,
    evidence_preview: TargetExcerpt,
    #[serde(flatten)]
    tail: Tail,
}

/// The first and the last line of a block, from 1.
#[derive(Serialize, JsonSchema)]
pub(in crate::tools) struct BlockRange {
    start_line: usize,
    end_line: usize,
}

/// The lines that are replaced.
#[derive(Serialize, JsonSchema)]
pub(in crate::tools) struct ReplacedLines {
    start_line: usize,
    delete_count: usize,
}

impl From<Block> for BlockRange {
    fn from(block: Block) -> Self {
        Self { start_line: block.start + 1, end_line: block.end + 1 }
    }
}

impl From<Span> for ReplacedLines {
    fn from(span: Span) -> Self {
        Self { start_line: span.start + 1, delete_count: span.count }
    }
}

impl Function for PreviewBlockReplace {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let is_unique = arguments.require_unique.unwrap_or(true) && arguments.strict.unwrap_or(true);
        let include_anchors = arguments.include_anchors.unwrap_or(true);
        let matching = arguments.matching.0.unwrap_or_default();
        let edit = Edit::Block {
            start_anchor: arguments.start_anchor,
            end_anchor: arguments.end_anchor,
            matching,
            occurrence: arguments.occurrence.0,
            include_anchors,
            first_will_do: !is_unique,
            content: arguments.content.clone(),
        };
        let revised = arguments.existing_hunk_id.as_deref();
        let previewed = preview(call, &arguments.path, revised, edit, false)?;
        let (block, candidates_count, occurrence) = match previewed.done.target.found {
            TargetMatch::Block { block, count, occurrence } => (block, count, occurrence),
            _ => (Block { start: 0, end: 0 }, 0, 0),
        };
        let span = previewed.done.target.span;
        let (before, after) = previewed.lines_around();
        let lines: Vec<&str> = split(&previewed.old).into_iter().map(body).collect();
        let output = Output {
            head: previewed.head(),
            matching,
            include_anchors,
            candidates_count,
            occurrence_resolved: occurrence.to_string(),
            block_range: block.into(),
            replace_slice: span.into(),
            lines: previewed.lines(),
            reused_hunk_id: previewed.was_revised,
            evidence_preview: TargetExcerpt {
                before: last_lines(&before),
                range: excerpt(span.of(&lines).unwrap_or_default()),
                after: first_lines(&after),
            },
            tail: previewed.tail(&arguments.content),
        };
        Ok(Outcome::new(previewed.summary(call, &format!("replace {}", plural(span.count, "line"))), output))
    }
}

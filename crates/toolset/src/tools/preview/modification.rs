//! Planning to replace lines by their numbers.

use minds_edit::{Edit, TargetMatch, body, excerpt, first_lines, last_lines, split};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Head, Tail, TargetExcerpt, preview};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::tools::line_counts::LineCounts;
use crate::tools::{CHANGES, TEAM_MGMT};

pub(in crate::tools) static TEAM_MGMT_PREVIEW_FILE_MODIFICATION: Tool = Tool {
    name: "team_mgmt_preview_file_modification",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to replace, delete (empty content) or append lines of a text file below \
         `.minds/`. Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with \
         `hunk_id` within an hour. INVALID_RANGE, RANGE_OUT_OF_BOUNDS: read the file with line numbers \
         first. FILE_NOT_FOUND: list the directory. INVALID_UTF8: not a text file.",
    annotations: Annotations::READS,
    body: Body::of::<PreviewModification>(),
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

struct PreviewModification;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file to change.
    path: String,
    /// Lines from 1: `N`, `N~M`, `N~`, `~M`, `~` (all); `N~` after the last line appends.
    range: String,
    /// The new lines; empty deletes. One final newline only ends the last line.
    #[serde(default)]
    content: String,
    /// Revise this plan for the same file.
    existing_hunk_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(flatten)]
    head: Head,
    range: PlannedRange,
    file_line_count: usize,
    lines: LineCounts,
    #[serde(rename = "match")]
    matching: RangeMatch,
    evidence: TargetExcerpt,
    #[serde(flatten)]
    tail: Tail,
}

/// How lines are found by their numbers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RangeMatch {
    Exact,
}

#[derive(Serialize, JsonSchema)]
struct PlannedRange {
    input: String,
    resolved: Lines,
}

#[derive(Serialize, JsonSchema)]
struct Lines {
    start: usize,
    end: usize,
}

impl Function for PreviewModification {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let Arguments { path, range, content, existing_hunk_id } = arguments;
        let edit = Edit::Range { range: range.clone(), content: content.clone() };
        let previewed = preview(call, &path, existing_hunk_id.as_deref(), edit, false)?;
        let resolved = match previewed.done.target.found {
            TargetMatch::Range(range) => Lines { start: range.start, end: range.end },
            _ => Lines { start: 0, end: 0 },
        };
        let (before, after) = previewed.lines_around();
        let lines: Vec<&str> = split(&previewed.old).into_iter().map(body).collect();
        let old = previewed.done.target.span.of(&lines).unwrap_or_default();
        let output = Output {
            head: previewed.head(),
            range: PlannedRange { input: range, resolved },
            file_line_count: lines.len(),
            lines: previewed.lines(),
            matching: RangeMatch::Exact,
            evidence: TargetExcerpt {
                before: last_lines(&before),
                range: excerpt(old),
                after: first_lines(&after),
            },
            tail: previewed.tail(&content),
        };
        let what = format!("{} lines", previewed.done.target.action.as_str());
        Ok(Outcome::new(previewed.summary(call, &what), output))
    }
}

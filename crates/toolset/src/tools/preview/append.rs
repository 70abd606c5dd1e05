//! Planning to append lines.

use minds_edit::{Edit, blank_line_counts, body, excerpt, last_lines, split};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Head, Tail, preview};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::tools::{CHANGES, TEAM_MGMT};

pub(in crate::tools) static TEAM_MGMT_PREVIEW_FILE_APPEND: Tool = Tool {
    name: "team_mgmt_preview_file_append",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to append lines to a text file below `.minds/`, or to create it with them. \
         Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with `hunk_id` \
         within an hour; it appends to the end that the file then has. CONTENT_REQUIRED: pass lines. \
         FILE_NOT_FOUND: `create` is false. INVALID_UTF8: not a text file.",
    annotations: Annotations::READS,
    body: Body::of::<PreviewAppend>(),
};

pub(in crate::tools) static PREVIEW_FILE_APPEND: Tool = Tool {
    name: "preview_file_append",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Plan to append lines to a text file, or to create it with them. Nothing is written: \
         check `diff`, then call apply_file_modification with `hunk_id` within an hour; it appends to the \
         end that the file then has. CONTENT_REQUIRED: pass lines. FILE_NOT_FOUND: `create` is false. \
         ACCESS_DENIED: you need read and write access; `.minds/` is refused.",
    ..TEAM_MGMT_PREVIEW_FILE_APPEND
};

struct PreviewAppend;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file to change.
    path: String,
    /// One final newline only ends the last line.
    content: String,
    /// Create the file if it is missing. Default: true.
    create: Option<bool>,
    /// Revise this plan for the same file.
    existing_hunk_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(flatten)]
    head: Head,
    created: bool,
    file_line_count_before: usize,
    file_line_count_after: usize,
    appended_line_count: usize,
    blankline_style: BlankLines,
    style_warning: Option<&'static str>,
    evidence_preview: Evidence,
    #[serde(flatten)]
    tail: Tail,
}

#[derive(Serialize, JsonSchema)]
struct BlankLines {
    file_trailing_blank_line_count: usize,
    content_leading_blank_line_count: usize,
}

#[derive(Serialize, JsonSchema)]
struct Evidence {
    before_tail: Vec<String>,
    append_preview: Vec<String>,
    after_tail: Vec<String>,
}

impl Function for PreviewAppend {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let Arguments { path, content, create, existing_hunk_id } = arguments;
        let edit = Edit::Append { content: content.clone() };
        let previewed = preview(call, &path, existing_hunk_id.as_deref(), edit, create.unwrap_or(true))?;
        let new: Vec<&str> = split(&content).into_iter().map(body).collect();
        let (old, _) = previewed.lines_around();
        let result: Vec<&str> = split(&previewed.done.spliced.text).into_iter().map(body).collect();
        let output = Output {
            head: previewed.head(),
            created: !previewed.existed,
            file_line_count_before: old.len(),
            file_line_count_after: result.len(),
            appended_line_count: new.len(),
            blankline_style: BlankLines {
                file_trailing_blank_line_count: blank_line_counts(&old).0,
                content_leading_blank_line_count: blank_line_counts(&new).1,
            },
            style_warning: previewed.style_warning(&content),
            evidence_preview: Evidence {
                before_tail: last_lines(&old),
                append_preview: excerpt(&new),
                after_tail: last_lines(&result),
            },
            tail: previewed.tail(&content),
        };
        Ok(Outcome::new(previewed.summary(call, &format!("append {}", plural(new.len(), "line"))), output))
    }
}

//! Planning to append lines.

use serde_json::json;

use super::{CONTENT, EXISTING_HUNK_ID, PATH, field, preview, text};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::edit::{Edit, body, split};
use crate::tool::{Annotations, OutputField, Tool};
use crate::tools::excerpt::{blank_line_counts, excerpt, last_lines};
use crate::tools::{CHANGES, TEAM_MGMT};

const MODE: &str = "preview_file_append";

pub(in crate::tools) static TEAM_MGMT_PREVIEW_FILE_APPEND: Tool = Tool {
    name: "team_mgmt_preview_file_append",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Plan to append lines to a text file below `.minds/`, or to create it with them. \
         Nothing is written: check `diff`, then call team_mgmt_apply_file_modification with `hunk_id` \
         within an hour; it appends to the end that the file then has. CONTENT_REQUIRED: pass lines. \
         FILE_NOT_FOUND: `create` is false. INVALID_UTF8: not a text file.",
    arguments: &[
        PATH,
        CONTENT,
        Argument::optional("create", Kind::Flag, "Create the file if it is missing. Default: true."),
        EXISTING_HUNK_ID,
    ],
    output: OUTPUT,
    annotations: Annotations::READS,
    run,
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

const OUTPUT: &[OutputField] = &[
    field("hunk_id", "string"),
    field("expires_at_ms", "integer"),
    field("file_line_count_before", "integer"),
    field("file_line_count_after", "integer"),
    field("appended_line_count", "integer"),
    field("line_endings", "string"),
    field("normalized", "object"),
    field("evidence_preview", "object"),
    field("diff", "string"),
];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let edit = Edit::Append { content: text(call, "content") };
    let previewed = preview(call, MODE, edit, call.arguments.flag("create", true))?;
    let content = text(call, "content");
    let new: Vec<&str> = split(&content).into_iter().map(body).collect();
    let (old, _) = previewed.lines_around();
    let result: Vec<&str> = split(&previewed.done.spliced.text).into_iter().map(body).collect();
    let fields = previewed
        .head(MODE)
        .with("created", !previewed.existed)
        .with("file_line_count_before", old.len())
        .with("file_line_count_after", result.len())
        .with("appended_line_count", new.len())
        .with(
            "blankline_style",
            json!({
                "file_trailing_blank_line_count": blank_line_counts(&old).0,
                "content_leading_blank_line_count": blank_line_counts(&new).1,
            }),
        )
        .with_some("style_warning", previewed.style_warning(&content))
        .with(
            "evidence_preview",
            json!({"before_tail": last_lines(&old), "append_preview": excerpt(&new), "after_tail": last_lines(&result)}),
        );
    Ok(previewed.success(call, fields, &format!("append {} lines", new.len())))
}

//! Planning a change of a text file. Nothing in the workspace changes until the plan is applied.

pub(super) mod append;
pub(super) mod block;
pub(super) mod insert;
pub(super) mod modification;

use minds_edit::{
    Action, Edit, EditError, EditResult, LineEnding, LineEndings, Side, blank_line_counts, body, is_ended,
    split,
};
use minds_fs::FileErrorKind;
use minds_state::hunks::HunkError;
use minds_text::unified_diff;
use minds_vfs::WorkspacePath;
use schemars::JsonSchema;
use serde::Serialize;

use super::create::expect_creatable;
use super::line_counts::LineCounts;
use super::text::{read_target, too_large};
use crate::answer::{Fields, Refusal};
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote, refusal_for_kind};
use crate::hunks::{Plan, ensure_store, find_store, parse_id};
use crate::input::MAX_TEXT;
use crate::{Area, Code};

/// The result of a preview.
struct PreviewResult {
    mode: Mode,
    path: WorkspacePath,
    old: String,
    existed: bool,
    done: EditResult,
    hunk_id: String,
    expires_at_ms: u64,
    was_revised: bool,
}

/// The kind of a preview: the name of its tool without the prefix of its area.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "the names are part of the answer")]
pub(super) enum Mode {
    PreviewFileModification,
    PreviewFileAppend,
    PreviewInsertAfter,
    PreviewInsertBefore,
    PreviewBlockReplace,
}

impl Mode {
    /// Returns the kind of the preview that plans an edit.
    pub(super) fn of(edit: &Edit) -> Self {
        match edit {
            Edit::Range { .. } => Self::PreviewFileModification,
            Edit::Append { .. } => Self::PreviewFileAppend,
            Edit::Insert { side: Side::After, .. } => Self::PreviewInsertAfter,
            Edit::Insert { side: Side::Before, .. } => Self::PreviewInsertBefore,
            Edit::Block { .. } => Self::PreviewBlockReplace,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::PreviewFileModification => "preview_file_modification",
            Self::PreviewFileAppend => "preview_file_append",
            Self::PreviewInsertAfter => "preview_insert_after",
            Self::PreviewInsertBefore => "preview_insert_before",
            Self::PreviewBlockReplace => "preview_block_replace",
        }
    }
}

/// The first fields of the answer of every preview.
#[derive(Serialize, JsonSchema)]
struct Head {
    mode: Mode,
    path: String,
    hunk_id: String,
    expires_at_ms: u64,
    action: Action,
}

/// The last fields of the answer of every preview.
#[derive(Serialize, JsonSchema)]
struct Tail {
    /// Those of the new lines, which a diff does not show.
    line_endings: LineEndings,
    normalized: Normalized,
    diff: String,
}

/// The final line breaks of the file and of the content, and those that were added.
#[derive(Serialize, JsonSchema)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[expect(clippy::struct_field_names, reason = "the names are part of the answer")]
struct Normalized {
    file_eof_has_newline: bool,
    content_eof_has_newline: bool,
    normalized_file_eof_newline_added: bool,
    normalized_content_eof_newline_added: bool,
}

/// The lines around and in the target.
#[derive(Serialize, JsonSchema)]
struct TargetExcerpt {
    before: Vec<String>,
    range: Vec<String>,
    after: Vec<String>,
}

/// Plans an edit of the file at `path`, and stores the plan, in place of the one with the id `revised`.
fn preview(
    call: &Call<'_>,
    path: &str,
    revised: Option<&str>,
    edit: Edit,
    may_create: bool,
) -> Result<PreviewResult, Refusal> {
    if path.is_empty() {
        return Err(
            Refusal::new(Code::PathRequired, "`path` is empty").next("pass the path of the file to change")
        );
    }
    let path = call.path("path", path)?;
    let asked = revised.filter(|id| !id.is_empty()).map(parse_id).transpose()?;
    let seen = read_target(call, &path)?;
    if seen.file.is_none() && !may_create {
        return Err(call.missing(ExpectedKind::File, &path));
    }
    // A change that would be refused when it is applied is not planned.
    match &seen.file {
        None => expect_creatable(call, &path)?,
        Some(file) if file.is_read_only => {
            return Err(refusal_for_kind(FileErrorKind::ReadOnly, ExpectedKind::File, path.as_str()));
        }
        Some(_) => {}
    }
    let base = seen.file.map(|file| file.text);
    let mode = Mode::of(&edit);
    let store = asked.as_ref().map(|_| find_store(call)).transpose()?.flatten();
    let claimed = match (&asked, &store) {
        (Some(id), Some(store)) => Some(store.claim(id)?),
        (Some(id), None) => return Err(HunkError::NotFound(id.clone()).into()),
        (None, _) => None,
    };
    let plan = Plan {
        mode: mode.as_str().to_owned(),
        path: path.as_str().to_owned(),
        real: seen.real.as_str().to_owned(),
        edit,
        base: base.clone(),
    };
    if let Some(claimed) = &claimed {
        expect_revision(claimed.plan(), &plan)?;
    }
    let existed = base.is_some();
    let old = base.unwrap_or_default();
    let done = plan.edit.on(&old).map_err(|error| refusal(error, &path))?;
    if done.spliced.text.len() > MAX_TEXT {
        return Err(too_large(&path));
    }
    let was_revised = claimed.is_some();
    let ticket = match claimed {
        Some(claimed) => claimed.revise(plan)?,
        None => ensure_store(call)?.add(plan)?,
    };
    let (hunk_id, expires_at_ms) = (ticket.id, ticket.expires_at_ms);
    Ok(PreviewResult { mode, path, old, existed, done, hunk_id, expires_at_ms, was_revised })
}

/// Checks that a plan is revised by one of the same kind, for the same file.
fn expect_revision(old: &Plan, new: &Plan) -> Result<(), Refusal> {
    if !old.edit.is_same_kind(&new.edit) {
        let message = format!("this change was planned with {}", quote(&old.mode));
        return Err(
            Refusal::new(Code::WrongMode, message).next("omit `existing_hunk_id` to plan a new change")
        );
    }
    if old.path != new.path || old.real != new.real {
        let message = format!("this change was planned for {}", quote(&old.path));
        return Err(
            Refusal::new(Code::WrongMode, message).next("omit `existing_hunk_id` to plan a new change")
        );
    }
    Ok(())
}

/// Returns the refusal of an edit that does not fit a file.
fn refusal(error: EditError, path: &WorkspacePath) -> Refusal {
    let path = quote(path.as_str());
    let count = |count: usize| Fields::new().with("candidates_count", count);
    match error {
        EditError::InvalidRange => Refusal::new(Code::InvalidRange, "`range` is not a valid range of lines")
            .next("pass `N`, `N~M`, `N~`, `~M` or `~`; lines count from 1"),
        EditError::RangeOutOfBounds { lines } => {
            let message = format!("`range` is outside {path}, which has {lines} lines");
            Refusal::new(Code::RangeOutOfBounds, message)
                .next(format!("`{}~` appends", lines.max(1).saturating_add(1)))
                .details(Fields::new().with("file_line_count", lines))
        }
        EditError::ContentRequired => Refusal::new(Code::CONTENT_REQUIRED, "`content` is empty")
            .next("pass the new lines; a single newline is one blank line"),
        EditError::InvalidAnchor => {
            Refusal::new(Code::InvalidArgs, "an anchor must be part of one line, and not empty")
                .next("pass part of one line")
        }
        EditError::AnchorNotFound => {
            Refusal::new(Code::AnchorNotFound, format!("the anchor does not occur in {path}"))
                .next("read the file, and copy the anchor from it; case and spaces count")
        }
        EditError::AnchorAmbiguous { count: found } => {
            Refusal::new(Code::AnchorAmbiguous, format!("the anchor matches {found} places in {path}"))
                .next("pass `occurrence`, or a longer anchor")
                .details(count(found))
        }
        EditError::Nested => Refusal::new(Code::AnchorAmbiguous, "an anchor occurs again inside the block")
            .next("pass anchors that do not occur inside the block"),
        EditError::OccurrenceOutOfRange { count: found } => {
            Refusal::new(Code::OccurrenceOutOfRange, format!("{path} has only {found} matches"))
                .next("pass a smaller `occurrence`")
                .details(count(found))
        }
    }
}

impl PreviewResult {
    fn head(&self) -> Head {
        Head {
            mode: self.mode,
            path: self.path.to_string(),
            hunk_id: self.hunk_id.clone(),
            expires_at_ms: self.expires_at_ms,
            action: self.done.target.action,
        }
    }

    fn tail(&self, content: &str) -> Tail {
        let old = self.existed.then_some(self.old.as_str());
        Tail {
            line_endings: LineEnding::of_text(&self.old)
                .or_else(|| LineEnding::of_text(content))
                .map_or(LineEndings::Lf, LineEndings::from),
            normalized: Normalized {
                file_eof_has_newline: is_ended(&self.old),
                content_eof_has_newline: is_ended(content),
                normalized_file_eof_newline_added: self.done.spliced.file_break_added,
                normalized_content_eof_newline_added: self.done.spliced.content_break_added,
            },
            diff: unified_diff(self.path.as_str(), old, Some(&self.done.spliced.text)),
        }
    }

    fn summary(&self, call: &Call<'_>, what: &str) -> String {
        let apply = match call.tool.area {
            Area::Minds => super::apply::TEAM_MGMT_APPLY_FILE_MODIFICATION.name,
            Area::Workspace => super::apply::APPLY_FILE_MODIFICATION.name,
        };
        format!(
            "planned to {what} in {}; nothing is written until {apply} with hunk_id {}",
            self.path, self.hunk_id
        )
    }

    /// Returns the lines before and after the target in the old text.
    fn lines_around(&self) -> (Vec<&str>, Vec<&str>) {
        let lines: Vec<&str> = split(&self.old).into_iter().map(body).collect();
        let span = self.done.target.span;
        let before = lines.get(..span.start).unwrap_or_default().to_vec();
        let after = lines.get(span.end()..).unwrap_or_default().to_vec();
        (before, after)
    }

    /// Returns the number of old and new lines.
    fn lines(&self) -> LineCounts {
        let old = match self.done.target.found {
            // For ranges, an empty file has one blank line.
            minds_edit::TargetMatch::Range(range) => (range.end + 1).saturating_sub(range.start),
            _ => self.done.target.span.count,
        };
        LineCounts::new(old, self.done.spliced.new_lines)
    }

    /// Returns a warning if blank lines of the content are next to blank lines of the file.
    fn style_warning(&self, content: &str) -> Option<&'static str> {
        let (before, after) = self.lines_around();
        let content: Vec<&str> = split(content).into_iter().map(body).collect();
        let doubles = blank_line_counts(&before).0 > 0 && blank_line_counts(&content).1 > 0
            || blank_line_counts(&content).0 > 0 && blank_line_counts(&after).1 > 0;
        doubles.then_some("blank lines of the content are next to blank lines of the file")
    }
}

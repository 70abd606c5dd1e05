//! Applying a planned change.

use std::ops::Range;

use minds_access_control::Access;
use minds_document::{ContentHash, Expected, FileMode};
use minds_paths::WorkspacePath;
use minds_system::FileErrorKind;
use serde_json::json;

use super::create::make_parents;
use super::excerpt::{excerpt, first_lines, last_lines, line_counts};
use super::text::{Target, look, too_large};
use super::validate::{NEW_PROBLEMS, OLDER_PROBLEMS, with_validation};
use super::{CHANGES, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind, MAX_TEXT};
use crate::call::Call;
use crate::edit::{
    Done, EditError, Rejection, TargetMatch, body, current_lines, reapply, split, unified_diff,
};
use crate::file_refusal::{ExpectedKind, quote};
use crate::hunks::{HunkId, Plan, Store, not_found};
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

/// The maximum number of attempts when the file changes concurrently.
const MAX_TRIES: usize = 64;

const MODE: &str = "apply_file_modification";

pub(super) static TEAM_MGMT_APPLY_FILE_MODIFICATION: Tool = Tool {
    name: "team_mgmt_apply_file_modification",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Apply a change planned by a team_mgmt_preview_* tool. If the file has changed \
         since, the lines are searched again (`context_match: fuzz`), or nothing is written: \
         CONTENT_CHANGED, AMBIGUOUS_MATCH, APPLY_REJECTED_*: read the file, preview again. HUNK_NOT_FOUND: \
         already applied or older than an hour; preview again. WRONG_OWNER: planned by another caller or \
         toolset. The answer says what validation newly finds.",
    arguments: &[Argument::required("hunk_id", Kind::Text, "From a preview.")],
    output: MINDS_OUTPUT,
    annotations: Annotations::CHANGES,
    run,
};

pub(super) static APPLY_FILE_MODIFICATION: Tool = Tool {
    name: "apply_file_modification",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Apply a change planned by a preview_* tool. If the file has changed since, the \
         lines are searched again (`context_match: fuzz`), or nothing is written: CONTENT_CHANGED, \
         AMBIGUOUS_MATCH, APPLY_REJECTED_*: read the file, preview again. HUNK_NOT_FOUND: already applied \
         or older than an hour; preview again. WRONG_OWNER: planned by another caller or toolset. \
         ACCESS_DENIED: your lists changed; `.minds/` is refused.",
    output: OUTPUT,
    ..TEAM_MGMT_APPLY_FILE_MODIFICATION
};

const OUTPUT: &[OutputField] = &[
    OutputField { name: "path", kind: "string" },
    OutputField { name: "action", kind: "string" },
    OutputField { name: "context_match", kind: "string" },
    OutputField { name: "lines", kind: "object" },
    OutputField { name: "apply_evidence", kind: "object" },
    OutputField { name: "diff", kind: "string" },
];

/// With the fields of the validation.
const MINDS_OUTPUT: &[OutputField] = &[
    OutputField { name: "path", kind: "string" },
    OutputField { name: "action", kind: "string" },
    OutputField { name: "context_match", kind: "string" },
    OutputField { name: "lines", kind: "object" },
    OutputField { name: "apply_evidence", kind: "object" },
    OutputField { name: "diff", kind: "string" },
    NEW_PROBLEMS,
    OLDER_PROBLEMS,
];

/// Why an attempt failed.
enum Failure {
    /// The file changed concurrently.
    Overtaken,
    /// The file is unchanged.
    Refused(Refusal),
    /// It is not known whether the file was changed.
    Unconfirmed(Refusal),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    with_validation(call, apply)
}

fn apply(call: &Call<'_>) -> Result<Success, Refusal> {
    let id = HunkId::parse(call.arguments.text("hunk_id").unwrap_or_default())?;
    let store = Store::find(call)?.ok_or_else(|| not_found(&id))?;
    let claimed = store.claim(&id)?;
    let path = call.tool.area.parse("path", &claimed.plan().path)?;
    let mut is_taken = false;
    for _ in 0..MAX_TRIES {
        let tried = try_apply(call, claimed.plan(), &path, || {
            if !is_taken {
                claimed.take()?;
                is_taken = true;
            }
            Ok(())
        });
        match tried {
            Ok(applied) => return Ok(applied.success(&id, &path, claimed.plan())),
            Err(Failure::Overtaken) => {}
            Err(Failure::Unconfirmed(refusal)) => return Err(refusal),
            Err(Failure::Refused(refusal)) => {
                if is_taken {
                    claimed.put_back();
                }
                return Err(refusal);
            }
        }
    }
    if is_taken {
        claimed.put_back();
    }
    let message = format!("{} keeps changing", quote(path.as_str()));
    Err(Refusal::new(Code::Failed, message).next("apply the change again"))
}

/// A change that was applied.
struct Applied {
    old: Option<String>,
    done: Done,
    is_exact: bool,
}

/// Applies the change to the current file. The hunk is taken after every check, immediately before the file changes.
fn try_apply(
    call: &Call<'_>,
    plan: &Plan,
    path: &WorkspacePath,
    take: impl FnOnce() -> Result<(), Refusal>,
) -> Result<Applied, Failure> {
    let Target { real, file } = look(call, path)?;
    if real.as_str() != plan.real {
        return Err(reject(Code::ContentChanged, path, "a link has changed").into());
    }
    let (done, is_exact) = match (&file, &plan.base) {
        (None, None) => (plan.edit.on("").map_err(|_| content_changed(path))?, true),
        (None, Some(_)) => return Err(call.missing(ExpectedKind::File, path).into()),
        (Some(file), Some(base)) => reapply(&plan.edit, base, &file.text).map_err(|rejection| {
            let lines = current_lines(&plan.edit, base, &file.text);
            let is_readable = call.permits(Access::Read, path);
            with_current(refusal(rejection, path), is_readable.then_some((&file.text, lines)))
        })?,
        // The file was created since the preview, so the plan was not made for its current text.
        (Some(file), None) => {
            let (done, _) =
                reapply(&plan.edit, "", &file.text).map_err(|rejection| refusal(rejection, path))?;
            (done, false)
        }
    };
    let bytes = done.spliced.text.as_bytes();
    if bytes.len() > MAX_TEXT {
        return Err(too_large(path).into());
    }
    take()?;
    let written = if let Some(file) = &file {
        file.place.replace(bytes, file.mode, Expected::Content(file.hash))
    } else {
        let made = make_parents(call, path)?;
        let created = match call.entry(path) {
            Ok(place) => place.create(bytes, FileMode::Regular),
            Err(refusal) => {
                made.undo();
                return Err(refusal.into());
            }
        };
        if created.is_err() {
            made.undo();
        }
        created
    };
    match written.map_err(|error| (error.kind(), call.file_refusal(&error, path))) {
        Ok(()) => Ok(Applied { old: file.map(|file| file.text), done, is_exact }),
        Err((FileErrorKind::Changed | FileErrorKind::NotFound | FileErrorKind::AlreadyExists, _)) => {
            Err(Failure::Overtaken)
        }
        Err((FileErrorKind::Unconfirmed, refusal)) => Err(Failure::Unconfirmed(refusal)),
        Err((_, refusal)) => Err(Failure::Refused(refusal)),
    }
}

/// Returns the refusal of a change that cannot be applied to the current file.
fn refusal(rejection: Rejection, path: &WorkspacePath) -> Refusal {
    let count = |refusal: Refusal, count: usize| {
        let details = Fields::new().with("context_match", "rejected").with("candidates_count", count);
        refusal.details(details)
    };
    match rejection {
        Rejection::ContentChanged => content_changed(path),
        Rejection::AmbiguousMatch { count: found } => {
            count(reject(Code::AmbiguousMatch, path, "several places match the planned lines"), found)
        }
        Rejection::BlockChanged => reject(Code::ApplyRejectedContentChanged, path, "the block has changed"),
        Rejection::Anchors(EditError::AnchorAmbiguous { count: found }) => {
            count(reject(Code::ApplyRejectedAnchorAmbiguous, path, "the anchors match several blocks"), found)
        }
        Rejection::Anchors(EditError::Nested) => {
            reject(Code::ApplyRejectedAnchorAmbiguous, path, "an anchor occurs inside the block")
        }
        Rejection::Anchors(EditError::OccurrenceOutOfRange { count: found }) => {
            count(reject(Code::ApplyRejectedOccurrenceOutOfRange, path, "there are fewer blocks"), found)
        }
        Rejection::Anchors(_) => reject(Code::ApplyRejectedAnchorNotFound, path, "an anchor was removed"),
    }
}

/// The maximum number of current lines in a refusal, and of their bytes.
const MAX_CURRENT_LINES: usize = 12;
const MAX_CURRENT_BYTES: usize = 600;

/// Adds the current lines at the planned place, so that the caller need not read the file before the next preview.
fn with_current(refusal: Refusal, current: Option<(&String, Range<usize>)>) -> Refusal {
    let Some((text, range)) = current else { return refusal };
    let all = split(text);
    let start = range.start;
    let wanted = all.get(range).unwrap_or_default();
    let mut bytes = 0;
    let fitting = wanted.iter().take(MAX_CURRENT_LINES).take_while(|line| {
        bytes += line.len();
        bytes <= MAX_CURRENT_BYTES
    });
    let lines: Vec<&str> = fitting.map(|line| body(line)).collect();
    let current = json!({
        "start_line": start + 1,
        "lines": lines,
        "truncated": lines.len() < wanted.len(),
        "total_lines": all.len(),
    });
    let details = refusal.details.clone().unwrap_or_default().with("current", current);
    refusal.details(details).next("preview the change again for the lines in `current`")
}

fn content_changed(path: &WorkspacePath) -> Refusal {
    reject(Code::ContentChanged, path, "the planned lines have changed")
}

fn reject(code: Code, path: &WorkspacePath, what: &str) -> Refusal {
    Refusal::new(code, format!("{} was not changed: since the preview, {what}", quote(path.as_str())))
        .next("read the file, and preview the change again")
        .details(Fields::new().with("context_match", "rejected"))
}

impl Applied {
    fn success(&self, id: &HunkId, path: &WorkspacePath, plan: &Plan) -> Success {
        let old = self.old.as_deref();
        let (span, new_lines) = (self.done.target.span, self.done.spliced.new_lines);
        let result: Vec<&str> = split(&self.done.spliced.text).into_iter().map(body).collect();
        let end = span.start + new_lines;
        let part = |from: usize, to: usize| result.get(from..to).unwrap_or_default();
        let context_match = if self.is_exact { "exact" } else { "fuzz" };
        let head = Fields::new()
            .with("mode", MODE)
            .with("path", path.as_str())
            .with("hunk_id", id.as_str())
            .with("planned_by", plan.mode.as_str())
            .with("action", self.done.target.action.as_str());
        let lines = json!({"start": span.start + 1, "end": end});
        let placed = match self.done.target.found {
            TargetMatch::Range(_) if span.count > 0 || old.is_none_or(str::is_empty) => head.with(
                "range",
                json!({"applied": {"start": span.start + 1, "end": span.end().max(span.start + 1)}}),
            ),
            TargetMatch::Range(_) | TargetMatch::End => head.with("append_range", lines),
            TargetMatch::Anchor { .. } => {
                head.with("inserted_at_line", span.start + 1).with("inserted_line_count", new_lines)
            }
            TargetMatch::Block { block, .. } => head
                .with("block_range", json!({"start_line": block.start + 1, "end_line": block.end + 1}))
                .with("replace_slice", json!({"start_line": span.start + 1, "delete_count": span.count})),
        };
        let hash = |text: &str| ContentHash::of(text.as_bytes()).to_string();
        let is_same = old == plan.base.as_deref();
        let fields = placed
            .with("lines", line_counts(span.count, new_lines))
            .with("context_match", context_match)
            .with("file_changed_since_preview", !is_same)
            .with_some("planned_file_digest_sha256", plan.base.as_deref().filter(|_| !is_same).map(hash))
            .with_some("current_file_digest_sha256", old.filter(|_| !is_same).map(hash))
            .with("new_sha256", hash(&self.done.spliced.text))
            .with(
                "apply_evidence",
                json!({
                    "before": last_lines(part(0, span.start)),
                    "applied": excerpt(part(span.start, end)),
                    "after": first_lines(part(end, result.len())),
                }),
            )
            .with("diff", unified_diff(path.as_str(), old, &self.done.spliced.text));
        Tool::done(format!("changed {path} ({context_match})"), fields)
    }
}

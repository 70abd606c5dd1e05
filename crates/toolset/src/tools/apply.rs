//! Applying a planned change.

use std::ops::Range;

use minds_access_control::Access;
use minds_edit::{
    Action, EditError, EditResult, Rejection, TargetMatch, body, current_lines, excerpt, first_lines,
    last_lines, reapply, split,
};
use minds_fs::FileErrorKind;
use minds_state::hunks::{HunkError, HunkId};
use minds_text::unified_diff;
use minds_vfs::{ContentHash, Expected, FileMode, WorkspacePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::create::make_parents;
use super::line_counts::LineCounts;
use super::preview;
use super::preview::block::{BlockRange, ReplacedLines};
use super::text::{Target, read_target, too_large};
use super::then_validate::ThenValidate;
use super::{CHANGES, TEAM_MGMT};
use crate::answer::{Fields, Refusal};
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote};
use crate::hunks::{Plan, find_store, parse_id};
use crate::input::MAX_TEXT;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

/// The maximum number of attempts when the file changes concurrently.
const MAX_TRIES: usize = 64;

pub(super) static TEAM_MGMT_APPLY_FILE_MODIFICATION: Tool = Tool {
    name: "team_mgmt_apply_file_modification",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Apply a change planned by a team_mgmt_preview_* tool. If the file has changed \
         since, the lines are searched again (`context_match: fuzz`), or nothing is written: \
         CONTENT_CHANGED, AMBIGUOUS_MATCH, APPLY_REJECTED_*: read the file, preview again. HUNK_NOT_FOUND: \
         already applied or older than an hour; preview again. WRONG_OWNER: planned by another caller or \
         toolset. The answer lists new findings.",
    annotations: Annotations::CHANGES,
    body: Body::of::<ThenValidate<Apply>>(),
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
    body: Body::of::<Apply>(),
    ..TEAM_MGMT_APPLY_FILE_MODIFICATION
};

struct Apply;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// From a preview.
    hunk_id: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    mode: Mode,
    path: String,
    hunk_id: String,
    planned_by: preview::Mode,
    action: Action,
    #[serde(flatten)]
    place: ChangedPlace,
    lines: LineCounts,
    context_match: ContextMatch,
    file_changed_since_preview: bool,
    /// The digests of the text at the preview and before the change, if they differ.
    planned_file_digest_sha256: Option<String>,
    current_file_digest_sha256: Option<String>,
    new_sha256: String,
    apply_evidence: Evidence,
    diff: String,
}

/// The name of the tool without the prefix of its area.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    ApplyFileModification,
}

/// How the planned lines were found in the current file.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ContextMatch {
    /// They are where they were.
    Exact,
    /// They were searched again.
    Fuzz,
}

/// Where the file was changed, by the kind of the plan.
#[derive(Default, Serialize, JsonSchema)]
struct ChangedPlace {
    range: Option<AppliedRange>,
    append_range: Option<Lines>,
    inserted_at_line: Option<usize>,
    inserted_line_count: Option<usize>,
    block_range: Option<BlockRange>,
    replace_slice: Option<ReplacedLines>,
}

#[derive(Serialize, JsonSchema)]
struct AppliedRange {
    applied: Lines,
}

#[derive(Serialize, JsonSchema)]
struct Lines {
    start: usize,
    end: usize,
}

#[derive(Serialize, JsonSchema)]
struct Evidence {
    before: Vec<String>,
    applied: Vec<String>,
    after: Vec<String>,
}

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

impl Function for Apply {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        apply(call, &parse_id(&arguments.hunk_id)?)
    }
}

fn apply(call: &Call<'_>, id: &HunkId) -> Result<Outcome<Output>, Refusal> {
    let store = find_store(call)?.ok_or_else(|| HunkError::NotFound(id.clone()))?;
    let claimed = store.claim(id)?;
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
            Ok(applied) => return Ok(applied.outcome(id, &path, claimed.plan())),
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
    Err(Refusal::new(Code::FAILED, message).next("apply the change again"))
}

/// A change that was applied.
struct ApplyResult {
    old: Option<String>,
    done: EditResult,
    is_exact: bool,
}

/// Applies the change to the current file. The hunk is taken after every check, immediately before the file changes.
fn try_apply(
    call: &Call<'_>,
    plan: &Plan,
    path: &WorkspacePath,
    take: impl FnOnce() -> Result<(), Refusal>,
) -> Result<ApplyResult, Failure> {
    let Target { real, file } = read_target(call, path)?;
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
        Ok(()) => Ok(ApplyResult { old: file.map(|file| file.text), done, is_exact }),
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

impl ApplyResult {
    fn outcome(&self, id: &HunkId, path: &WorkspacePath, plan: &Plan) -> Outcome<Output> {
        let old = self.old.as_deref();
        let (span, new_lines) = (self.done.target.span, self.done.spliced.new_lines);
        let result: Vec<&str> = split(&self.done.spliced.text).into_iter().map(body).collect();
        let end = span.start + new_lines;
        let part = |from: usize, to: usize| result.get(from..to).unwrap_or_default();
        let (context_match, found) =
            if self.is_exact { (ContextMatch::Exact, "exact") } else { (ContextMatch::Fuzz, "fuzz") };
        let hash = |text: &str| ContentHash::of(text.as_bytes()).to_string();
        let is_same = old == plan.base.as_deref();
        let output = Output {
            mode: Mode::ApplyFileModification,
            path: path.to_string(),
            hunk_id: id.as_str().to_owned(),
            planned_by: preview::Mode::of(&plan.edit),
            action: self.done.target.action,
            place: self.place(),
            lines: LineCounts::new(span.count, new_lines),
            context_match,
            file_changed_since_preview: !is_same,
            planned_file_digest_sha256: plan.base.as_deref().filter(|_| !is_same).map(hash),
            current_file_digest_sha256: old.filter(|_| !is_same).map(hash),
            new_sha256: hash(&self.done.spliced.text),
            apply_evidence: Evidence {
                before: last_lines(part(0, span.start)),
                applied: excerpt(part(span.start, end)),
                after: first_lines(part(end, result.len())),
            },
            diff: unified_diff(path.as_str(), old, Some(&self.done.spliced.text)),
        };
        Outcome::new(format!("changed {path} ({found})"), output)
    }

    fn place(&self) -> ChangedPlace {
        let (span, new_lines) = (self.done.target.span, self.done.spliced.new_lines);
        let start = span.start + 1;
        let is_new = self.old.as_deref().is_none_or(str::is_empty);
        let mut place = ChangedPlace::default();
        match self.done.target.found {
            TargetMatch::Range(_) if span.count > 0 || is_new => {
                place.range = Some(AppliedRange { applied: Lines { start, end: span.end().max(start) } });
            }
            TargetMatch::Range(_) | TargetMatch::End => {
                place.append_range = Some(Lines { start, end: span.start + new_lines });
            }
            TargetMatch::Anchor { .. } => {
                place.inserted_at_line = Some(start);
                place.inserted_line_count = Some(new_lines);
            }
            TargetMatch::Block { block, .. } => {
                place.block_range = Some(block.into());
                place.replace_slice = Some(span.into());
            }
        }
        place
    }
}

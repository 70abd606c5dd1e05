//! Explaining why a path is allowed or denied.

use minds_access_control::{Access, ListKey, Reason};
use minds_core::TEAM_FILE;
use minds_fs::FileErrorKind;
use minds_vfs::{MAX_PATH_BYTES, WorkspacePath};
use minds_workspace::access::{Change, ListView, Obstacle, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TEAM_MGMT_TOOLSET;
use crate::answer::Refusal;
use crate::area::check_name;
use crate::call::Call;
use crate::denial::{self, Cause, CauseView};
use crate::file_refusal::{quote, truncate, truncate_to};
use crate::input::Choice;
use crate::permissions::Permissions;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Caller, Code};

/// The maximum number of changes in an answer.
const MAX_CHANGES: usize = 10;
/// The maximum number of entries of a list.
const MAX_ENTRIES: usize = 20;
/// The maximum length of an entry, in bytes. Valid patterns are not longer.
const MAX_ENTRY_BYTES: usize = 512;

pub(super) static ACCESS_EXPLAIN: Tool = Tool {
    name: "access_explain",
    toolsets: &["ws_read", "ws_mod", TEAM_MGMT_TOOLSET],
    area: Area::Workspace,
    description: "Explain why you may or may not read or write a path, without trying it: `allowed`, \
         all `reasons` with list, entry and place in the file, `lists` with what you may do instead, \
         `changes` that would reverse the decision, and who can make them. Only callers with `team-mgmt` \
         may ask about another `member`.",
    annotations: Annotations::READS,
    body: Body::of::<Explain>(),
};

struct Explain;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// relative to the workspace, such as `src/main.rs`; empty for the workspace itself
    path: String,
    /// `write` includes creating, moving and removing
    operation: Choice<Operation>,
    /// the id of a member; default: yourself
    member: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Read,
    Write,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    member: String,
    operation: Access,
    path: String,
    /// Only if it differs.
    real_path: Option<String>,
    allowed: bool,
    reason: Reason,
    reasons: Vec<CauseView>,
    changes: Vec<ListChange>,
    obstacle: Option<Obstacle>,
    lists: Vec<List>,
    next: Option<String>,
    change_in: Option<&'static str>,
    managers: Option<Vec<String>>,
}

/// A change that would reverse the decision, together with those before it.
#[derive(Serialize, JsonSchema)]
struct ListChange {
    action: Change,
    list: ListKey,
    entry: Option<String>,
    at: Option<String>,
    then: Reason,
}

#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are part of the answer")]
struct List {
    list: ListKey,
    entries: Vec<String>,
    left_out: usize,
    at: Option<String>,
    inherited: bool,
    unreadable: bool,
}

impl Function for Explain {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let access = match arguments.operation.0 {
            Some(Operation::Read) => Access::Read,
            Some(Operation::Write) => Access::Write,
            None => {
                let refusal = Refusal::new(Code::InvalidArgs, "`operation` is empty");
                return Err(refusal.next("pass `read` or `write`"));
            }
        };
        let text = arguments.path.as_str();
        if text.len() > MAX_PATH_BYTES {
            let message = format!("`path` is longer than {MAX_PATH_BYTES} bytes");
            let refusal = Refusal::new(Code::InvalidPath, message);
            return Err(refusal.next("pass the path of a file of the workspace"));
        }
        let asked = arguments.member.as_deref().filter(|id| !id.is_empty());
        match expect_member(call, asked)? {
            Some(id) => {
                let permissions = Permissions::load(call.context, &Caller::member(id))?;
                let may_know = |real: &WorkspacePath| call.permits(Access::Read, real);
                answer(call, access, text, &permissions, Some(id), may_know)
            }
            // The caller may know its own real paths, which refused calls name too.
            None => answer(call, access, text, call.permissions, None, |_| true),
        }
    }
}

/// Returns the id of the other member that the call is about, if any.
fn expect_member<'a>(call: &Call<'_>, asked: Option<&'a str>) -> Result<Option<&'a str>, Refusal> {
    let Some(id) = asked else { return Ok(None) };
    if matches!(call.caller, Caller::Member { id: own } if own == id) {
        return Ok(None);
    }
    if !call.is_manager {
        // Whether the member exists is not revealed.
        let message =
            format!("you may not ask about {}: that requires the toolset `{TEAM_MGMT_TOOLSET}`", quote(id));
        return Err(Refusal::new(Code::AccessDenied, message).next("omit `member` to ask about yourself"));
    }
    Ok(Some(id))
}

fn answer(
    call: &Call<'_>,
    access: Access,
    text: &str,
    permissions: &Permissions,
    other: Option<&str>,
    may_know: impl Fn(&WorkspacePath) -> bool,
) -> Result<Outcome<Output>, Refusal> {
    let mut member = permissions.access();
    let mut explanation = member.explain_within(access, text, MAX_CHANGES);
    let asked = explanation.decision.path.clone();
    asked.as_ref().map_or(Ok(()), check_name)?;
    // The tools check the target of a link as well. Nothing is looked up for a denied path.
    let mut real_path = None;
    if let Some(asked) = asked.as_ref().filter(|_| explanation.decision.reason.is_allowed())
        && may_know(asked)
        && let Some(real) = resolve(call, asked)?.filter(|real| real != asked && may_know(real))
    {
        explanation = member.explain_within(access, real.as_str(), MAX_CHANGES);
        real_path = Some(real);
    }
    let decision = &explanation.decision;
    let allowed = decision.reason.is_allowed();
    let causes = denial::causes(&explanation);
    let lists = member.lists(access, MAX_ENTRIES);
    let who = other.map_or_else(|| "you".to_owned(), quote);
    let path = asked.as_ref().map_or_else(|| text.to_owned(), ToString::to_string);
    let may = if allowed { "may" } else { "may not" };
    let target = real_path.as_ref().map(|real| format!(", which is {}", quote(real.as_str())));
    let summary = format!(
        "{who} {may} {} {}{}: {}",
        denial::verb(access),
        quote(&path),
        target.unwrap_or_default(),
        denial::sentence(&causes)
    );
    let obstacle = explanation.obstacle.filter(|_| !allowed);
    let next = [
        obstacle.and_then(next_step).map(str::to_owned),
        denial::scope(&who, access, &lists).filter(|_| !allowed),
        denial::remedy(permissions, explanation.obstacle, call.is_manager).filter(|_| !allowed),
    ];
    let next: Vec<String> = next.into_iter().flatten().collect();
    let label = other.map_or_else(|| call.caller.label(), str::to_owned);
    let managers = denial::managers(permissions, explanation.obstacle);
    let output = Output {
        member: truncate(&label),
        operation: access,
        path,
        real_path: real_path.map(|real| real.to_string()),
        allowed,
        reason: decision.reason,
        reasons: causes.iter().map(Cause::view).collect(),
        changes: explanation.steps.iter().map(ListChange::of).collect(),
        obstacle: explanation.obstacle,
        lists: lists.iter().map(List::of).collect(),
        next: (!next.is_empty()).then(|| next.join("; ")),
        change_in: managers.as_ref().map(|_| TEAM_FILE),
        managers,
    };
    Ok(Outcome::new(summary, output))
}

/// Returns the real path of a file, or the one that a new file would have. `None` if its directory does not exist.
///
/// # Errors
///
/// Refuses a path that leaves the workspace or cannot be resolved, as every tool does.
fn resolve(call: &Call<'_>, asked: &WorkspacePath) -> Result<Option<WorkspacePath>, Refusal> {
    let view = call.view();
    if let Some(found) = call.metadata(asked)? {
        return Ok(Some(found.real));
    }
    match view.place(asked) {
        Ok(place) => Ok(Some(place.real().clone())),
        Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
        Err(error) => Err(call.file_refusal(&error, asked)),
    }
}

impl ListChange {
    fn of(step: &Step) -> Self {
        Self {
            action: step.action,
            list: step.entry.list,
            entry: step.entry.entry.as_deref().map(|entry| truncate_to(entry, MAX_ENTRY_BYTES)),
            at: denial::position(&step.entry),
            then: step.then,
        }
    }
}

impl List {
    fn of(list: &ListView) -> Self {
        let entries: Vec<String> =
            list.entries.iter().map(|entry| truncate_to(entry, MAX_ENTRY_BYTES)).collect();
        let start = list.at.as_ref().map(|at| (at, at.range.start));
        Self {
            list: list.key,
            left_out: list.total - entries.len(),
            entries,
            at: start.map(|(at, start)| format!("{}:{}:{}", at.file, start.line, start.column)),
            inherited: list.inherited,
            unreadable: list.unreadable,
        }
    }
}

/// Returns the next step where no change of the lists helps.
fn next_step(obstacle: Obstacle) -> Option<&'static str> {
    match obstacle {
        Obstacle::NoPath => Some("pass a path relative to the workspace, such as `src/main.rs`"),
        Obstacle::Package => Some("task packages (`*.tsk`) have their own tools"),
        Obstacle::Minds => Some("use the `team_mgmt_*` tools for `.minds`"),
        Obstacle::Git => Some("no tool writes to `.git`; change files of the work tree"),
        Obstacle::BuiltIn => Some("the entry is built in and cannot be removed"),
        Obstacle::UnreadableFile => Some("`.minds/team.yaml` has to be fixed first"),
        Obstacle::Unnameable | Obstacle::TooMany => None,
    }
}

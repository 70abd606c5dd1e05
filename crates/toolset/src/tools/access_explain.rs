//! Explaining why a path is allowed or denied.

use minds_access_control::Access;
use minds_paths::{MAX_PATH_BYTES, WorkspacePath};
use minds_system::FileErrorKind;
use minds_workspace::access::{ListView, Obstacle, Step};
use serde_json::{Value, json};

use super::TEAM_MGMT_TOOLSET;
use crate::answer::{Fields, Refusal, Success};
use crate::area::check_name;
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::denial::{self, Cause};
use crate::file_refusal::{quote, truncate, truncate_to};
use crate::permissions::Permissions;
use crate::tool::{Annotations, OutputField, Tool};
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
    arguments: &[
        Argument::required(
            "path",
            Kind::Text,
            "relative to the workspace, such as `src/main.rs`; empty for the workspace itself",
        ),
        Argument::required(
            "operation",
            Kind::OneOf(OPERATIONS),
            "`write` includes creating, moving and removing",
        ),
        Argument::optional("member", Kind::Text, "the id of a member; default: yourself"),
    ],
    output: &[
        OutputField { name: "member", kind: "string" },
        OutputField { name: "operation", kind: "string" },
        OutputField { name: "path", kind: "string" },
        OutputField { name: "real_path", kind: "string" },
        OutputField { name: "allowed", kind: "boolean" },
        OutputField { name: "reason", kind: "string" },
        OutputField { name: "reasons", kind: "array" },
        OutputField { name: "changes", kind: "array" },
        OutputField { name: "obstacle", kind: "string" },
        OutputField { name: "lists", kind: "array" },
        OutputField { name: "change_in", kind: "string" },
        OutputField { name: "managers", kind: "array" },
        OutputField { name: "next", kind: "string" },
    ],
    annotations: Annotations::READS,
    run,
};

const OPERATIONS: &[&str] = &["read", "write"];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let access = match call.arguments.word("operation") {
        Some("read") => Access::Read,
        Some("write") => Access::Write,
        _ => {
            let refusal = Refusal::new(Code::InvalidArgs, "`operation` is empty");
            return Err(refusal.next("pass `read` or `write`"));
        }
    };
    let text = call.arguments.text("path").unwrap_or_default();
    if text.len() > MAX_PATH_BYTES {
        let message = format!("`path` is longer than {MAX_PATH_BYTES} bytes");
        return Err(Refusal::new(Code::InvalidPath, message).next("pass the path of a file of the workspace"));
    }
    match asked_member(call)? {
        Some(id) => {
            let permissions = Permissions::load(call.context, &Caller::member(id))?;
            let may_know = |real: &WorkspacePath| call.permits(Access::Read, real);
            answer(call, access, text, &permissions, Some(id), may_know)
        }
        // The caller may know its own real paths, which refused calls name too.
        None => answer(call, access, text, call.permissions, None, |_| true),
    }
}

/// Returns the id of the other member that the call is about, if any.
fn asked_member<'c>(call: &'c Call<'_>) -> Result<Option<&'c str>, Refusal> {
    let Some(id) = call.arguments.word("member") else { return Ok(None) };
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
) -> Result<Success, Refusal> {
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
    let fields = Fields::new()
        .with("member", truncate(&label))
        .with("operation", access.as_str())
        .with("path", path)
        .with_some("real_path", real_path.map(|real| real.to_string()))
        .with("allowed", allowed)
        .with("reason", decision.reason.code())
        .with("reasons", causes.iter().map(Cause::to_json).collect::<Vec<_>>())
        .with("changes", explanation.steps.iter().map(change).collect::<Vec<_>>())
        .with_some("obstacle", explanation.obstacle.map(|obstacle| json!(obstacle)))
        .with("lists", lists.iter().map(list).collect::<Vec<_>>())
        .with_some("next", (!next.is_empty()).then(|| next.join("; ")));
    Ok(Tool::done(summary, denial::with_managers(fields, permissions, explanation.obstacle)))
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

/// Returns a change as JSON.
fn change(step: &Step) -> Value {
    let entry = step.entry.entry.as_deref().map(|entry| truncate_to(entry, MAX_ENTRY_BYTES));
    json!({
        "action": step.action,
        "list": step.entry.list,
        "entry": entry,
        "at": denial::position(&step.entry),
        "then": step.then.code(),
    })
}

fn list(list: &ListView) -> Value {
    let entries: Vec<String> = list.entries.iter().map(|entry| truncate_to(entry, MAX_ENTRY_BYTES)).collect();
    let start = list.at.as_ref().map(|at| (at, at.range.start));
    let at = start.map(|(at, start)| format!("{}:{}:{}", at.file, start.line, start.column));
    json!({
        "list": list.list,
        "entries": entries,
        "left_out": list.total - entries.len(),
        "at": at,
        "inherited": list.inherited,
        "unreadable": list.unreadable,
    })
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

//! Explanations of denied access: the reasons, the alternatives, and who can change the lists.
//!
//! They reveal the lists of the caller, and none of other members.

use std::fmt::Write as _;

use minds_access_control::{Access, ListKey, ListKind, Reason};
use minds_core::TEAM_FILE;
use minds_vfs::WorkspacePath;
use minds_workspace::access::{Change, EntryView, Explanation, ListView, Obstacle};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::Code;
use crate::answer::{Fields, Refusal};
use crate::file_refusal::{quote, truncate, truncate_to};
use crate::permissions::Permissions;

/// The maximum number of reasons in a refusal.
const MAX_REASONS: usize = 3;
/// The maximum number of entries of a list in a sentence.
const MAX_NAMED: usize = 3;
/// The maximum length of an entry in a sentence, in bytes.
const MAX_NAMED_BYTES: usize = 40;
/// The maximum number of managers in an answer.
const MAX_MANAGERS: usize = 3;

/// Returns the verb for an operation.
pub(crate) fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "change",
    }
}

/// Returns the refusal of a path that the lists of the caller deny.
pub(crate) fn refusal(permissions: &Permissions, access: Access, path: &WorkspacePath) -> Refusal {
    let mut member = permissions.access();
    let explanation = member.explain_within(access, path.as_str(), MAX_REASONS);
    let causes = causes(&explanation);
    let message = format!("you may not {} {}: {}", verb(access), quote(&path.to_string()), sentence(&causes));
    let next = [
        scope("you", access, &member.lists(access, MAX_NAMED)),
        remedy(permissions, explanation.obstacle, permissions.manages_team()),
    ];
    let next: Vec<String> = next.into_iter().flatten().collect();
    let decision = &explanation.decision;
    let entry = decision.entry.as_ref().and_then(|entry| entry.entry.as_deref()).map(truncate);
    let mut details = Fields::new()
        .with("reason", decision.reason.code())
        .with_some("entry", entry)
        .with("reasons", json!(causes.iter().map(Cause::view).collect::<Vec<_>>()));
    if explanation.obstacle == Some(Obstacle::TooMany) {
        details = details.with("more_reasons", true);
    }
    if let Some(managers) = managers(permissions, explanation.obstacle) {
        details = details.with("change_in", TEAM_FILE).with("managers", managers);
    }
    Refusal::new(Code::AccessDenied, message).next(next.join("; ")).details(details)
}

/// A reason for which a path is denied.
#[derive(Debug)]
pub(crate) struct Cause<'e> {
    reason: Reason,
    /// The list, with the entry that denies if there is one.
    entry: Option<&'e EntryView>,
    /// Whether the entry is missing in the list.
    is_lacking: bool,
    is_by_folding: bool,
}

/// Returns the reasons of a decision, the deciding one first. For a denied path these are all reasons that the explanation
/// found, each of which denies access by itself.
pub(crate) fn causes(explanation: &Explanation) -> Vec<Cause<'_>> {
    let decision = &explanation.decision;
    let first = Cause {
        reason: decision.reason,
        entry: decision.entry.as_deref(),
        is_lacking: false,
        is_by_folding: decision.is_by_folding,
    };
    if decision.reason.is_allowed() || explanation.steps.is_empty() {
        return vec![first];
    }
    let mut reason = decision.reason;
    let mut causes: Vec<Cause<'_>> = Vec::new();
    let mut is_guess = false;
    for step in &explanation.steps {
        // The entries of an unreadable list are unknown, so a missing entry after it is a guess, not a reason.
        is_guess |= step.action == Change::Repair;
        if step.action != Change::Add || !is_guess {
            causes.push(Cause {
                reason,
                entry: Some(&step.entry),
                is_lacking: step.action == Change::Add,
                is_by_folding: causes.is_empty() && decision.is_by_folding,
            });
        }
        reason = step.then;
    }
    if explanation.obstacle.is_some_and(|obstacle| obstacle != Obstacle::TooMany) && !is_guess {
        causes.push(Cause { reason, entry: None, is_lacking: false, is_by_folding: false });
    }
    causes
}

/// A reason, for programs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CauseView {
    reason: Reason,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<ListKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    /// File, line and column.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inherited: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_folding: Option<bool>,
}

impl Cause<'_> {
    /// Returns the reason for programs.
    pub(crate) fn view(&self) -> CauseView {
        let entry = self.entry;
        CauseView {
            reason: self.reason,
            list: entry.map(|entry| entry.list),
            entry: entry.and_then(|entry| entry.entry.as_deref()).filter(|_| !self.is_lacking).map(truncate),
            at: entry.and_then(position),
            inherited: entry.is_some_and(|entry| entry.inherited).then_some(true),
            by_folding: self.is_by_folding.then_some(true),
        }
    }

    fn describe(&self) -> String {
        let Some(entry) = self.entry else { return describe_reason(self.reason).to_owned() };
        let at = match (position(entry), entry.inherited) {
            (Some(at), true) => format!(" ({at}, from `member_defaults`)"),
            (Some(at), false) => format!(" ({at})"),
            (None, _) if self.is_lacking => String::new(),
            (None, _) => " (built in)".to_owned(),
        };
        let list = format!("`{}`{at}", entry.list);
        let written = entry.entry.as_deref().map(|written| truncate_to(written, MAX_NAMED_BYTES));
        let folding = if self.is_by_folding { ", ignoring letter case and Unicode form" } else { "" };
        match (self.reason, written) {
            (Reason::InvalidPolicy, Some(written)) => {
                format!("`{written}` in {list} cannot be read, so the whole list denies access")
            }
            (Reason::InvalidPolicy, None) => {
                format!("{list} cannot be read, so the whole list denies access")
            }
            (Reason::NotInAllowList, _) => format!("no entry of {list} covers it"),
            (Reason::ExtensionNotAllowed, _) => format!("its extension is not in {list}"),
            (Reason::Allowed | Reason::AllowedByDefault, Some(written)) => {
                format!("allowed by `{written}` in {list}")
            }
            (_, Some(written)) => format!("denied by `{written}` in {list}{folding}"),
            (_, None) => format!("denied by {list}"),
        }
    }
}

/// Returns reasons as one sentence.
pub(crate) fn sentence(causes: &[Cause<'_>]) -> String {
    causes.iter().map(Cause::describe).collect::<Vec<_>>().join("; also ")
}

fn describe_reason(reason: Reason) -> &'static str {
    match reason {
        Reason::InvalidPath => "it is not a path: it has a backslash or an invisible character",
        Reason::Outside => "it is outside the workspace",
        Reason::Reserved => "the area is reserved, regardless of the lists",
        Reason::InvalidPolicy => "`.minds/team.yaml` cannot be read reliably",
        Reason::Denied => "denied by a built-in entry",
        Reason::ExtensionDenied => "its extension is denied",
        Reason::NotInAllowList => "no entry of the allow list covers it",
        Reason::ExtensionNotAllowed => "its extension is not allowed",
        Reason::Allowed => "an entry allows it",
        Reason::AllowedByDefault => "no list denies it",
    }
}

/// Returns the place of an entry or a list: file, line and column.
pub(crate) fn position(entry: &EntryView) -> Option<String> {
    let at = entry.at.as_ref()?;
    let start = at.range.start;
    Some(format!("{}:{}:{}", at.file, start.line, start.column))
}

/// Describes what the lists for `access` allow; `None` if a list cannot be read.
pub(crate) fn scope(who: &str, access: Access, lists: &[ListView]) -> Option<String> {
    if lists.iter().any(|list| list.unreadable) {
        return None;
    }
    let of = |kind| lists.iter().find(|list| list.key.kind == kind).map(names);
    let mut text = match (of(ListKind::Allow), of(ListKind::Deny)) {
        (Some(allowed), Some(denied)) => format!("in {allowed}, except {denied}"),
        (Some(allowed), None) => format!("in {allowed}"),
        (None, Some(denied)) => format!("everywhere except {denied} and reserved areas"),
        (None, None) => "everywhere except reserved areas".to_owned(),
    };
    // Writing to a string cannot fail.
    if let Some(allowed) = of(ListKind::AllowExtension) {
        let _ = write!(text, ", only with the extensions {allowed}");
    }
    if let Some(denied) = of(ListKind::DenyExtension) {
        let _ = write!(text, ", not with the extensions {denied}");
    }
    Some(format!("{who} may {} files {text}", verb(access)))
}

fn names(list: &ListView) -> String {
    let mut names: Vec<String> = list
        .entries
        .iter()
        .take(MAX_NAMED)
        .map(|entry| format!("`{}`", truncate_to(entry, MAX_NAMED_BYTES)))
        .collect();
    let more = list.total.saturating_sub(names.len());
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// Describes who can change the deciding lists; `None` if no list decides.
pub(crate) fn remedy(
    permissions: &Permissions,
    obstacle: Option<Obstacle>,
    is_manager: bool,
) -> Option<String> {
    if !is_changeable(obstacle) {
        return None;
    }
    if is_manager {
        let tools = "with the `team_mgmt_*` tools, if the user agrees";
        return Some(format!("as a manager of the team you can change `{TEAM_FILE}` {tools}"));
    }
    let managers: Vec<String> = permissions.managers(MAX_MANAGERS).iter().map(|id| quote_id(id)).collect();
    Some(match managers.as_slice() {
        [] => format!("only the user can change `{TEAM_FILE}`"),
        managers => format!("{} can change `{TEAM_FILE}`: ask if you need access", managers.join(", ")),
    })
}

/// Returns the members that can change `team.yaml`; `None` if no list decides.
pub(crate) fn managers(permissions: &Permissions, obstacle: Option<Obstacle>) -> Option<Vec<String>> {
    is_changeable(obstacle).then(|| {
        permissions.managers(MAX_MANAGERS).iter().map(|id| truncate_to(id, MAX_NAMED_BYTES)).collect()
    })
}

fn quote_id(id: &str) -> String {
    format!("`{}`", truncate_to(id, MAX_NAMED_BYTES))
}

fn is_changeable(obstacle: Option<Obstacle>) -> bool {
    match obstacle {
        None | Some(Obstacle::TooMany | Obstacle::UnreadableFile | Obstacle::Unnameable) => true,
        Some(Obstacle::NoPath | Obstacle::Package | Obstacle::Minds | Obstacle::Git | Obstacle::BuiltIn) => {
            false
        }
    }
}

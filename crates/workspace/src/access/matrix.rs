//! What everybody may do with every directory that an entry names.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_access_control::{Access, EntryList, Extension, Pattern, Reason};
use minds_core::{MemberPolicy, TEAM_FILE, Team};
use minds_paths::WorkspacePath;
use serde::Serialize;

use super::witness::{both, sample};
use crate::veil::without_secrets;

/// Members and directories, and who may do what where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The ids of the members: those of the file in its order, then those that every team has.
    pub members: Vec<String>,
    /// The directories: the workspace itself, then what entries name, sorted.
    pub rows: Vec<MatrixRow>,
}

/// One directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// The directory as an entry names it, in the canonical spelling.
    pub directory: String,
    /// What each member may do, in the order of the members.
    pub cells: Vec<Cell>,
}

/// What a member may do with a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Whether it may look into it.
    pub read: Right,
    /// Whether it may change something in it.
    pub write: Right,
}

/// A decision about a directory itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Right {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Whether something below is decided differently, found by asking about paths in the scope of each entry. What is
    /// reserved does not count: it is so for everybody.
    pub partial: bool,
    /// Why, as a code.
    pub reason: &'static str,
}

/// Returns the matrix of members, each with its policy.
pub(super) fn matrix(team: &Team, members: &[(&str, Arc<MemberPolicy>)]) -> Matrix {
    let directories = directories(team, members);
    let paths: Vec<WorkspacePath> = directories.values().map(sample).collect();
    let mut table = Table { meetings: BTreeMap::new() };
    let mut columns: Vec<(&Arc<MemberPolicy>, Vec<Cell>)> = Vec::new();
    let mut rows: Vec<MatrixRow> = directories
        .keys()
        .map(|name| MatrixRow { directory: without_secrets(TEAM_FILE, name).into_owned(), cells: Vec::new() })
        .collect();
    let mut known: BTreeMap<*const MemberPolicy, usize> = BTreeMap::new();
    for (_, policy) in members {
        // Members with the same lists share their policy.
        let at = *known.entry(Arc::as_ptr(policy)).or_insert_with(|| {
            let cell = |(name, path): (&String, &WorkspacePath)| Cell {
                read: table.right(policy, Access::Read, name, path, &directories),
                write: table.right(policy, Access::Write, name, path, &directories),
            };
            columns.push((policy, directories.keys().zip(&paths).map(cell).collect()));
            columns.len() - 1
        });
        if let Some((_, cells)) = columns.get(at) {
            for (row, cell) in rows.iter_mut().zip(cells) {
                row.cells.push(*cell);
            }
        }
    }
    rows.sort_by_key(|row| row.directory != ".");
    let covered = |(id, _): &(&str, _)| without_secrets(TEAM_FILE, id).into_owned();
    Matrix { members: members.iter().map(covered).collect(), rows }
}

/// Returns what the entries of the file and what is built in name, by the canonical spelling.
fn directories(team: &Team, members: &[(&str, Arc<MemberPolicy>)]) -> BTreeMap<String, Pattern> {
    let lists = team.field_groups().flat_map(|fields| fields.access.directories());
    let given = lists.filter_map(|(_, list)| list.given());
    let entries = given.flat_map(|list| &list.value.0.items).map(|entry| entry.value.clone());
    let built_in = members.iter().filter_map(|(_, policy)| Pattern::parse(policy.built_in?).ok());
    let root = Pattern::parse(".").ok();
    entries.chain(built_in).chain(root).map(|pattern| (pattern.to_string(), pattern)).collect()
}

/// Where scopes meet, each pair once.
struct Table {
    meetings: BTreeMap<(String, String), Vec<WorkspacePath>>,
}

impl Table {
    fn right(
        &mut self,
        policy: &MemberPolicy,
        access: Access,
        name: &str,
        path: &WorkspacePath,
        directories: &BTreeMap<String, Pattern>,
    ) -> Right {
        let decision = policy.policy.check(access, path);
        let (allowed, reason) = (decision.is_allowed(), decision.reason());
        let lists = policy.policy.lists(access);
        let is_final = matches!(reason, Reason::Reserved | Reason::InvalidPolicy);
        let differs = |below: &WorkspacePath| {
            let decision = policy.policy.check(access, below);
            decision.reason() != Reason::Reserved && decision.is_allowed() != allowed
        };
        let entries = lists.deny.entries().iter().chain(lists.allow.entries());
        let partial = !is_final
            && (entries.into_iter().any(|entry| {
                let key = (name.to_owned(), entry.to_string());
                let directory = directories.get(name);
                let meeting = self.meetings.entry(key);
                let meeting = meeting
                    .or_insert_with(|| directory.map(|directory| both(directory, entry)).unwrap_or_default());
                meeting.iter().any(differs)
            }) || files(path, &lists.deny_extensions, &lists.allow_extensions).iter().any(differs));
        Right { allowed, partial, reason: reason.code() }
    }
}

/// Returns files in a directory about which lists of extensions say something, if there are such lists.
fn files(
    directory: &WorkspacePath,
    denied: &EntryList<Extension>,
    allowed: &EntryList<Extension>,
) -> Vec<WorkspacePath> {
    let entries = denied.entries().iter().chain(allowed.entries());
    let names: Vec<String> = entries.map(|entry| format!("_.{}", entry.as_str())).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let other = "_.".to_owned() + &"_".repeat(names.iter().map(String::len).max().unwrap_or_default());
    names.into_iter().chain([other, "_".to_owned()]).filter_map(|name| directory.join(&name).ok()).collect()
}

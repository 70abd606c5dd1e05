//! What everybody may do with every directory that an entry names.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use minds_access_control::{Access, EntryList, Extension, Lists, Pattern, Reason};
use minds_core::{MemberPolicy, TEAM_FILE, Team};
use minds_paths::{PathError, WorkspacePath};
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

/// What a member may do with a directory. What was not asked for is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Whether it may look into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Right>,
    /// Whether it may change something in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Right>,
}

/// Which part of the matrix is wanted; all of it by default.
#[derive(Clone, Debug, Default)]
pub struct MatrixFilter {
    /// The ids of members; all if there are none.
    pub members: Vec<String>,
    /// Paths of which the directories at and below them are wanted, and they themselves; all if there are none.
    pub paths: Vec<WorkspacePath>,
    /// The only access that is wanted; both if there is none.
    pub access: Option<Access>,
}

impl MatrixFilter {
    /// Adds a path, which is relative to the workspace and normalised.
    ///
    /// # Errors
    ///
    /// Returns why the text names no path in the workspace.
    pub fn add_path(&mut self, path: &str) -> Result<(), PathError> {
        self.paths.push(WorkspacePath::normalize(path)?);
        Ok(())
    }
}

/// A matrix that is larger than anybody reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixTooLarge {
    /// How many directories it would have.
    pub directories: usize,
    /// How many members it would have.
    pub members: usize,
}

impl fmt::Display for MatrixTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { directories, members } = self;
        write!(
            f,
            "the matrix has {directories} directories and {members} members, which is too much to compute"
        )
    }
}

impl std::error::Error for MatrixTooLarge {}

/// How many cells a matrix has at most.
const MAX_CELLS: usize = 1_000_000;

/// How much is done for one matrix, in steps of about ten nanoseconds: less than a second.
const MAX_STEPS: usize = 60_000_000;

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

/// Returns the wanted part of the matrix of members, each with its policy.
pub(super) fn matrix(
    team: &Team,
    members: &[(&str, Arc<MemberPolicy>)],
    filter: &MatrixFilter,
) -> Result<Matrix, MatrixTooLarge> {
    let directories = directories(team, members, filter);
    let members: Vec<&(&str, Arc<MemberPolicy>)> = members
        .iter()
        .filter(|(id, _)| filter.members.is_empty() || filter.members.iter().any(|wanted| wanted == id))
        .collect();
    let too_large = MatrixTooLarge { directories: directories.len(), members: members.len() };
    // Members with the same lists share their policy.
    let policies: BTreeMap<*const MemberPolicy, &Arc<MemberPolicy>> =
        members.iter().map(|(_, policy)| (Arc::as_ptr(policy), policy)).collect();
    let accesses = filter.access.map_or(Access::ALL.to_vec(), |access| vec![access]);
    let weight = directories.values().map(Pattern::weight).sum::<usize>();
    let entries =
        policies.values().flat_map(|policy| accesses.iter().map(|access| policy.policy.lists(*access)));
    // Each decision costs about as much as ten comparisons.
    let each = entries.map(|lists| 10 + entries_of(lists).map(Pattern::weight).sum::<usize>()).sum::<usize>();
    if directories.len().saturating_mul(members.len()) > MAX_CELLS || weight.saturating_mul(each) > MAX_STEPS
    {
        return Err(too_large);
    }
    let paths: Vec<WorkspacePath> = directories.values().map(sample).collect();
    let columns: BTreeMap<*const MemberPolicy, Vec<Cell>> = policies
        .into_iter()
        .map(|(key, policy)| {
            let right = |access, directory: &Pattern, path: &WorkspacePath| {
                accesses.contains(&access).then(|| right(policy, access, directory, path))
            };
            let cell = |(directory, path): (&Pattern, &WorkspacePath)| Cell {
                read: right(Access::Read, directory, path),
                write: right(Access::Write, directory, path),
            };
            (key, directories.values().zip(&paths).map(cell).collect())
        })
        .collect();
    let mut rows: Vec<MatrixRow> = directories
        .keys()
        .map(|name| MatrixRow { directory: without_secrets(TEAM_FILE, name).into_owned(), cells: Vec::new() })
        .collect();
    for (_, policy) in &members {
        let column = columns.get(&Arc::as_ptr(policy)).map(Vec::as_slice).unwrap_or_default();
        for (row, cell) in rows.iter_mut().zip(column) {
            row.cells.push(*cell);
        }
    }
    rows.sort_by_key(|row| row.directory != ".");
    let covered = |(id, _): &&(&str, _)| without_secrets(TEAM_FILE, id).into_owned();
    Ok(Matrix { members: members.iter().map(covered).collect(), rows })
}

fn entries_of(lists: &Lists) -> impl Iterator<Item = &Pattern> {
    lists.deny.entries().iter().chain(lists.allow.entries())
}

/// Returns what the entries of the file and what is built in name, as far as it is wanted, by the canonical spelling.
fn directories(
    team: &Team,
    members: &[(&str, Arc<MemberPolicy>)],
    filter: &MatrixFilter,
) -> BTreeMap<String, Pattern> {
    let lists = team.field_groups().flat_map(|fields| fields.access.directories());
    let given = lists.filter_map(|(_, list)| list.given());
    let entries = given.flat_map(|list| &list.value.0.items).map(|entry| entry.value.clone());
    let built_in = members.iter().filter_map(|(_, policy)| Pattern::parse(policy.built_in?).ok());
    let root = Pattern::parse(".").ok();
    let wanted: Vec<Pattern> =
        filter.paths.iter().filter_map(|path| Pattern::parse(&path.to_string()).ok()).collect();
    entries
        .chain(built_in)
        .chain(root)
        .filter(|pattern| wanted.is_empty() || wanted.iter().any(|path| path.covers(pattern)))
        .chain(wanted.iter().cloned())
        .map(|pattern| (pattern.to_string(), pattern))
        .collect()
}

/// Decides about a directory, and whether something below is decided differently.
fn right(policy: &MemberPolicy, access: Access, directory: &Pattern, path: &WorkspacePath) -> Right {
    let decision = policy.policy.check(access, path);
    let (allowed, reason) = (decision.is_allowed(), decision.reason());
    let lists = policy.policy.lists(access);
    let is_final = matches!(reason, Reason::Reserved | Reason::InvalidPolicy);
    let differs = |below: &WorkspacePath| {
        let decision = policy.policy.check(access, below);
        decision.reason() != Reason::Reserved && decision.is_allowed() != allowed
    };
    let differs_at = |entry: &Pattern| {
        // Most entries are plain paths, of which it is quick to see that they do not meet.
        let is_apart = directory.is_literal()
            && entry.is_literal()
            && !directory.covers(entry)
            && !entry.covers(directory);
        !is_apart && both(directory, entry).iter().any(differs)
    };
    let partial = !is_final
        && (entries_of(lists).any(differs_at)
            || files(path, &lists.deny_extensions, &lists.allow_extensions).iter().any(differs));
    Right { allowed, partial, reason: reason.code() }
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

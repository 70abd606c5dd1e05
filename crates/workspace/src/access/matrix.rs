//! The access matrix: what each member may do with each directory that an entry names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use minds_access_control::{Access, EntryList, Extension, Lists, Pattern, Reason};
use minds_core::{MemberPolicy, TEAM_FILE, Team};
use minds_vfs::{PathError, WorkspacePath};
use schemars::JsonSchema;
use serde::Serialize;

use super::witness::{ExpandedPattern, sample, shared_paths};
use crate::redact::without_secrets;

/// What each member may do with each directory. Cells are computed on demand, so the memory is proportional to the number of
/// members plus the number of directories.
#[derive(Clone, Debug)]
pub struct Matrix {
    members: Vec<String>,
    /// For each member an index in `columns`: members with equal lists share a column.
    column_of: Vec<usize>,
    columns: Vec<Column>,
    directories: Vec<Directory>,
    accesses: Vec<Access>,
}

/// A policy, prepared for queries about many directories.
#[derive(Clone, Debug)]
struct Column {
    policy: Arc<MemberPolicy>,
    /// The entries for each operation, in the order of `accesses`.
    entries: Vec<Vec<Arc<Entry>>>,
}

#[derive(Clone, Debug)]
struct Directory {
    /// The display name, without secrets.
    name: String,
    entry: Arc<Entry>,
    /// The path to decide about.
    path: WorkspacePath,
}

/// A pattern with its expansions for finding paths in its scope.
#[derive(Debug)]
struct Entry {
    pattern: Pattern,
    expanded: ExpandedPattern,
}

impl Entry {
    fn new(pattern: &Pattern) -> Self {
        Self { pattern: pattern.clone(), expanded: ExpandedPattern::new(pattern) }
    }
}

/// One directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRow<'m> {
    /// The directory in the canonical form of its entry.
    pub directory: &'m str,
    /// The rights of each member, in the order of the members.
    pub cells: Vec<Cell>,
}

/// The rights of a member in a directory. Operations that were not requested are omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cell {
    /// The right to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Right>,
    /// The right to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Right>,
}

/// The part of the matrix to compute; all of it by default.
#[derive(Clone, Debug, Default)]
pub struct MatrixFilter {
    /// The ids of the members; empty for all.
    pub members: Vec<String>,
    /// The paths to include, with all directories at and below them; empty for all.
    pub paths: Vec<WorkspacePath>,
    /// The only operation; `None` for both.
    pub access: Option<Access>,
}

impl MatrixFilter {
    /// Adds a path, which is relative to the workspace and is normalized.
    ///
    /// # Errors
    ///
    /// Returns an error if the string is not a valid path in the workspace.
    pub fn add_path(&mut self, path: &str) -> Result<(), PathError> {
        self.paths.push(WorkspacePath::normalize(path)?);
        Ok(())
    }
}

/// A matrix that is too large to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixTooLarge {
    /// The number of directories.
    pub directories: usize,
    /// The number of members.
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

/// The maximum number of cells of a matrix: more than 1,000 members with a directory each.
const MAX_CELLS: usize = 2_000_000;

/// The maximum work for a matrix in steps of 4 to 8 nanoseconds, on the machine that `docs/performance.md` describes.
const MAX_STEPS: usize = 1_000_000_000;

/// The steps for finding a path in two scopes of which at least one has a wildcard.
const STEPS_PER_PAIR: usize = 300;

/// A decision about a directory itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Right {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Whether the decision differs for a path below, determined by paths in the scope of each entry. Reserved areas are not
    /// taken into account, because they are the same for all members.
    pub partial: bool,
    /// The reason.
    pub reason: Reason,
}

/// Builds the selected part of the matrix for members with their policies.
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
    let accesses = filter.access.map_or(Access::ALL.to_vec(), |access| vec![access]);
    let mut unique: Vec<&Arc<MemberPolicy>> = Vec::new();
    let mut index_of: BTreeMap<*const MemberPolicy, usize> = BTreeMap::new();
    let mut column_of = Vec::with_capacity(members.len());
    for (_, policy) in &members {
        column_of.push(*index_of.entry(Arc::as_ptr(policy)).or_insert(unique.len()));
        if unique.len() < index_of.len() {
            unique.push(policy);
        }
    }
    let literal_directories = directories.values().filter(|pattern| pattern.is_literal()).count();
    let lists = unique.iter().flat_map(|policy| accesses.iter().map(|access| policy.policy.lists(*access)));
    let steps = lists
        .map(|lists| steps(directories.len(), literal_directories, lists))
        .fold(0, usize::saturating_add);
    if directories.len().saturating_mul(members.len()) > MAX_CELLS || steps > MAX_STEPS {
        return Err(MatrixTooLarge { directories: directories.len(), members: members.len() });
    }
    let mut prepared: BTreeMap<String, Arc<Entry>> = BTreeMap::new();
    let mut prepare = |pattern: &Pattern| {
        Arc::clone(prepared.entry(pattern.to_string()).or_insert_with(|| Arc::new(Entry::new(pattern))))
    };
    let mut columns = Vec::with_capacity(unique.len());
    for policy in unique {
        let entries = accesses.iter().map(|access| entries_of(policy.policy.lists(*access)));
        let entries = entries.map(|entries| entries.map(&mut prepare).collect()).collect();
        columns.push(Column { policy: Arc::clone(policy), entries });
    }
    let mut rows: Vec<Directory> = directories
        .iter()
        .map(|(name, pattern)| Directory {
            name: without_secrets(TEAM_FILE, name).into_owned(),
            entry: prepare(pattern),
            path: sample(pattern),
        })
        .collect();
    rows.sort_by_key(|row| row.name != ".");
    let redact_id = |(id, _): &&(&str, _)| without_secrets(TEAM_FILE, id).into_owned();
    Ok(Matrix {
        members: members.iter().map(redact_id).collect(),
        column_of,
        columns,
        directories: rows,
        accesses,
    })
}

/// Returns the number of steps for the rows of one policy. It is called for each policy before a matrix can be refused,
/// so it does not examine the directories.
fn steps(directories: usize, literal_directories: usize, lists: &Lists) -> usize {
    let wildcards = || entries_of(lists).filter(|entry| !entry.is_literal());
    let (entries, with_wildcards) = (entries_of(lists).count(), wildcards().count());
    let decision = 10 + wildcards().map(Pattern::weight).sum::<usize>();
    let literal_pairs = literal_directories * (entries - with_wildcards);
    let other_pairs = directories * entries - literal_pairs;
    (directories * decision + literal_pairs)
        .saturating_add(other_pairs.saturating_mul(STEPS_PER_PAIR + 4 * decision))
}

impl Matrix {
    /// Returns the ids of the members: those of the file in file order, then the shadow members.
    pub fn members(&self) -> &[String] {
        &self.members
    }

    /// Returns the directories: the workspace itself, then those that entries name, sorted.
    pub fn directories(&self) -> impl ExactSizeIterator<Item = &str> {
        self.directories.iter().map(|directory| directory.name.as_str())
    }

    /// Computes the rows, in the order of the directories, with a cell for each member.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = MatrixRow<'_>> {
        self.rows_of(0..self.members.len())
    }

    /// Computes the rows with the cells of a range of members.
    pub fn rows_of(&self, members: Range<usize>) -> impl ExactSizeIterator<Item = MatrixRow<'_>> {
        let column_of = self.column_of.get(members).unwrap_or_default();
        // Each column that a member of the range needs is computed once per row.
        let wanted: BTreeSet<usize> = column_of.iter().copied().collect();
        self.directories.iter().map(move |directory| {
            let cells: BTreeMap<usize, Cell> = wanted
                .iter()
                .filter_map(|index| Some((*index, self.cell(self.columns.get(*index)?, directory))))
                .collect();
            MatrixRow {
                directory: &directory.name,
                cells: column_of.iter().filter_map(|index| cells.get(index).copied()).collect(),
            }
        })
    }

    fn cell(&self, column: &Column, directory: &Directory) -> Cell {
        let mut cell = Cell { read: None, write: None };
        for (access, entries) in self.accesses.iter().zip(&column.entries) {
            let right = Some(right(&column.policy, *access, entries, directory));
            match access {
                Access::Read => cell.read = right,
                Access::Write => cell.write = right,
            }
        }
        cell
    }
}

fn entries_of(lists: &Lists) -> impl Iterator<Item = &Pattern> {
    lists.deny.entries().iter().chain(lists.allow.entries())
}

/// Returns the selected directories that entries of the file or built-in entries name, by canonical form.
fn directories(
    team: &Team,
    members: &[(&str, Arc<MemberPolicy>)],
    filter: &MatrixFilter,
) -> BTreeMap<String, Pattern> {
    let lists = team.field_groups().flat_map(|fields| fields.access.directories());
    let given = lists.filter_map(|(_, list)| list.as_given());
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

/// Decides about a directory, and determines whether the decision differs for a path below.
fn right(policy: &MemberPolicy, access: Access, entries: &[Arc<Entry>], directory: &Directory) -> Right {
    let decision = policy.policy.check(access, &directory.path);
    let (allowed, reason) = (decision.is_allowed(), decision.reason());
    let lists = policy.policy.lists(access);
    let is_final = matches!(reason, Reason::Reserved | Reason::InvalidPolicy);
    let differs = |below: &WorkspacePath| {
        let decision = policy.policy.check(access, below);
        decision.reason() != Reason::Reserved && decision.is_allowed() != allowed
    };
    let pattern = &directory.entry.pattern;
    let differs_at = |entry: &Entry| {
        // Most entries have no wildcards, so that a quick comparison shows that their scopes are disjoint.
        let is_apart = pattern.is_literal()
            && entry.pattern.is_literal()
            && !pattern.covers(&entry.pattern)
            && !entry.pattern.covers(pattern);
        !is_apart && shared_paths(&directory.entry.expanded, &entry.expanded).iter().any(differs)
    };
    let partial = !is_final
        && (entries.iter().any(|entry| differs_at(entry))
            || files(&directory.path, &lists.deny_extensions, &lists.allow_extensions).iter().any(differs));
    Right { allowed, partial, reason }
}

/// Returns sample files in a directory that extension lists distinguish, if there are such lists.
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

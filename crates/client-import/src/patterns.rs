//! From the path patterns of clients to entries of access lists.
//!
//! There are two families of patterns. In those of git, which Claude Code and ignore files use, `*` is part of one name.
//! In those of opencode and Cursor, `*` is any number of characters, with `/`. An entry of a team covers a path and
//! everything below it, and `*` is part of one name.
//!
//! A pattern that denies may become entries that cover more; a pattern that allows may become an entry that covers less.
//! Never the other way.

mod crossing;
mod of_git;

use minds_access_control::Pattern;

pub(crate) use crossing::{allow_crossing, deny_crossing};
pub(crate) use of_git::{allow_of_git, deny_of_git};

/// What a pattern that denies becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// These entries.
    Entries(Vec<String>),
    /// Everything is denied: the pattern means it, or cannot be written as entries.
    Everything,
    /// The pattern matches no path in the workspace.
    Nothing,
}

/// What a pattern that allows becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Allow {
    /// An entry.
    Entry(String),
    /// An entry for a path without what is below it, which a second entry denies.
    PathOnly {
        /// The entry to allow.
        allow: String,
        /// The entry to deny.
        deny: String,
    },
    /// Everything.
    Everything,
    /// No entry covers only what the pattern matches.
    Nothing,
}

/// The directories that absolute patterns are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Directories<'d> {
    /// The absolute path of the workspace, with `/`.
    pub workspace: &'d str,
    /// The absolute path of the home of the user, if it is known.
    pub home: Option<&'d str>,
}

/// Returns whether a string is a valid entry that means what it looks like.
fn is_entry(entry: &str) -> bool {
    !entry.contains('\\') && Pattern::parse(entry).is_ok()
}

/// Returns these entries; everything if one of them is not valid.
fn entries(entries: Vec<String>) -> Deny {
    if entries.iter().any(|entry| entry == "**") || !entries.iter().all(|entry| is_entry(entry)) {
        return Deny::Everything;
    }
    Deny::Entries(entries)
}

/// Returns a pattern without characters that an entry cannot have, each replaced by `*`, and with single `*` only where
/// `keeps` does not say that `**` has a meaning.
fn replace_characters(pattern: &str, is_operator: impl Fn(char) -> bool) -> String {
    let is_hidden = |c: char| minds_vfs::portable::is_control(c) || minds_vfs::portable::is_directional(c);
    pattern.chars().map(|c| if is_hidden(c) || is_operator(c) { '*' } else { c }).collect()
}

/// Returns a string with one `*` in place of several.
fn collapse_stars(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '*' || !collapsed.ends_with('*') {
            collapsed.push(c);
        }
    }
    collapsed
}

/// Returns the rests of an absolute pattern below the workspace; empty if it matches nothing in it. An empty rest means the
/// whole workspace. A segment `**` matches any number of segments.
fn rests_below_workspace<'p>(pattern: &[&'p str], workspace: &str) -> Vec<Vec<&'p str>> {
    let names: Vec<String> =
        workspace.split('/').filter(|name| !name.is_empty()).map(str::to_lowercase).collect();
    // The positions in the pattern that can follow the names so far.
    let mut positions = vec![0_usize];
    for name in &names {
        let mut next = Vec::new();
        let mut open = positions;
        while let Some(at) = open.pop() {
            match pattern.get(at) {
                // The pattern matches a directory that contains the workspace.
                None => return vec![Vec::new()],
                Some(&"**") => {
                    next.push(at);
                    open.push(at + 1);
                }
                Some(segment) => {
                    if minds_access_control::matches_glob(&segment.to_lowercase(), name) {
                        next.push(at + 1);
                    }
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        positions = next;
    }
    positions.iter().map(|at| pattern.get(*at..).unwrap_or_default().to_vec()).collect()
}

/// Returns an absolute pattern for one that begins with `~`, if the home is known.
fn expand_home(pattern: &str, directories: Directories<'_>) -> Option<String> {
    let rest = pattern.strip_prefix('~').or_else(|| pattern.strip_prefix("$HOME"))?;
    Some(format!("{}{rest}", directories.home?))
}

//! Codex: the file system of a permission profile, which the system enforces for a session.
//!
//! As tried with version 0.169.0 on Linux: the most specific path wins, writing includes reading, and an entry with a
//! wildcard only denies reading what exists when a command starts.

use super::wildcard::{Token, matches};
use super::{Effect, Operation};

/// What a profile begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodexBase {
    /// Nothing but what programs need (`":minimal" = "read"`).
    #[default]
    Minimal,
    /// Everything can be read.
    ReadOnly,
    /// The workspace can be written too, except `.git`, `.agents` and `.codex`.
    Workspace,
}

/// The access of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodexAccess {
    /// Neither reading nor writing.
    Deny,
    /// Reading.
    Read,
    /// Reading and writing.
    Write,
}

/// A profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodexProfile {
    /// What it begins with.
    pub base: CodexBase,
    /// The entries: paths relative to the workspace, `.` for the workspace itself.
    pub entries: Vec<(String, CodexAccess)>,
}

impl CodexAccess {
    /// Returns the word in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

impl CodexProfile {
    /// Returns what the system decides about a path that exists, relative to the workspace and without `.` or `..`.
    pub fn decide(&self, operation: Operation, path: &str) -> Effect {
        let base = match self.base {
            CodexBase::Minimal => CodexAccess::Deny,
            CodexBase::ReadOnly => CodexAccess::Read,
            CodexBase::Workspace if is_own(path) => CodexAccess::Read,
            CodexBase::Workspace => CodexAccess::Write,
        };
        let literal = self.entries.iter().map(|(entry, access)| {
            // Only an entry that denies has other wildcards than these at the end.
            let is_opening = *access != CodexAccess::Deny;
            (entry.strip_suffix("/**").filter(|_| is_opening).unwrap_or(entry), *access)
        });
        let literal = literal.filter(|(entry, _)| !has_wildcard(entry));
        let covering = literal.filter(|(entry, _)| *entry == "." || is_below(&unescape(entry), path));
        let is_denied = covering.clone().any(|(_, access)| access == CodexAccess::Deny);
        let specific = covering.max_by_key(|(entry, access)| {
            // Of two entries for one path the narrower one is assumed.
            (if *entry == "." { 0 } else { unescape(entry).len() }, std::cmp::Reverse(*access))
        });
        let access = match specific {
            None => base,
            // In a denied directory, only a directory that may be written is opened.
            Some((_, CodexAccess::Read)) if is_denied => CodexAccess::Deny,
            Some((entry, CodexAccess::Write)) if is_own(strip_directory(&unescape(entry), path)) => {
                CodexAccess::Read
            }
            Some((_, access)) => access,
        };
        let is_hidden = self.entries.iter().any(|(entry, access)| {
            *access == CodexAccess::Deny && has_wildcard(entry) && covers_file(entry, path)
        });
        match operation {
            Operation::Read if is_hidden || access == CodexAccess::Deny => Effect::Deny,
            Operation::Write if access != CodexAccess::Write => Effect::Deny,
            Operation::Read | Operation::Write => Effect::Allow,
        }
    }
}

/// Returns whether a path is in the directories that a writable directory leaves read-only.
fn is_own(path: &str) -> bool {
    [".git", ".agents", ".codex"].into_iter().any(|own| is_below(own, path))
}

/// Returns a path relative to a directory that covers it.
fn strip_directory<'p>(directory: &str, path: &'p str) -> &'p str {
    path.strip_prefix(directory).map_or(path, |rest| rest.trim_start_matches('/'))
}

fn is_below(directory: &str, path: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether an entry has an operator. A bracket in brackets stands for itself.
fn has_wildcard(entry: &str) -> bool {
    let entry = entry.replace("[[]", "");
    entry.contains(['*', '?', '['])
}

fn unescape(entry: &str) -> String {
    entry.replace("[[]", "[")
}

/// Returns whether an entry with a wildcard covers a file: `*` within a segment, `**` as any number of segments.
fn covers_file(entry: &str, path: &str) -> bool {
    let entry: Vec<&str> = entry.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    reaches(&entry, &path)
}

fn reaches(entry: &[&str], path: &[&str]) -> bool {
    match (entry, path) {
        ([], []) => true,
        (["**"], path) => !path.is_empty(),
        (["**", rest @ ..], path) => {
            (0..=path.len()).any(|skip| reaches(rest, path.get(skip..).unwrap_or_default()))
        }
        ([first, rest @ ..], [name, below @ ..]) => {
            let name: Vec<char> = name.chars().collect();
            matches(&tokens(first), &name, |_| true) && reaches(rest, below)
        }
        _ => false,
    }
}

fn tokens(name: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = name.chars();
    while let Some(character) = rest.next() {
        tokens.push(match character {
            '*' => Token::Run,
            '?' => Token::One,
            '[' => {
                let inner: Vec<char> = rest.by_ref().take_while(|c| *c != ']').collect();
                Token::Class(inner.iter().map(|c| (*c, *c)).collect())
            }
            other => Token::Character(other),
        });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use CodexAccess::{Deny, Read, Write};

    #[track_caller]
    fn check(base: CodexBase, entries: &[(&str, CodexAccess)], path: &str, expected: (Effect, Effect)) {
        let entries = entries.iter().map(|(path, access)| ((*path).to_owned(), *access)).collect();
        let profile = CodexProfile { base, entries };
        let found = (profile.decide(Operation::Read, path), profile.decide(Operation::Write, path));
        assert_eq!(found, expected, "{profile:?} {path}");
    }

    /// What was tried with the client.
    #[test]
    fn the_most_specific_entry_wins_and_wildcards_only_hide_files() {
        let (yes, no) = (Effect::Allow, Effect::Deny);
        check(CodexBase::ReadOnly, &[("src", Write)], "src/a", (yes, yes));
        check(CodexBase::ReadOnly, &[("src", Write)], "src-old/a", (yes, no));
        check(CodexBase::Workspace, &[("src", Deny), ("src/pub", Write)], "src/pub/a", (yes, yes));
        check(CodexBase::Workspace, &[("src/gen", Read), ("src", Write)], "src/gen/a", (yes, no));
        check(CodexBase::Workspace, &[], ".codex/config.toml", (yes, no));
        check(CodexBase::Workspace, &[("**/*.tsk/**", Deny)], "w/t.tsk/goals.md", (no, yes));
        check(CodexBase::Workspace, &[("**/*.tsk/**", Deny)], "w/t.tsk", (yes, yes));
        check(CodexBase::Minimal, &[("src", Read)], "src/a", (yes, no));
        check(CodexBase::Minimal, &[("src", Read)], "docs/a", (no, no));
        check(CodexBase::Workspace, &[("br[[]1]", Deny)], "br[1]/a", (no, no));
    }
}

//! Copilot CLI: the arguments of a session. No file of a workspace has permissions, and nothing limits reading.
//!
//! As tried with version 1.0.102: a denial wins, a relative pattern matches the last names of a path, and the settings of a
//! repository deny nothing.

use super::wildcard::{Token, matches};
use super::{Effect, Operation};

/// The permissions of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopilotPermissions {
    /// Whether every tool is used without asking (`--allow-all-tools`).
    pub allows_all: bool,
    /// The rules of `--allow-tool`.
    pub allow: Vec<String>,
    /// The rules of `--deny-tool`.
    pub deny: Vec<String>,
}

impl CopilotPermissions {
    /// Reads the arguments of a session that are about tools; the rest is ignored.
    pub fn from_arguments<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut permissions = Self::default();
        for argument in arguments {
            match argument.split_once('=') {
                Some(("--allow-tool", rule)) => permissions.allow.push(rule.to_owned()),
                Some(("--deny-tool", rule)) => permissions.deny.push(rule.to_owned()),
                None if argument == "--allow-all-tools" => permissions.allows_all = true,
                _ => {}
            }
        }
        permissions
    }

    /// Returns what the client decides about a path, which is relative to the workspace and has no `.` or `..`. The workspace is
    /// an absolute path.
    pub fn decide(&self, operation: Operation, workspace: &str, path: &str) -> Effect {
        let path = format!("{workspace}/{path}");
        let covers = |rules: &[String]| rules.iter().any(|rule| covers(rule, &path));
        match operation {
            // There is no kind of rule for reading, and reading in the workspace is not asked about.
            Operation::Read => Effect::Allow,
            Operation::Write if covers(&self.deny) => Effect::Deny,
            Operation::Write if self.allows_all || covers(&self.allow) => Effect::Allow,
            Operation::Write => Effect::Ask,
        }
    }
}

/// Returns whether a rule is about writing an absolute path.
fn covers(rule: &str, path: &str) -> bool {
    if rule == "write" {
        return true;
    }
    let Some(pattern) = rule.strip_prefix("write(").and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let names: Vec<&str> = path.split('/').collect();
    let mut segments: Vec<&str> = pattern.strip_prefix("./").unwrap_or(pattern).split('/').collect();
    if !pattern.starts_with('/') {
        segments.insert(0, "**");
    }
    reaches(&segments, &names)
}

/// Returns whether segments match the names of a path: `**` stands for any number of names, `*` for any characters of one, and
/// `?` for one character.
fn reaches(segments: &[&str], names: &[&str]) -> bool {
    match (segments, names) {
        ([], []) => true,
        (["**", rest @ ..], names) => {
            (0..=names.len()).any(|skip| reaches(rest, names.get(skip..).unwrap_or_default()))
        }
        ([first, rest @ ..], [name, below @ ..]) => {
            let name: Vec<char> = name.chars().collect();
            let token = |character| match character {
                '*' => Token::Run,
                '?' => Token::One,
                other => Token::Character(other),
            };
            let tokens: Vec<Token> = first.chars().map(token).collect();
            matches(&tokens, &name, |_| true) && reaches(rest, below)
        }
        _ => false,
    }
}

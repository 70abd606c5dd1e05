//! Rules of permissions in the settings of Claude Code.

use std::collections::BTreeMap;

use minds_diagnostics::Span;

use super::{Check, dead_permission, partial_deny, shadowed_permission, shell_bypass};
use crate::family::ClientFile;
use crate::kind::Kind;
use crate::tree::Value;

/// The list that contains a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Allow,
    Ask,
    Deny,
}

/// A rule: a tool, or a tool with a specifier.
#[derive(Clone, Copy)]
pub(super) struct Permission<'f> {
    pub(super) file: &'f ClientFile,
    pub(super) list: List,
    /// The rule as written.
    pub(super) text: &'f str,
    pub(super) span: Span,
    pub(super) tool: &'f str,
    /// The part in parentheses.
    pub(super) specifier: Option<&'f str>,
}

impl Permission<'_> {
    /// Returns whether the rule applies to every use of its tool.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.specifier, None | Some("*" | "**" | "/**" | ":*"))
    }
}

/// Checks the rules of each directory: those of the settings of the project and of the user are merged.
pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let mut by_folder: BTreeMap<&str, Vec<&ClientFile>> = BTreeMap::new();
    for file in family.of("claude-code", Kind::Settings) {
        let folder = file.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
        by_folder.entry(folder).or_default().push(file);
    }
    for files in by_folder.values() {
        let rules: Vec<Permission<'_>> = files.iter().flat_map(|file| of_file(file)).collect();
        for rule in &rules {
            dead_permission::check(check, rule);
        }
        shadowed_permission::check(check, &rules);
        partial_deny::check(check, &rules);
        let has_sandbox = files.iter().any(|file| {
            let enabled = file.get("sandbox").and_then(|sandbox| sandbox.get("enabled"));
            enabled.is_some_and(|enabled| enabled.value == Value::Bool(true))
        });
        // A sandbox binds the shell to the same rules.
        if !has_sandbox {
            shell_bypass::check(check, &rules);
        }
    }
}

/// The number of rules of a file that are looked at.
const MAX_RULES: usize = 10_000;

/// Returns the rules of one file.
pub(super) fn of_file(file: &ClientFile) -> Vec<Permission<'_>> {
    let mut found = Vec::new();
    let lists = [("allow", List::Allow), ("ask", List::Ask), ("deny", List::Deny)];
    for (key, list) in lists {
        let Some(item) = file.content.data.as_ref().and_then(|data| data.at(&["permissions", key])) else {
            continue;
        };
        for item in item.items() {
            let Some(text) = item.text() else { continue };
            let (tool, specifier) = match text.split_once('(') {
                Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').unwrap_or(rest))),
                None => (text, None),
            };
            found.push(Permission { file, list, text, span: item.span, tool, specifier });
        }
    }
    found.truncate(MAX_RULES);
    found
}

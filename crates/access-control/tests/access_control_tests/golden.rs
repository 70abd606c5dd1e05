//! Decisions, and what is known about entries, for the lists of each fixture.

use std::fmt::Write as _;
use std::fs;

use minds_access_control::{Access, Extension, Pattern, Policy, find_redundant};
use minds_vfs::WorkspacePath;

use crate::support::lists;

/// The number of steps after which the search for redundant entries gives up.
const STEPS: usize = 4_000_000;

/// Answers the lines of a fixture. `read LISTS` and `write LISTS` set the lists, in the notation of [`lists`]; a path of
/// the lines below is decided for both operations.
fn answer(text: &str) -> String {
    let list_of = |access: &str| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(access));
        lines.collect::<String>()
    };
    let (read, write) = (list_of("read "), list_of("write "));
    let policy = Policy::new(lists(&read), lists(&write));
    let mut answer = String::new();
    for (access, entries) in [(Access::Read, &read), (Access::Write, &write)] {
        for entry in entries.split(' ').filter(|entry| !entry.is_empty()) {
            let _ = writeln!(answer, "{} {entry}: {}", access.as_str(), describe(entry));
        }
        let found = find_redundant(policy.lists(access), &mut STEPS.clone()).expect("the search ends");
        for redundant in found {
            let entry = policy.lists(access).entry_text(redundant.list, redundant.index).unwrap();
            let list = redundant.list.key(access);
            let _ = writeln!(answer, "{list}: `{entry}` has no effect: {:?}", redundant.redundancy);
        }
    }
    for path in text.lines().filter(|line| !line.starts_with(['#']) && !line.contains(' ')) {
        for access in Access::ALL {
            let _ = writeln!(answer, "{} {path}: {}", access.as_str(), decide(&policy, access, path));
        }
    }
    answer
}

/// Returns the canonical form of an entry and the remarks about it, or why it is invalid.
fn describe(entry: &str) -> String {
    let (sign, entry) = entry.split_at(1);
    if ["~", "="].contains(&sign) {
        return match Extension::parse(entry) {
            Ok(extension) => format!("extension `{}`", extension.as_str()),
            Err(error) => error.to_string(),
        };
    }
    match Pattern::parse(entry) {
        Ok(pattern) if pattern.remarks().is_empty() => format!("pattern `{pattern}`"),
        Ok(pattern) => format!("pattern `{pattern}`, {:?}", pattern.remarks()),
        Err(error) => error.to_string(),
    }
}

/// Returns the decision with its reason, and the list of the entry that decided.
fn decide(policy: &Policy, access: Access, path: &str) -> String {
    let path = match WorkspacePath::normalize(path) {
        Ok(path) => path,
        Err(error) => return format!("{error}"),
    };
    let decision = policy.check(access, &path);
    let list = decision.entry().map(|entry| format!(" in {}", entry.list.key(access)));
    format!("{decision} [{}{}]", decision.reason().code(), list.unwrap_or_default())
}

#[test]
fn decisions() {
    insta::glob!("../../../../fixtures/access-control", "*.txt", |case| {
        insta::assert_snapshot!(answer(&fs::read_to_string(case).unwrap()));
    });
}

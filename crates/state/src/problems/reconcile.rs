//! Updating the remembered problems after a validation.

use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::Diagnostic;

use super::record::{Identity, Record, arrange};
use super::{Files, Problem};

/// Returns findings as new records.
pub(super) fn records<'d>(found: impl IntoIterator<Item = &'d Diagnostic>, now: &str) -> Vec<Record> {
    let mut numbers: BTreeMap<Identity, usize> = BTreeMap::new();
    let record = |found: &'d Diagnostic| {
        let place = place(found.pointer.as_deref().unwrap_or_default());
        let mut record = Record::new(Problem::of(found), place, now);
        let number = numbers.entry(record.identity()).or_default();
        record.number = *number;
        *number += 1;
        record
    };
    found.into_iter().map(record).collect()
}

/// Returns the findings of `after` that are not in `before`.
pub fn find_new<'d>(before: &[Diagnostic], after: &'d [Diagnostic]) -> Vec<&'d Diagnostic> {
    let known: BTreeSet<Identity> = records(before, "").iter().map(Record::identity).collect();
    let identities = records(after, "");
    let new = after.iter().zip(&identities).filter(|(_, record)| !known.contains(&record.identity()));
    new.map(|(found, _)| found).collect()
}

/// Returns the number of findings that are not open problems of `known`.
pub(super) fn count_new(known: &[Record], found: &[Diagnostic]) -> usize {
    let open = known.iter().filter(|record| record.is_validated() && !record.remembered.resolved);
    let open: BTreeSet<Identity> = open.map(Record::identity).collect();
    records(found, "").iter().filter(|record| !open.contains(&record.identity())).count()
}

/// Returns a pointer without the indices of lists, which change when items are inserted.
fn place(pointer: &str) -> String {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = pointer.split('/').map(|part| if is_number(part) { "*" } else { part }).collect();
    parts.join("/")
}

/// Returns the records after a validation of `files` with the result `found`.
///
/// Known problems keep the time at which they were first seen, those that are gone are resolved, and those that come back
/// are new problems, so that it stays known when the earlier ones were resolved.
pub(super) fn reconcile(known: Vec<Record>, files: Files, found: Vec<Record>, now: &str) -> Vec<Record> {
    let mut found: BTreeMap<Identity, Record> = found
        .into_iter()
        .filter(|record| record.is_of(files))
        .map(|record| (record.identity(), record))
        .collect();
    let (mut open, mut resolved) = (Vec::new(), Vec::new());
    for mut old in known {
        if old.remembered.resolved {
            resolved.push(old);
        } else if !old.is_of(files) {
            open.push(old);
        } else if let Some(mut same) = found.remove(&old.identity()) {
            same.remembered.first_seen = old.remembered.first_seen;
            open.push(same);
        } else {
            old.resolve(now);
            resolved.push(old);
        }
    }
    open.extend(found.into_values());
    arrange(open, resolved)
}

#[cfg(test)]
mod tests {
    use minds_vfs::{Snapshot, WorkspacePath};

    use super::*;
    use crate::problems::RememberedProblem;
    use crate::problems::record::MAX_RESOLVED;

    /// Returns the records of a team file.
    fn find_problems(team: &str, now: &str) -> Vec<Record> {
        let file = WorkspacePath::parse(".minds/team.yaml").unwrap();
        let team = format!("member_defaults: {{provider: codex, model: gpt-5.2}}\n{team}");
        records(&minds_workspace::check(&Snapshot::new().with_file(file, team)).diagnostics, now)
    }

    /// Publishes the contents in order, each at the time of its index, and returns the message, line and times of all
    /// remembered problems.
    fn remember_all(teams: &[&str]) -> Vec<String> {
        let mut known = Vec::new();
        for (time, team) in teams.iter().enumerate() {
            let now = time.to_string();
            known = reconcile(known, Files::Team, find_problems(team, &now), &now);
        }
        let shown = |record: &Record| {
            let RememberedProblem { problem, first_seen, resolved_at, resolved, .. } = &record.remembered;
            assert_eq!(*resolved, resolved_at.is_some());
            let line = problem.range.map(|range| range.start.line).unwrap_or_default();
            let until = resolved_at.as_deref().unwrap_or_default();
            format!("{} at {line}, {first_seen} to {until}", problem.message)
        };
        known.iter().map(shown).collect()
    }

    #[test]
    fn a_fixed_problem_is_resolved_and_an_open_one_keeps_its_time() {
        assert_eq!(
            remember_all(&[
                "members:\n  a: {toolsets: [nope]}\n",
                "members: {a: {}}\n",
                "members: {a: {}}\n"
            ]),
            ["unknown toolset `nope` at 3, 0 to 1"]
        );
        assert_eq!(
            remember_all(&["members: {a: {toolsets: [nope]}}\n", "\n\nmembers: {a: {toolsets: [nope]}}\n"]),
            ["unknown toolset `nope` at 4, 0 to "]
        );
    }

    #[test]
    fn a_problem_that_comes_back_is_a_new_one() {
        let (bad, good) = ("members: {a: {toolsets: [nope]}}\n", "members: {a: {}}\n");
        assert_eq!(
            remember_all(&[bad, good, bad]),
            ["unknown toolset `nope` at 2, 2 to ", "unknown toolset `nope` at 2, 0 to 1"]
        );
        assert_eq!(
            remember_all(&[bad, good, bad, good]),
            ["unknown toolset `nope` at 2, 2 to 3", "unknown toolset `nope` at 2, 0 to 1"]
        );
    }

    #[test]
    fn equal_problems_are_distinguished() {
        let three = "members: {a: {tools: [nope, nope, nope]}}\n";
        assert_eq!(remember_all(&[three]).len(), 3);
        let two = "members: {a: {tools: [nope, nope]}}\n";
        let known = remember_all(&[three, two]);
        assert_eq!(known.iter().filter(|problem| problem.ends_with("0 to ")).count(), 2, "{known:?}");
        assert_eq!(known.iter().filter(|problem| problem.ends_with("0 to 1")).count(), 1, "{known:?}");
        // Ids that differ only in punctuation.
        let ids = "members:\n  a b: {tools: 1}\n  a.b: {tools: 1}\n  a_b: {tools: 1}\n";
        let known = remember_all(&[ids, "members:\n  a b: {tools: 1}\n  a_b: {tools: 1}\n"]);
        let wrong: Vec<&String> = known.iter().filter(|problem| problem.contains("must be")).collect();
        assert_eq!(wrong.len(), 3, "{known:?}");
        assert!(wrong[2].contains("at 4, 0 to 1"), "{wrong:?}");
    }

    #[test]
    fn the_same_mistake_elsewhere_is_another_problem() {
        let known = remember_all(&[
            "members:\n  a: {toolsets: [nope]}\n  b: {toolsets: [nope]}\n",
            "members:\n  a: {}\n  b: {toolsets: [ws_read, nope]}\n",
        ]);
        let open = "unknown toolset `nope` at 4, 0 to ";
        assert_eq!(known, [open, "unknown toolset `nope` at 3, 0 to 1"]);
    }

    #[test]
    fn problems_of_other_files_are_unchanged() {
        let known = find_problems("members: {a: {toolsets: [nope]}}\n", "0");
        let known = reconcile(Vec::new(), Files::Team, known, "0");
        assert_eq!(reconcile(known.clone(), Files::Llm, Vec::new(), "1"), known);
        assert!(reconcile(known.clone(), Files::Mcp, known.clone(), "1") == known);
        assert!(reconcile(known, Files::Team, Vec::new(), "1")[0].remembered.resolved);
    }

    #[test]
    fn problems_resolved_first_are_forgotten_first() {
        let (bad, good) = ("members: {a: {toolsets: [nope]}}\n", "members: {a: {}}\n");
        let (mut known, bad, good) = (Vec::new(), find_problems(bad, "-"), find_problems(good, "-"));
        for round in 0..MAX_RESOLVED + 5 {
            known = reconcile(known, Files::Team, bad.clone(), "-");
            known = reconcile(known, Files::Team, good.clone(), &format!("{round:04}"));
        }
        assert_eq!(known.len(), MAX_RESOLVED);
        let went = |at: usize| known[at].remembered.resolved_at.clone().unwrap();
        assert_eq!((went(0), went(MAX_RESOLVED - 1)), ("1004".to_owned(), "0005".to_owned()));
    }
}

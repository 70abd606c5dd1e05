//! Problems as they are stored: with their identity, in order, and bounded.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::Severity;
use serde::{Deserialize, Serialize};

use super::{Files, Problem, ProblemSource, RememberedProblem};

/// The maximum number of resolved problems of each source; beyond it, those resolved first are forgotten.
pub(super) const MAX_RESOLVED: usize = 1_000;
/// The maximum number of resolved problems with one id, so that a server that fails again and again does not displace the
/// history of other problems.
pub(super) const MAX_RESOLVED_PER_ID: usize = 10;
/// The maximum number of open problems of each source.
pub(super) const MAX_OPEN: usize = 10_000;
/// The maximum size of the text of all open problems of gateways, in bytes. Servers choose a part of it.
pub(super) const MAX_OPEN_BYTES: usize = 4 * 1024 * 1024;

/// A problem with its identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(flatten)]
    pub(super) remembered: RememberedProblem,
    /// Its path in the tree of the file, without the indices of lists.
    place: String,
    /// The number of equal problems before it at the same place.
    pub(super) number: usize,
    /// What running gateways report, in the order of [`Report::order`]; empty for every other problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) reports: Vec<Report>,
}

/// What gateways report under the id of a problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) code: String,
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// The gateways that report exactly this.
    pub(super) gateways: BTreeSet<String>,
}

/// Identifies a problem of a validation even if lines move: code, file, message, place, number.
pub(super) type Identity = (String, String, String, String, usize);

impl Record {
    /// Returns a problem that is found now.
    pub(super) fn new(problem: Problem, place: String, now: &str) -> Self {
        let remembered = RememberedProblem {
            problem,
            id: None,
            source: ProblemSource::Validation,
            first_seen: now.to_owned(),
            resolved: false,
            resolved_at: None,
        };
        Self { remembered, place, number: 0, reports: Vec::new() }
    }

    pub(super) fn identity(&self) -> Identity {
        let problem = &self.remembered.problem;
        let file = problem.file.clone().unwrap_or_default();
        (problem.code.clone(), file, problem.message.clone(), self.place.clone(), self.number)
    }

    /// Returns whether a validation found the problem.
    pub(super) fn is_validated(&self) -> bool {
        self.remembered.source == ProblemSource::Validation
    }

    /// Returns whether a validation of `files` found the problem.
    pub(super) fn is_of(&self, files: Files) -> bool {
        self.is_validated() && Files::with(self.remembered.problem.file.as_deref()) == files
    }

    /// Resolves the problem.
    pub(super) fn resolve(&mut self, now: &str) {
        self.remembered.resolved = true;
        self.remembered.resolved_at = Some(now.to_owned());
        self.reports.clear();
    }

    /// Returns the key by which open problems are sorted.
    fn place_key(&self) -> impl Ord + use<> {
        let RememberedProblem { problem, id, .. } = &self.remembered;
        (problem.file.clone(), problem.range, id.clone(), self.identity())
    }

    /// Returns the size of the text that gateways report.
    fn reported_bytes(&self) -> usize {
        let id = self.remembered.id.as_deref().map_or(0, str::len);
        let size = |report: &Report| {
            report.message.len()
                + report.help.as_deref().map_or(0, str::len)
                + report.gateways.iter().map(String::len).sum::<usize>()
        };
        id + self.reports.iter().map(size).sum::<usize>()
    }
}

impl Report {
    /// Returns the key by which reports with one id are sorted: the first one is shown.
    ///
    /// The order does not depend on the order in which they were published.
    pub(super) fn order(&self) -> impl Ord + use<> {
        (Reverse(self.severity), self.code.clone(), self.message.clone(), self.help.clone())
    }
}

/// Returns the open problems by place, then the resolved ones, the last resolved first; each within its bounds.
///
/// Each source has bounds of its own, so that no source displaces the problems of another one.
pub(super) fn arrange(open: Vec<Record>, resolved: Vec<Record>) -> Vec<Record> {
    let (mut open, reported): (Vec<Record>, Vec<Record>) = open.into_iter().partition(Record::is_validated);
    open.sort_by_cached_key(Record::place_key);
    open.truncate(MAX_OPEN);
    open.append(&mut keep_most_severe(reported));
    open.sort_by_cached_key(Record::place_key);
    open.append(&mut keep_last_resolved(resolved));
    open
}

/// Returns the open problems of gateways within their bounds.
fn keep_most_severe(mut reported: Vec<Record>) -> Vec<Record> {
    reported.sort_by_cached_key(|record| {
        (Reverse(record.remembered.problem.severity), record.remembered.id.clone())
    });
    reported.truncate(MAX_OPEN);
    let mut bytes = 0;
    reported.retain(|record| {
        bytes += record.reported_bytes();
        bytes <= MAX_OPEN_BYTES
    });
    reported
}

/// Returns the resolved problems within their bounds, the last resolved first.
fn keep_last_resolved(mut resolved: Vec<Record>) -> Vec<Record> {
    // The sort is stable.
    resolved.sort_by(|a, b| b.remembered.resolved_at.cmp(&a.remembered.resolved_at));
    let mut of_sources: BTreeMap<ProblemSource, usize> = BTreeMap::new();
    let mut of_ids: BTreeMap<String, usize> = BTreeMap::new();
    resolved.retain(|record| {
        let of_source = of_sources.entry(record.remembered.source).or_default();
        let of_id = record.remembered.id.as_ref().map(|id| of_ids.entry(id.clone()).or_default());
        let fits =
            *of_source < MAX_RESOLVED && of_id.as_ref().is_none_or(|count| **count < MAX_RESOLVED_PER_ID);
        if fits {
            *of_source += 1;
            if let Some(count) = of_id {
                *count += 1;
            }
        }
        fits
    });
    resolved
}

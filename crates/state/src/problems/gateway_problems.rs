//! The open problems of running gateways, for callers that watch them.

use std::collections::BTreeSet;

use minds_fs::{Root, Stamp};

use super::gateway::reporting_gateways;
use super::reporter::is_running;
use super::store::{read_current, stamp};
use super::{ProblemSource, RememberedProblem};

/// The open problems of the running gateways of a workspace, as they were at one time.
#[derive(Clone, Debug)]
pub struct GatewayProblems {
    stamp: Option<Stamp>,
    gateways: BTreeSet<String>,
    problems: Option<Vec<RememberedProblem>>,
}

impl GatewayProblems {
    /// Reads the problems in a state folder, which may not exist yet; only if they may have changed since `before`. `now`
    /// is the time in milliseconds since 1970.
    #[must_use]
    pub fn read(state: Option<&Root>, now: u64, before: Option<&Self>) -> Self {
        let Some(state) = state else {
            return Self { problems: Some(Vec::new()), ..Self::unreadable() };
        };
        // A change after this is noticed the next time.
        let stamp = stamp(state);
        match before {
            Some(before)
                if before.stamp == stamp && before.gateways.iter().all(|one| is_running(state, one)) =>
            {
                before.clone()
            }
            _ => {
                let known = read_current(state, now).ok();
                let gateways = known.as_deref().map(reporting_gateways).unwrap_or_default();
                let is_open = |problem: &RememberedProblem| {
                    problem.source == ProblemSource::Gateway && !problem.resolved
                };
                let problems = known
                    .map(|known| known.into_iter().map(|record| record.remembered).filter(is_open).collect());
                Self { stamp, gateways, problems }
            }
        }
    }

    /// Returns the value for a state folder that cannot be opened.
    pub fn unreadable() -> Self {
        Self { stamp: None, gateways: BTreeSet::new(), problems: None }
    }

    /// Returns the problems; `None` if the list of problems cannot be read.
    pub fn list(&self) -> Option<&[RememberedProblem]> {
        self.problems.as_deref()
    }
}

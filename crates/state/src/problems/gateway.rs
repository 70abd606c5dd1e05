//! Updating the remembered problems after a gateway has published its problems.
//!
//! Each running gateway owns the set of problems that it last published. A problem is open while at least one of them
//! reports it, so equal problems of several gateways are one problem with one history.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use minds_core::MCP_FILE;
use minds_diagnostics::Severity;
use minds_text::secrets::{TextKind, mask_secrets};

use super::record::{MAX_OPEN, Record, Report, arrange};
use super::{Problem, ProblemSource};

/// The maximum length of a message or a help, in characters. Servers choose a part of it.
const MAX_MESSAGE: usize = 1_000;

/// A problem of an MCP gateway. It is about `.minds/mcp.yaml` or a server of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayProblem {
    /// The stable id, from [`problem_id`](super::problem_id).
    pub id: String,
    /// The code of what is wrong.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// What is wrong, in one line. Secrets in it are redacted, and a long message is cut.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// What a gateway published.
pub(super) struct GatewaySet {
    gateway: String,
    problems: Vec<(String, Report)>,
}

impl GatewaySet {
    /// Returns the problems of a gateway, the most severe ones if there are too many. Of several with one id, the most
    /// severe is kept.
    pub(super) fn new(gateway: &str, problems: &[GatewayProblem]) -> Self {
        let report = |problem: &GatewayProblem| Report {
            code: problem.code.to_owned(),
            severity: problem.severity,
            message: clean(&problem.message),
            help: problem.help.as_deref().map(clean),
            gateways: BTreeSet::from([gateway.to_owned()]),
        };
        let mut problems: Vec<(String, Report)> =
            problems.iter().map(|problem| (problem.id.clone(), report(problem))).collect();
        problems.sort_by_cached_key(|(id, report)| (id.clone(), report.order()));
        problems.dedup_by(|one, first| one.0 == first.0);
        problems.sort_by_key(|(_, report)| Reverse(report.severity));
        problems.truncate(MAX_OPEN);
        Self { gateway: gateway.to_owned(), problems }
    }
}

/// Returns text without secrets, of limited length.
fn clean(text: &str) -> String {
    let text = mask_secrets(text, TextKind::Message);
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

/// Returns the gateways that report open problems.
pub(super) fn reporting_gateways(known: &[Record]) -> BTreeSet<String> {
    known.iter().flat_map(|record| &record.reports).flat_map(|report| &report.gateways).cloned().collect()
}

/// Returns the records after the gateways `ended` ended, and after one has published a set.
///
/// A problem keeps its time and is updated while at least one gateway reports it. Of different reports with one id, the
/// most severe is shown. One that comes back is a new problem.
pub(super) fn reconcile_gateways(
    known: Vec<Record>,
    ended: &BTreeSet<String>,
    published: Option<GatewaySet>,
    now: &str,
) -> Vec<Record> {
    let mut reported: BTreeMap<String, Record> = BTreeMap::new();
    let (mut open, mut resolved, mut earlier) = (Vec::new(), Vec::new(), Vec::new());
    for record in known {
        if record.remembered.resolved {
            earlier.push(record);
        } else if record.is_validated() {
            open.push(record);
        } else {
            reported.insert(record.remembered.id.clone().unwrap_or_default(), record);
        }
    }
    for record in reported.values_mut() {
        record.withdraw(|gateway| {
            ended.contains(gateway) || published.as_ref().is_some_and(|set| set.gateway == gateway)
        });
    }
    for (id, report) in published.into_iter().flat_map(|set| set.problems) {
        let record = reported.entry(id.clone()).or_insert_with(|| Record::new_reported(id, &report, now));
        record.add(report);
    }
    for mut record in reported.into_values() {
        if record.reports.is_empty() {
            record.resolve(now);
            resolved.push(record);
        } else {
            record.show_first_report();
            open.push(record);
        }
    }
    resolved.append(&mut earlier);
    arrange(open, resolved)
}

impl Record {
    /// Returns a problem that a gateway reports now, still without its report.
    fn new_reported(id: String, report: &Report, now: &str) -> Self {
        let mut record = Self::new(report.problem(), String::new(), now);
        record.remembered.id = Some(id);
        record.remembered.source = ProblemSource::Gateway;
        record
    }

    /// Removes what some gateways report.
    fn withdraw(&mut self, is_withdrawn: impl Fn(&str) -> bool) {
        for report in &mut self.reports {
            report.gateways.retain(|gateway| !is_withdrawn(gateway));
        }
        self.reports.retain(|report| !report.gateways.is_empty());
    }

    /// Adds what a gateway reports.
    fn add(&mut self, mut report: Report) {
        match self.reports.iter_mut().find(|known| known.problem() == report.problem()) {
            Some(known) => known.gateways.append(&mut report.gateways),
            None => self.reports.push(report),
        }
    }

    fn show_first_report(&mut self) {
        self.reports.sort_by_cached_key(Report::order);
        if let Some(first) = self.reports.first() {
            self.remembered.problem = first.problem();
        }
    }
}

impl Report {
    /// Returns what is reported as a problem.
    pub(super) fn problem(&self) -> Problem {
        Problem {
            code: self.code.clone(),
            severity: self.severity,
            message: self.message.clone(),
            file: Some(MCP_FILE.to_owned()),
            range: None,
            help: self.help.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use minds_vfs::{Snapshot, WorkspacePath};

    use super::*;
    use crate::problems::reconcile::{reconcile, records};
    use crate::problems::record::{MAX_OPEN_BYTES, MAX_RESOLVED, MAX_RESOLVED_PER_ID};
    use crate::problems::{Files, RememberedProblem, problem_id};

    fn problem(id: &str, severity: Severity, message: &str) -> GatewayProblem {
        GatewayProblem {
            id: id.to_owned(),
            code: "mcp/server-error",
            severity,
            message: message.to_owned(),
            help: None,
        }
    }

    fn publish(known: Vec<Record>, gateway: &str, problems: &[GatewayProblem], now: &str) -> Vec<Record> {
        reconcile_gateways(known, &BTreeSet::new(), Some(GatewaySet::new(gateway, problems)), now)
    }

    /// Publishes a team with a problem or a team without one.
    fn validate(known: Vec<Record>, is_good: bool, now: &str) -> Vec<Record> {
        let team = if is_good { "members: {a: {}}\n" } else { "members: {a: {toolsets: [nope]}}\n" };
        let file = WorkspacePath::parse(".minds/team.yaml").unwrap();
        let team = format!("member_defaults: {{provider: codex, model: gpt-5.2}}\n{team}");
        let found = minds_workspace::check(&Snapshot::new().with_file(file, team)).diagnostics;
        reconcile(known, Files::Team, records(&found, now), now)
    }

    /// Does steps in order, each at the time of its index, and returns the remembered problems.
    ///
    /// A step is `GATEWAY: ID SEVERITY, …`, `end GATEWAY`, `good` or `bad`.
    fn remember(steps: &[&str]) -> Vec<String> {
        let mut known = Vec::new();
        for (time, step) in steps.iter().enumerate() {
            let now = time.to_string();
            known = match (*step, step.split_once(": ")) {
                ("good" | "bad", _) => validate(known, *step == "good", &now),
                (_, Some((gateway, problems))) => {
                    let problem = |text: &str| {
                        let (id, severity) = text.split_once(' ').unwrap();
                        let severity = match severity.split(' ').next().unwrap() {
                            "error" => Severity::Error,
                            "warning" => Severity::Warning,
                            _ => Severity::Info,
                        };
                        problem(id, severity, text)
                    };
                    let problems: Vec<GatewayProblem> =
                        problems.split(", ").filter(|text| !text.is_empty()).map(problem).collect();
                    publish(known, gateway, &problems, &now)
                }
                _ => {
                    let ended = step.strip_prefix("end ").unwrap().to_owned();
                    reconcile_gateways(known, &BTreeSet::from([ended]), None, &now)
                }
            };
        }
        let shown = |record: &Record| {
            let RememberedProblem { problem, first_seen, resolved_at, .. } = &record.remembered;
            format!("{} | {first_seen} to {}", problem.message, resolved_at.as_deref().unwrap_or_default())
        };
        known.iter().map(shown).collect()
    }

    #[track_caller]
    fn check(steps: &[&str], expected: &[&str]) {
        assert_eq!(remember(steps), expected, "{steps:?}");
    }

    #[test]
    fn a_set_replaces_the_previous_one_of_the_gateway() {
        check(&["a: x error, y info"], &["x error | 0 to ", "y info | 0 to "]);
        check(&["a: x error, y info", "a: y info"], &["y info | 0 to ", "x error | 0 to 1"]);
        check(&["a: x error", "a: "], &["x error | 0 to 1"]);
        check(&["a: x error", "a: ", "a: x error"], &["x error | 2 to ", "x error | 0 to 1"]);
    }

    #[test]
    fn a_changed_report_updates_the_open_problem() {
        check(&["a: x error", "a: x warning restarting"], &["x warning restarting | 0 to "]);
        check(&["a: x error", "a: x error again", "a: "], &["x error again | 0 to 2"]);
    }

    #[test]
    fn a_problem_is_open_while_one_gateway_reports_it() {
        check(&["a: x error", "b: x error", "a: "], &["x error | 0 to "]);
        check(&["a: x error", "b: x error", "a: ", "b: "], &["x error | 0 to 3"]);
        check(&["a: x error", "b: x error", "end a"], &["x error | 0 to "]);
        check(&["a: x error", "b: x error", "end a", "end b"], &["x error | 0 to 3"]);
        check(&["a: x error", "b: y info", "end a"], &["y info | 1 to ", "x error | 0 to 2"]);
        check(&["b: ", "end a", "a: x error", "end c"], &["x error | 2 to "]);
    }

    #[test]
    fn the_most_severe_report_is_shown() {
        let both = ["x error down | 0 to "];
        check(&["a: x error down", "b: x warning slow"], &both);
        check(&["b: x warning slow", "a: x error down"], &both);
        check(&["a: x error down", "b: x warning slow", "end a"], &["x warning slow | 0 to "]);
        check(&["a: x error two", "b: x error one"], &["x error one | 0 to "]);
        check(&["a: x warning slow, x error down"], &both);
    }

    #[test]
    fn validations_and_gateways_keep_their_own_problems() {
        let invalid = "unknown toolset `nope`";
        let both = ["x error | 1 to ".to_owned(), format!("{invalid} | 0 to ")];
        assert_eq!(remember(&["bad", "a: x error"]), both);
        assert_eq!(remember(&["bad", "a: x error", "bad", "a: x error", "end b"]), both);
        let fixed = ["x error | 1 to ".to_owned(), format!("{invalid} | 0 to 2")];
        assert_eq!(remember(&["bad", "a: x error", "good"]), fixed);
        let ended = [format!("{invalid} | 0 to "), "x error | 1 to 2".to_owned()];
        assert_eq!(remember(&["bad", "a: x error", "a: "]), ended);
        // The file of the problem is that of a validation.
        let known = publish(Vec::new(), "a", &[problem("x", Severity::Error, "down")], "0");
        assert_eq!(reconcile(known.clone(), Files::Mcp, Vec::new(), "1"), known);
        assert_eq!(crate::problems::reconcile::count_new(&known, &[]), 0);
    }

    #[test]
    fn an_equal_set_changes_nothing() {
        let set = [problem("y", Severity::Info, "one"), problem("x", Severity::Error, "two")];
        let mut known = publish(Vec::new(), "b", &set, "0");
        known = publish(known, "a", &set, "1");
        known = validate(known, false, "2");
        let reversed: Vec<GatewayProblem> = set.iter().rev().cloned().collect();
        for gateway in ["a", "b"] {
            assert_eq!(publish(known.clone(), gateway, &reversed, "3"), known);
        }
        assert_eq!(publish(known.clone(), "c", &[], "3"), known);
    }

    #[test]
    fn a_server_that_fails_again_and_again_does_not_displace_other_history() {
        let mut known = validate(Vec::new(), false, "0");
        known = validate(known, true, "1");
        known = publish(known, "a", &[problem("other", Severity::Error, "other")], "2");
        known = publish(known, "a", &[], "3");
        for round in 0..2 * MAX_RESOLVED {
            known = publish(known, "a", &[problem("x", Severity::Error, "down")], "-");
            known = publish(known, "a", &[], &format!("4 {round:04}"));
        }
        assert_eq!(known.len(), MAX_RESOLVED_PER_ID + 2);
        let last = format!("4 {:04}", 2 * MAX_RESOLVED - 1);
        assert_eq!(known[0].remembered.resolved_at.as_ref(), Some(&last));
        // Many servers together displace only each other.
        for round in 0..=MAX_RESOLVED {
            let id = problem_id(&["mcp", "server", &round.to_string(), "server_error"]);
            known = publish(known, "a", &[problem(&id, Severity::Error, "down")], "-");
            known = publish(known, "a", &[], &format!("5 {round:04}"));
        }
        assert_eq!(known.len(), MAX_RESOLVED + 1);
        assert!(known.last().unwrap().is_validated());
    }

    #[test]
    fn open_problems_are_bounded_and_the_most_severe_are_kept() {
        let many: Vec<GatewayProblem> =
            (0..MAX_OPEN + 5).map(|number| problem(&format!("i{number}"), Severity::Info, "info")).collect();
        let known = publish(validate(Vec::new(), false, "0"), "a", &many, "0");
        assert_eq!(known.len(), MAX_OPEN + 1);
        let known = publish(known, "b", &[problem("x", Severity::Error, "error")], "1");
        assert_eq!(known.len(), MAX_OPEN + 1);
        let is_kept = |id: &str| known.iter().any(|record| record.remembered.id.as_deref() == Some(id));
        assert!(is_kept("x") && is_kept("i0") && !is_kept("i9999"));
        assert_eq!(publish(known.clone(), "a", &many, "2"), known);
        let long: Vec<GatewayProblem> = (0..MAX_OPEN)
            .map(|number| problem(&format!("i{number}"), Severity::Info, &"m".repeat(MAX_MESSAGE)))
            .collect();
        let known = publish(known, "a", &long, "3");
        let text: usize = known.iter().map(|record| record.remembered.problem.message.len()).sum();
        assert!(text < MAX_OPEN_BYTES && text > MAX_OPEN_BYTES / 2, "{text}");
    }

    #[test]
    fn secrets_are_redacted_and_long_messages_are_cut() {
        let key = concat!("gh", "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R");
        let mut given = problem("x", Severity::Error, &format!("refused: Bearer {key}"));
        given.help = Some(format!("replace {key} {}", "ü".repeat(2 * MAX_MESSAGE)));
        let known = publish(Vec::new(), "a", &[given], "0");
        let text = serde_json::to_string(&known).unwrap();
        assert!(!text.contains("0a1B2c3D") && text.contains("refused: Bearer ghp_***"), "{text}");
        let help = known[0].remembered.problem.help.as_deref().unwrap();
        assert_eq!((help.chars().count(), help.chars().last()), (MAX_MESSAGE + 1, Some('…')));
    }
}

//! Any interleaving of validations and gateways gives each of them what a list of its own would.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use minds_core::{LLM_FILE, MCP_FILE, TEAM_FILE};
use minds_diagnostics::Severity;
use proptest::prelude::*;

use super::gateway::{GatewayProblem, GatewaySet, reconcile_gateways};
use super::reconcile::reconcile;
use super::record::Record;
use super::{Files, Problem};

const FILES: [(Files, &str); 3] = [(Files::Team, TEAM_FILE), (Files::Llm, LLM_FILE), (Files::Mcp, MCP_FILE)];
const CODE: &str = "mcp/server-error";
const GATEWAYS: [&str; 3] = ["10-1", "10-2", "9-1"];
const SEVERITIES: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Error];
/// Few enough that no history is longer than what is remembered of it.
const MAX_STEPS: usize = 20;

/// The problems of a gateway: by id, with severity and message.
type Set = BTreeMap<&'static str, (Severity, &'static str)>;

#[derive(Clone, Debug)]
enum Step {
    Validate(usize, BTreeSet<&'static str>),
    Publish(&'static str, Set),
    End(BTreeSet<&'static str>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let messages = prop::collection::btree_set(prop::sample::select(vec!["one", "two", "three"]), 0..3);
    let gateway = || prop::sample::select(GATEWAYS.to_vec());
    let report = (prop::sample::select(SEVERITIES.to_vec()), prop::sample::select(vec!["down", "slow"]));
    let set = prop::collection::btree_map(prop::sample::select(vec!["x", "y", "z"]), report, 0..3);
    let step = prop_oneof![
        2 => (0..FILES.len(), messages).prop_map(|(files, messages)| Step::Validate(files, messages)),
        4 => (gateway(), set).prop_map(|(gateway, set)| Step::Publish(gateway, set)),
        1 => prop::collection::btree_set(gateway(), 0..3).prop_map(Step::End),
    ];
    prop::collection::vec(step, 0..MAX_STEPS)
}

fn time(index: usize) -> String {
    format!("{index:02}")
}

/// Takes one step.
fn take(known: Vec<Record>, step: &Step, now: &str) -> Vec<Record> {
    match step {
        Step::Validate(files, messages) => {
            let (files, file) = FILES[*files];
            let problem = |message: &&str| Problem {
                code: CODE.to_owned(),
                severity: Severity::Error,
                message: (*message).to_owned(),
                file: Some(file.to_owned()),
                range: None,
                help: None,
            };
            let found =
                messages.iter().map(|message| Record::new(problem(message), String::new(), now)).collect();
            reconcile(known, files, found, now)
        }
        Step::Publish(gateway, set) => {
            let problems: Vec<GatewayProblem> = set.iter().map(gateway_problem).collect();
            reconcile_gateways(known, &BTreeSet::new(), Some(GatewaySet::new(gateway, &problems)), now)
        }
        Step::End(ended) => {
            let ended = ended.iter().map(|gateway| (*gateway).to_owned()).collect();
            reconcile_gateways(known, &ended, None, now)
        }
    }
}

fn gateway_problem((id, (severity, message)): (&&str, &(Severity, &str))) -> GatewayProblem {
    GatewayProblem {
        id: (*id).to_owned(),
        code: CODE,
        severity: *severity,
        message: (*message).to_owned(),
        help: None,
    }
}

/// Takes the steps that are selected, each at the time of its index among all.
fn take_all(steps: &[Step], is_selected: impl Fn(&Step) -> bool) -> Vec<Record> {
    let selected = steps.iter().enumerate().filter(|(_, step)| is_selected(step));
    selected.fold(Vec::new(), |known, (index, step)| take(known, step, &time(index)))
}

/// Returns what each gateway reports after each step.
fn sets(steps: &[Step]) -> Vec<BTreeMap<&'static str, Set>> {
    let mut sets: BTreeMap<&'static str, Set> = BTreeMap::new();
    let after = |step: &Step| {
        match step {
            Step::Validate(..) => {}
            Step::Publish(gateway, set) => {
                sets.insert(gateway, set.clone());
            }
            Step::End(ended) => sets.retain(|gateway, _| !ended.contains(gateway)),
        }
        sets.clone()
    };
    steps.iter().map(after).collect()
}

/// What is expected of a problem of gateways: id, first seen, resolved at, severity and message.
type Expected = (String, String, Option<String>, Severity, String);

/// Returns the expected problems of gateways, from what they report after each step.
fn expected_history(after: &[BTreeMap<&'static str, Set>]) -> Vec<Expected> {
    let mut all = Vec::new();
    for id in ["x", "y", "z"] {
        let mut open: Option<(String, Severity, &str)> = None;
        for (index, sets) in after.iter().enumerate() {
            let shown = sets
                .values()
                .filter_map(|set| set.get(id))
                .min_by_key(|(severity, message)| (Reverse(*severity), *message));
            open = match (open, shown) {
                (None, None) => None,
                (None, Some((severity, message))) => Some((time(index), *severity, message)),
                (Some((since, ..)), Some((severity, message))) => Some((since, *severity, message)),
                (Some((since, severity, message)), None) => {
                    all.push((id.to_owned(), since, Some(time(index)), severity, message.to_owned()));
                    None
                }
            };
        }
        if let Some((since, severity, message)) = open {
            all.push((id.to_owned(), since, None, severity, message.to_owned()));
        }
    }
    all.sort();
    all
}

proptest! {
    #[test]
    fn each_has_what_a_list_of_its_own_would_contain(steps in steps()) {
        let known = take_all(&steps, |_| true);
        let of_validations: Vec<Record> = known.iter().filter(|record| record.is_validated()).cloned().collect();
        prop_assert_eq!(of_validations, take_all(&steps, |step| matches!(step, Step::Validate(..))));
        for gateway in GATEWAYS {
            let own = take_all(&steps, |step| match step {
                Step::Validate(..) => false,
                Step::Publish(other, _) => *other == gateway,
                Step::End(_) => true,
            });
            let reported = |records: &[Record]| -> Vec<(Option<String>, Problem)> {
                let of_gateway = records.iter().flat_map(|record| {
                    let reports = record.reports.iter().filter(|report| report.gateways.contains(gateway));
                    reports.map(|report| (record.remembered.id.clone(), report.problem()))
                });
                of_gateway.collect()
            };
            prop_assert_eq!(reported(&known), reported(&own));
        }
    }

    #[test]
    fn the_history_of_gateways_is_that_of_all_their_sets(steps in steps()) {
        let known = take_all(&steps, |_| true);
        let mut shown: Vec<Expected> = known
            .iter()
            .filter(|record| !record.is_validated())
            .map(|record| {
                let remembered = record.remembered.clone();
                prop_assert_eq!(remembered.resolved, remembered.resolved_at.is_some());
                prop_assert_eq!(remembered.resolved, record.reports.is_empty());
                let (id, problem) = (remembered.id.unwrap_or_default(), remembered.problem);
                Ok((id, remembered.first_seen, remembered.resolved_at, problem.severity, problem.message))
            })
            .collect::<Result<_, TestCaseError>>()?;
        shown.sort();
        prop_assert_eq!(shown, expected_history(&sets(&steps)));
    }

    #[test]
    fn the_list_is_stored_without_loss_and_a_repeated_step_changes_nothing(steps in steps()) {
        let known = take_all(&steps, |_| true);
        let stored = serde_json::to_string(&known).unwrap();
        let read: Vec<Record> = serde_json::from_str(&stored).unwrap();
        prop_assert_eq!(&read, &known);
        if let Some(last) = steps.last() {
            prop_assert_eq!(take(read, last, "99"), known);
        }
    }
}

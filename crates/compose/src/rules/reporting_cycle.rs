use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::Spanned;

use super::{Check, ProjectCheck};
use crate::Spelled;
use crate::agents::Rank;

pub(super) static RULE: Rule = Rule {
    code: "compose/reporting-cycle",
    summary: "managers report to each other in a circle",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("reporting_cycle.md"),
};

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    // Only to managers does anybody report.
    let above: BTreeMap<&str, &Spanned<Spelled>> = project
        .agents
        .iter()
        .filter(|agent| agent.rank == Rank::Manager)
        .filter_map(|agent| Some((agent.agent.id.value.as_str(), agent.fields()?.reports_to.given()?)))
        .collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for start in above.keys().copied() {
        let mut path: Vec<&str> = Vec::new();
        let mut on_path: BTreeSet<&str> = BTreeSet::new();
        let mut at = start;
        while seen.insert(at) {
            path.push(at);
            on_path.insert(at);
            let Some(next) = above.get(at) else { break };
            at = &next.value;
        }
        if !on_path.contains(at) {
            continue;
        }
        let circle: Vec<&str> = path.into_iter().skip_while(|id| *id != at).collect();
        let Some(place) = above.get(at) else { continue };
        check.report(project.document, &RULE, place, |label| {
            let found = if let [only] = circle.as_slice() {
                Diagnostic::new(&RULE, format!("`{only}` reports to itself"))
            } else {
                let steps: Vec<String> = circle.iter().chain([&at]).map(|id| format!("`{id}`")).collect();
                Diagnostic::new(&RULE, format!("managers report in a circle: {}", bounded(&steps)))
            };
            found.primary(label.message("leads back here")).help("remove `reports_to` from one of them")
        });
    }
}

/// Returns the steps of a circle, the middle left out where there are many.
fn bounded(steps: &[String]) -> String {
    const FEW: usize = 6;
    match (steps.get(..FEW), steps.last()) {
        (Some(first), Some(last)) if steps.len() > FEW + 1 => format!("{} → … → {last}", first.join(" → ")),
        _ => steps.join(" → "),
    }
}

use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Diagnostic, rule};
use minds_document::Spanned;

use super::{Check, ProjectCheck};
use crate::RawScalar;
use crate::agents::Rank;

rule! {
    pub(super) static RULE {
        code: "compose/reporting-cycle",
        summary: "managers report to each other in a cycle",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "reporting_cycle.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    // Agents report to managers only.
    let above: BTreeMap<&str, &Spanned<RawScalar>> = project
        .agents
        .iter()
        .filter(|agent| agent.rank == Rank::Manager)
        .filter_map(|agent| Some((agent.agent.id.value.as_str(), agent.fields()?.reports_to.as_given()?)))
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
        let cycle: Vec<&str> = path.into_iter().skip_while(|id| *id != at).collect();
        let Some(place) = above.get(at) else { continue };
        check.report(project.document, &RULE, place, |label| {
            let found = if let [only] = cycle.as_slice() {
                Diagnostic::new(&RULE, format!("`{only}` reports to itself"))
            } else {
                let steps: Vec<String> = cycle.iter().chain([&at]).map(|id| format!("`{id}`")).collect();
                Diagnostic::new(&RULE, format!("managers report in a cycle: {}", shorten(&steps)))
            };
            found.primary(label.message("closes the cycle")).help("remove `reports_to` from one of them")
        });
    }
}

/// Returns the steps of a cycle; of a long cycle, the first steps and the last one.
fn shorten(steps: &[String]) -> String {
    const FEW: usize = 6;
    match (steps.get(..FEW), steps.last()) {
        (Some(first), Some(last)) if steps.len() > FEW + 1 => format!("{} → … → {last}", first.join(" → ")),
        _ => steps.join(" → "),
    }
}

//! Scanning content before its installation.

use std::collections::BTreeSet;

use minds_diagnostics::Severity;
use minds_inventory::Inventory;
use minds_inventory::plan::Plan;
use minds_sources::review::scan;
use minds_sources::{ItemKey, Refusal, RefusalKind};

use crate::apply::drop_items;

/// The maximum number of warnings about an item.
const MAX_SHOWN: usize = 5;

/// Removes items with hidden text from a plan, together with their dependents, and returns warnings about the
/// other items, for example about executable files.
pub(crate) fn scan_plan(plan: &mut Plan, inventory: &Inventory) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut refused: BTreeSet<ItemKey> = BTreeSet::new();
    let mut refusals: Vec<(ItemKey, Refusal)> = Vec::new();
    for step in &plan.installs {
        let key = &step.record.key;
        let Some((_, offered)) = inventory.of(&step.record.source, key) else { continue };
        let found = scan(&offered.item, &step.content).into_sorted();
        let error = found.iter().find(|found| found.severity == Severity::Error);
        let needed = step.record.dependencies.iter().find(|need| refused.contains(need));
        let problem =
            error.map(|error| (RefusalKind::BadContent, format!("{} [{}]", error.message, error.rule.code)));
        let problem = problem.or_else(|| {
            needed.map(|need| {
                (RefusalKind::UnresolvedReference, format!("it depends on {need}, which is refused"))
            })
        });
        if let Some((kind, message)) = problem {
            refused.insert(key.clone());
            refusals.push((key.clone(), Refusal::new(kind, message)));
            continue;
        }
        let first_findings = found.iter().take(MAX_SHOWN).map(|found| format!("{key}: {}", found.message));
        warnings.extend(first_findings);
        if found.len() > MAX_SHOWN {
            warnings.push(format!(
                "{key}: {} more warnings; `minds source review` lists them",
                found.len() - MAX_SHOWN
            ));
        }
    }
    drop_items(plan, &refused);
    plan.refusals.extend(refusals);
    warnings
}

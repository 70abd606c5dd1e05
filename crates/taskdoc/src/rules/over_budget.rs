use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::layout::{Entry, Layout};
use crate::{DEFAULT_BUDGET, Section};

pub(super) static RULE: Rule = Rule {
    code: "task/over-budget",
    summary: "the goals and constraints of a task are larger than the text for agents should be",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("over_budget.md"),
};

/// Reports goals and constraints that alone are larger than the text for agents, and returns whether they are.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) -> bool {
    let size = |section: &Section| layout.text(section).map_or(0, str::len);
    let (goals, constraints) = (size(&Section::GOALS), size(&Section::CONSTRAINTS));
    let is_over = goals + constraints > DEFAULT_BUDGET;
    if is_over {
        let message = format!(
            "goals and constraints have {} bytes, more than the {DEFAULT_BUDGET} of the text for agents",
            goals + constraints
        );
        let larger = if goals > constraints { Section::GOALS } else { Section::CONSTRAINTS };
        let label = layout.find(&larger.path()).map_or_else(|| layout.label(), Entry::label);
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(label)
                .note("these two are never cut, so all else is left out and the text is too large all the same")
                .help("shorten them, and put what is needed at times into a category, from where agents recall it"),
        );
    }
    is_over
}

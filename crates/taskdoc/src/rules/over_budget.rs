use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::layout::{Entry, Layout};
use crate::{DEFAULT_BUDGET, Section};

rule! {
    pub(super) static RULE {
        code: "task/over-budget",
        summary: "the goals and constraints of a task exceed the size of the text for agents",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "over_budget.md",
    }
}

/// Reports goals and constraints that together exceed the size of the text for agents, and returns whether
/// they do.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) -> bool {
    let size = |section: &Section| layout.text(section).map_or(0, str::len);
    let (goals, constraints) = (size(&Section::GOALS), size(&Section::CONSTRAINTS));
    let is_over = goals + constraints > DEFAULT_BUDGET;
    if is_over {
        let message = format!(
            "goals and constraints have {} bytes, and the text for agents has at most {DEFAULT_BUDGET}",
            goals + constraints
        );
        let larger = if goals > constraints { Section::GOALS } else { Section::CONSTRAINTS };
        let label = layout.find(&larger.path()).map_or_else(|| layout.label(), Entry::label);
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(label)
                .note("these two are never shortened, so everything else is omitted, and the text is still too large")
                .help("shorten them, and move text that is only needed occasionally to a category, from which agents can recall it"),
        );
    }
    is_over
}

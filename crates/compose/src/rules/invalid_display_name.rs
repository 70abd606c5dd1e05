use minds_diagnostics::{Diagnostic, Rule, Severity};

use super::{Check, ProjectCheck};

/// The number of characters that a name has at most, white space around it included.
const MAX_CHARACTERS: usize = 64;

pub(super) static RULE: Rule = Rule {
    code: "compose/invalid-display-name",
    summary: "a name for people is blank or too long",
    default_severity: Severity::Error,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("invalid_display_name.md"),
};

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in &project.agents {
        let Some(name) = agent.fields().and_then(|fields| fields.display_name.given()) else { continue };
        let length = name.value.chars().count();
        let (message, said) = if name.value.trim().is_empty() {
            (format!("the name of `{}` is blank", agent.agent.id.value), "blank".to_owned())
        } else if length > MAX_CHARACTERS {
            let message =
                format!("the name of `{}` is longer than {MAX_CHARACTERS} characters", agent.agent.id.value);
            (message, format!("{length} characters"))
        } else {
            continue;
        };
        check.report(project.document, &RULE, name, |label| {
            Diagnostic::new(&RULE, message)
                .primary(label.message(said))
                .help("shorten `display_name`, or remove it: without one the id is shown")
        });
    }
}

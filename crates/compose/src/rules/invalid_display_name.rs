use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ProjectCheck};

/// The maximum number of characters of a display name, including surrounding white space.
const MAX_CHARACTERS: usize = 64;

rule! {
    pub(super) static RULE {
        code: "compose/invalid-display-name",
        summary: "a display name is blank or too long",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_display_name.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in &project.agents {
        let Some(name) = agent.fields().and_then(|fields| fields.display_name.as_given()) else { continue };
        let length = name.value.chars().count();
        let (message, label_text) = if name.value.trim().is_empty() {
            (format!("the display name of `{}` is blank", agent.agent.id.value), "blank".to_owned())
        } else if length > MAX_CHARACTERS {
            let message = format!(
                "the display name of `{}` is longer than {MAX_CHARACTERS} characters",
                agent.agent.id.value
            );
            (message, format!("{length} characters"))
        } else {
            continue;
        };
        check.report(project.document, &RULE, name, |label| {
            Diagnostic::new(&RULE, message)
                .primary(label.message(label_text))
                .help("shorten `display_name`, or remove it to show the id")
        });
    }
}

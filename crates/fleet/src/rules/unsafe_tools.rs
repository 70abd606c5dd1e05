use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Spanned};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "fleet/unsafe-tools",
        summary: "tools may run without the sandbox",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unsafe_tools.md",
    }
}

const NOTE: &str = "a tool outside the sandbox can read and change every file of its user";

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let projects: Vec<(&Document, &Spanned<bool>)> = family
        .layers
        .iter()
        .filter_map(|layer| {
            let file = layer.tools.as_ref()?;
            let tools = &file.content.as_ref()?.tools.as_given()?.value;
            Some((family.document(file)?, tools.r#unsafe.as_given()?))
        })
        .collect();
    for (document, place) in projects.iter().filter(|(_, place)| place.value) {
        check.report(&RULE, document, place, |label| {
            Diagnostic::new(&RULE, "the project lets agents run tools without the sandbox")
                .primary(label.message("for each agent that also sets `unsafe`"))
                .note(NOTE)
                .help("remove `unsafe`")
        });
    }
    // The nearest layer that sets the key decides.
    let project = projects.first().filter(|(_, place)| place.value);
    for readable in check.readable() {
        let Some(tools) = readable.agent.tools.as_given() else { continue };
        let Some(place) = tools.value.r#unsafe.as_given().filter(|place| place.value) else { continue };
        check.report(&RULE, readable.document, place, |label| match project {
            Some((document, project)) => {
                Diagnostic::new(&RULE, format!("tools of agent `{}` run without the sandbox", readable.name))
                    .primary(label.message("the agent requests it"))
                    .secondary(document.source().label(project.span).message("the project allows it"))
                    .note(NOTE)
                    .help("remove `unsafe` from the agent")
            }
            None => Diagnostic::new(
                &RULE,
                format!("agent `{}` requests to run tools without the sandbox", readable.name),
            )
            .primary(label.message("has no effect while `tools.yaml` does not set it too"))
            .note("a later change of `tools.yaml` would turn it on")
            .help("remove `unsafe` from the agent"),
        });
    }
}

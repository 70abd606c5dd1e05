use minds_diagnostics::{Diagnostic, SourceFile, Span, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "fleet/shadowed-agent",
        summary: "an agent is hidden by another one of the same name",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "shadowed_agent.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    for layer in &family.layers {
        for hidden in &layer.hidden {
            let (Some(id), Some(document)) = (&hidden.content, family.document(hidden)) else { continue };
            let Some(by) = layer.agents.get(&id.value).map(|agent| &agent.folder) else { continue };
            check.report(&RULE, document, id, |label| {
                Diagnostic::new(&RULE, format!("the agent `{}` of this file is hidden", id.value))
                    .primary(label)
                    .note(format!("`{by}/` exists too, and is used completely"))
                    .help("remove the entry")
            });
        }
    }
    let Some((highest, lower)) = family.layers.split_first() else { return };
    let mut above = vec![highest];
    for layer in lower {
        for (name, agent) in &layer.agents {
            let Some(by) = above.iter().find_map(|layer| layer.agents.get(name)) else { continue };
            let Some(file) = &agent.file else { continue };
            let source = family.document(file).map_or_else(
                || SourceFile::new(file.location.to_string(), ""),
                |document| document.source().clone(),
            );
            check.report_text(&RULE, &source, Span::at(0), |label| {
                Diagnostic::new(&RULE, format!("the agent `{name}` of this layer is hidden"))
                    .primary(label)
                    .note(format!(
                        "`{}/` is used completely: files, knowledge and state of this one are not visible",
                        by.folder
                    ))
            });
        }
        above.push(layer);
    }
}

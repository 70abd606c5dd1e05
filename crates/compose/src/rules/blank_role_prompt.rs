use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ProjectCheck};
use crate::project::RolePrompt;

rule! {
    pub(super) static RULE {
        code: "compose/blank-role-prompt",
        summary: "a role prompt does not name a file",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "blank_role_prompt.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in &project.agents {
        let Some(prompt) = agent.fields().and_then(|fields| fields.role_prompt.as_given()) else { continue };
        let id = &agent.agent.id.value;
        match &prompt.value {
            RolePrompt::Files(paths) if paths.items.is_empty() && paths.is_complete => {
                check.report(project.document, &RULE, prompt, |label| {
                    Diagnostic::new(&RULE, format!("the role prompt of `{id}` is an empty list"))
                        .primary(label.message("no file"))
                        .help("name a file, or remove `role_prompt`")
                });
            }
            RolePrompt::File(path) if path.value.trim().is_empty() => {
                check.report(project.document, &RULE, path, |label| {
                    Diagnostic::new(&RULE, format!("the role prompt of `{id}` is blank"))
                        .primary(label.message("no file"))
                        .help("name a file, or remove `role_prompt`")
                });
            }
            RolePrompt::File(_) => {}
            RolePrompt::Files(paths) => {
                for path in paths.items.iter().filter(|path| path.value.trim().is_empty()) {
                    check.report(project.document, &RULE, path, |label| {
                        Diagnostic::new(&RULE, format!("an entry of the role prompt of `{id}` is blank"))
                            .primary(label.message("no file"))
                            .help("name a file, or remove the entry")
                    });
                }
            }
        }
    }
}

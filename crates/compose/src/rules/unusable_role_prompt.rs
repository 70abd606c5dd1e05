use minds_diagnostics::{Diagnostic, Severity, rule};
use minds_document::{List, Spanned};

use super::{Check, ProjectCheck};
use crate::family::Prompt;
use crate::project::RolePrompt;

/// The maximum total size of the files of one list: 16 MiB.
const MAX_BYTES: usize = 16 << 20;

rule! {
    pub(super) static RULE {
        code: "compose/unusable-role-prompt",
        summary: "a role prompt cannot be read",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "unusable_role_prompt.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in &project.agents {
        let id = &agent.agent.id.value;
        let Some(prompt) = agent.fields().and_then(|fields| fields.role_prompt.as_given()) else { continue };
        match &prompt.value {
            RolePrompt::File(path) => check_path(check, project, id, path, true),
            RolePrompt::Files(paths) => {
                for path in &paths.items {
                    check_path(check, project, id, path, false);
                }
                check_total_length(check, project, id, prompt, paths);
            }
        }
    }
}

fn check_path<'f>(
    check: &mut Check<'f>,
    project: &ProjectCheck<'f>,
    id: &str,
    path: &Spanned<String>,
    is_alone: bool,
) {
    // A blank path is reported by another rule.
    if path.value.trim().is_empty() {
        return;
    }
    let family = check.family;
    let (reason, is_missing) = match family.prompts.get(&path.value) {
        Some(Prompt::Missing(_)) => ("it does not exist", true),
        Some(Prompt::Unusable(reason)) => (reason.as_str(), false),
        Some(Prompt::Text(_) | Prompt::Outside(_)) | None => return,
    };
    check.report(project.document, &RULE, path, |label| {
        let message = format!("cannot read role prompt `{}` of `{id}`: {reason}", path.value.escape_debug());
        let found = Diagnostic::new(&RULE, message)
            .primary(label.message("referenced here"))
            .help("write a path relative to the directory of `team-compose.yaml`");
        if is_missing && is_alone {
            // The runtime reads the file when the agent starts, so it may be created later.
            found.severity(Severity::Warning).note("without this file the agent starts without a role prompt")
        } else {
            found
        }
    });
}

fn check_total_length<'f>(
    check: &mut Check<'f>,
    project: &ProjectCheck<'f>,
    id: &str,
    prompt: &Spanned<RolePrompt>,
    paths: &List<String>,
) {
    let family = check.family;
    let length = |path: &Spanned<String>| match family.prompts.get(&path.value) {
        Some(Prompt::Text(source)) => source.bytes().len(),
        _ => 0,
    };
    if paths.items.iter().map(length).sum::<usize>() > MAX_BYTES {
        check.report(project.document, &RULE, prompt, |label| {
            Diagnostic::new(&RULE, format!("the role prompt of `{id}` is larger than 16 MiB"))
                .primary(label.message("these files are too large together"))
                .help("use fewer or shorter files; all of them are sent to the model")
        });
    }
}

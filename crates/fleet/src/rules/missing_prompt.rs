use minds_diagnostics::{Diagnostic, did_you_mean, rule};

use super::Check;
use crate::family::Prompt;

rule! {
    pub(crate) static RULE {
        code: "fleet/missing-prompt",
        summary: "a file of a prompt does not exist",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "missing_prompt.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for readable in check.readable() {
        let Some(files) = readable.agent.prompt.as_given().map(|files| &files.value) else { continue };
        for (what, path) in [("base", files.base.as_given()), ("overlay", files.overlay.as_given())] {
            let Some(path) = path else { continue };
            let place = readable.entry.prompt_location(&path.value);
            if !matches!(readable.entry.prompt_at(&place), Prompt::Missing) {
                continue;
            }
            let folder = &readable.entry.folder.path;
            let beside = readable.entry.prompts.keys();
            let beside: Vec<&str> = beside
                .filter_map(|other| other.path.as_str().strip_prefix(folder.as_str())?.strip_prefix('/'))
                .collect();
            check.report(&RULE, readable.document, path, |label| {
                let name = path.value.path().as_str();
                let help = did_you_mean(name, beside.iter().copied())
                    .unwrap_or_else(|| "create the file, or write the path of an existing one".to_owned());
                Diagnostic::new(&RULE, format!("the {what} of the prompt does not exist: `{place}`"))
                    .primary(label.message("not found next to `agent.yaml`"))
                    .help(help)
            });
        }
    }
}

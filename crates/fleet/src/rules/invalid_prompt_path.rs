use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use super::{Check, shorten};
use crate::model::PromptPathError;

rule! {
    pub(crate) static RULE {
        code: "fleet/invalid-prompt-path",
        summary: "the path of a prompt is not a separate file in the directory of the agent",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_prompt_path.md",
    }
}

pub(crate) fn report(node: Node<'_>, path: &str, error: &PromptPathError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("`{}` is not a valid path of a prompt file: {error}", shorten(path)))
            .primary(node.label())
            .help("put the file next to `agent.yaml`, and write its name")
    });
}

/// Reports overlays that are the same file as the base.
pub(super) fn check(check: &mut Check<'_>) {
    for readable in check.readable() {
        let Some(files) = readable.agent.prompt.as_given().map(|files| &files.value) else { continue };
        let (Some(base), Some(overlay)) = (files.base.as_given(), files.overlay.as_given()) else { continue };
        if base.value != overlay.value {
            continue;
        }
        check.report(&RULE, readable.document, overlay, |label| {
            Diagnostic::new(&RULE, "the base and the overlay of the prompt are the same file".to_owned())
                .primary(label.message("the same file"))
                .secondary(readable.document.source().label(base.span).message("the base"))
                .help("use another file, such as `system_overlay.md`, or remove the overlay")
        });
    }
}

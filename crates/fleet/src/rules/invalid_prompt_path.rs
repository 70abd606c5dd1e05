use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::{Check, rule, shortened};
use crate::model::PromptPathError;

rule!(
    "fleet/invalid-prompt-path",
    Error,
    true,
    "the path of a prompt is that of no file of its own in the directory of the agent",
    "invalid_prompt_path.md"
);

pub(crate) fn report(node: Node<'_>, path: &str, error: &PromptPathError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("`{}` is no path of a prompt file: {error}", shortened(path)))
            .primary(node.label())
            .help("put the file beside `agent.yaml` and write its name")
    });
}

/// Looks for overlays that are the base: the text would be told twice, and what people add would change what must stay.
pub(super) fn check(check: &mut Check<'_>) {
    for readable in check.readable() {
        let Some(files) = readable.agent.prompt.given().map(|files| &files.value) else { continue };
        let (Some(base), Some(overlay)) = (files.base.given(), files.overlay.given()) else { continue };
        if base.value != overlay.value {
            continue;
        }
        check.report(&RULE, readable.document, overlay, |label| {
            Diagnostic::new(&RULE, "the base and the overlay of the prompt are one file".to_owned())
                .primary(label.message("the same file"))
                .secondary(readable.document.source().label(base.span).message("the base"))
                .help("name another file here, such as `system_overlay.md`, or remove the overlay")
        });
    }
}

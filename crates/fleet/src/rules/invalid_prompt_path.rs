use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::{rule, shortened};
use crate::model::PromptPathError;

rule!(
    "fleet/invalid-prompt-path",
    Error,
    true,
    "the path of a prompt leads out of the directory of its agent",
    "invalid_prompt_path.md"
);

pub(crate) fn report(node: Node<'_>, path: &str, error: &PromptPathError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("`{}` is no path of a prompt file: {error}", shortened(path)))
            .primary(node.label())
            .help("put the file beside `agent.yaml` and write its name")
    });
}

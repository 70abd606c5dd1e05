use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::{rule, shown};
use crate::GlobError;

rule!(
    "source/invalid-glob",
    Error,
    false,
    "a pattern of `[discover]` cannot be read, or leads out of the source",
    "invalid_glob.md"
);

pub(crate) fn report(node: Node<'_>, pattern: &str, error: GlobError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let found = Diagnostic::new(&RULE, format!("`{}` is no pattern here: {error}", shown(pattern)))
            .primary(node.label());
        if error == GlobError::DoubleStar {
            return found.help("write `**` between slashes, as in `a/**/*.md`");
        }
        found
    });
}

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use super::escape;
use crate::GlobError;

rule! {
    pub(crate) static RULE {
        code: "source/invalid-glob",
        summary: "a pattern of `[discover]` is not valid, or escapes the source",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_glob.md",
    }
}

pub(crate) fn report(node: Node<'_>, pattern: &str, error: GlobError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let help = match error {
            GlobError::DoubleStar => "write `**` as a whole name, for example `a/**/*.md`",
            GlobError::Class | GlobError::Range => "write a closed and ascending range, as in `[a-z]`",
            _ => "write a pattern relative to the root of the source, such as `skills/*`",
        };
        Diagnostic::new(&RULE, format!("invalid pattern `{}`: {error}", escape(pattern)))
            .primary(node.label())
            .help(help)
    });
}

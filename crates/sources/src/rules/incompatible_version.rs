use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use super::escape;
use crate::COMPATIBILITY;

rule! {
    pub(crate) static RULE {
        code: "source/incompatible-version",
        summary: "a source requires a newer version of the format",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "incompatible_version.md",
    }
}

pub(crate) fn report(node: Node<'_>, version: &str, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let message = format!(
            "the source requires version {} of the format, but only {COMPATIBILITY} is supported",
            escape(version)
        );
        Diagnostic::new(&RULE, message)
            .primary(node.label().message(format!("newer than {COMPATIBILITY}")))
            .note("the rest of the file was not checked")
            .help("use a newer `minds`, or an older version of the source")
    });
}

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::{escape, rule};
use crate::COMPATIBILITY;

rule!(
    "source/incompatible-version",
    Error,
    false,
    "a source requires a newer version of the format",
    "incompatible_version.md"
);

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

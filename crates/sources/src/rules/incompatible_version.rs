use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::{rule, shown};
use crate::COMPATIBILITY;

rule!(
    "source/incompatible-version",
    Error,
    false,
    "a source asks for a newer version of the format than is read",
    "incompatible_version.md"
);

pub(crate) fn report(node: Node<'_>, version: &str, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let message = format!(
            "the source asks for version {} of the format, and {COMPATIBILITY} is read",
            shown(version)
        );
        Diagnostic::new(&RULE, message)
            .primary(node.label().message(format!("newer than {COMPATIBILITY}")))
            .note("nothing else of the file was looked at")
            .help("use a newer `minds`, or an older version of the source")
    });
}

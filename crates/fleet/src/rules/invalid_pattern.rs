use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode as _, Node, Text};
use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::Parser;

use super::{rule, shortened};

rule!(
    "fleet/invalid-pattern",
    Error,
    false,
    "an entry of `redact` is no regular expression",
    "invalid_pattern.md"
);

/// Reads a regular expression, in the syntax of the crate `regex`: it takes linear time on every text, and so has neither
/// look-around nor references back.
pub(crate) fn decode(node: Node<'_>, cx: &mut Context) -> Option<String> {
    let text = Text::decode(node, cx)?;
    match Parser::new().parse(&text) {
        Ok(_) => Some(text),
        Err(error) => {
            cx.report(node, &RULE, || {
                let message = format!("`{}` is no regular expression: {}", shortened(&text), error.kind());
                Diagnostic::new(&RULE, message)
                    .primary(node.label())
                    .note("until it is mended, what it is about is shown")
                    .help(help(error.kind()))
            });
            None
        }
    }
}

fn help(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
            "say what is to be covered without it: every expression takes linear time on every text"
        }
        _ => "write a plain character that has a meaning, such as `(` or `[`, with a `\\` before it",
    }
}

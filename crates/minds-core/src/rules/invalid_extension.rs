use minds_access_control::ExtensionError;
use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Context, Node};

pub(crate) static RULE: Rule = Rule {
    code: "access/invalid-extension",
    summary: "an entry of an extension list is no file extension",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("invalid_extension.md"),
};

pub(crate) fn report(node: Node<'_>, written: &str, error: ExtensionError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let help = match error {
            ExtensionError::Separator => "write only the extension; places go into the directory lists",
            _ => "write an extension such as `md`",
        };
        Diagnostic::new(&RULE, format!("`{written}` is no file extension: {error}"))
            .primary(node.label().message("cannot be read"))
            .note("until it is mended, the list denies everything that it is about")
            .help(help)
    });
}

use minds_access_control::ExtensionError;
use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

rule! {
    pub(crate) static RULE {
        code: "access/invalid-extension",
        summary: "an entry of an extension list is not a valid file extension",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_extension.md",
    }
}

pub(crate) fn report(node: Node<'_>, written: &str, error: ExtensionError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let help = match error {
            ExtensionError::Separator => {
                "write only the extension; directories belong in the directory lists"
            }
            _ => "write an extension such as `md`",
        };
        Diagnostic::new(&RULE, format!("invalid file extension `{written}`: {error}"))
            .primary(node.label().message("invalid entry"))
            .note("until this is fixed, the whole list denies access")
            .help(help)
    });
}

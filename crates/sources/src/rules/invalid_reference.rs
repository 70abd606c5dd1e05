use minds_diagnostics::{Diagnostic, did_you_mean, rule};
use minds_document::{Context, Node};

use super::escape;
use crate::{ItemKind, KeyError};

rule! {
    pub(crate) static RULE {
        code: "source/invalid-reference",
        summary: "an entry of `install-items` is not a valid `kind:name`",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_reference.md",
    }
}

pub(crate) fn report(node: Node<'_>, text: &str, error: &KeyError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let help = match error {
            KeyError::NoKind => Some(format!("add the kind, for example `skill:{}`", escape(text))),
            KeyError::Kind(kind) => did_you_mean(kind, ItemKind::ALL.map(ItemKind::name)),
            KeyError::Name(_) => None,
        };
        let help = help.unwrap_or_else(|| "write `kind:name`, such as `skill:review`".to_owned());
        Diagnostic::new(&RULE, format!("invalid item `{}`: {error}", escape(text)))
            .primary(node.label())
            .help(help)
    });
}

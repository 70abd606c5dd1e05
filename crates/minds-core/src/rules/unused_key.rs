use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Entry, Spanned};

use crate::mcp::Transport;

rule! {
    pub(crate) static RULE {
        code: "mcp/unused-key",
        summary: "a server has a key that its transport does not use",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unused_key.md",
    }
}

pub(crate) fn report(entry: &Entry<'_>, transport: &Spanned<Transport>, cx: &mut Context) {
    let (own, other) = (transport.value.as_str(), transport.value.other().as_str());
    cx.report(entry.key_node, &RULE, || {
        let source = entry.key_node.document().source();
        Diagnostic::new(&RULE, format!("`{}` has no effect with the transport `{own}`", entry.key))
            .primary(entry.key_node.label().message(format!("belongs to `{other}`")))
            .secondary(source.label(transport.span).message("the transport"))
            .help(format!("remove the key, or write `transport: {other}`"))
    });
}

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use crate::ItemKind;

rule! {
    pub(crate) static RULE {
        code: "source/tool-only-key",
        summary: "an item that is not a tool has a key of tools",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "tool_only_key.md",
    }
}

const KEYS: [&str; 2] = ["bin", "build"];

/// Reports the keys of the item `node` that only tools can have.
pub(crate) fn check(node: Node<'_>, kind: ItemKind, cx: &mut Context) {
    if kind == ItemKind::Tool {
        return;
    }
    for entry in node.entries().filter(|entry| KEYS.contains(&entry.key)) {
        cx.report(entry.key_node, &RULE, || {
            Diagnostic::new(
                &RULE,
                format!("`{}` is only valid for tools, not for {}", entry.key, kind.with_article()),
            )
            .primary(entry.key_node.label().message("not valid here"))
            .help("remove it, or write `kind = \"tool\"`")
        });
    }
}

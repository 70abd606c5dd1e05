use minds_diagnostics::{Diagnostic, rule};
use minds_document::Spanned;

use super::FileCheck;
use crate::mcp::Mcp;

rule! {
    pub(crate) static RULE {
        code: "mcp/no-effect",
        summary: "a key of a server has no effect in `minds mcp`",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "no_effect.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Mcp>) {
    for server in &check.content.servers {
        let Some(fields) = server.fields.as_given() else { continue };
        let (manual, prompts, resources) =
            (&fields.value.manual, &fields.value.prompts, &fields.value.resources);
        for (key, field) in [("manual", manual), ("prompts", prompts), ("resources", resources)] {
            if field.as_given().is_none() {
                continue;
            }
            let entry = check.document.node(fields.node).entries().find(|entry| entry.key == key);
            let Some(entry) = entry else { continue };
            check.report(&RULE, &Spanned::new((), entry.key_node), |_, label| {
                Diagnostic::new(&RULE, format!("`{key}` has no effect in `minds mcp`"))
                    .primary(label.message("not read"))
                    .note("only the tools of a server are passed on")
                    .help("remove the key, unless another runtime of the agents uses it")
            });
        }
    }
}

use minds_diagnostics::{Diagnostic, rule};

use super::FileCheck;
use crate::mcp::Mcp;
use crate::mcp::exposure::invalid_name_reason;

rule! {
    pub(crate) static RULE {
        code: "mcp/invalid-server-id",
        summary: "a server's id cannot be the name of a toolset",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_server_id.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Mcp>) {
    for server in &check.content.servers {
        let id = &server.id.value;
        let Some(reason) = invalid_name_reason(id) else { continue };
        check.report(&RULE, &server.id, |_, label| {
            Diagnostic::new(&RULE, format!("`{id}` cannot be the id of a server: {reason}"))
                .primary(label.message("this id"))
                .note("a server's id is also the name of its toolset")
                .help("use 1 to 64 ASCII letters, digits, `_` and `-`")
        });
    }
}

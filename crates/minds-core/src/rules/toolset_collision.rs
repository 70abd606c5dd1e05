use minds_diagnostics::{Diagnostic, rule};

use super::FileCheck;
use crate::catalog;
use crate::mcp::Mcp;

rule! {
    /// A server has the id of a built-in toolset.
    pub static RULE {
        code: "mcp/toolset-collision",
        summary: "a server's id is the name of a built-in toolset",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "toolset_collision.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Mcp>) {
    for server in &check.content.servers {
        let id = &server.id.value;
        let Some(toolset) = catalog::find_toolset(id) else { continue };
        check.report(&RULE, &server.id, |_, label| {
            let named = if toolset.name == id {
                "a built-in toolset has this name".to_owned()
            } else {
                format!("another name of the built-in toolset `{}`", toolset.name)
            };
            Diagnostic::new(&RULE, format!("`{id}` is the name of a built-in toolset"))
                .primary(label.message(named))
                .note(NOTE)
                .help(HELP)
        });
    }
}

const NOTE: &str = "a server's id is also the name of its toolset";
const HELP: &str = "rename the server, and the entries of `toolsets` that refer to it";

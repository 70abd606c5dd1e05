use minds_diagnostics::{Diagnostic, rule};

use super::{Check, shorten};
use crate::family::ClientFile;
use crate::tree::{Entry, Value};

rule! {
    pub(crate) static RULE {
        code: "client/invalid-server",
        summary: "an MCP server has neither a command nor a URL",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_server.md",
    }
}

/// Returns the MCP servers that a file defines.
pub(super) fn servers(file: &ClientFile) -> &[Entry] {
    let (Some(form), Some(data)) = (&file.client.mcp, &file.content.data) else { return &[] };
    // A list of names, as in agents, does not define servers.
    let mut item = data;
    for key in &form.path {
        match item.get(key) {
            Some(below) => item = below,
            None => return &[],
        }
    }
    item.entries()
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(form) = &file.client.mcp else { return };
    if file.kind.is_agent() {
        return;
    }
    for server in servers(file) {
        let Value::Mapping(_) = server.item.value else { continue };
        if form.one_of.iter().any(|key| server.item.get(key).is_some()) {
            continue;
        }
        let keys: Vec<String> = form.one_of.iter().map(|key| format!("`{key}`")).collect();
        check.report(&RULE, file, server.key_span, |label| {
            Diagnostic::new(
                &RULE,
                format!("the MCP server `{}` has neither a command nor a URL", shorten(&server.key)),
            )
            .primary(label)
            .note(format!("{} cannot start it", file.client.name))
            .help(format!("add one of {}", keys.join(", ")))
        });
    }
}

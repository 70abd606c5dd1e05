use minds_diagnostics::{Diagnostic, rule};
use minds_text::secrets::{self, TextKind};

use super::invalid_server::servers;
use super::{Check, shorten};
use crate::family::ClientFile;
use crate::json::span;
use crate::tree::Entry;

rule! {
    pub(crate) static RULE {
        code: "client/literal-secret",
        summary: "a variable or header of an MCP server contains a password or key",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "literal_secret.md",
    }
}

/// The keys of a server with variables and headers.
const KEYS: [&str; 5] = ["env", "environment", "headers", "http_headers", "requestInit"];

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    for server in servers(file) {
        for key in KEYS {
            let Some(values) = server.item.get(key) else { continue };
            values.entries().iter().for_each(|entry| check_entry(check, file, entry));
        }
    }
    if let Some(env) = file.get("env") {
        env.entries().iter().for_each(|entry| check_entry(check, file, entry));
    }
}

/// Returns whether a value says that another one has to be written in its place.
fn is_placeholder(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["your", "xxx", "change", "example", "placeholder", "replace", "dummy", "secret_here"]
        .iter()
        .any(|word| text.contains(word))
}

fn check_entry(check: &mut Check<'_>, file: &ClientFile, entry: &Entry) {
    let Some(text) = entry.item.text() else { return };
    // A reference to a variable is what should be written.
    if text.is_empty() || text.contains(['$', '{', '<']) || is_placeholder(text) {
        return;
    }
    let whole = span(entry.key_span.start() as usize, entry.item.span.end() as usize);
    let written = file.source.slice(whole);
    // A secret that its form shows is a finding of its own.
    let is_named = !secrets::find_named_values(written, TextKind::Settings).is_empty();
    if !is_named || !secrets::find(written, TextKind::Settings).is_empty() {
        return;
    }
    check.report(&RULE, file, entry.item.span, |label| {
        Diagnostic::new(&RULE, format!("`{}` contains a secret", shorten(&entry.key)))
            .primary(label.message("a literal value"))
            .note("everyone who can read the file or its history can see it")
            .help("refer to an environment variable, for example `${NAME}`, and set that variable")
    });
}

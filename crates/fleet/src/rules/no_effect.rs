use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Spanned};

use super::Check;
use crate::model::{Engine, EngineKind, TransportKind};

rule! {
    pub(crate) static RULE {
        code: "fleet/no-effect",
        summary: "a key has no effect",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "no_effect.md",
    }
}

/// The keys that only a Redis server needs.
const REDIS_KEYS: [&str; 7] = ["url", "username", "password", "tls", "ca_file", "prefix", "allow_plaintext"];
/// The keys that only a transport on one machine needs.
const LOCAL_KEYS: [&str; 1] = ["name"];
/// The keys that only an engine that is a program needs.
const ACP_KEYS: [&str; 4] = ["command", "args", "env", "permissions"];
/// The keys that only an engine of the kind `acp` needs, and not the kinds that are names of programs.
const PROGRAM_KEYS: [&str; 2] = ["command", "args"];

pub(super) fn check(check: &mut Check<'_>) {
    check_transports(check);
    for readable in check.readable() {
        if let Some(scratchpad) = readable.agent.scratchpad.as_given() {
            let place = Spanned { value: (), span: scratchpad.span, node: scratchpad.node };
            report(check, readable.document, &place, "`scratchpad` has no effect yet");
        }
        let Some(engine) = readable.agent.engine.as_given() else { continue };
        let Engine::Full(fields) = &engine.value else { continue };
        let (keys, what) = match fields.kind.as_given().map(|kind| kind.value) {
            Some(EngineKind::Llm) => (&ACP_KEYS[..], "an engine of the kind `llm`"),
            Some(EngineKind::Short(_)) => {
                (&PROGRAM_KEYS[..], "an engine whose kind is the name of a program")
            }
            Some(EngineKind::Acp) | None => continue,
        };
        report_keys(check, readable.document, engine, keys, what);
    }
}

/// Checks the keys beside a kind in one file: in another layer, both are meant for different workspaces.
fn check_transports(check: &mut Check<'_>) {
    for layer in &check.family.layers {
        let Some(file) = &layer.tools else { continue };
        let (Some(tools), Some(document)) = (&file.content, check.family.document(file)) else { continue };
        let Some(mcp) = tools.mcp.as_given() else { continue };
        let Some(transport) = mcp.value.transport.as_given() else { continue };
        let Some(kind) = transport.value.kind.as_given() else { continue };
        match kind.value {
            TransportKind::Local => {
                report_keys(check, document, transport, &REDIS_KEYS, "a transport of the kind `local`");
            }
            TransportKind::Redis => {
                report_keys(check, document, transport, &LOCAL_KEYS, "a transport of the kind `redis`");
            }
        }
    }
}

/// Reports the keys of a mapping that have no effect on what it is.
fn report_keys<T>(
    check: &mut Check<'_>,
    document: &Document,
    mapping: &Spanned<T>,
    keys: &[&str],
    what: &str,
) {
    for entry in document.node(mapping.node).entries().filter(|entry| keys.contains(&entry.key)) {
        let place = Spanned::new((), entry.value);
        report(check, document, &place, &format!("`{}` has no effect on {what}", entry.key));
    }
}

fn report(check: &mut Check<'_>, document: &Document, place: &Spanned<()>, message: &str) {
    check.report(&RULE, document, place, |label| {
        Diagnostic::new(&RULE, message.to_owned()).primary(label.message("is not used")).help("remove it")
    });
}

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Node, Spanned, Value};
use minds_text::secrets::{self, KeyClass, TextKind};

use super::{Check, shorten};
use crate::model::TransportValue;

rule! {
    pub(crate) static RULE {
        code: "fleet/literal-secret",
        summary: "a file of a fleet contains a password or key",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "literal_secret.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    check_transports(check);
    check_settings(check);
    check_engines(check);
}

fn check_transports(check: &mut Check<'_>) {
    for layer in &check.family.layers {
        let Some(file) = &layer.tools else { continue };
        let (Some(tools), Some(document)) = (&file.content, check.family.document(file)) else { continue };
        let Some(mcp) = tools.mcp.as_given() else { continue };
        let Some(transport) = mcp.value.transport.as_given() else { continue };
        let Some(password) = transport.value.password.as_given() else { continue };
        let TransportValue::Literal(text) = &password.value else { continue };
        let node = document.node(password.node);
        if !text.is_empty() && !is_found_by_form(node) {
            report(check, document, node, "password", "write `password: {env: NAME}`, and set that variable");
        }
    }
}

/// Checks the settings of models, which belong to the provider: only the names of their keys are known.
fn check_settings(check: &mut Check<'_>) {
    for layer in &check.family.layers {
        let Some(file) = &layer.models else { continue };
        let (Some(models), Some(document)) = (&file.content, check.family.document(file)) else { continue };
        for fields in models.models.iter().filter_map(|model| model.fields.as_given()) {
            let Some(settings) = fields.value.model_settings.as_given() else { continue };
            let help = "write `api_key_env: NAME` with the name of an environment variable that holds it";
            check_below(check, document, document.node(settings.node), help);
        }
    }
}

/// Checks the environment of engines: only the names of the variables are known.
fn check_engines(check: &mut Check<'_>) {
    for readable in check.readable() {
        let Some(engine) = readable.agent.engine.as_given() else { continue };
        let Some(env) = readable.document.node(engine.node).get("env") else { continue };
        let help = "remove it, and set the variable in the environment of the agent";
        check_below(check, readable.document, env, help);
    }
}

/// Checks a mapping and those in it; the reader limits their depth, and resolves aliases within a limit.
fn check_below(check: &mut Check<'_>, document: &Document, mapping: Node<'_>, help: &str) {
    for entry in mapping.entries() {
        let value = entry.value;
        if value.value() == Value::Mapping {
            check_below(check, document, value, help);
            continue;
        }
        let is_secret = matches!(secrets::classify_key(entry.key), KeyClass::Scalar | KeyClass::Secret);
        let text = match value.value() {
            Value::String(text) => text,
            _ => "",
        };
        if is_secret && !text.is_empty() && !is_found_by_form(value) {
            report(check, document, value, entry.key, help);
        }
    }
}

/// Returns whether the form of a value shows that it is a secret, which is a finding of its own.
fn is_found_by_form(node: Node<'_>) -> bool {
    !secrets::find(node.document().source().slice(node.span()), TextKind::Settings).is_empty()
}

fn report(check: &mut Check<'_>, document: &Document, node: Node<'_>, key: &str, help: &str) {
    check.report(&RULE, document, &Spanned::new((), node), |label| {
        Diagnostic::new(&RULE, format!("`{}` contains a secret", shorten(key)))
            .primary(label.message("a literal value"))
            .note("everyone who can read the file or its history can see it")
            .help(help)
    });
}

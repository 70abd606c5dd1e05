use std::collections::BTreeSet;

use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};
use minds_document::Spanned;

use super::{report, text};
use crate::Provider;
use crate::family::TeamFamily;
use crate::host::Host;
use crate::llm::ApiType;
use crate::mcp::{ServerFields, Setting, SettingValue};

pub(crate) static LLM: Rule = Rule {
    code: "llm/unset-variable",
    summary: "the environment variable that holds the key of a provider is not set here",
    default_severity: Severity::Info,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("unset_variable_llm.md"),
};

pub(crate) static MCP: Rule = Rule {
    code: "mcp/unset-variable",
    summary: "an environment variable that a server needs is not set here",
    default_severity: Severity::Info,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("unset_variable_mcp.md"),
};

pub(super) fn check(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    own_providers(family, host, problems);
    builtin_providers(family, host, problems);
    servers(family, host, problems);
}

/// Returns what is wrong with a variable that must hold a key: an empty text is none.
fn lack(host: &Host, variable: &str) -> Option<&'static str> {
    match (host.has(variable), host.has_text_in(variable)) {
        (_, true) => None,
        (true, false) => Some("is empty"),
        (false, false) => Some("is not set"),
    }
}

fn own_providers(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    let Some((llm, document)) = family.readable_llm() else { return };
    for provider in &llm.providers {
        let Some(fields) = provider.fields.given() else { continue };
        let needs_key = fields.value.api_type.given().is_none_or(|api_type| api_type.value.needs_key());
        let Some(variable) = fields.value.api_key_env_var.given().filter(|_| needs_key) else { continue };
        let Some(lack) = lack(host, variable.value.as_str()) else { continue };
        report(problems, document, &LLM, variable, |_, label| {
            Diagnostic::new(&LLM, format!("the variable `{}` {lack} here", variable.value.as_str()))
                .primary(label.message(format!("must hold the key of provider `{}`", provider.key.value)))
                .help("set it where the team runs")
        });
    }
}

/// Reports each built-in provider once, where the first member that uses it has it from.
fn builtin_providers(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    let Some((team, document)) = family.readable_team() else { return };
    // A part of `llm.yaml` that could not be read may replace any of them.
    if family.providers.is_incomplete() {
        return;
    }
    let mut seen = BTreeSet::new();
    for member in team.effective() {
        let Some(provider) = text(member.field(|fields| &fields.provider)) else { continue };
        if !seen.insert(provider.value.as_str()) {
            continue;
        }
        let builtin = family.providers.find(&provider.value).and_then(Provider::builtin);
        let Some(builtin) = builtin.filter(|builtin| needs_key(builtin.api_type)) else { continue };
        let Some(lack) = lack(host, builtin.api_key_env_var) else { continue };
        report(problems, document, &LLM, provider, |_, label| {
            Diagnostic::new(&LLM, format!("the variable `{}` {lack} here", builtin.api_key_env_var))
                .primary(label.message("this provider takes its key from it"))
                .help("set it where the team runs")
        });
    }
}

fn needs_key(api_type: &str) -> bool {
    ApiType::ALL.iter().find(|known| known.as_str() == api_type).is_none_or(|known| known.needs_key())
}

fn servers(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    let Some((mcp, document)) = family.readable_mcp() else { return };
    for server in &mcp.servers {
        let Some(fields) = server.fields.given() else { continue };
        // A server that is turned off is not started, so it lacks nothing here and now.
        if fields.value.enabled.given().is_some_and(|enabled| !enabled.value) {
            continue;
        }
        for value in settings(&fields.value).filter_map(|setting| setting.value.given()) {
            let SettingValue::Variable { name, .. } = &value.value else { continue };
            // A server may well be told an empty text.
            if host.has(name.as_str()) {
                continue;
            }
            let Some(node) = document.node(value.node).get("env") else { continue };
            report(problems, document, &MCP, &Spanned::new((), node), |_, label| {
                Diagnostic::new(&MCP, format!("the variable `{}` is not set here", name.as_str()))
                    .primary(label.message(format!("without it server `{}` does not start", server.id.value)))
                    .help("set it where the team runs")
            });
        }
    }
}

fn settings(server: &ServerFields) -> impl Iterator<Item = &Setting> {
    [&server.env, &server.headers].into_iter().filter_map(|field| field.given()).flat_map(|list| &list.value)
}

use std::collections::BTreeSet;

use minds_diagnostics::{Diagnostic, Problems, rule};
use minds_document::Spanned;

use super::{non_empty, report};
use crate::Provider;
use crate::family::TeamFamily;
use crate::host::Host;
use crate::llm::ApiType;
use crate::mcp::{ServerFields, Setting, SettingValue};

rule! {
    pub(crate) static LLM {
        code: "llm/unset-variable",
        summary: "the environment variable that holds the key of a provider is not set here",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "unset_variable_llm.md",
    }

    pub(crate) static MCP {
        code: "mcp/unset-variable",
        summary: "an environment variable that a server needs is not set here",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "unset_variable_mcp.md",
    }
}

pub(super) fn check(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    check_own_providers(family, host, problems);
    check_builtin_providers(family, host, problems);
    check_servers(family, host, problems);
}

/// Returns why a variable that must contain a key is unusable: it is empty or not set.
fn missing_value(host: &Host, variable: &str) -> Option<&'static str> {
    match (host.has(variable), host.has_text_in(variable)) {
        (_, true) => None,
        (true, false) => Some("is empty"),
        (false, false) => Some("is not set"),
    }
}

fn check_own_providers(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    let Some((llm, document)) = family.readable_llm() else { return };
    for provider in &llm.providers {
        let Some(fields) = provider.fields.as_given() else { continue };
        let needs_key = fields.value.api_type.as_given().is_none_or(|api_type| api_type.value.needs_key());
        let Some(variable) = fields.value.api_key_env_var.as_given().filter(|_| needs_key) else { continue };
        let Some(missing_value) = missing_value(host, variable.value.as_str()) else { continue };
        report(problems, document, &LLM, variable, |_, label| {
            Diagnostic::new(&LLM, format!("the variable `{}` {missing_value} here", variable.value.as_str()))
                .primary(label.message(format!("must contain the key of provider `{}`", provider.key.value)))
                .help("set it where the team runs")
        });
    }
}

/// Reports each built-in provider once, at the place where the first member that uses it names it.
fn check_builtin_providers(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    let Some((team, document)) = family.readable_team() else { return };
    // An unreadable part of `llm.yaml` may replace any built-in provider.
    if family.providers.is_incomplete() {
        return;
    }
    let mut seen = BTreeSet::new();
    for member in team.effective() {
        let Some(provider) = non_empty(member.field(|fields| &fields.provider)) else { continue };
        if !seen.insert(provider.value.as_str()) {
            continue;
        }
        let builtin = family.providers.find(&provider.value).and_then(Provider::builtin);
        let Some(builtin) = builtin.filter(|builtin| needs_key(builtin.api_type)) else { continue };
        let Some(missing_value) = missing_value(host, builtin.api_key_env_var) else { continue };
        report(problems, document, &LLM, provider, |_, label| {
            Diagnostic::new(&LLM, format!("the variable `{}` {missing_value} here", builtin.api_key_env_var))
                .primary(label.message("this provider reads its key from it"))
                .help("set it where the team runs")
        });
    }
}

fn needs_key(api_type: &str) -> bool {
    ApiType::ALL.iter().find(|known| known.as_str() == api_type).is_none_or(|known| known.needs_key())
}

fn check_servers(family: &TeamFamily, host: &Host, problems: &mut Problems) {
    let Some((mcp, document)) = family.readable_mcp() else { return };
    for server in &mcp.servers {
        let Some(fields) = server.fields.as_given() else { continue };
        // A disabled server is not started, so it needs no variables.
        if fields.value.enabled.as_given().is_some_and(|enabled| !enabled.value) {
            continue;
        }
        for value in settings(&fields.value).filter_map(|setting| setting.value.as_given()) {
            let SettingValue::Variable { name, .. } = &value.value else { continue };
            // An empty value is valid for a server.
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
    [&server.env, &server.headers]
        .into_iter()
        .filter_map(|field| field.as_given())
        .flat_map(|list| &list.value)
}

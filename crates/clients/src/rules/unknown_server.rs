use std::collections::BTreeSet;

use minds_diagnostics::{Candidates, Diagnostic, Severity, Span, rule};

use super::invalid_server::servers;
use super::{Check, shorten, tools};
use crate::family::ClientFile;
use crate::kind::Kind;
use crate::tree::{Item, Value};

rule! {
    pub(crate) static RULE {
        code: "client/unknown-server",
        summary: "a file names an MCP server that `.mcp.json` does not have",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_server.md",
    }
}

/// Servers that Claude Code and its integrations bring.
const BUILT_IN: [&str; 4] = ["ide", "claude_ai", "claude-in-chrome", "plugin_"];
/// The keys of settings that name servers of `.mcp.json` only.
const SETTINGS_KEYS: [&str; 2] = ["enabledMcpjsonServers", "disabledMcpjsonServers"];

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let files: Vec<&ClientFile> = family.of("claude-code", Kind::Mcp).collect();
    // Without the file, or if one cannot be read, every server may be one of the user.
    if files.is_empty() || files.iter().any(|file| file.content.data.is_none()) {
        return;
    }
    let names: BTreeSet<&str> =
        files.iter().flat_map(|file| servers(file)).map(|server| server.key.as_str()).collect();
    let known: BTreeSet<String> = names.iter().map(|name| tool_part(name)).collect();
    let candidates = Candidates::new(names.iter().copied());
    let mut reported = Vec::new();
    for file in family.files.iter().filter(|file| file.client.id == "claude-code") {
        match file.kind {
            Kind::Agent => {
                for (name, span) in named_by_agent(file) {
                    if !known.contains(&tool_part(name))
                        && !BUILT_IN.iter().any(|other| name.starts_with(other))
                    {
                        reported.push((file, name, span, false));
                    }
                }
            }
            Kind::Settings => {
                for item in SETTINGS_KEYS.iter().filter_map(|key| file.get(key)).flat_map(Item::items) {
                    if let Some(name) = item.text().filter(|name| !names.contains(name)) {
                        reported.push((file, name, item.span, true));
                    }
                }
            }
            _ => {}
        }
    }
    for (file, name, span, is_certain) in reported {
        let near = candidates.did_you_mean(name);
        check.report(&RULE, file, span, |label| {
            let found = Diagnostic::new(&RULE, format!("unknown MCP server `{}`", shorten(name)))
                .primary(label.message("not in `.mcp.json`"));
            let found = if near.is_some() || is_certain {
                found
            } else {
                found.severity(Severity::Info).note("the servers of the user are not checked")
            };
            found.help(near.unwrap_or_else(|| "add it to `.mcp.json`, or correct the name".to_owned()))
        });
    }
}

/// Returns the servers that an agent names, in its tools and in `mcpServers`.
fn named_by_agent(file: &ClientFile) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for entry in tools::entries(file) {
        let Some(rest) = entry.name().strip_prefix("mcp__") else { continue };
        let server = rest.split_once("__").map_or(rest, |(server, _)| server);
        if !server.is_empty() && !server.contains('*') {
            found.push((server, entry.span));
        }
    }
    let listed = file.get("mcpServers").map(Item::items).unwrap_or_default();
    for item in listed.iter().filter(|item| matches!(item.value, Value::String(_))) {
        found.extend(item.text().map(|name| (name, item.span)));
    }
    found
}

/// Returns the name of a server as it is in the names of its tools.
fn tool_part(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    name.chars().map(keep).collect()
}

//! The files of an imported team.

use minds_clients::Client;
use minds_core::catalog::Ability;
use minds_core::{LLM_FILE, MCP_FILE, MINDS_FOLDER, TEAM_FILE, catalog};

use crate::abilities::grants;
use crate::findings::{Findings, shorten};
use crate::team::{
    ImportedMember, ImportedServer, ImportedTeam, ModelParam, ParamKind, ServerGrant, ServerTransport,
    SettingValue,
};
use crate::yaml::{Yaml, quote};

/// The files of each client that decide over its agents. Members do not write them.
const PROTECTED: [(&str, &[&str]); 6] = [
    ("claude-code", &[".claude", ".mcp.json", "CLAUDE.md"]),
    ("codex", &[".agents", ".codex", "AGENTS.md"]),
    ("gemini", &[".gemini", "GEMINI.md"]),
    ("opencode", &[".opencode", "AGENTS.md", "opencode.json", "opencode.jsonc"]),
    ("cursor", &[".cursor", ".cursorignore"]),
    ("copilot", &[".github/agents", ".vscode"]),
];

/// The entries of a list of access.
type Entries = Vec<String>;

/// The four lists of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lists {
    read: Entries,
    write: Entries,
    no_read: Entries,
    no_write: Entries,
}

/// Writes the files of a team, by path.
pub(crate) fn write(
    team: &ImportedTeam,
    clients: &[&'static Client],
    findings: &mut Findings,
) -> Vec<(String, String)> {
    let mut files = vec![(TEAM_FILE.to_owned(), write_team(team, clients, findings))];
    if !team.providers.is_empty() {
        files.push((LLM_FILE.to_owned(), write_providers(team)));
    }
    if !team.servers.is_empty() {
        files.push((MCP_FILE.to_owned(), write_servers(&team.servers)));
    }
    for member in team.members.iter().filter(|member| !member.persona.is_empty()) {
        files.push((format!("{MINDS_FOLDER}/{}/persona.md", member.id), member.persona.clone()));
    }
    files
}

/// Returns the entries that protect the files of clients.
fn protected_entries(clients: &[&'static Client]) -> Entries {
    let mut entries: Entries = Vec::new();
    for (_, paths) in PROTECTED.iter().filter(|(id, _)| clients.iter().any(|client| client.id == *id)) {
        for path in *paths {
            if !entries.iter().any(|entry| entry == path) {
                entries.push((*path).to_owned());
            }
        }
    }
    entries
}

fn lists(member: &ImportedMember, protected: &[String]) -> Lists {
    let mut no_write = protected.to_vec();
    let more = member.access.write.deny.iter().filter(|entry| !protected.contains(entry));
    no_write.extend(more.cloned());
    let allow = |allow: &Option<Entries>| allow.clone().unwrap_or_default();
    Lists {
        read: allow(&member.access.read.allow),
        write: allow(&member.access.write.allow),
        no_read: member.access.read.deny.clone(),
        no_write,
    }
}

fn write_team(team: &ImportedTeam, clients: &[&'static Client], findings: &mut Findings) -> String {
    let names: Vec<&str> = clients.iter().map(|client| client.name.as_str()).collect();
    let protected = protected_entries(clients);
    let all: Vec<Lists> = team.members.iter().map(|member| lists(member, &protected)).collect();
    let shared = |get: fn(&Lists) -> &Entries| -> Option<Entries> {
        let first = get(all.first()?);
        all.iter().all(|lists| get(lists) == first).then(|| first.clone())
    };
    let no_read = shared(|lists| &lists.no_read).unwrap_or_default();
    let no_write = shared(|lists| &lists.no_write).unwrap_or_else(|| protected.clone());
    let mut yaml = Yaml::default();
    yaml.comment(&format!("Made from the files of {} by `minds init --from`.", names.join(", ")));
    yaml.mapping("member_defaults", |yaml| {
        yaml.string("provider", &team.model.provider);
        yaml.string("model", &team.model.model);
        yaml.list("no_read_dirs", &no_read);
        yaml.list("no_write_dirs", &no_write);
    });
    if let Some(responder) = &team.responder {
        yaml.blank_line();
        yaml.string("default_responder", responder);
    }
    let with_shell: Vec<&str> = team
        .members
        .iter()
        .filter(|member| member.abilities.contains(&Ability::Shell) && !member.is_hidden)
        .map(|member| member.id.as_str())
        .collect();
    if !with_shell.is_empty() {
        yaml.blank_line();
        yaml.comment("Access lists do not restrict the commands of these members.");
        yaml.list("shell_specialists", &with_shell);
    }
    yaml.blank_line();
    yaml.mapping("members", |yaml| {
        for (at, (member, lists)) in team.members.iter().zip(&all).enumerate() {
            if at > 0 {
                yaml.blank_line();
            }
            yaml.comment(member.place.source.name());
            let own = Lists {
                no_read: if lists.no_read == no_read { Vec::new() } else { lists.no_read.clone() },
                no_write: if lists.no_write == no_write { Vec::new() } else { lists.no_write.clone() },
                ..lists.clone()
            };
            yaml.mapping(&member.id, |yaml| write_member(yaml, team, member, &own, findings));
        }
    });
    yaml.into_text()
}

fn write_member(
    yaml: &mut Yaml,
    team: &ImportedTeam,
    member: &ImportedMember,
    lists: &Lists,
    findings: &mut Findings,
) {
    if let Some(name) = &member.name {
        yaml.string("name", name);
    }
    if !member.description.gofor.is_empty() {
        yaml.string("gofor", &member.description.gofor);
    }
    yaml.list("nogo", &member.description.nogo);
    if let Some(model) = &member.model {
        yaml.string("provider", &model.provider);
        yaml.string("model", &model.model);
    }
    write_params(yaml, team, member, findings);
    let (toolsets, tools) = grants(&member.abilities);
    let mut toolsets: Entries = toolsets.into_iter().map(str::to_owned).collect();
    if let ServerGrant::Only(ids) = &member.servers {
        toolsets.extend(ids.iter().cloned());
    }
    yaml.list("toolsets", &toolsets);
    let mut tools: Entries = tools.into_iter().map(str::to_owned).collect();
    tools.extend(member.server_tools.iter().cloned());
    yaml.list("tools", &tools);
    yaml.list("read_dirs", &lists.read);
    yaml.list("write_dirs", &lists.write);
    yaml.list("no_read_dirs", &lists.no_read);
    yaml.list("no_write_dirs", &lists.no_write);
    if member.is_hidden {
        yaml.plain("hidden", "true");
    }
}

/// Writes the parameters of the model that its provider has.
fn write_params(yaml: &mut Yaml, team: &ImportedTeam, member: &ImportedMember, findings: &mut Findings) {
    let provider = &member.model.as_ref().unwrap_or(&team.model).provider;
    let own = team.providers.iter().find(|own| own.key == *provider).map(|own| own.api_type.as_str());
    let Some(section) = own.or_else(|| catalog::find_provider(provider).map(|known| known.api_type)) else {
        return;
    };
    let mut lines: Vec<(ParamKind, &str, String)> = Vec::new();
    for param in &member.params {
        match translate(section, param) {
            Some((key, value)) => {
                lines.retain(|(kind, ..)| *kind != param.kind);
                lines.push((param.kind, key, value));
            }
            None => findings.report_loss(
                &param.place,
                format!(
                    "the value `{}` has no counterpart in `model_params` of `{section}`",
                    shorten(&param.value)
                ),
                "choose a value of the provider in `model_params`",
            ),
        }
    }
    lines.sort_by_key(|(kind, ..)| *kind);
    if lines.is_empty() {
        return;
    }
    yaml.mapping("model_params", |yaml| {
        yaml.mapping(section, |yaml| {
            for (_, key, value) in &lines {
                yaml.plain(key, value);
            }
        });
    });
}

/// Returns a parameter in the form of a protocol.
fn translate(section: &str, param: &ModelParam) -> Option<(&'static str, String)> {
    let is_openai = matches!(section, "codex" | "openai" | "openai-compatible");
    let value = param.value.trim();
    let number =
        || value.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.to_string());
    let word = |words: &[&str]| words.contains(&value).then(|| quote(value));
    match param.kind {
        ParamKind::Temperature => Some(("temperature", number()?)),
        ParamKind::TopP => Some(("top_p", number()?)),
        ParamKind::Effort if is_openai => {
            Some(("reasoning_effort", word(&["none", "minimal", "low", "medium", "high", "xhigh", "max"])?))
        }
        ParamKind::Effort => match value {
            "low" | "medium" | "high" => Some(("thinking", value.to_owned())),
            "xhigh" | "max" => Some(("thinking", "high".to_owned())),
            _ => None,
        },
        ParamKind::Verbosity if is_openai => Some(("verbosity", word(&["low", "medium", "high"])?)),
        ParamKind::ReasoningSummary if is_openai => {
            Some(("reasoning_summary", word(&["auto", "concise", "detailed", "none"])?))
        }
        ParamKind::ServiceTier if is_openai => {
            Some(("service_tier", word(&["auto", "default", "flex", "scale", "priority"])?))
        }
        ParamKind::WebSearch if section == "codex" => {
            Some(("web_search", word(&["disabled", "cached", "live"])?))
        }
        _ => None,
    }
}

fn write_providers(team: &ImportedTeam) -> String {
    let mut yaml = Yaml::default();
    yaml.comment("Providers of models that the built-in catalog does not have.");
    yaml.mapping("providers", |yaml| {
        for provider in &team.providers {
            yaml.mapping(&provider.key, |yaml| {
                yaml.string("name", &provider.name);
                yaml.string("apiType", &provider.api_type);
                yaml.string("baseUrl", &provider.base_url);
                yaml.string("apiKeyEnvVar", &provider.api_key_variable);
                yaml.mapping("models", |yaml| {
                    for model in &provider.models {
                        yaml.mapping(model, |_| {});
                    }
                });
            });
        }
    });
    yaml.into_text()
}

fn write_servers(servers: &[ImportedServer]) -> String {
    let mut yaml = Yaml::default();
    yaml.comment("Each server is a toolset of members with its id as the name.");
    yaml.plain("version", "1");
    yaml.mapping("servers", |yaml| {
        for server in servers {
            yaml.comment(server.place.source.name());
            yaml.mapping(&server.id, |yaml| write_server(yaml, server));
        }
    });
    yaml.into_text()
}

fn write_server(yaml: &mut Yaml, server: &ImportedServer) {
    match &server.transport {
        ServerTransport::Program { command, args, env, cwd } => {
            yaml.plain("transport", "stdio");
            yaml.string("command", command);
            yaml.list("args", args);
            write_settings(yaml, "env", env);
            if let Some(cwd) = cwd {
                yaml.string("cwd", cwd);
            }
        }
        ServerTransport::Url { url, headers } => {
            yaml.plain("transport", "streamable_http");
            yaml.string("url", url);
            write_settings(yaml, "headers", headers);
        }
    }
    if !server.whitelist.is_empty() || !server.blacklist.is_empty() {
        yaml.mapping("tools", |yaml| {
            yaml.list("whitelist", &server.whitelist);
            yaml.list("blacklist", &server.blacklist);
        });
    }
    if !server.is_enabled {
        yaml.plain("enabled", "false");
    }
}

fn write_settings(yaml: &mut Yaml, key: &str, settings: &[(String, SettingValue)]) {
    if settings.is_empty() {
        return;
    }
    yaml.mapping(key, |yaml| {
        for (name, value) in settings {
            match value {
                SettingValue::Literal(text) => yaml.string(name, text),
                SettingValue::Variable { name: variable, prefix } => yaml.mapping(name, |yaml| {
                    yaml.string("env", variable);
                    if !prefix.is_empty() {
                        yaml.string("prefix", prefix);
                    }
                }),
            }
        }
    });
}

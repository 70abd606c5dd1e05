//! The files of Codex: `.codex/agents/` and `.codex/config.toml`.

mod profile;

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Item};
use minds_diagnostics::Label;

use crate::abilities;
use crate::agent;
use crate::context::{Context, SHELL_HELP};
use crate::fields::Fields;
use crate::findings::{place, shorten};
use crate::servers;
use crate::team::{
    ClientTeam, ImportedMember, ImportedProvider, ImportedServer, ModelParam, ModelReference, ParamKind,
    ServerGrant,
};
use crate::tools::Granted;
use profile::SessionLimits;

/// The parameters of models, by their keys.
const PARAMS: [(&str, ParamKind); 5] = [
    ("model_reasoning_effort", ParamKind::Effort),
    ("model_verbosity", ParamKind::Verbosity),
    ("model_reasoning_summary", ParamKind::ReasoningSummary),
    ("service_tier", ParamKind::ServiceTier),
    ("web_search", ParamKind::WebSearch),
];

/// What the configuration says about all roles.
#[derive(Default)]
struct Session {
    limits: SessionLimits,
    model: Option<ModelReference>,
    params: Vec<ModelParam>,
    servers: Vec<ImportedServer>,
    /// Roles in `[agents]`, each with its description, its file and its place.
    roles: Vec<(String, String, Option<String>, Label)>,
}

pub(crate) fn read(cx: &mut Context<'_>) -> ClientTeam {
    let mut session = match cx.file(".codex/config.toml") {
        Some(file) => read_config(cx, file),
        None => Session { limits: SessionLimits::unknown(), ..Session::default() },
    };
    let mut members: Vec<ImportedMember> = Vec::new();
    for file in cx.agents(&[".codex/agents/"]) {
        members.extend(read_role(cx, file, &session));
    }
    for (name, description, file, at) in std::mem::take(&mut session.roles) {
        if let Some(member) = members.iter_mut().find(|member| member.agent == name) {
            if member.description.gofor.is_empty() {
                member.description = crate::description::split(&description);
            }
        } else {
            let why = if file.is_some() { "its file is not in `.codex/agents/`" } else { "it has no file" };
            cx.findings.report_lost_limit(
                &at,
                format!("the role `{}` does not become a member: {why}", shorten(&name)),
                "move its file into `.codex/agents/`, and import again",
            );
        }
    }
    let first = members.first().map(|member| member.place.clone());
    if let Some(first) = first {
        cx.findings.report_narrower(
            &first,
            "members of Codex do not get a shell: its sandbox restricts commands, and access lists do not",
            SHELL_HELP,
        );
    }
    ClientTeam { client: cx.client, members, servers: session.servers, model: session.model, responder: None }
}

fn read_config(cx: &mut Context<'_>, file: &ClientFile) -> Session {
    let mut fields = Fields::new(file.content.data.as_ref());
    let mut session = Session::default();
    let provider = fields.text("model_provider");
    for entry in fields.get("model_providers").map(Item::entries).unwrap_or_default() {
        if provider == Some(entry.key.as_str()) {
            read_provider(cx, file, &entry.key, &entry.item);
        } else {
            cx.findings.report_loss(
                &place(file, entry.key_span),
                format!("the provider `{}` is not used", shorten(&entry.key)),
                "add it to `.minds/llm.yaml` if members need its models",
            );
        }
    }
    if let Some(item) = fields.get("model")
        && let Some(text) = item.text()
    {
        let name = match provider.filter(|provider| *provider != "openai") {
            Some(provider) => format!("{provider}/{text}"),
            None => text.to_owned(),
        };
        session.model = cx.providers.resolve(cx.client, &name, &place(file, item.span), &mut cx.findings);
    }
    session.params = read_params(file, &mut fields);
    session.servers = servers::read(cx, file, fields.get("mcp_servers"));
    session.limits = profile::read(cx, file, &mut fields);
    read_roles(cx, file, &mut fields, &mut session);
    // A session of Codex asks before commands outside of the sandbox; members have no commands.
    fields.skip(&["approval_policy"]);
    cx.report_rest(file, "the configuration", fields);
    session
}

fn read_roles(cx: &mut Context<'_>, file: &ClientFile, fields: &mut Fields<'_>, session: &mut Session) {
    let mut agents = Fields::new(fields.get("agents"));
    agents.skip(&["enabled"]);
    let entries: Vec<_> = agents.rest().collect();
    for entry in entries {
        let at = place(file, entry.key_span);
        if entry.item.entries().is_empty() {
            cx.findings.report_loss(
                &at,
                format!("`{}` of the agents has no counterpart in a team", shorten(&entry.key)),
                "keep the file of the client if it is needed there",
            );
            continue;
        }
        let text = |key: &str| entry.item.get(key).and_then(Item::text).map(str::to_owned);
        session.roles.push((
            entry.key.clone(),
            text("description").unwrap_or_default(),
            text("config_file"),
            at,
        ));
    }
}

fn read_params(file: &ClientFile, fields: &mut Fields<'_>) -> Vec<ModelParam> {
    let mut params = Vec::new();
    for (key, kind) in PARAMS {
        if let Some(item) = fields.get(key)
            && let Some(text) = item.text()
        {
            params.push(ModelParam { kind, value: text.to_owned(), place: place(file, item.span) });
        }
    }
    params
}

/// Reads a provider of models.
fn read_provider(cx: &mut Context<'_>, file: &ClientFile, key: &str, item: &Item) {
    let mut fields = Fields::new(Some(item));
    let name = fields.text("name").unwrap_or(key).to_owned();
    let url = fields.text("base_url").and_then(|url| minds_document::UrlKind::HTTP.parse(url).ok());
    let variable = fields.text("env_key").and_then(minds_core::EnvVar::parse);
    let api_type = if fields.text("wire_api") == Some("responses") { "openai" } else { "openai-compatible" };
    let is_new = minds_core::catalog::find_provider(key).is_none() && !key.is_empty();
    if let (Some(url), true) = (url, is_new) {
        let variable = variable.map_or_else(
            || crate::server_values::variable_name(&format!("{key}_API_KEY")),
            |variable| variable.as_str().to_owned(),
        );
        cx.providers.add(ImportedProvider {
            key: key.to_owned(),
            name,
            api_type: api_type.to_owned(),
            base_url: url.to_owned(),
            api_key_variable: variable,
            models: BTreeSet::new(),
        });
    }
    cx.report_rest(file, &format!("the provider `{}`", shorten(key)), fields);
}

fn read_role(cx: &mut Context<'_>, file: &ClientFile, session: &Session) -> Option<ImportedMember> {
    let mut fields = Fields::new(file.content.data.as_ref());
    for key in ["name", "description", "developer_instructions"] {
        if fields.text(key).is_none_or(|text| text.trim().is_empty()) {
            agent::report_incomplete(cx, file, key);
            return None;
        }
    }
    let name = fields.entry("name")?;
    let agent = name.item.text()?;
    let description = fields.text("description").unwrap_or_default();
    let persona = fields.text("developer_instructions").unwrap_or_default();
    let granted = Granted {
        abilities: abilities::with_files(),
        servers: ServerGrant::AllExcept(BTreeSet::new()),
        ..Granted::nothing()
    };
    let mut member = agent::member(cx, place(file, name.item.span), (agent, description, persona), &granted);
    member.access = session.limits.access.clone();
    agent::read_model(cx, file, &mut fields, &mut member);
    let own = read_params(file, &mut fields);
    let is_own = |kind: ParamKind| own.iter().any(|param| param.kind == kind);
    let inherited = session.params.iter().filter(|param| !is_own(param.kind)).cloned();
    member.params = inherited.chain(own.iter().cloned()).collect();
    // Codex ignores the sandbox of a role; what the role says is kept if it is narrower.
    for key in ["sandbox_mode", "default_permissions", "permissions", "sandbox_workspace_write"] {
        let Some(entry) = fields.entry(key) else { continue };
        let is_narrower = entry.item.text() == Some("read-only") || entry.item.text() == Some(":read-only");
        if is_narrower && !member.access.write.is_closed {
            member.access.write.is_closed = true;
            cx.findings.report_narrower(
                &place(file, entry.key_span),
                format!("`{}` does not write, as its file says; Codex ignores it", shorten(agent)),
                "remove the line if the member may write",
            );
        } else if !is_narrower {
            cx.findings.report_loss(
                &place(file, entry.key_span),
                format!("`{key}` of the role `{}` has no effect in Codex", shorten(agent)),
                "write the access lists of the member in `.minds/team.yaml`",
            );
        }
    }
    let mut features = Fields::new(fields.get("features"));
    // Members have no shell anyway.
    features.skip(&["shell_tool"]);
    cx.report_rest(file, &format!("the features of `{}`", shorten(agent)), features);
    cx.report_rest(file, &format!("the role `{}`", shorten(agent)), fields);
    Some(member)
}

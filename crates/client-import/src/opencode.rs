//! The files of opencode: `opencode.json`, `.opencode/opencode.json` and `.opencode/agents/`.

mod permissions;

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Entry, Item};
use minds_diagnostics::Label;

use crate::agent;
use crate::context::Context;
use crate::fields::{Fields, is_true};
use crate::findings::{place, shorten};
use crate::servers;
use crate::team::{
    ClientTeam, ImportedMember, ImportedProvider, ImportedServer, ModelReference, ParamKind, ServerGrant,
};
use crate::tools::{Granted, ShellRules, settle_shell};
use permissions::{Decision, PermissionRule};

/// The files with settings, in the order in which they are merged.
const CONFIGS: [&str; 4] =
    ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];

/// What the settings say about all agents.
#[derive(Default)]
struct Session<'i> {
    /// The rules of each file.
    rules: Vec<Vec<PermissionRule<'i>>>,
    servers: Vec<ImportedServer>,
    model: Option<ModelReference>,
    responder: Option<(String, Label)>,
    /// Agents in the settings, each with its file.
    agents: Vec<(&'i ClientFile, &'i Entry)>,
}

pub(crate) fn read(cx: &mut Context<'_>) -> ClientTeam {
    let mut session = Session::default();
    for path in CONFIGS {
        if let Some(file) = cx.file(path) {
            read_config(cx, file, &mut session);
        }
    }
    let folders = [".opencode/agents/", ".opencode/agent/"];
    let mut members = Vec::new();
    let mut names = BTreeSet::new();
    for file in cx.agents(&folders) {
        let path = file.path.as_str();
        let path = folders.iter().find_map(|folder| path.strip_prefix(folder)).unwrap_or(path);
        let name = path.strip_suffix(".md").unwrap_or(path);
        names.insert(name.to_owned());
        members.extend(read_agent(cx, file, name, file.content.data.as_ref(), Some(file.body()), &session));
    }
    for (file, entry) in std::mem::take(&mut session.agents) {
        // A file and the settings may define the same agent; the rules of both are in the file's member.
        if names.contains(&entry.key) {
            cx.findings.report_loss(
                &place(file, entry.key_span),
                format!(
                    "the settings and a file define `{}`; the member is made from the file",
                    shorten(&entry.key)
                ),
                "compare the member with the settings",
            );
            continue;
        }
        let member = read_agent(cx, file, &entry.key, Some(&entry.item), None, &session);
        members.extend(member.map(|member| ImportedMember { place: place(file, entry.key_span), ..member }));
    }
    ClientTeam {
        client: cx.client,
        members,
        servers: session.servers,
        model: session.model,
        responder: session.responder,
    }
}

fn read_config<'i>(cx: &mut Context<'_>, file: &'i ClientFile, session: &mut Session<'i>) {
    let mut fields = Fields::new(file.content.data.as_ref());
    fields.skip(&["$schema"]);
    for entry in fields.get("provider").map(Item::entries).unwrap_or_default() {
        read_provider(cx, file, entry);
    }
    if let Some(item) = fields.get("model")
        && let Some(text) = item.text()
    {
        session.model = cx.providers.resolve(cx.client, text, &place(file, item.span), &mut cx.findings);
    }
    if let Some(item) = fields.get("default_agent") {
        session.responder = item.text().map(|name| (name.to_owned(), place(file, item.span)));
    }
    if let Some(item) = fields.get("mcp") {
        // Version 2 has the servers in a mapping of their own.
        let newer = item
            .get("servers")
            .filter(|servers| servers.get("command").is_none() && servers.get("url").is_none());
        session.servers.extend(servers::read(cx, file, Some(newer.unwrap_or(item))));
    }
    let mut rules = permissions::read_rules(file, fields.get("permission"));
    rules.extend(permissions::read_rules(file, fields.get("permissions")));
    rules.extend(permissions::read_switches(file, fields.get("tools")));
    if !rules.is_empty() {
        session.rules.push(rules);
    }
    for key in ["agent", "agents", "mode"] {
        for entry in fields.get(key).map(Item::entries).unwrap_or_default() {
            session.agents.push((file, entry));
        }
    }
    cx.report_rest(file, "the settings", fields);
}

fn read_provider(cx: &mut Context<'_>, file: &ClientFile, entry: &Entry) {
    let mut fields = Fields::new(Some(&entry.item));
    let key = entry.key.as_str();
    let options = fields.entry("options");
    let text = |key: &str| options.and_then(|options| options.item.get(key)).and_then(Item::text);
    let url = text("baseURL").and_then(|url| minds_document::UrlKind::HTTP.parse(url).ok());
    let variable = text("apiKey")
        .and_then(|text| text.strip_prefix("{env:")?.strip_suffix('}'))
        .and_then(minds_core::EnvVar::parse);
    let is_known = minds_core::catalog::find_provider(key).is_some();
    let package = fields.text("npm").unwrap_or_default();
    let name = fields.text("name").unwrap_or(key).to_owned();
    let api_type = match package {
        _ if package.ends_with("anthropic") => "anthropic-compatible",
        _ if package.ends_with("/openai") => "openai",
        _ => "openai-compatible",
    };
    let what = format!("the provider `{}`", shorten(key));
    let mut inner = Fields::new(options.map(|options| &options.item));
    if let (Some(url), false) = (url, is_known) {
        let variable = variable.map_or_else(
            || crate::server_values::variable_name(&format!("{key}_API_KEY")),
            |variable| variable.as_str().to_owned(),
        );
        inner.skip(&["baseURL", "apiKey"]);
        let is_short = |entry: &&Entry| entry.key.len() <= MAX_KEY_BYTES;
        let models = fields.get("models").map(Item::entries).unwrap_or_default();
        cx.providers.add(ImportedProvider {
            key: key.to_owned(),
            name,
            api_type: api_type.to_owned(),
            base_url: url.to_owned(),
            api_key_variable: variable,
            models: models.iter().filter(is_short).map(|entry| entry.key.clone()).collect(),
        });
    }
    cx.report_rest(file, &what, inner);
    cx.report_rest(file, &what, fields);
}

/// The maximum length of a key that is written.
const MAX_KEY_BYTES: usize = 256;

fn read_agent(
    cx: &mut Context<'_>,
    file: &ClientFile,
    name: &str,
    item: Option<&Item>,
    body: Option<&str>,
    session: &Session<'_>,
) -> Option<ImportedMember> {
    let mut fields = Fields::new(item);
    let at = place(file, item.map_or(file.content.place, |item| item.span));
    if fields.get("disable").is_some_and(is_true) || fields.get("disabled").is_some_and(is_true) {
        cx.findings.report_loss(
            &at,
            format!("`{}` does not become a member: it is disabled", shorten(name)),
            "enable it, and import again",
        );
        return None;
    }
    let persona =
        body.or_else(|| fields.text("prompt")).or_else(|| fields.text("system")).unwrap_or_default();
    if body.is_none() && (persona.contains("{file:") || persona.contains("{env:")) {
        cx.findings.report_lost_limit(
            &at,
            format!(
                "the prompt of `{}` refers to another file or a variable, which a team does not read",
                shorten(name)
            ),
            "copy the text into the persona of the member",
        );
    }
    let description = fields.text("description").unwrap_or_default();
    let mut own = permissions::read_rules(file, fields.get("permission"));
    own.extend(permissions::read_rules(file, fields.get("permissions")));
    own.extend(permissions::read_switches(file, fields.get("tools")));
    let in_settings = session.agents.iter().filter(|(_, entry)| body.is_some() && entry.key == name);
    let mut lists: Vec<Vec<PermissionRule<'_>>> = session.rules.clone();
    let mut is_merged = session.rules.len() > 1;
    for (file, entry) in in_settings {
        is_merged = true;
        let mut rules = permissions::read_rules(file, entry.item.get("permission"));
        rules.extend(permissions::read_rules(file, entry.item.get("permissions")));
        rules.extend(permissions::read_switches(file, entry.item.get("tools")));
        lists.push(rules);
    }
    lists.push(own);
    let decision = Decision::of(cx, lists, is_merged, name);
    let granted = Granted {
        abilities: decision.abilities.clone(),
        servers: ServerGrant::AllExcept(decision.denied_servers(&session.servers)),
        ..Granted::nothing()
    };
    let mut member = agent::member(cx, at, (name, description, persona), &granted);
    member.access = decision.access.clone();
    member.is_hidden = fields.get("hidden").is_some_and(is_true);
    agent::read_model(cx, file, &mut fields, &mut member);
    agent::read_param(file, &mut fields, "variant", ParamKind::Effort, &mut member);
    agent::read_param(file, &mut fields, "temperature", ParamKind::Temperature, &mut member);
    agent::read_param(file, &mut fields, "top_p", ParamKind::TopP, &mut member);
    let shell = ShellRules { limit: decision.shell_limit.clone(), is_denied: decision.is_shell_denied };
    settle_shell(cx, &mut member, decision.shell.as_ref(), true, &shell);
    // Every member can be called, and can answer the user.
    fields.skip(&["mode"]);
    cx.report_rest(file, &format!("the agent `{}`", shorten(name)), fields);
    Some(member)
}

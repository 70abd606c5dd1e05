//! The files of Gemini CLI: `.gemini/agents/`, `.gemini/settings.json`, the policies that it names, and `.geminiignore`.

mod path_pattern;
mod policy;

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Item, Kind};
use minds_core::catalog::{Abilities, Ability};
use minds_diagnostics::{Label, Span};

use crate::abilities;
use crate::access::Access;
use crate::agent;
use crate::context::Context;
use crate::fields::{Fields, is_false};
use crate::findings::{place, shorten};
use crate::patterns::deny_of_git;
use crate::servers;
use crate::team::{ClientTeam, ImportedMember, ImportedServer, ModelReference, ParamKind};
use crate::tools::{Granted, ShellRules, read_names, settle_shell};
use policy::Policy;

/// What the settings say about all agents.
#[derive(Default)]
struct Session {
    access: Access,
    /// The only abilities of agents, if there is such a list.
    core: Option<Abilities>,
    removed: Abilities,
    shell: ShellRules,
    servers: Vec<ImportedServer>,
    model: Option<ModelReference>,
    /// The names of agents that are not used.
    disabled: BTreeSet<String>,
    policy: Policy,
    /// The place of a policy in a file that is not read.
    unread_policy: Option<Label>,
}

/// The policies of the user, which hold for each of their projects.
const USER_POLICIES: &str = "~/.gemini/policies";

pub(crate) fn read(cx: &mut Context<'_>) -> ClientTeam {
    let mut session = Session::default();
    if let Some(file) = cx.file(".gemini/settings.json") {
        read_settings(cx, file, &mut session);
    }
    for (pattern, at) in cx.ignored_patterns(".geminiignore") {
        if pattern.starts_with('!') {
            cx.findings.report_narrower(
                &at,
                format!("`{}` is left out: in a team, an entry that denies wins", shorten(&pattern)),
                "replace the entries that deny by those of the other directories",
            );
            continue;
        }
        session.access.read.add_denial(&deny_of_git(&anchor(&pattern), cx.directories));
    }
    let mut members = Vec::new();
    for file in cx.agents(&[".gemini/agents/"]) {
        members.extend(read_agent(cx, file, &mut session));
    }
    ClientTeam { client: cx.client, members, servers: session.servers, model: session.model, responder: None }
}

/// Returns a pattern of an ignore file with a leading `/` if it matches from the top only: it has a `/` in the middle.
pub(crate) fn anchor(pattern: &str) -> String {
    let stem = pattern.trim_start_matches('/');
    let is_anchored = pattern.starts_with('/') || stem.trim_end_matches('/').contains('/');
    if is_anchored && !stem.starts_with("**/") { format!("/{stem}") } else { stem.to_owned() }
}

fn read_settings(cx: &mut Context<'_>, file: &ClientFile, session: &mut Session) {
    let mut fields = Fields::new(file.content.data.as_ref());
    fields.skip(&["$schema"]);
    session.servers = servers::read(cx, file, fields.get("mcpServers"));
    if let Some(item) = fields.get("model") {
        let name = item.get("name").unwrap_or(item);
        if let Some(text) = name.text() {
            session.model = cx.providers.resolve(cx.client, text, &place(file, name.span), &mut cx.findings);
        }
    }
    if let Some(entry) = fields.entry("policyPaths") {
        read_policies(cx, file, entry.item.items(), session);
    }
    read_tools(cx, file, fields.get("tools"), session);
    let mut mcp = Fields::new(fields.get("mcp"));
    let names = |item: Option<&Item>| -> Option<Vec<String>> {
        Some(item?.items().iter().filter_map(Item::text).map(str::to_owned).collect())
    };
    let (allowed, excluded) = (names(mcp.get("allowed")), names(mcp.get("excluded")));
    for server in &mut session.servers {
        let is_excluded = excluded.as_ref().is_some_and(|names| names.contains(&server.name));
        let is_allowed = allowed.as_ref().is_none_or(|names| names.contains(&server.name));
        server.is_enabled &= is_allowed && !is_excluded;
    }
    cx.report_rest(file, "`mcp`", mcp);
    let overrides = fields.get("agents").and_then(|agents| agents.get("overrides"));
    for entry in overrides.map(Item::entries).unwrap_or_default() {
        if entry.item.get("enabled").is_some_and(is_false) {
            session.disabled.insert(entry.key.clone());
        }
        let mut inner = Fields::new(Some(&entry.item));
        inner.skip(&["enabled"]);
        cx.report_rest(file, &format!("the settings of `{}`", shorten(&entry.key)), inner);
    }
    if let Some(entry) = fields.entry("hooks") {
        cx.findings.report_lost_limit(
            &place(file, entry.key_span),
            "the hooks are not carried over: what they deny is not denied to members",
            "write what they deny into the access lists of the members",
        );
    }
    cx.report_rest(file, "the settings", fields);
}

/// Reads the policies that the settings name.
fn read_policies(cx: &mut Context<'_>, settings: &ClientFile, paths: &[Item], session: &mut Session) {
    let known: Vec<String> = cx.family.of("gemini", Kind::Policy).map(|file| file.path.to_string()).collect();
    for item in paths {
        let path = item.text().unwrap_or_default().trim_start_matches("./").trim_end_matches('/');
        if path == USER_POLICIES {
            continue;
        }
        let is_in = |file: &&String| {
            **file == path || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
        };
        let files: Vec<&String> = known.iter().filter(is_in).collect();
        if files.is_empty() {
            session.unread_policy.get_or_insert(place(settings, item.span));
        }
        for path in files {
            if let Some(file) = cx.file(path) {
                session.policy.add(file);
            }
        }
    }
}

fn read_tools(cx: &mut Context<'_>, file: &ClientFile, tools: Option<&Item>, session: &mut Session) {
    let mut fields = Fields::new(tools);
    if let Some(core) = fields.get("core") {
        let mut all = Abilities::new();
        for item in core.items() {
            let Some(text) = item.text() else { continue };
            let (name, specifier) =
                text.split_once('(').map_or((text, None), |(name, rest)| (name, Some(rest)));
            let found = abilities::find(cx.client, name).unwrap_or_default();
            if found.contains(&Ability::Shell) && specifier.is_some() {
                session.shell.limit = Some(place(file, item.span));
            }
            all.extend(found);
        }
        session.shell.is_denied |= !all.contains(&Ability::Shell);
        session.core = Some(all);
    }
    for item in fields.get("exclude").map(Item::items).unwrap_or_default() {
        let Some(text) = item.text() else { continue };
        let (name, specifier) = text.split_once('(').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let found = abilities::find(cx.client, name).unwrap_or_default();
        if found.contains(&Ability::Shell) && specifier.is_some() {
            session.shell.limit = Some(place(file, item.span));
            continue;
        }
        session.shell.is_denied |= found.contains(&Ability::Shell);
        session.removed.extend(found);
    }
    // Tools that are used without asking: a team never asks.
    fields.skip(&["allowed"]);
    if let Some(item) = fields.get("confirmationRequired") {
        for item in item.items() {
            let Some(found) = item.text().and_then(|name| abilities::find(cx.client, name)) else { continue };
            session.shell.is_denied |= found.contains(&Ability::Shell);
            session.removed.extend(found);
            cx.findings.report_narrower(
                &place(file, item.span),
                "members do not have the tool: Gemini CLI asks before each use, and a team never asks",
                "add the tool to members that may use it without asking",
            );
        }
    }
    cx.report_rest(file, "the tools", fields);
}

fn read_agent(cx: &mut Context<'_>, file: &ClientFile, session: &mut Session) -> Option<ImportedMember> {
    let mut fields = Fields::new(file.content.data.as_ref());
    for key in ["name", "description"] {
        if fields.text(key).is_none() {
            agent::report_incomplete(cx, file, key);
            return None;
        }
    }
    let name = fields.entry("name")?;
    let agent = name.item.text()?;
    let description = fields.text("description").unwrap_or_default();
    let kind = fields.entry("kind");
    if let Some(kind) = kind.filter(|kind| kind.item.text() == Some("remote")) {
        cx.findings.report_lost_limit(
            &place(file, kind.item.span),
            format!("`{}` does not become a member: it is an agent on another machine", shorten(agent)),
            "a team has no members on other machines",
        );
        return None;
    }
    let listed: Vec<(&str, Span)> = fields
        .get("tools")
        .map(|item| item.items().iter().filter_map(|item| Some((item.text()?, item.span))).collect())
        .unwrap_or_default();
    let has_list = file.get("tools").is_some();
    let mut granted =
        if has_list { read_names(cx, file, &listed, &session.servers, agent) } else { Granted::everything() };
    if let Some(core) = &session.core {
        granted.abilities.retain(|ability| core.contains(ability));
    }
    granted.abilities.retain(|ability| !session.removed.contains(ability));
    for tool in ["glob", "grep_search"] {
        if session.policy.may_deny(agent, tool) {
            let denied = abilities::find(cx.client, tool).unwrap_or_default();
            granted.abilities.retain(|ability| !denied.contains(ability));
        }
    }
    if let Some(unread) = &session.unread_policy {
        granted = Granted::nothing();
        cx.findings.report_narrower(
            unread,
            "members of Gemini CLI have no tools: a policy is not in the workspace, and may deny anything",
            "add toolsets and access lists to the members as the policies require",
        );
    }
    let mut member =
        agent::member(cx, place(file, name.item.span), (agent, description, file.body()), &granted);
    member.access = session.access.clone();
    member.access.restrict(&session.policy.access(cx, agent));
    member.name = fields.text("display_name").map(str::to_owned);
    agent::read_model(cx, file, &mut fields, &mut member);
    agent::read_param(file, &mut fields, "temperature", ParamKind::Temperature, &mut member);
    if session.unread_policy.is_none() {
        let inherits = !has_list || listed.iter().any(|(name, _)| *name == "*");
        let shell = granted.shell.clone();
        let mut rules = session.shell.clone();
        rules.is_denied |= session.policy.may_deny(agent, "run_shell_command");
        settle_shell(cx, &mut member, shell.as_ref(), inherits, &rules);
    }
    cx.report_rest(file, &format!("the agent `{}`", shorten(agent)), fields);
    if session.disabled.contains(agent) {
        cx.findings.report_lost_limit(
            &member.place,
            format!("`{}` does not become a member: the settings disable it", shorten(agent)),
            "enable it in `.gemini/settings.json`, and import again",
        );
        return None;
    }
    Some(member)
}

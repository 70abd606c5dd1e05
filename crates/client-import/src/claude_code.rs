//! The files of Claude Code: `.claude/agents/`, `.claude/settings.json` and `.mcp.json`.

mod session;

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Item, Value, read_tool_list};
use minds_core::catalog::Ability;
use minds_diagnostics::Span;

use crate::abilities;
use crate::access::Limits;
use crate::agent;
use crate::context::Context;
use crate::fields::Fields;
use crate::findings::{place, shorten};
use crate::patterns::{Allow, allow_of_git};
use crate::servers;
use crate::team::{ClientTeam, ImportedMember, ImportedServer, ParamKind, ServerGrant};
use crate::tools::{Granted, ServerTool, parse_server_tool, read_names, settle_shell};
use session::Session;

pub(crate) fn read(cx: &mut Context<'_>) -> ClientTeam {
    let mut found: Vec<ImportedServer> = Vec::new();
    if let Some(file) = cx.file(".mcp.json") {
        let mut fields = Fields::new(file.content.data.as_ref());
        found = servers::read(cx, file, fields.get("mcpServers"));
        cx.report_rest(file, "the list of MCP servers", fields);
    }
    let session = session::read(cx, &mut found);
    let mut members = Vec::new();
    for file in cx.agents(&[".claude/agents/"]) {
        members.extend(read_agent(cx, file, &session, &mut found));
    }
    ClientTeam {
        client: cx.client,
        members,
        servers: found,
        model: session.model.clone(),
        responder: session.responder.clone(),
    }
}

fn read_agent(
    cx: &mut Context<'_>,
    file: &ClientFile,
    session: &Session,
    servers: &mut Vec<ImportedServer>,
) -> Option<ImportedMember> {
    let mut fields = Fields::new(file.content.data.as_ref());
    let Some(name) =
        fields.entry("name").filter(|entry| entry.item.text().is_some_and(|text| !text.is_empty()))
    else {
        agent::report_incomplete(cx, file, "name");
        return None;
    };
    let description = fields.text("description").unwrap_or_default();
    if description.is_empty() {
        agent::report_incomplete(cx, file, "description");
        return None;
    }
    let agent = name.item.text().unwrap_or_default();
    let own = read_own_servers(cx, file, &mut fields, servers);
    let list = fields.get("tools");
    let mut granted = match list {
        // `tools:` without a value is an empty list.
        Some(item) => read_list(cx, file, item, servers, agent),
        None => Granted::everything(),
    };
    if let ServerGrant::Only(names) = &mut granted.servers {
        names.extend(own);
    }
    let is_listed = list.is_some();
    let mut shell = session.shell.clone();
    let mut limits = (Limits::default(), Limits::default());
    if let Some(item) = list {
        limits = read_specifiers(cx, file, item, agent, &mut shell);
    }
    if let Some(item) = fields.get("disallowedTools") {
        for (tool, _) in read_tool_list(item, &file.source) {
            remove_tool(cx, tool, servers, &mut granted, &mut shell);
        }
    }
    granted.abilities.retain(|ability| !session.removed.contains(ability));
    let mut member =
        agent::member(cx, place(file, name.item.span), (agent, description, file.body()), &granted);
    member.access = session.access.clone();
    member.access.read.restrict(&limits.0);
    member.access.write.restrict(&limits.1);
    let is_emptied = |own: &Limits, session: &Limits, all: &Limits| {
        own.allow.is_some() && !session.is_closed && all.is_closed
    };
    if is_emptied(&limits.1, &session.access.write, &member.access.write)
        || is_emptied(&limits.0, &session.access.read, &member.access.read)
    {
        cx.findings.report_narrower(
            &member.place,
            format!(
                "`{}` gets no tools for the limits in its list: the settings do not allow any of them",
                shorten(agent)
            ),
            "compare the paths in `tools` with the rules that allow in the settings",
        );
    }
    match fields.get("permissionMode").and_then(Item::text) {
        Some("plan") => member.access.write.is_closed = true,
        // What is not allowed is denied. A session that accepts all edits would allow more.
        Some("dontAsk") if !session.writes_all => {
            let mut only = Limits::default();
            only.allow_only(session.writable_entries.clone());
            member.access.write.restrict(&only);
        }
        _ => {}
    }
    agent::read_model(cx, file, &mut fields, &mut member);
    agent::read_param(file, &mut fields, "effort", ParamKind::Effort, &mut member);
    remove_servers(&mut member, &session.denied_servers);
    let listed = granted.shell.clone();
    let inherits = !is_listed || list.is_some_and(has_star);
    settle_shell(cx, &mut member, listed.as_ref(), inherits, &shell);
    if fields.get("memory").is_some() {
        cx.findings.report_narrower(
            &member.place,
            format!("`{}` has no memory, and does not get the tools that it switches on", shorten(agent)),
            "add the toolset `memory` if the runtime of the team provides it",
        );
    }
    cx.report_rest(file, &format!("the agent `{}`", shorten(agent)), fields);
    Some(member)
}

fn has_star(list: &Item) -> bool {
    list.text() == Some("*") || list.items().iter().any(|item| item.text() == Some("*"))
}

/// Reads the names of a list of tools, without what is in parentheses.
fn read_list(
    cx: &mut Context<'_>,
    file: &ClientFile,
    item: &Item,
    servers: &[ImportedServer],
    agent: &str,
) -> Granted {
    let entries = read_tool_list(item, &file.source);
    let names: Vec<(&str, Span)> = entries
        .iter()
        .map(|(text, span)| (text.split_once('(').map_or(*text, |(name, _)| name), *span))
        .collect();
    read_names(cx, file, &names, servers, agent)
}

/// Returns the limits that a list of tools states in parentheses. Claude Code ignores them, and gives the whole tool.
fn read_specifiers(
    cx: &mut Context<'_>,
    file: &ClientFile,
    list: &Item,
    agent: &str,
    shell: &mut crate::tools::ShellRules,
) -> (Limits, Limits) {
    let (mut read, mut write) = (Limits::default(), Limits::default());
    let (mut readable, mut writable) = (None, None);
    let entries = read_tool_list(list, &file.source);
    for (text, span) in &entries {
        let Some((tool, rest)) = text.split_once('(') else { continue };
        let specifier = rest.strip_suffix(')').unwrap_or(rest);
        let at = place(file, *span);
        let allowed: &mut Option<Vec<String>> = match tool {
            "Read" | "Grep" | "Glob" => &mut readable,
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => &mut writable,
            "Bash" | "PowerShell" => {
                shell.limit.get_or_insert(at);
                continue;
            }
            _ => continue,
        };
        let allowed = allowed.get_or_insert_default();
        if let Allow::Entry(entry) = allow_of_git(specifier, cx.directories) {
            allowed.push(entry);
        }
        cx.findings.report_narrower(
            &at,
            format!("`{}` is limited to `{}`, which Claude Code ignores", shorten(agent), shorten(specifier)),
            "remove the list from the member if it may use the whole workspace",
        );
    }
    if let Some(entries) = readable {
        read.allow_only(entries);
    }
    if let Some(entries) = writable {
        write.allow_only(entries);
    }
    (read, write)
}

/// Removes a tool that is not allowed, whatever is in parentheses.
fn remove_tool(
    cx: &Context<'_>,
    tool: &str,
    servers: &[ImportedServer],
    granted: &mut Granted,
    shell: &mut crate::tools::ShellRules,
) {
    let name = tool.split_once('(').map_or(tool, |(name, _)| name);
    if name == "*" {
        *granted = Granted::nothing();
        return;
    }
    if let Some(removed) = abilities::find(cx.client, name) {
        shell.is_denied |= removed.contains(&Ability::Shell);
        // Both tools for writing are one toolset, so none of them is given.
        let writes = removed.iter().any(|ability| Ability::WRITING.contains(ability));
        granted
            .abilities
            .retain(|ability| !(removed.contains(ability) || writes && Ability::WRITING.contains(ability)));
        return;
    }
    match parse_server_tool(cx.client.id, name, servers) {
        Some(ServerTool::All) => granted.servers = ServerGrant::Only(BTreeSet::new()),
        // Without one of its tools, the server is not given as a whole.
        Some(ServerTool::Server(server) | ServerTool::Tool(server, _)) => match &mut granted.servers {
            ServerGrant::AllExcept(names) => {
                names.insert(server);
            }
            ServerGrant::Only(names) => {
                names.remove(&server);
            }
        },
        Some(ServerTool::Unknown) | None => {}
    }
}

fn remove_servers(member: &mut ImportedMember, denied: &BTreeSet<String>) {
    match &mut member.servers {
        ServerGrant::AllExcept(names) => names.extend(denied.iter().cloned()),
        ServerGrant::Only(names) => names.retain(|name| !denied.contains(name)),
    }
}

/// Reads the servers of an agent: names of servers, or definitions, which become servers of the team. Returns their names.
fn read_own_servers(
    cx: &mut Context<'_>,
    file: &ClientFile,
    fields: &mut Fields<'_>,
    servers: &mut Vec<ImportedServer>,
) -> Vec<String> {
    let mut names = Vec::new();
    let Some(item) = fields.get("mcpServers") else { return names };
    let mappings = match &item.value {
        Value::Mapping(_) => vec![item],
        _ => item.items().iter().collect(),
    };
    for item in mappings {
        if let Some(name) = item.text() {
            if servers.iter().any(|server| server.name == name) {
                names.push(name.to_owned());
            } else {
                cx.findings.report_loss(
                    &place(file, item.span),
                    format!("the MCP server `{}` is not defined in `.mcp.json`", shorten(name)),
                    "add the server to `.minds/mcp.yaml`, and to the toolsets of the member",
                );
            }
            continue;
        }
        for server in servers::read(cx, file, Some(item)) {
            names.push(server.name.clone());
            servers.push(server);
        }
    }
    names
}

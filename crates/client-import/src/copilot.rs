//! The files of Copilot: `.github/agents/`, `.github/mcp.json`, and `.vscode/mcp.json` with the servers of VS Code.

use std::collections::BTreeSet;

use minds_clients::{Client, ClientFile, Item, read_tool_list};
use minds_diagnostics::Span;

use crate::agent;
use crate::context::Context;
use crate::fields::{Fields, is_false};
use crate::findings::{place, shorten};
use crate::servers;
use crate::team::{ClientTeam, ImportedMember, ImportedServer, ServerGrant};
use crate::tools::{Granted, ShellRules, read_names, settle_shell};

pub(crate) fn read(cx: &mut Context<'_>) -> ClientTeam {
    let mut found: Vec<ImportedServer> = Vec::new();
    if let Some(file) = cx.file(".github/mcp.json") {
        let mut fields = Fields::new(file.content.data.as_ref());
        found = servers::read(cx, file, fields.get("mcpServers"));
        cx.report_rest(file, "the list of MCP servers", fields);
    }
    if let Some(file) = cx.file(".vscode/mcp.json") {
        let copilot = cx.client;
        // References to variables are those of VS Code.
        cx.client = Client::find("vscode").unwrap_or(copilot);
        let mut fields = Fields::new(file.content.data.as_ref());
        found.extend(servers::read(cx, file, fields.get("servers")));
        for input in fields.get("inputs").map(Item::items).unwrap_or_default() {
            let name = input.get("id").and_then(Item::text).unwrap_or_default();
            cx.findings.report_loss(
                &place(file, input.span),
                format!("VS Code asks for `{}`, and a team never asks", shorten(name)),
                "set the variables to which the servers refer where the team runs",
            );
        }
        cx.report_rest(file, "the list of MCP servers", fields);
        cx.client = copilot;
    }
    let mut members = Vec::new();
    for file in cx.agents(&[".github/agents/"]) {
        members.extend(read_agent(cx, file, &mut found));
    }
    ClientTeam { client: cx.client, members, servers: found, model: None, responder: None }
}

fn read_agent(
    cx: &mut Context<'_>,
    file: &ClientFile,
    found: &mut Vec<ImportedServer>,
) -> Option<ImportedMember> {
    let mut fields = Fields::new(file.content.data.as_ref());
    let Some(description) = fields.entry("description").filter(|entry| entry.item.text().is_some()) else {
        agent::report_incomplete(cx, file, "description");
        return None;
    };
    let agent = file.stem();
    let own = servers::read(cx, file, fields.get("mcp-servers"));
    let own_names: BTreeSet<String> = own.iter().map(|server| server.name.clone()).collect();
    let mut known = found.clone();
    known.extend(own.iter().cloned());
    let list = fields.get("tools");
    let entries: Vec<(&str, Span)> = list.map(|item| read_tool_list(item, &file.source)).unwrap_or_default();
    let inherits = list.is_none() || entries.iter().any(|(name, _)| *name == "*");
    let mut granted = match list {
        Some(_) => read_names(cx, file, &entries, &known, agent),
        None => Granted::everything(),
    };
    if let ServerGrant::Only(names) = &mut granted.servers
        && inherits
    {
        names.extend(own_names);
    }
    found.extend(own);
    let text = description.item.text().unwrap_or_default();
    let mut member =
        agent::member(cx, place(file, description.item.span), (agent, text, file.body()), &granted);
    member.name = fields.text("name").filter(|name| *name != agent).map(str::to_owned);
    member.is_hidden = fields.get("user-invocable").is_some_and(is_false);
    agent::read_model(cx, file, &mut fields, &mut member);
    let shell = granted.shell.clone();
    settle_shell(cx, &mut member, shell.as_ref(), inherits, &ShellRules::default());
    // It says in which programs the agent exists.
    fields.skip(&["target"]);
    cx.report_rest(file, &format!("the agent `{}`", shorten(agent)), fields);
    Some(member)
}

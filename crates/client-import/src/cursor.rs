//! The files of Cursor: `.cursor/agents/`, `.cursor/cli.json`, `.cursor/mcp.json` and `.cursorignore`.

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Item};
use minds_core::catalog::Ability;
use minds_diagnostics::{Label, Span};

use crate::abilities;
use crate::access::Access;
use crate::agent;
use crate::context::Context;
use crate::fields::{Fields, is_true};
use crate::findings::{place, shorten};
use crate::gemini::anchor;
use crate::patterns::{Allow, Deny, allow_of_git, deny_crossing, deny_of_git};
use crate::servers;
use crate::team::{ClientTeam, ImportedMember, ImportedServer, ServerGrant};
use crate::tools::{Granted, ShellRules, settle_shell};

/// What the settings say about all agents.
#[derive(Default)]
struct Session {
    access: Access,
    shell: ShellRules,
    servers: Vec<ImportedServer>,
    denied_servers: BTreeSet<String>,
    writable: Option<(Vec<String>, Label)>,
    /// Whether everything may be written without asking.
    writes_all: bool,
}

pub(crate) fn read(cx: &mut Context<'_>) -> ClientTeam {
    let mut session = Session::default();
    if let Some(file) = cx.file(".cursor/mcp.json") {
        let mut fields = Fields::new(file.content.data.as_ref());
        session.servers = servers::read(cx, file, fields.get("mcpServers"));
        cx.report_rest(file, "the list of MCP servers", fields);
    }
    if let Some(file) = cx.file(".cursor/cli.json") {
        read_settings(cx, file, &mut session);
    }
    for (pattern, at) in cx.ignored_patterns(".cursorignore") {
        if pattern.starts_with('!') {
            cx.findings.report_narrower(
                &at,
                format!("`{}` is left out: in a team, an entry that denies wins", shorten(&pattern)),
                "replace the entries that deny by those of the other directories",
            );
            continue;
        }
        let denial = deny_of_git(&anchor(&pattern), cx.directories);
        session.access.read.add_denial(&denial);
        session.access.write.add_denial(&denial);
    }
    if let Some((entries, at)) = session.writable.take().filter(|_| !session.writes_all) {
        cx.findings.report_narrower(
            &at,
            "members write only where the settings allow it: elsewhere Cursor asks, and a team never asks",
            "extend `write_dirs` of members that may write elsewhere",
        );
        session.access.write.allow_only(entries);
    }
    let mut members = Vec::new();
    for file in cx.agents(&[".cursor/agents/"]) {
        members.push(read_agent(cx, file, &session));
    }
    ClientTeam { client: cx.client, members, servers: session.servers, model: None, responder: None }
}

fn read_settings(cx: &mut Context<'_>, file: &ClientFile, session: &mut Session) {
    let mut fields = Fields::new(file.content.data.as_ref());
    fields.skip(&["version"]);
    let mut permissions = Fields::new(fields.get("permissions"));
    for list in ["deny", "allow"] {
        for item in permissions.get(list).map(Item::items).unwrap_or_default() {
            let Some(text) = item.text() else { continue };
            let (tool, rest) = text.split_once('(').unwrap_or((text, ""));
            let specifier = rest.strip_suffix(')').unwrap_or(rest);
            let at = place(file, item.span);
            if list == "deny" {
                session.deny(cx, text, tool, specifier, at);
            } else {
                session.allow(cx, text, tool, specifier, &at);
            }
        }
    }
    cx.report_rest(file, "the permissions", permissions);
    cx.report_rest(file, "the settings", fields);
}

impl Session {
    fn deny(&mut self, cx: &mut Context<'_>, text: &str, tool: &str, specifier: &str, at: Label) {
        // The documentation and the program read a pattern differently: what either of them denies is denied.
        let denial = match specifier {
            "" => Deny::Everything,
            path => deny_crossing(path, cx.directories),
        };
        match tool {
            "Read" => self.access.read.add_denial(&denial),
            "Write" | "Delete" | "Edit" => self.access.write.add_denial(&denial),
            "Shell" | "Bash" => {
                if matches!(specifier, "" | "*" | "**") {
                    self.shell.is_denied = true;
                } else {
                    self.shell.limit.get_or_insert(at);
                }
            }
            "Mcp" => {
                let (server, tool) = specifier.split_once(':').unwrap_or((specifier, "*"));
                if server == "*" {
                    self.denied_servers.extend(self.servers.iter().map(|server| server.name.clone()));
                }
                for known in self.servers.iter_mut().filter(|known| known.name == server || server == "*") {
                    if tool == "*" {
                        self.denied_servers.insert(known.name.clone());
                    } else {
                        known.blacklist.push(tool.to_owned());
                    }
                }
            }
            // Members do not have it.
            "WebFetch" => {}
            _ => cx.findings.report_lost_limit(
                &at,
                format!("`{}` is not carried over: the permission is not known", shorten(text)),
                "write it as an entry of the access lists",
            ),
        }
    }

    fn allow(&mut self, cx: &mut Context<'_>, text: &str, tool: &str, specifier: &str, at: &Label) {
        match tool {
            "Write" => {
                let (entries, _) = self.writable.get_or_insert_with(|| (Vec::new(), at.clone()));
                match allow_of_git(specifier, cx.directories) {
                    Allow::Entry(entry) => entries.push(entry),
                    Allow::Everything => self.writes_all = true,
                    Allow::PathOnly { .. } | Allow::Nothing => cx.findings.report_narrower(
                        at,
                        format!(
                            "`{}` cannot be written as an entry of `write_dirs`, so it is left out",
                            shorten(text)
                        ),
                        "add the directories of the workspace that are meant to `write_dirs`",
                    ),
                }
            }
            "Shell" | "Bash" => {
                if !matches!(specifier, "" | "*" | "**") {
                    self.shell.limit.get_or_insert(at.clone());
                    cx.findings.report_narrower(
                        at,
                        format!("`{}` is left out: a team cannot allow single commands", shorten(text)),
                        "give the member a tool of an MCP server for it, or the toolset `os` for all commands",
                    );
                }
            }
            // Reading is open, and servers are used without asking.
            "Read" | "Mcp" => {}
            _ => cx.findings.report_loss(
                at,
                format!("`{}` has no counterpart in a team", shorten(text)),
                "members work without the tool",
            ),
        }
    }
}

fn read_agent(cx: &mut Context<'_>, file: &ClientFile, session: &Session) -> ImportedMember {
    let mut fields = Fields::new(file.content.data.as_ref());
    let name = fields.entry("name").filter(|entry| entry.item.text().is_some_and(|text| !text.is_empty()));
    let at = place(file, name.map_or(file.content.place, |name| name.item.span));
    let agent = name.and_then(|name| name.item.text()).unwrap_or_else(|| file.stem()).to_owned();
    let description = fields.text("description").unwrap_or_default();
    let mut granted = Granted::everything();
    let is_read_only = fields.get("readonly").is_some_and(is_true);
    if is_read_only {
        granted.abilities.retain(|ability| !Ability::WRITING.contains(ability));
        granted.servers = ServerGrant::Only(BTreeSet::new());
    } else if let ServerGrant::AllExcept(names) = &mut granted.servers {
        names.extend(session.denied_servers.iter().cloned());
    }
    let mut shell = session.shell.clone();
    shell.is_denied |= is_read_only;
    if let Some(entry) = fields.entry("tools") {
        let listed: Vec<(&str, Span)> = minds_clients::read_tool_list(&entry.item, &file.source);
        let named = listed.iter().filter_map(|(name, _)| abilities::find(cx.client, name)).flatten();
        let named: BTreeSet<Ability> = named.collect();
        shell.is_denied |= !named.contains(&Ability::Shell);
        granted.abilities.retain(|ability| named.contains(ability));
        cx.findings.report_narrower(
            &place(file, entry.key_span),
            format!("`{}` has only the tools of its list, which Cursor does not document", shorten(&agent)),
            "add the toolsets that the member needs",
        );
    }
    let mut member = agent::member(cx, at, (&agent, description, file.body()), &granted);
    member.access = session.access.clone();
    agent::read_model(cx, file, &mut fields, &mut member);
    settle_shell(cx, &mut member, None, true, &shell);
    cx.report_rest(file, &format!("the agent `{}`", shorten(&agent)), fields);
    member
}

//! The settings of Claude Code, which hold for all agents of a session.
//!
//! A rule that denies, or with which Claude Code asks, becomes an entry that denies: a team never asks. What no rule is
//! about is allowed in the default mode, where Claude Code asks the user, unless the settings list what may be written
//! without asking: then nothing else is written.

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Item};
use minds_core::catalog::{Abilities, Ability};
use minds_diagnostics::Label;

use crate::abilities;
use crate::access::Access;
use crate::context::Context;
use crate::fields::{Fields, is_true};
use crate::findings::{place, shorten};
use crate::patterns::{Allow, Deny, allow_of_git, deny_of_git};
use crate::team::{ImportedServer, ModelReference};
use crate::tools::{ServerTool, ShellRules, mangle, parse_server_tool};

/// What the settings say about all agents.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) access: Access,
    /// The abilities that no agent has.
    pub(super) removed: Abilities,
    pub(super) shell: ShellRules,
    /// The names of the servers whose tools no agent may use.
    pub(super) denied_servers: BTreeSet<String>,
    pub(super) model: Option<ModelReference>,
    pub(super) responder: Option<(String, Label)>,
    /// The entries that may be written without asking.
    pub(super) writable_entries: Vec<String>,
    /// The paths that may be written without asking, with the first place; `None` if there is no rule about it.
    writable: Option<(Vec<String>, Label)>,
    /// Whether everything may be written without asking.
    pub(super) writes_all: bool,
    mode: Option<(String, Label)>,
}

/// A rule, and the list that contains it.
struct Rule<'i> {
    list: &'i str,
    text: &'i str,
    tool: &'i str,
    specifier: Option<&'i str>,
    place: Label,
}

pub(super) fn read(cx: &mut Context<'_>, servers: &mut [ImportedServer]) -> Session {
    let mut session = Session::default();
    for path in [".claude/settings.json", ".claude/settings.local.json"] {
        let Some(file) = cx.file(path) else { continue };
        read_file(cx, file, &mut session, servers);
    }
    session.settle_writing(cx);
    session
}

fn read_file(cx: &mut Context<'_>, file: &ClientFile, session: &mut Session, servers: &mut [ImportedServer]) {
    let mut fields = Fields::new(file.content.data.as_ref());
    fields.skip(&["$schema"]);
    if let Some(item) = fields.get("model")
        && let Some(text) = item.text()
    {
        session.model = cx.providers.resolve(cx.client, text, &place(file, item.span), &mut cx.findings);
    }
    if let Some(item) = fields.get("agent") {
        session.responder = item.text().map(|name| (name.to_owned(), place(file, item.span)));
    }
    for name in fields.get("disabledMcpjsonServers").map(Item::items).unwrap_or_default() {
        for server in servers.iter_mut().filter(|server| Some(server.name.as_str()) == name.text()) {
            server.is_enabled = false;
        }
    }
    // Servers that are listed or enabled are used without asking, as in a team.
    fields.skip(&["enabledMcpjsonServers", "enableAllProjectMcpServers"]);
    if let Some(entry) = fields.entry("hooks") {
        cx.findings.report_lost_limit(
            &place(file, entry.key_span),
            "the hooks are not carried over: what they deny is not denied to members",
            "write what they deny into the access lists of the members, or into the tools of a server",
        );
    }
    if let Some(entry) = fields.entry("sandbox")
        && entry.item.get("enabled").is_some_and(is_true)
    {
        session.shell.limit.get_or_insert(place(file, entry.key_span));
    }
    read_permissions(cx, file, fields.get("permissions"), session, servers);
    cx.report_rest(file, "the settings", fields);
}

fn read_permissions(
    cx: &mut Context<'_>,
    file: &ClientFile,
    permissions: Option<&Item>,
    session: &mut Session,
    servers: &mut [ImportedServer],
) {
    let mut fields = Fields::new(permissions);
    // They limit modes of a session, which a team does not have.
    fields.skip(&["disableBypassPermissionsMode", "disableAutoMode"]);
    if let Some(item) = fields.get("defaultMode") {
        session.mode = item.text().map(|mode| (mode.to_owned(), place(file, item.span)));
    }
    for item in fields.get("additionalDirectories").map(Item::items).unwrap_or_default() {
        cx.findings.report_narrower(
            &place(file, item.span),
            "members have no access to directories outside of the workspace".to_owned(),
            "move what they need into the workspace",
        );
    }
    for list in ["deny", "ask", "allow"] {
        for item in fields.get(list).map(Item::items).unwrap_or_default() {
            let Some(text) = item.text() else { continue };
            let (tool, specifier) = match text.split_once('(') {
                Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').unwrap_or(rest))),
                None => (text, None),
            };
            let rule = Rule { list, text, tool, specifier, place: place(file, item.span) };
            if list == "allow" {
                session.allow(cx, &rule);
            } else {
                session.deny(cx, &rule, servers);
            }
        }
    }
    cx.report_rest(file, "the permissions", fields);
}

impl Rule<'_> {
    /// Returns the path of the rule; none if the rule is about every use of the tool.
    fn path(&self) -> Option<&str> {
        self.specifier.filter(|path| !matches!(*path, "*" | "**" | "/**"))
    }

    /// Returns whether Claude Code never applies the rule, because its path is not one.
    fn is_dead(&self) -> bool {
        self.specifier.is_some_and(|path| {
            matches!(path, "" | "." | "./" | "/") || path.trim() != path || path.starts_with('!')
        })
    }
}

impl Session {
    fn deny(&mut self, cx: &mut Context<'_>, rule: &Rule<'_>, servers: &mut [ImportedServer]) {
        let asks = rule.list == "ask";
        let known = cx.client.team.abilities.iter().map(|(tool, _)| tool.as_str());
        let extra = ["NotebookEdit", "NotebookRead"];
        let tool = known.chain(extra).find(|known| known.eq_ignore_ascii_case(rule.tool.trim()));
        let Some(tool) = tool else {
            self.deny_other(cx, rule, servers);
            return;
        };
        if rule.is_dead() {
            cx.findings.report_lost_limit(
                &rule.place,
                format!("`{}` denies nothing: Claude Code never applies it", shorten(rule.text)),
                "write a path that it applies, such as `/secrets/**`, and import again",
            );
            return;
        }
        let denial = match rule.path() {
            Some(path) => deny_of_git(path, cx.directories),
            None => Deny::Everything,
        };
        match tool {
            "Read" | "NotebookRead" => {
                // Claude Code does not write either what may not be read.
                self.access.read.add_denial(&denial);
                self.access.write.add_denial(&denial);
            }
            "Grep" | "Glob" | "LS" if rule.path().is_some() => self.access.read.add_denial(&denial),
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                self.access.write.add_denial(&denial);
                if rule.path().is_some() && tool != "Edit" && tool != "MultiEdit" && !asks {
                    cx.findings.report_narrower(
                        &rule.place,
                        format!(
                            "`{}` is denied to members, but Claude Code never applies it",
                            shorten(rule.text)
                        ),
                        "write `Edit(…)` in the settings, which denies all writing",
                    );
                }
            }
            "Bash" | "PowerShell" => {
                if rule.path().is_some() || asks {
                    self.shell.limit.get_or_insert(rule.place.clone());
                } else {
                    self.shell.is_denied = true;
                }
            }
            _ => self.removed.extend(abilities::find(cx.client, tool).unwrap_or_default()),
        }
        if asks {
            cx.findings.report_narrower(
                &rule.place,
                format!("`{}` is denied: Claude Code asks for it, and a team never asks", shorten(rule.text)),
                "remove the entry from the access lists if members may do it",
            );
        }
    }

    /// Denies a tool that is not about files: tools of servers, or tools that members do not have anyway.
    fn deny_other(&mut self, cx: &mut Context<'_>, rule: &Rule<'_>, servers: &mut [ImportedServer]) {
        match parse_server_tool(cx.client.id, rule.text, servers) {
            Some(ServerTool::All) => {
                self.denied_servers.extend(servers.iter().map(|server| server.name.clone()));
            }
            Some(ServerTool::Server(name)) => {
                self.denied_servers.insert(name);
            }
            Some(ServerTool::Tool(name, tool)) => {
                for server in servers.iter_mut().filter(|server| mangle(&server.name) == mangle(&name)) {
                    // A `_` may stand for another character of the name.
                    server.blacklist.push(tool.replace('_', "*"));
                }
            }
            Some(ServerTool::Unknown) => {}
            None => {
                let is_known = cx.client.tools.as_ref().is_none_or(|tools| tools.accepts(rule.tool));
                // Members do not have the other known tools.
                if !is_known {
                    cx.findings.report_lost_limit(
                        &rule.place,
                        format!("`{}` denies nothing: the tool is not known", shorten(rule.text)),
                        "correct the name of the tool, and import again",
                    );
                }
            }
        }
    }

    fn allow(&mut self, cx: &mut Context<'_>, rule: &Rule<'_>) {
        match (rule.tool, rule.path()) {
            ("Edit" | "MultiEdit" | "Write", None) => self.writes_all = true,
            ("Edit" | "MultiEdit", Some(path)) => {
                let (entries, _) = self.writable.get_or_insert_with(|| (Vec::new(), rule.place.clone()));
                match allow_of_git(path, cx.directories) {
                    Allow::Entry(entry) => entries.push(entry),
                    Allow::Everything => self.writes_all = true,
                    Allow::PathOnly { .. } | Allow::Nothing => cx.findings.report_narrower(
                        &rule.place,
                        format!(
                            "`{}` cannot be written as an entry of `write_dirs`, so it is left out",
                            shorten(rule.text)
                        ),
                        "add the directories of the workspace that are meant to `write_dirs`",
                    ),
                }
            }
            // Reading needs no rule in the workspace, and is denied to members outside of it.
            ("Read" | "Grep" | "Glob" | "LS", path) => {
                if path.is_some_and(|path| path.starts_with(['~']) || path.starts_with("//")) {
                    cx.findings.report_narrower(
                        &rule.place,
                        format!("`{}`: members have no access outside of the workspace", shorten(rule.text)),
                        "move what they need into the workspace",
                    );
                }
            }
            ("Bash" | "PowerShell", None) => {}
            ("Bash" | "PowerShell", Some(_)) => {
                self.shell.limit.get_or_insert(rule.place.clone());
                cx.findings.report_narrower(
                    &rule.place,
                    format!("`{}` is left out: a team cannot allow single commands", shorten(rule.text)),
                    "give the member a tool of an MCP server for it, or the toolset `os` for all commands",
                );
            }
            (tool, _) if tool.starts_with("mcp__") => {}
            _ => cx.findings.report_loss(
                &rule.place,
                format!("`{}` has no counterpart in a team", shorten(rule.text)),
                "members work without the tool",
            ),
        }
    }

    /// Decides what may be written by the mode of the session and the rules that allow.
    fn settle_writing(&mut self, cx: &mut Context<'_>) {
        self.writable_entries =
            self.writable.as_ref().map(|(entries, _)| entries.clone()).unwrap_or_default();
        let mode = self.mode.as_ref().map_or("default", |(mode, _)| mode.as_str());
        match mode {
            "plan" => {
                self.access.write.is_closed = true;
                if let Some((_, at)) = &self.mode {
                    cx.findings.report_narrower(
                        at,
                        "members do not write: the session begins in the mode `plan`",
                        "add the toolset `ws_mod` to members that may write",
                    );
                }
            }
            "acceptEdits" | "auto" | "bypassPermissions" => {}
            _ if self.writes_all => {}
            "dontAsk" => {
                let entries = self.writable.take().map(|(entries, _)| entries).unwrap_or_default();
                self.access.write.allow_only(entries);
            }
            _ => {
                if let Some((entries, at)) = self.writable.take() {
                    cx.findings.report_narrower(
                        &at,
                        "members write only where the settings allow it: elsewhere Claude Code asks, and a team never asks",
                        "extend `write_dirs` of members that may write elsewhere",
                    );
                    self.access.write.allow_only(entries);
                }
            }
        }
        if self.access.read.is_closed {
            self.removed.extend(Ability::READING);
        }
        if self.access.write.is_closed {
            self.removed.extend(Ability::WRITING);
        }
    }
}

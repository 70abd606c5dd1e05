//! The names in the lists of tools of agents.

use std::collections::BTreeSet;

use minds_clients::ClientFile;
use minds_core::catalog::{self, Abilities, Ability};
use minds_diagnostics::{Label, Span};

use crate::abilities;
use crate::context::{Context, SHELL_HELP};
use crate::findings::{place, shorten};
use crate::team::{ImportedMember, ImportedServer, ServerGrant};

/// What a list of tools gives an agent.
#[derive(Clone, Debug)]
pub(crate) struct Granted {
    pub(crate) abilities: Abilities,
    pub(crate) servers: ServerGrant,
    pub(crate) server_tools: BTreeSet<String>,
    /// The place of a tool that runs commands, if the list has one.
    pub(crate) shell: Option<Label>,
}

impl Granted {
    /// Returns all tools, as an agent has them that lists none. Commands are not among them.
    pub(crate) fn everything() -> Self {
        Self {
            abilities: abilities::with_files(),
            servers: ServerGrant::AllExcept(BTreeSet::new()),
            server_tools: BTreeSet::new(),
            shell: None,
        }
    }

    pub(crate) fn nothing() -> Self {
        Self {
            abilities: Abilities::new(),
            servers: ServerGrant::Only(BTreeSet::new()),
            server_tools: BTreeSet::new(),
            shell: None,
        }
    }
}

/// A name of a tool of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerTool {
    /// All tools of all servers.
    All,
    /// All tools of a server, by its name in the file.
    Server(String),
    /// A tool of a server.
    Tool(String, String),
    /// Tools of a server that no file of the client defines.
    Unknown,
}

/// Returns what a name of a client means, if it is that of a tool of a server.
pub(crate) fn parse_server_tool(client: &str, name: &str, servers: &[ImportedServer]) -> Option<ServerTool> {
    let find = |wanted: &str| servers.iter().find(|server| mangle(&server.name) == mangle(wanted));
    let (server, tool) = match client {
        "claude-code" => {
            let rest = name.strip_prefix("mcp__")?;
            if rest == "*" {
                return Some(ServerTool::All);
            }
            rest.split_once("__").unwrap_or((rest, "*"))
        }
        "gemini" => {
            let rest = name.strip_prefix("mcp_")?;
            if rest == "*" {
                return Some(ServerTool::All);
            }
            // A name may contain `_`, so the longest one that fits is the server.
            let fits = |server: &&ImportedServer| {
                rest.strip_prefix(mangle(&server.name).as_str()).is_some_and(|rest| rest.starts_with('_'))
            };
            let server = servers.iter().filter(fits).max_by_key(|server| server.name.len());
            let Some(server) = server else { return Some(ServerTool::Unknown) };
            let tool = rest.get(mangle(&server.name).len() + 1..).unwrap_or_default();
            return Some(server_tool(server, tool));
        }
        _ => name.split_once('/')?,
    };
    let Some(server) = find(server) else { return Some(ServerTool::Unknown) };
    Some(server_tool(server, tool))
}

fn server_tool(server: &ImportedServer, tool: &str) -> ServerTool {
    if matches!(tool, "*" | "") {
        ServerTool::Server(server.name.clone())
    } else {
        ServerTool::Tool(server.name.clone(), tool.to_owned())
    }
}

/// Returns a name as clients write it into names of tools.
pub(crate) fn mangle(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Reads the names of a list of tools.
pub(crate) fn read_names(
    cx: &mut Context<'_>,
    file: &ClientFile,
    names: &[(&str, Span)],
    servers: &[ImportedServer],
    agent: &str,
) -> Granted {
    let mut granted = Granted::nothing();
    let mut chosen = BTreeSet::new();
    let mut has_all_servers = false;
    for (name, span) in names {
        let at = place(file, *span);
        if *name == "*" {
            granted.abilities.extend(abilities::with_files());
            has_all_servers = true;
            continue;
        }
        if let Some(found) = abilities::find(cx.client, name) {
            if found.contains(&Ability::Shell) {
                granted.shell.get_or_insert(at);
            }
            granted.abilities.extend(found.into_iter().filter(|ability| *ability != Ability::Shell));
            continue;
        }
        match parse_server_tool(cx.client.id, name, servers) {
            Some(ServerTool::All) => has_all_servers = true,
            Some(ServerTool::Server(server)) => {
                chosen.insert(server);
            }
            Some(ServerTool::Tool(_, tool)) if !catalog::is_builtin_tool(&tool) => {
                granted.server_tools.insert(tool);
            }
            Some(ServerTool::Tool(server, tool)) => cx.findings.report_narrower(
                &at,
                format!(
                    "`{}` does not get the tool `{}`: a built-in tool has this name",
                    shorten(agent),
                    shorten(&tool)
                ),
                format!("rename the tools of `{}` with `transform` in `.minds/mcp.yaml`", shorten(&server)),
            ),
            Some(ServerTool::Unknown) | None => cx.findings.report_loss(
                &at,
                format!("the tool `{}` of `{}` has no counterpart in a team", shorten(name), shorten(agent)),
                "the member works without it; an MCP server could provide a similar tool",
            ),
        }
    }
    granted.servers =
        if has_all_servers { ServerGrant::AllExcept(BTreeSet::new()) } else { ServerGrant::Only(chosen) };
    granted
}

/// What is known about the shell of a member.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShellRules {
    /// The place of a rule that limits commands, if there is one.
    pub(crate) limit: Option<Label>,
    /// Whether commands are denied altogether.
    pub(crate) is_denied: bool,
}

/// Gives a member the shell, or reports why it does not get it. Access lists do not restrict commands, so a member with
/// limits has none.
pub(crate) fn settle_shell(
    cx: &mut Context<'_>,
    member: &mut ImportedMember,
    listed: Option<&Label>,
    inherits: bool,
    rules: &ShellRules,
) {
    if rules.is_denied || (listed.is_none() && !inherits) {
        return;
    }
    let why = if rules.limit.is_some() {
        "some commands are limited, which a team cannot do"
    } else if member.access.is_limited() {
        "access lists do not restrict commands"
    } else if listed.is_none() {
        "no list of tools names it"
    } else {
        member.abilities.insert(Ability::Shell);
        return;
    };
    let Some(listed) = listed else {
        let agents = cx.without_shell.entry(why).or_default();
        agents.push((member.agent.clone(), member.place.clone()));
        return;
    };
    let message = format!("`{}` does not get a shell: {why}", shorten(&member.agent));
    cx.findings.report_narrower(listed, message, SHELL_HELP);
}

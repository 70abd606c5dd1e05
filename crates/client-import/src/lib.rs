#![doc = include_str!("../README.md")]

mod abilities;
mod access;
mod agent;
mod claude_code;
mod codex;
mod context;
mod copilot;
mod cursor;
mod description;
mod fields;
mod files;
mod findings;
mod gemini;
mod ids;
mod leftovers;
mod merge;
mod models;
mod opencode;
mod patterns;
pub mod rules;
mod server_values;
mod servers;
mod team;
mod tools;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};

use minds_clients::{Client, ClientsFamily};
use minds_diagnostics::{Problems, SourceFile};

pub use access::{Access, Limits};
pub use description::Description;
pub use patterns::Directories;
pub use team::{
    ClientTeam, ImportedMember, ImportedProvider, ImportedServer, ImportedTeam, ModelParam, ModelReference,
    ParamKind, ServerGrant, ServerTransport, SettingValue,
};

use context::Context;
use findings::Findings;
use models::Providers;

/// The clients whose files can be imported, in the order in which the agents of one name take precedence.
pub const CLIENTS: [&str; 6] = ["claude-code", "codex", "gemini", "opencode", "cursor", "copilot"];

/// The ignore files at the top of a workspace that limit what the agents of a client can read.
pub const IGNORE_FILES: [&str; 2] = [".cursorignore", ".geminiignore"];

/// The files at the top of a workspace that limit what the agents of a client can do, each with the client. They have an
/// effect even if the repository ignores them, so none may be left out.
pub const LIMITING_FILES: [(&str, &str); 15] = [
    ("claude-code", ".claude/settings.json"),
    ("claude-code", ".claude/settings.local.json"),
    ("claude-code", ".mcp.json"),
    ("codex", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json"),
    ("gemini", ".geminiignore"),
    ("opencode", ".opencode/opencode.json"),
    ("opencode", ".opencode/opencode.jsonc"),
    ("opencode", "opencode.json"),
    ("opencode", "opencode.jsonc"),
    ("cursor", ".cursor/cli.json"),
    ("cursor", ".cursor/mcp.json"),
    ("cursor", ".cursorignore"),
    ("copilot", ".github/mcp.json"),
    ("copilot", ".vscode/mcp.json"),
];

/// What to import.
#[derive(Clone, Copy, Debug)]
pub struct ImportRequest<'r> {
    /// The files of clients.
    pub family: &'r ClientsFamily,
    /// The client; none for all of them that have agents, settings or servers.
    pub client: Option<&'static Client>,
    /// The contents of the [`IGNORE_FILES`] that exist.
    pub ignore_files: &'r [SourceFile],
    /// The directories with which absolute patterns are compared.
    pub directories: Directories<'r>,
}

/// The result of an import.
#[derive(Debug)]
pub struct Imported {
    /// The team; none if there is nothing to import, or the import is refused.
    pub team: Option<ImportedTeam>,
    /// Whether a file could not be read that may limit members, so that nothing may be written.
    pub is_refused: bool,
    /// The clients whose files were read, in order.
    pub clients: Vec<&'static Client>,
    /// The files of the team with their contents, by path.
    pub files: Vec<(String, String)>,
    /// What could not be carried over.
    pub problems: Problems,
}

/// Makes a team from the files of clients. Files are not read or written here.
///
/// No member may do with files what its client denies to the agent.
pub fn import(request: &ImportRequest<'_>) -> Imported {
    let is_wanted = |client: &&'static Client| request.client.is_none_or(|wanted| wanted.id == client.id);
    let clients: Vec<&'static Client> = CLIENTS
        .iter()
        .filter_map(|id| Client::find(id))
        .filter(is_wanted)
        .filter(|client| leftovers::is_present(request.family, client))
        .collect();
    let Some(first) = clients.first() else {
        return Imported {
            team: None,
            is_refused: false,
            clients,
            files: Vec::new(),
            problems: Problems::new(),
        };
    };
    let mut cx = Context {
        family: request.family,
        client: first,
        directories: request.directories,
        ignore_files: request.ignore_files,
        findings: Findings::default(),
        providers: Providers::default(),
        read: BTreeSet::new(),
        without_shell: BTreeMap::new(),
        is_refused: false,
    };
    let mut teams = Vec::new();
    for &client in &clients {
        cx.client = client;
        teams.push(read(&mut cx));
        cx.report_without_shell();
    }
    leftovers::report(&mut cx, &clients);
    let has_content = teams.iter().any(|team| !team.members.is_empty() || !team.servers.is_empty());
    if cx.is_refused || !has_content {
        let (is_refused, problems) = (cx.is_refused, cx.findings.problems);
        return Imported { team: None, is_refused, clients, files: Vec::new(), problems };
    }
    let team = merge::merge(teams, &mut cx);
    let files = files::write(&team, &clients, &mut cx.findings);
    Imported { team: Some(team), is_refused: false, clients, files, problems: cx.findings.problems }
}

/// Returns the paths in which the agents, settings and servers of a client are searched; those of all clients without one.
pub fn searched_paths(client: Option<&Client>) -> Vec<&'static str> {
    let ids = CLIENTS.iter().filter(|id| client.is_none_or(|client| client.id == **id));
    ids.flat_map(|id| leftovers::markers(id)).copied().collect()
}

/// Reads the files of one client.
fn read(cx: &mut Context<'_>) -> ClientTeam {
    match cx.client.id {
        "codex" => codex::read(cx),
        "gemini" => gemini::read(cx),
        "opencode" => opencode::read(cx),
        "cursor" => cursor::read(cx),
        "copilot" => copilot::read(cx),
        _ => claude_code::read(cx),
    }
}

//! `minds init --from`

use minds_diagnostics::emit::{Finding, json_findings};
use minds_diagnostics::{JsonDocument, Report, Summary};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{ImportedEntry, ImportedFiles};

/// A team that was made from the files of other clients.
#[derive(Serialize, JsonSchema)]
pub struct InitFromDocument<'a> {
    /// The names of the clients whose files were read.
    clients: &'a [String],
    /// What could not be carried over.
    diagnostics: Vec<Finding<'a>>,
    /// The changes as a unified diff, empty if there are none.
    diff: &'a str,
    /// Whether nothing was written.
    dry_run: bool,
    /// The members.
    members: Vec<ImportedMemberEntry<'a>>,
    /// Whether the import was refused, because a file cannot be read that may limit agents.
    refused: bool,
    /// The MCP servers.
    servers: Vec<ImportedServerEntry<'a>>,
    /// The number of findings of each severity.
    summary: Summary,
    /// The new files.
    written: &'a [String],
}

/// A member, and the agent from which it was made.
#[derive(Serialize, JsonSchema)]
pub struct ImportedMemberEntry<'a> {
    /// The id of the client.
    client: &'a str,
    /// The file of the agent.
    file: &'a str,
    /// The id of the member.
    id: &'a str,
}

/// An MCP server, and the file from which it was made.
#[derive(Serialize, JsonSchema)]
pub struct ImportedServerEntry<'a> {
    /// The file.
    file: &'a str,
    /// The id of the server.
    id: &'a str,
}

impl<'a> InitFromDocument<'a> {
    /// Returns the document of what was written, or with `is_dry_run` would be.
    pub fn new(imported: &'a ImportedFiles, is_dry_run: bool) -> Self {
        let member = |entry: &'a ImportedEntry| ImportedMemberEntry {
            client: entry.client.unwrap_or_default(),
            file: &entry.file,
            id: &entry.id,
        };
        let server = |entry: &'a ImportedEntry| ImportedServerEntry { file: &entry.file, id: &entry.id };
        Self {
            clients: &imported.clients,
            diagnostics: json_findings(&imported.report.diagnostics),
            diff: &imported.diff,
            dry_run: is_dry_run,
            members: imported.members.iter().map(member).collect(),
            refused: false,
            servers: imported.servers.iter().map(server).collect(),
            summary: imported.report.summary(),
            written: &imported.written,
        }
    }

    /// Returns the document of an import that was refused.
    pub fn of_refusal(report: &'a Report) -> Self {
        Self {
            clients: &[],
            diagnostics: json_findings(&report.diagnostics),
            diff: "",
            dry_run: false,
            members: Vec::new(),
            refused: true,
            servers: Vec::new(),
            summary: report.summary(),
            written: &[],
        }
    }
}

impl JsonDocument for InitFromDocument<'_> {
    const NAME: &'static str = "init-from";
}

//! `minds render` and `minds clean`

use minds_diagnostics::JsonDocument;
use minds_diagnostics::emit::{Finding, json_findings};
use minds_render::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{CleanOutcome, ClientServers, RenderOutcome, RenderedFile};

/// The generated files, compared with those on disk.
#[derive(Default, Serialize, JsonSchema)]
pub struct RenderDocument<'a> {
    /// The files.
    artifacts: Vec<ArtifactEntry<'a>>,
    /// The problems of the files from which they are generated.
    diagnostics: Vec<Finding<'a>>,
}

/// A generated file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArtifactEntry<'a> {
    /// The path, relative to the compose root; for a client file, relative to the workspace.
    path: &'a str,
    /// How it compares with the file on disk.
    state: State,
    /// The change as a unified diff, empty if there is none. Secrets are redacted with `*`.
    diff: &'a str,
    /// The servers because of which a client file has drifted.
    drifted_servers: &'a [String],
}

impl<'a> From<&'a RenderOutcome> for RenderDocument<'a> {
    fn from(outcome: &'a RenderOutcome) -> Self {
        let artifact = |file: &'a RenderedFile| ArtifactEntry {
            path: &file.path,
            state: file.state,
            diff: &file.diff,
            drifted_servers: &file.drifted_servers,
        };
        Self {
            artifacts: outcome.files.iter().map(artifact).collect(),
            diagnostics: json_findings(&outcome.report.diagnostics),
        }
    }
}

impl JsonDocument for RenderDocument<'_> {
    const NAME: &'static str = "render";
}

/// The generated files that were removed, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CleanDocument<'a> {
    /// The compose root, the `.ateam` directory of a fleet, or the workspace where there is neither.
    root: &'a str,
    /// The removed files.
    removed: &'a [String],
    /// The client files from which servers, or parts that were rendered from the team, were removed.
    changed: Vec<&'a str>,
    /// The files that are kept, because they were changed since or cannot be removed.
    kept: Vec<&'a str>,
    /// The servers that were removed from client files.
    removed_servers: Vec<ServersOfFile<'a>>,
    /// The servers that are kept in client files.
    kept_servers: Vec<ServersOfFile<'a>>,
}

/// Servers in the configuration file of a client.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServersOfFile<'a> {
    /// The file.
    path: &'a str,
    /// The names of the servers.
    servers: &'a [String],
    /// Why the servers are kept, unless they were changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl<'a> ServersOfFile<'a> {
    fn new(client: &'a ClientServers, reason: Option<&'a str>) -> Self {
        Self { path: &client.path, servers: &client.servers, reason }
    }
}

impl<'a> From<&'a CleanOutcome> for CleanDocument<'a> {
    fn from(outcome: &'a CleanOutcome) -> Self {
        fn path(client: &ClientServers) -> &str {
            &client.path
        }
        let blocked = outcome.blocked_servers.iter();
        let unremovable = outcome.unremovable.iter().map(|(path, _)| path);
        let kept = outcome.kept.iter().chain(unremovable).map(String::as_str);
        let kept = kept.chain(outcome.kept_servers.iter().map(path));
        let kept_servers = outcome.kept_servers.iter().map(|client| ServersOfFile::new(client, None));
        Self {
            root: &outcome.root,
            removed: &outcome.removed,
            changed: outcome
                .changed
                .iter()
                .map(path)
                .chain(outcome.changed_parts.iter().map(String::as_str))
                .collect(),
            kept: kept.chain(blocked.clone().map(|(client, _)| path(client))).collect(),
            removed_servers: outcome.changed.iter().map(|client| ServersOfFile::new(client, None)).collect(),
            kept_servers: kept_servers
                .chain(blocked.map(|(client, reason)| ServersOfFile::new(client, Some(reason))))
                .collect(),
        }
    }
}

impl JsonDocument for CleanDocument<'_> {
    const NAME: &'static str = "clean";
}

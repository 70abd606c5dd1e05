//! The MCP servers of the workspace, as the policy of an agent has them.

use std::collections::BTreeMap;
use std::path::Path;

use minds_agent_tools::policy::ServerPolicy;
use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::Root;
use minds_mcp_gateway::{Config, Server, Transport};
use minds_text::secrets::{TextKind, mask_secrets};
use minds_vfs::{Location, MountId, Scope, WorkspacePath};

/// The file with the servers.
const FILE: &str = ".minds/mcp.yaml";

/// The MCP servers of a workspace.
#[derive(Clone, Debug, Default)]
pub struct ServerDefinitions {
    /// The enabled servers that can be used, by their ids.
    pub servers: BTreeMap<String, ServerPolicy>,
    /// The values that no output shows.
    pub(crate) secrets: Vec<String>,
}

impl ServerDefinitions {
    /// Reads `mcp.yaml` of a workspace. Without the file there are no servers.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the file cannot be used as a whole.
    pub fn read(workspace: &Path) -> Result<Self, Failure> {
        let invalid =
            |error: &dyn std::fmt::Display| Failure::new(ErrorCode::ConfigInvalid, error.to_string());
        let root = Root::open(workspace, MountId::WORKSPACE).map_err(|error| invalid(&error))?;
        let file = WorkspacePath::parse(FILE).map(|path| Location::new(MountId::WORKSPACE, path));
        let snapshot = root.snapshot(&Scope::of_files(file));
        let variable = |name: &str| minds_process::variable(name).ok().flatten();
        let config = Config::read(&snapshot, workspace, &variable).map_err(|error| invalid(&error))?;
        let declared = Config::read_declared(&snapshot, workspace);
        let own: BTreeMap<&str, &Server> = usable_servers(&config).collect();
        let (mut servers, mut secrets) = (BTreeMap::new(), Vec::new());
        for (id, declared) in usable_servers(&declared) {
            if declared.is_enabled {
                servers.insert(id.to_owned(), policy(declared));
            }
            secrets.extend(own.get(id).into_iter().flat_map(|own| find_secrets(own, declared)));
        }
        Ok(Self { servers, secrets })
    }
}

fn usable_servers(config: &Config) -> impl Iterator<Item = (&str, &Server)> {
    config.servers.iter().filter_map(|entry| Some((entry.id.as_str(), entry.server.as_ref().ok()?)))
}

fn policy(declared: &Server) -> ServerPolicy {
    let shown = match &declared.transport {
        Transport::Stdio(server) => {
            let words = std::iter::once(&server.command).chain(&server.args);
            words.map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        Transport::Http(server) => server.url.clone(),
    };
    let shown = mask_secrets(&shown, TextKind::Settings).into_owned();
    ServerPolicy { hash: declared.definition(), shown }
}

/// Returns the environment variables or the headers, with their values.
fn settings(server: &Server) -> &[(String, String)] {
    match &server.transport {
        Transport::Stdio(server) => &server.env,
        Transport::Http(server) => &server.headers,
    }
}

/// Returns the secrets of a server: by their names, values of environment variables, and the session.
fn find_secrets(own: &Server, declared: &Server) -> Vec<String> {
    let pairs = settings(own).iter().zip(settings(declared));
    let from_variables =
        pairs.filter(|((_, own), (_, declared))| own != declared).map(|((_, value), _)| value);
    let session = match &own.transport {
        Transport::Http(server) => server.session.as_ref(),
        Transport::Stdio(_) => None,
    };
    // The word in front of a secret, such as `Bearer`, is none.
    let words = from_variables.chain(session).filter_map(|value| value.split_whitespace().last());
    own.secrets().chain(words).map(str::to_owned).collect()
}

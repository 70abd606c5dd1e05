//! A team as it is made from the files of clients: the common form of all clients.

use std::collections::BTreeSet;

use minds_clients::Client;
use minds_core::catalog::Abilities;
use minds_diagnostics::Label;

use crate::access::Access;
use crate::description::Description;

/// What the files of one client become.
#[derive(Clone, Debug)]
pub struct ClientTeam {
    /// The client.
    pub client: &'static Client,
    /// The members, in the order of their files.
    pub members: Vec<ImportedMember>,
    /// The servers, in the order of the file.
    pub servers: Vec<ImportedServer>,
    /// The model of a session, if a file names one.
    pub model: Option<ModelReference>,
    /// The name of the agent that answers by default, if a file names one.
    pub responder: Option<(String, Label)>,
}

/// A team made from the files of clients.
#[derive(Clone, Debug)]
pub struct ImportedTeam {
    /// The model of members without one.
    pub model: ModelReference,
    /// The id of the member that answers by default.
    pub responder: Option<String>,
    /// The members.
    pub members: Vec<ImportedMember>,
    /// The MCP servers.
    pub servers: Vec<ImportedServer>,
    /// Providers that the catalog does not have, or with models that it does not have.
    pub providers: Vec<ImportedProvider>,
}

/// An agent that becomes a member.
#[derive(Clone, Debug)]
pub struct ImportedMember {
    /// The id.
    pub id: String,
    /// The name that the client uses, by which files refer to the agent.
    pub agent: String,
    /// The client.
    pub client: &'static Client,
    /// The place of the agent.
    pub place: Label,
    /// The display name, if it has one of its own.
    pub name: Option<String>,
    /// The requests for the member.
    pub description: Description,
    /// The model; none if it has that of the session.
    pub model: Option<ModelReference>,
    /// Parameters of the model.
    pub params: Vec<ModelParam>,
    /// What it can do with files and programs.
    pub abilities: Abilities,
    /// The servers whose tools it has.
    pub servers: ServerGrant,
    /// Single tools of servers, by their names in the server.
    pub server_tools: BTreeSet<String>,
    /// What it may read and write.
    pub access: Access,
    /// Whether it is left out of the list of members.
    pub is_hidden: bool,
    /// The persona; empty if there is none.
    pub persona: String,
}

/// The MCP servers whose tools a member has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerGrant {
    /// Those of all servers of its client, without these.
    AllExcept(BTreeSet<String>),
    /// Those of these servers.
    Only(BTreeSet<String>),
}

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReference {
    /// The key of the provider.
    pub provider: String,
    /// The key of the model.
    pub model: String,
}

/// A parameter of a model, as a client names it.
#[derive(Clone, Debug)]
pub struct ModelParam {
    /// What it is.
    pub kind: ParamKind,
    /// The value as written.
    pub value: String,
    /// The place.
    pub place: Label,
}

/// The parameters of models that clients have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParamKind {
    /// The sampling temperature.
    Temperature,
    /// The cumulative probability for nucleus sampling.
    TopP,
    /// How much the model reasons.
    Effort,
    /// The length of answers.
    Verbosity,
    /// Which summary of the reasoning is returned.
    ReasoningSummary,
    /// The service tier.
    ServiceTier,
    /// Whether the model searches the web.
    WebSearch,
}

/// An MCP server.
#[derive(Clone, Debug)]
pub struct ImportedServer {
    /// The id.
    pub id: String,
    /// The name in the file.
    pub name: String,
    /// The place of its name.
    pub place: Label,
    /// How it is reached.
    pub transport: ServerTransport,
    /// The only tools that are offered, if there is such a list.
    pub whitelist: Vec<String>,
    /// Tools that are not offered.
    pub blacklist: Vec<String>,
    /// Whether it is enabled.
    pub is_enabled: bool,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerTransport {
    /// A local program.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment variables.
        env: Vec<(String, SettingValue)>,
        /// Its working directory, relative to the workspace.
        cwd: Option<String>,
    },
    /// A URL.
    Url {
        /// The URL.
        url: String,
        /// The headers of each request.
        headers: Vec<(String, SettingValue)>,
    },
}

/// The value of a variable or header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A literal value.
    Literal(String),
    /// The value of an environment variable.
    Variable {
        /// The name.
        name: String,
        /// The text that is put in front of the value; only for headers.
        prefix: String,
    },
}

/// A provider for `llm.yaml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedProvider {
    /// The key.
    pub key: String,
    /// The display name.
    pub name: String,
    /// The protocol.
    pub api_type: String,
    /// The base URL.
    pub base_url: String,
    /// The environment variable with the API key.
    pub api_key_variable: String,
    /// The keys of the models.
    pub models: BTreeSet<String>,
}

impl ImportedServer {
    /// Returns whether another server is reached in the same way, whatever the file and its lists of tools.
    pub(crate) fn is_same_service(&self, other: &Self) -> bool {
        let sorted = |transport: &ServerTransport| {
            let mut transport = transport.clone();
            match &mut transport {
                ServerTransport::Program { env, .. } => env.sort_by(|a, b| a.0.cmp(&b.0)),
                ServerTransport::Url { headers, .. } => headers.sort_by(|a, b| a.0.cmp(&b.0)),
            }
            transport
        };
        sorted(&self.transport) == sorted(&other.transport)
    }

    /// Keeps only the tools that another file offers too.
    pub(crate) fn narrow(&mut self, other: &Self) {
        self.is_enabled &= other.is_enabled;
        for tool in &other.blacklist {
            if !self.blacklist.contains(tool) {
                self.blacklist.push(tool.clone());
            }
        }
        if self.whitelist.is_empty() {
            self.whitelist.clone_from(&other.whitelist);
        } else if !other.whitelist.is_empty() && self.whitelist != other.whitelist {
            self.whitelist.retain(|tool| other.whitelist.contains(tool));
            // Without a common tool, nothing is offered; an empty list would offer everything.
            self.is_enabled &= !self.whitelist.is_empty();
        }
    }
}

//! What a gateway is for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use minds_toolset::Caller;

/// The workspace of a gateway, and for whom it runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The workspace, an absolute path.
    pub workspace: PathBuf,
    /// The state folder of the workspace.
    pub state: PathBuf,
    /// Who uses the gateway, for its status.
    pub caller: String,
    /// For whom the toolset `fleet` is served, if it is.
    pub fleet: Option<Caller>,
    /// Whether a server whose tools are remembered is started only when one of them is called.
    pub is_lazy: bool,
    /// Whether its problems are remembered in the state folder.
    pub is_recorded: bool,
    /// Whether the user of the gateway passes the messages of programs on, if it is in another process.
    pub is_relayed: bool,
    /// The only servers that may be started, by their ids with their [definitions](crate::Server::definition); `None` for all.
    pub accepted: Option<BTreeMap<String, String>>,
}

//! The gateways of a workspace that run, which commands can ask.

use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use minds_fs::{NamedListener, Root, connect_to, session_folder};
use minds_process::SystemError;
use minds_taskdoc::rfc3339;
use minds_vfs::{Expected, FileMode, MountId, WorkspacePath};
use serde::{Deserialize, Serialize};

use crate::{Link, Options};

/// The most files in the folder of a workspace.
const MAX_FILES: usize = 10_000;
/// The most bytes of a description.
const MAX_BYTES: u64 = 1 << 16;

/// A gateway that runs.
#[derive(Debug)]
pub struct RunningGateway {
    /// Its process id.
    pub pid: u32,
    /// A connection to it.
    pub link: Link,
}

#[derive(Debug, Serialize, Deserialize)]
struct Description {
    version: u32,
    pid: u32,
    started_at: String,
    caller: String,
    workspace: String,
}

/// The files by which a gateway is found. They are removed with it.
#[derive(Debug)]
pub(crate) struct Announcement {
    root: Root,
    description: WorkspacePath,
    listener: NamedListener,
}

impl Announcement {
    /// Announces this process as a gateway.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be written.
    pub(crate) fn new(options: &Options) -> Result<Self, SystemError> {
        let folder = folder(&options.state)?;
        let root = Root::open_private(&folder, MountId::WORKSPACE)?;
        let pid = std::process::id();
        let failed = |error: String| SystemError::new("write to", &folder, std::io::Error::other(error));
        let name = format!("{pid}.json");
        let description = WorkspacePath::parse(&name).map_err(|error| failed(error.to_string()))?;
        let content = Description {
            version: 1,
            pid,
            started_at: rfc3339(minds_process::now()),
            caller: options.caller.clone(),
            workspace: options.workspace.display().to_string(),
        };
        let bytes = serde_json::to_vec(&content).map_err(|error| failed(error.to_string()))?;
        // First, because a description without a listener is one of a gateway that has ended.
        let listener = NamedListener::new(&folder, &format!("{pid}.sock"))?;
        let written = root.no_follow().replace(&description, &bytes, FileMode::Private, Expected::Any);
        written.map_err(|error| failed(error.to_string()))?;
        Ok(Self { root, description, listener })
    }

    /// Returns the socket for commands.
    pub(crate) fn listener(&self) -> &UnixListener {
        self.listener.listener()
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // A description that remains is removed by the next command.
        let _ = self.root.no_follow().remove_file_unsynced(&self.description);
    }
}

/// Returns the gateways of the workspace with this state folder, those that started first in front. What
/// gateways that have ended left is removed.
///
/// # Errors
///
/// Fails if the environment does not name a folder for them.
pub fn running_gateways(state: &Path) -> Result<Vec<RunningGateway>, SystemError> {
    let folder = folder(state)?;
    let root = match Root::open(&folder, MountId::WORKSPACE) {
        Ok(root) => root,
        Err(SystemError::NotFound { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let view = root.no_follow();
    let Ok(listing) = view.list(&WorkspacePath::root(), MAX_FILES) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for path in listing.entries.iter().map(|entry| &entry.real) {
        let Some(name) = path.file_name().and_then(|name| name.strip_suffix(".json")) else { continue };
        let Ok(pid) = name.parse() else { continue };
        if let Ok(link) = connect_to(&folder, &format!("{pid}.sock")).and_then(Link::to_gateway) {
            let description = view.read(path, MAX_BYTES).ok();
            let description =
                description.and_then(|file| serde_json::from_slice::<Description>(&file.bytes).ok());
            found.push((description.map(|description| description.started_at), RunningGateway { pid, link }));
        } else {
            let socket = WorkspacePath::parse(&format!("{pid}.sock")).ok();
            // Another command may have removed them.
            for left in socket.iter().chain([path]) {
                let _ = view.remove_file_unsynced(left);
            }
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found.into_iter().map(|(_, gateway)| gateway).collect())
}

fn folder(state: &Path) -> Result<PathBuf, SystemError> {
    // The name of the state folder identifies the workspace.
    let workspace = state.file_name().unwrap_or_default();
    Ok(session_folder()?.join("gateway").join(workspace))
}

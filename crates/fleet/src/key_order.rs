//! In which order the keys of the files are written: that in which the models declare them.

use minds_document::Decode as _;
use minds_document::yaml::KeyOrder;
use minds_vfs::WorkspacePath;

use crate::model::{Agent, Models, Project, Tools};
use crate::stack::{AGENT_FILE, MODELS_FILE, PROJECT_FILE, TOOLS_FILE, in_agent};

/// Returns the order of the keys of a file of the family, by its path in the workspace.
pub fn key_order(path: &str) -> Option<&'static KeyOrder> {
    match path {
        PROJECT_FILE => Some(const { &Project::ORDER }),
        MODELS_FILE => Some(const { &Models::ORDER }),
        TOOLS_FILE => Some(const { &Tools::ORDER }),
        _ => {
            let path = WorkspacePath::parse(path).ok()?;
            let (_, file) = in_agent(&path)?;
            (file == AGENT_FILE).then_some(const { &Agent::ORDER })
        }
    }
}

//! The list of tools in the form of the protocol, which is kept because clients ask for many tools page by page.

use std::sync::{Arc, Mutex, PoisonError};

use minds_toolset::OfferedTools;
use rmcp::model::Tool;

use super::convert;

/// The last list that was made.
#[derive(Debug, Default)]
pub(super) struct ToolList(Mutex<Option<LastList>>);

#[derive(Debug)]
struct LastList {
    offered: OfferedTools,
    tools: Arc<[Tool]>,
}

impl ToolList {
    /// Returns the list of tools that are offered now.
    pub(super) fn of(&self, offered: OfferedTools) -> Arc<[Tool]> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| known.offered.is_same_selection(&offered)) {
            return Arc::clone(&known.tools);
        }
        let tools: Arc<[Tool]> = offered.iter().map(|tool| convert::tool(tool.descriptor())).collect();
        *known = Some(LastList { offered, tools: Arc::clone(&tools) });
        tools
    }
}

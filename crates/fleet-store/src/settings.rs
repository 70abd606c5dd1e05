//! The limits of the files.

use minds_fleet_protocol::limits::HISTORY_MAX_BYTES;

/// The default of [`StoreSettings::max_recent_bytes`]: a context of one million tokens of four characters.
const RECENT_BYTES: usize = 4 << 20;

/// The limits of the files of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// The size above which the history is rotated, in bytes.
    pub max_history_bytes: u64,
    /// The age above which [`remove_expired`](crate::AgentStore::remove_expired) removes a rotated history file, in days.
    /// 0 days and `None` keep every file.
    pub retention_days: Option<u32>,
    /// The maximum size of the lines of [`recent_history`](crate::AgentStore::recent_history), in bytes. The newest line is
    /// returned in any case.
    pub max_recent_bytes: usize,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self { max_history_bytes: HISTORY_MAX_BYTES, retention_days: None, max_recent_bytes: RECENT_BYTES }
    }
}

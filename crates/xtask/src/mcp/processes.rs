//! Processes that a test has started, found by their environment.

use std::path::Path;

/// Returns the running processes whose environment has a variable with this value; on systems other than Linux none.
///
/// Servers of a gateway inherit the variable, so nothing that it started is missed.
pub(crate) fn with_variable(name: &str, value: &Path) -> Vec<u32> {
    let wanted = format!("{name}={}", value.display());
    let is_it = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(is_it).collect()
}

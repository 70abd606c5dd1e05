//! Removing what was rendered.

use std::path::Path;

use minds_paths::MountId;
use minds_render::{MANIFEST_FILE, Plan, Record, cleaning};
use minds_system::Root;

use crate::{OperationError, compose_root, services};

/// What was removed, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanOutcome {
    /// The compose root, or the `.ateam` directory of a fleet, relative to the current directory.
    pub root: String,
    /// The files that are removed, from the compose root.
    pub removed: Vec<String>,
    /// The files that stay because they were changed since they were rendered.
    pub kept: Vec<String>,
}

/// Removes every file that was rendered in a compose root, or for a fleet where there is none, and is as it was rendered; with `write`, else it is only said
/// which these are. What the files of the compose root say is of no consequence. All are removed, or none.
///
/// # Errors
///
/// Fails if there is neither, it is not known what was rendered, or the files cannot be removed.
pub fn clean(base: &Path, root: Option<&Path>, write: bool) -> Result<CleanOutcome, OperationError> {
    let (directory, shown) = if let Some(fleet) = services::fleet_to_clean(base, root)? {
        fleet
    } else {
        let located = compose_root::located(base, root)?;
        (located.directory.unwrap_or_default(), located.root)
    };
    let disk = Root::open(&directory, MountId::WORKSPACE)?.without_links();
    disk.settle()?;
    let record = Record::of(&disk.snapshot(&Record::scope()));
    if record == Record::Foreign {
        return Err(OperationError::ForeignManifest { file: MANIFEST_FILE });
    }
    let there = disk.snapshot(&Plan::scope(&[], &record));
    let (plan, kept) = cleaning(&record, &there);
    if write && let Ok(changes) = plan.changes(false) {
        disk.apply(&changes)?;
    }
    let removed = plan.items().iter().filter(|item| item.after.is_none()).map(|item| item.path.to_string());
    Ok(CleanOutcome {
        root: shown,
        removed: removed.collect(),
        kept: kept.iter().map(ToString::to_string).collect(),
    })
}

#![doc = include_str!("../README.md")]

mod change_set;
#[cfg(test)]
mod golden;
mod hash;
mod location;
mod parallel;
pub mod portable;
pub mod rules;
mod scope;
mod snapshot;
mod survey;
mod workspace_path;

pub use change_set::{Change, ChangeSet, ChangeSetError, ChangeSetId, Expected};
pub use hash::{ContentHash, ContentHashError};
pub use location::{Location, MountId};
pub use parallel::map_on_two_threads;
pub use scope::{DirectoryScope, Scope};
pub use snapshot::{FileMode, HARD_LINKED, Snapshot, SnapshotEntry, diagnose_untrusted};
pub use survey::{Survey, SurveyResult};
pub use workspace_path::{
    MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, PathError, PathErrorKind, Segments, UnportablePath,
    WorkspacePath,
};

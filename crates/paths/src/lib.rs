//! Names of places, as values that cannot hold a bad one.
//!
//! A [`WorkspacePath`] names something inside an open root; a [`Location`] adds which root is meant. Whether a name
//! can be created on every system is asked of [`portable::check`]. Nothing here touches a file system.
//!
//! ```
//! use minds_paths::{Location, MountId, WorkspacePath};
//!
//! let path = WorkspacePath::parse(".minds/team.yaml")?;
//! assert_eq!(path.file_name(), Some("team.yaml"));
//! assert!(WorkspacePath::parse("../team.yaml").is_err());
//!
//! let location = Location::new(MountId::WORKSPACE, path);
//! assert_eq!(location.to_string(), ".minds/team.yaml");
//! # Ok::<(), minds_paths::PathError>(())
//! ```

mod location;
pub mod portable;
mod workspace_path;

pub use location::{Location, MountId};
pub use workspace_path::{
    MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, PathError, PathErrorKind, Segments, UnportablePath,
    WorkspacePath,
};

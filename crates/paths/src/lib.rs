#![doc = include_str!("../README.md")]

mod location;
pub mod portable;
mod workspace_path;

pub use location::{Location, MountId};
pub use workspace_path::{
    MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, PathError, PathErrorKind, Segments, UnportablePath,
    WorkspacePath,
};

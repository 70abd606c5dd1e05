//! What makes a directory a workspace, and what is read of it.

use minds_paths::Location;

/// Something whose presence makes a directory a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The path below the directory.
    pub path: &'static str,
    /// Whether it is a directory; else it is a file.
    pub is_directory: bool,
}

/// What makes a directory a workspace, one for each family that has a place of its own.
pub const MARKERS: &[Marker] = &[
    Marker { path: ".minds", is_directory: true },
    Marker { path: ".team/team-compose.yaml", is_directory: false },
    Marker { path: ".ateam", is_directory: true },
    Marker { path: "mind.toml", is_directory: false },
];

/// Returns the files that a check reads, if they are there.
pub fn scope() -> Vec<Location> {
    minds_core::files().collect()
}

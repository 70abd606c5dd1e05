//! Where the files of a compose root are, and how they refer to each other.

use minds_vfs::{DirectoryScope, Location, MountId, PathErrorKind, Scope, Snapshot, WorkspacePath};

/// The file that marks a directory as a compose root.
pub const COMPOSE_FILE: &str = "team-compose.yaml";

/// The possible paths of a compose root in a snapshot: `.team` in a workspace, or the top directory if the
/// compose root itself was opened.
pub const ROOTS: [&str; 2] = [".team", ""];

/// The directory of a compose root that contains the runtime descriptors.
pub(crate) const RUNTIMES: &str = "runtimes";

/// Limits for the `runtimes` directory: its entries, the bytes of one file, and the bytes of all files.
const MAX_RUNTIMES: usize = 1_000;
const MAX_BYTES: u64 = 1 << 20;
const MAX_TOTAL_BYTES: u64 = 16 << 20;

/// The location of a file that another file refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Where the file is read. A file outside the compose root has its own mount, whose name is the directory
    /// part of the path as written.
    pub location: Location,
    /// The name used in messages: a path relative to the workspace, or an absolute path.
    pub name: String,
}

/// Why a path does not name a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The path is empty or white space.
    #[error("it is blank")]
    Blank,
    /// The path names a directory.
    #[error("it names a directory")]
    Directory,
    /// The path has a backslash.
    #[error("path segments are separated by `/`, not by `\\`")]
    Backslash,
    /// The path has a control character, or one that changes the direction of text.
    #[error("it contains an invisible character")]
    HiddenCharacter,
}

impl Place {
    /// Resolves the path `written` in a file of the compose root `root`. Relative paths are relative to
    /// `root`, whichever file contains them.
    ///
    /// Only the file system knows where `..` after a directory leads, because the directory may be a symbolic
    /// link or missing. Such a path therefore gets its own mount, even if it appears to lead back inside.
    ///
    /// # Errors
    ///
    /// Returns why the path does not name a file.
    pub fn of(root: &WorkspacePath, written: &str) -> Result<Self, PlaceError> {
        if written.trim().is_empty() {
            return Err(PlaceError::Blank);
        }
        if ["/", "/.", "/.."].iter().any(|end| written.ends_with(end)) {
            return Err(PlaceError::Directory);
        }
        let kind = match WorkspacePath::normalize(written) {
            Ok(path) if path.is_root() => return Err(PlaceError::Directory),
            Ok(_) if written.split('/').any(|segment| segment == "..") => PathErrorKind::LeavesRoot,
            Ok(path) => {
                let path = root.join(path.as_str()).map_err(|_| PlaceError::HiddenCharacter)?;
                let name = path.as_str().to_owned();
                return Ok(Self { location: Location::new(MountId::WORKSPACE, path), name });
            }
            Err(error) => error.kind(),
        };
        match kind {
            PathErrorKind::Backslash => return Err(PlaceError::Backslash),
            PathErrorKind::HiddenCharacter => return Err(PlaceError::HiddenCharacter),
            _ => {}
        }
        let (directory, file) = written.rsplit_once('/').unwrap_or((".", written));
        // A file in the root directory has an empty directory part.
        let directory = if directory.is_empty() { "/" } else { directory };
        let path = WorkspacePath::parse(file).map_err(|_| PlaceError::Directory)?;
        let location = Location::new(MountId::new(directory.to_owned()), path);
        let name = name_of(&location, root);
        Ok(Self { location, name })
    }
}

/// Returns the name of `location` for messages. For a location outside the compose root `root` this is its
/// path with `..` segments resolved lexically.
pub fn name_of(location: &Location, root: &WorkspacePath) -> String {
    if location.mount == MountId::WORKSPACE {
        return location.path.to_string();
    }
    let directory = location.mount.as_str();
    let is_absolute = directory.starts_with('/');
    let mut segments: Vec<&str> = if is_absolute { Vec::new() } else { root.segments().collect() };
    for segment in directory.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => {
                segments.pop();
            }
            ".." if is_absolute => {}
            _ => segments.push(segment),
        }
    }
    segments.extend(location.path.segments());
    let path = segments.join("/");
    if is_absolute { format!("/{path}") } else { path }
}

/// Returns the files to read first of the compose root `root`, which is one of [`ROOTS`]; they refer to the
/// other files.
pub fn scope(root: &str) -> Scope {
    let Some(root) = root_path(root) else { return Scope::default() };
    let files = root.join(COMPOSE_FILE).ok().map(|path| Location::new(MountId::WORKSPACE, path));
    let below = root.join(RUNTIMES).ok().map(|path| DirectoryScope {
        directory: Location::new(MountId::WORKSPACE, path),
        depth: 1,
        wants: is_runtime_descriptor,
        names: |_| false,
        max_entries: MAX_RUNTIMES,
        max_bytes: MAX_BYTES,
        max_total_bytes: MAX_TOTAL_BYTES,
    });
    Scope { files: files.into_iter().collect(), directories: below.into_iter().collect() }
}

/// Returns the path of the compose root in `snapshot`, if there is one.
pub(crate) fn find_root(snapshot: &Snapshot) -> Option<WorkspacePath> {
    let has = |root: &WorkspacePath| {
        root.join(COMPOSE_FILE)
            .is_ok_and(|path| snapshot.get(&Location::new(MountId::WORKSPACE, path)).is_some())
    };
    ROOTS.into_iter().filter_map(root_path).find(has)
}

fn root_path(root: &str) -> Option<WorkspacePath> {
    if root.is_empty() { Some(WorkspacePath::root()) } else { WorkspacePath::parse(root).ok() }
}

/// Returns whether `path` is a runtime descriptor, or a file that was probably meant to be one.
fn is_runtime_descriptor(path: &WorkspacePath) -> bool {
    let extension = path.file_name().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
    matches!(extension, Some("yaml" | "yml"))
        && path.parent().is_some_and(|parent| parent.file_name() == Some(RUNTIMES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(root: &str, written: &str, expected: Result<(&str, &str, &str), PlaceError>) {
        let root = root_path(root).unwrap();
        let place = Place::of(&root, written);
        let found = place
            .as_ref()
            .map(|place| (place.location.mount.as_str(), place.location.path.as_str(), place.name.as_str()));
        assert_eq!(found.map_err(|error| *error), expected, "{written}");
    }

    #[test]
    fn paths_inside_the_root_are_in_the_workspace() {
        check("", "projects/a.yaml", Ok(("workspace", "projects/a.yaml", "projects/a.yaml")));
        check(".team", "./roles//./a.md", Ok(("workspace", ".team/roles/a.md", ".team/roles/a.md")));
    }

    #[test]
    fn paths_outside_the_root_get_their_own_mount() {
        check("", "../shared/a.md", Ok(("../shared", "a.md", "../shared/a.md")));
        check(".team", "../docs/a.md", Ok(("../docs", "a.md", "docs/a.md")));
        check(".team", "../../docs/a.md", Ok(("../../docs", "a.md", "../docs/a.md")));
        check("", "x/../../y/a.md", Ok(("x/../../y", "a.md", "../y/a.md")));
        check("", "/etc/hostname", Ok(("/etc", "hostname", "/etc/hostname")));
        check("", "/hostname", Ok(("/", "hostname", "/hostname")));
        check("", "/a/../../b/./c", Ok(("/a/../../b/.", "c", "/b/c")));
    }

    #[test]
    fn parent_segments_after_a_directory_are_left_to_the_file_system() {
        check(".team", "./roles//x/../a.md", Ok(("./roles//x/..", "a.md", ".team/roles/a.md")));
        check("", "x/../a.md", Ok(("x/..", "a.md", "a.md")));
    }

    #[test]
    fn paths_that_do_not_name_a_file_are_refused() {
        for blank in ["", " ", "\t"] {
            check("", blank, Err(PlaceError::Blank));
        }
        for directory in [".", "a/..", "..", "../..", "/", "/a/", "/a/.", "a/", "a/b/.", "a/b/.."] {
            check("", directory, Err(PlaceError::Directory));
        }
        check("", "a\\b", Err(PlaceError::Backslash));
        check("", "a\nb", Err(PlaceError::HiddenCharacter));
        check("", "/a\0b", Err(PlaceError::HiddenCharacter));
    }
}

//! Where the files of a compose root stand, and how they name others.

use minds_document::{Below, Scope, Snapshot};
use minds_paths::{Location, MountId, PathErrorKind, WorkspacePath};

/// The name of the file by which a compose root is known.
pub const COMPOSE_FILE: &str = "team-compose.yaml";

/// Where a compose root lies in what was read: in a workspace, or at its top, if it was opened by itself.
pub const ROOTS: [&str; 2] = [".team", ""];

/// The directory of a compose root that holds descriptors of runtimes.
pub(crate) const RUNTIMES: &str = "runtimes";

/// How many entries the directory of runtimes holds at most, and how many bytes are read of a file, and of all.
const MAX_RUNTIMES: usize = 1_000;
const MAX_BYTES: u64 = 1 << 20;
const MAX_TOTAL_BYTES: u64 = 16 << 20;

/// The place of a file that another one names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Where it is read. A file that lies outside of the compose root is in a mount of its own: the directory that is
    /// written before its name, from the compose root, names the mount.
    pub location: Location,
    /// What messages call it: a path from the top of what was opened, or from the top of the machine.
    pub name: String,
}

/// A text that names no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// There is no text.
    #[error("it is blank")]
    Blank,
    /// The path names a directory.
    #[error("it names a directory")]
    Directory,
    /// The path has a backslash.
    #[error("segments are separated by `/`, not by a backslash")]
    Backslash,
    /// The path has a control character, or one that changes the direction of text.
    #[error("it has a character that cannot be seen")]
    HiddenCharacter,
}

impl Place {
    /// Returns the place that `written` names in a file of the compose root `root`: relative paths start there, whatever
    /// file they stand in.
    ///
    /// What a `..` behind a directory leads to is known to the system alone: the directory may be a link, or not be there.
    /// So such a path names a mount of its own too, even if its words lead back inside.
    ///
    /// # Errors
    ///
    /// Returns why the text names no file.
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
        // A file at the top of the machine has nothing before its slash.
        let directory = if directory.is_empty() { "/" } else { directory };
        let path = WorkspacePath::parse(file).map_err(|_| PlaceError::Directory)?;
        let location = Location::new(MountId::new(directory.to_owned()), path);
        let name = name_of(&location, root);
        Ok(Self { location, name })
    }
}

/// Returns what messages call a location: of one outside of the compose root `root` the path that leads there, with the
/// segments `..` resolved by their names.
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

/// Returns what is read first of the compose root `root`, which is one of [`ROOTS`]: what else is read is named there.
pub fn scope(root: &str) -> Scope {
    let Some(root) = root_path(root) else { return Scope::default() };
    let files = root.join(COMPOSE_FILE).ok().map(|path| Location::new(MountId::WORKSPACE, path));
    let below = root.join(RUNTIMES).ok().map(|path| Below {
        directory: Location::new(MountId::WORKSPACE, path),
        depth: 1,
        wants: is_descriptor,
        names: |_| false,
        most_entries: MAX_RUNTIMES,
        most_bytes: MAX_BYTES,
        most_bytes_together: MAX_TOTAL_BYTES,
    });
    Scope { files: files.into_iter().collect(), below: below.into_iter().collect() }
}

/// Returns the compose root in `snapshot`, if there is one.
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

/// Returns whether a path is that of a descriptor, or of a file that was probably meant as one.
fn is_descriptor(path: &WorkspacePath) -> bool {
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
    fn what_lies_inside_is_in_the_workspace() {
        check("", "projects/a.yaml", Ok(("workspace", "projects/a.yaml", "projects/a.yaml")));
        check(".team", "./roles//./a.md", Ok(("workspace", ".team/roles/a.md", ".team/roles/a.md")));
    }

    #[test]
    fn what_lies_outside_is_in_a_mount_of_its_own() {
        check("", "../shared/a.md", Ok(("../shared", "a.md", "../shared/a.md")));
        check(".team", "../docs/a.md", Ok(("../docs", "a.md", "docs/a.md")));
        check(".team", "../../docs/a.md", Ok(("../../docs", "a.md", "../docs/a.md")));
        check("", "x/../../y/a.md", Ok(("x/../../y", "a.md", "../y/a.md")));
        check("", "/etc/hostname", Ok(("/etc", "hostname", "/etc/hostname")));
        check("", "/hostname", Ok(("/", "hostname", "/hostname")));
        check("", "/a/../../b/./c", Ok(("/a/../../b/.", "c", "/b/c")));
    }

    #[test]
    fn what_leads_up_from_a_directory_is_for_the_system_to_follow() {
        check(".team", "./roles//x/../a.md", Ok(("./roles//x/..", "a.md", ".team/roles/a.md")));
        check("", "x/../a.md", Ok(("x/..", "a.md", "a.md")));
    }

    #[test]
    fn what_names_no_file_is_refused() {
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

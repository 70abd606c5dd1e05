//! The directory within which referenced files may be read.

use std::path::{Component, Path, PathBuf};

use minds_process::SystemError;
use minds_vfs::{MountId, WorkspacePath};

use crate::Root;
use crate::dot_git::is_dot_git;
use crate::real_path::follow_links;
use crate::upward_search::real_directory;

/// The repository that contains a directory, or its parent directory when no repository contains it. Files
/// inside can be opened; outside, only symbolic links along a path are read.
#[derive(Debug)]
pub struct Area {
    /// The directory that relative paths start from, without symbolic links.
    start: PathBuf,
    /// The directory that contains everything that may be read, without symbolic links.
    top: PathBuf,
    root: Root,
    is_repository: bool,
}

/// Where a path leads after every symbolic link is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A place inside the area; a file need not exist there.
    Inside(WorkspacePath),
    /// A place outside the area, which was not opened.
    Outside {
        /// The directory that contains it.
        directory: PathBuf,
        /// Its name in that directory.
        name: WorkspacePath,
        /// Why it is outside, as text for a message.
        reason: String,
    },
    /// A place that does not exist.
    Missing,
    /// A place that cannot be represented or resolved: the reason, as text for a message.
    Unusable(String),
}

impl Area {
    /// Opens the area around `directory`.
    ///
    /// # Errors
    ///
    /// Fails if `directory` does not exist or cannot be opened.
    pub fn open(directory: &Path) -> Result<Self, SystemError> {
        let start = real_directory(directory)?;
        let repository =
            start.ancestors().find(|above| std::fs::symlink_metadata(above.join(".git")).is_ok());
        let is_repository = repository.is_some();
        // A repository at the file system root would not limit anything.
        let top =
            repository.or_else(|| start.parent()).filter(|top| top.parent().is_some()).unwrap_or(&start);
        let open = |top: &Path| Root::open(top, MountId::WORKSPACE).map(Root::without_links);
        match open(top) {
            Ok(root) => Ok(Self { top: top.to_owned(), root, is_repository, start }),
            // A parent that can be traversed but not read does not contain readable files.
            Err(_) => Ok(Self { top: start.clone(), root: open(&start)?, is_repository, start }),
        }
    }

    /// Returns the open directory, in which symbolic links are not followed.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the canonical path of the directory.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Resolves `path` relative to the directory that the area was opened for. Symbolic links are followed
    /// one by one, and no file is opened.
    pub fn resolve(&self, path: &Path) -> Target {
        let (real, is_missing) = match follow_links(&self.start, path, &self.top) {
            Ok(found) => found,
            Err(reason) => return Target::Unusable(reason.to_owned()),
        };
        let inside = real.strip_prefix(&self.top).ok();
        let is_of_git =
            inside.is_some_and(|inside| inside.iter().any(|name| is_dot_git(&name.to_string_lossy())));
        let unnamed = || {
            let reason = "its real path contains a name that is not valid UTF-8 or has invisible characters";
            Target::Unusable(reason.to_owned())
        };
        if let Some(inside) = inside.filter(|_| !is_of_git) {
            if is_missing {
                return Target::Missing;
            }
            let path = inside.to_str().and_then(|inside| WorkspacePath::parse(inside).ok());
            return path.map_or_else(unnamed, Target::Inside);
        }
        let reason = if is_of_git {
            "it belongs to git".to_owned()
        } else {
            let area = if self.is_repository {
                "the repository that contains the compose root"
            } else {
                "the directory that contains the compose root"
            };
            if self.is_lexically_inside(path) {
                format!("a symbolic link on its path leads outside {area}")
            } else {
                format!("it is outside {area}")
            }
        };
        let name = real.file_name().and_then(|name| name.to_str()).map(WorkspacePath::parse);
        match (real.parent(), name) {
            (Some(directory), Some(Ok(name))) => {
                Target::Outside { directory: directory.to_owned(), name, reason }
            }
            _ => unnamed(),
        }
    }

    /// Returns whether a path stays inside the area when symbolic links are ignored.
    fn is_lexically_inside(&self, path: &Path) -> bool {
        let mut lexical = PathBuf::new();
        for part in self.start.join(path).components() {
            match part {
                Component::ParentDir => {
                    lexical.pop();
                }
                part => lexical.push(part),
            }
        }
        lexical.starts_with(&self.top)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn describe_target(area: &Area, path: &str) -> String {
        match area.resolve(Path::new(path)) {
            Target::Inside(path) => path.to_string(),
            Target::Outside { name, reason, .. } => format!("outside: {name}: {reason}"),
            Target::Missing => "missing".to_owned(),
            Target::Unusable(reason) => reason,
        }
    }

    #[test]
    fn a_path_is_classified_by_its_link_targets() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for directory in ["repo/.git", "repo/team/roles", "repo/shared", "victim"] {
            std::fs::create_dir_all(top.join(directory)).unwrap();
        }
        for file in ["repo/shared/a.md", "repo/.git/config", "repo/team/roles/r.md", "victim/.netrc"] {
            std::fs::write(top.join(file), "x").unwrap();
        }
        let team = top.join("repo/team");
        symlink("../shared/a.md", team.join("in.md")).unwrap();
        symlink(top.join("repo/shared"), team.join("absolute")).unwrap();
        symlink("../../victim", team.join("out")).unwrap();
        symlink("../../victim/none", team.join("out-to-nothing")).unwrap();
        symlink("../.git/config", team.join("git.md")).unwrap();
        symlink("round.md", team.join("round.md")).unwrap();
        symlink("repo/team", top.join("back")).unwrap();
        let area = Area::open(&team).unwrap();
        assert_eq!(area.top(), top.join("repo"));
        let outside = "it is outside the repository that contains the compose root";
        let by_link =
            "a symbolic link on its path leads outside the repository that contains the compose root";
        let absolute = |path: &str| top.join(path).to_str().unwrap().to_owned();
        let cases = [
            ("roles/r.md", "team/roles/r.md".to_owned()),
            ("./roles//../roles/r.md", "team/roles/r.md".to_owned()),
            ("../shared/a.md", "shared/a.md".to_owned()),
            ("in.md", "shared/a.md".to_owned()),
            ("absolute/a.md", "shared/a.md".to_owned()),
            ("absolute/../shared/a.md", "shared/a.md".to_owned()),
            (&absolute("repo/shared/a.md"), "shared/a.md".to_owned()),
            (&absolute("back/roles/r.md"), "team/roles/r.md".to_owned()),
            ("../../back/roles/r.md", "team/roles/r.md".to_owned()),
            ("none.md", "missing".to_owned()),
            ("none/../roles/r.md", "missing".to_owned()),
            ("roles/r.md/../r.md", "missing".to_owned()),
            ("../../victim/.netrc", format!("outside: .netrc: {outside}")),
            ("../../victim/none", format!("outside: none: {outside}")),
            (&absolute("victim/.netrc"), format!("outside: .netrc: {outside}")),
            ("/proc/self/environ", format!("outside: environ: {outside}")),
            ("out/.netrc", format!("outside: .netrc: {by_link}")),
            ("out-to-nothing", format!("outside: none: {by_link}")),
            ("../.git/config", "outside: config: it belongs to git".to_owned()),
            ("../.GIT/config", "outside: config: it belongs to git".to_owned()),
            ("git.md", "outside: config: it belongs to git".to_owned()),
            ("round.md", "too many symbolic links are on its path".to_owned()),
        ];
        for (path, expected) in cases {
            assert_eq!(describe_target(&area, path), expected, "{path}");
        }
    }

    #[test]
    fn without_a_repository_the_parent_is_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("here/team")).unwrap();
        std::fs::write(top.join("here/a.md"), "x").unwrap();
        let area = Area::open(&top.join("here/team")).unwrap();
        assert_eq!(describe_target(&area, "../a.md"), "a.md");
        let expected = "outside: b.md: it is outside the directory that contains the compose root";
        assert_eq!(describe_target(&area, "../../b.md"), expected);
    }
}

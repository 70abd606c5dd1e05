//! Areas to which no entry can give access.

use minds_vfs::WorkspacePath;
use minds_vfs::portable::{is_encapsulated, is_git, is_same_name};

use crate::Access;

/// The directory of the team configuration.
const MINDS: &str = ".minds";

/// An area that general tools never access, regardless of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReservedArea {
    /// A task package: a name that ends in `.tsk`, in any letter case, and everything below it. Never read or written.
    Package,
    /// `.minds` at the root of the workspace, in any letter case, and everything below it. Never written; the lists decide
    /// about reading.
    Minds,
    /// A directory or file that git treats as `.git`, at any depth, and everything below it: its configuration names
    /// programs that git starts. Never written; the lists decide about reading.
    Git,
}

impl ReservedArea {
    /// Returns the reserved area that denies `access` to `path`.
    pub fn find(access: Access, path: &WorkspacePath) -> Option<Self> {
        if path.segments().any(is_encapsulated) {
            Some(Self::Package)
        } else if access == Access::Write && path.segments().next().is_some_and(is_minds) {
            Some(Self::Minds)
        } else if access == Access::Write && path.segments().any(is_git) {
            Some(Self::Git)
        } else {
            None
        }
    }
}

/// Returns whether any supported file system treats `name` as `.minds`.
fn is_minds(name: &str) -> bool {
    is_same_name(name, MINDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, read: Option<ReservedArea>, write: Option<ReservedArea>) {
        let path = WorkspacePath::normalize(path).unwrap();
        let found = Access::ALL.map(|access| ReservedArea::find(access, &path));
        assert_eq!(found, [read, write], "{path}");
    }

    #[test]
    fn packages_are_reserved_and_minds_is_read_only_in_any_letter_case() {
        use super::ReservedArea::{Minds, Package};
        for path in
            ["x.tsk", "a/X.TSK/b", ".tsk", "x.t\u{17f}\u{212a}/a", "x.t\u{200d}sk\u{fe0f}/a", ".minds/x.tsk"]
        {
            check(path, Some(Package), Some(Package));
        }
        for path in [".minds", ".minds/team.yaml", ".MINDS/x", ".mind\u{17f}/x", ".min\u{200d}ds/x"] {
            check(path, None, Some(Minds));
        }
        for path in
            [".git", "a/.GIT/config", "sub/.git/hooks/x", ".git./config", "git~1/config", ".g\u{200c}it"]
        {
            check(path, None, Some(ReservedArea::Git));
        }
        check(".minds/.git", None, Some(Minds));
        for path in ["", ".gitignore", "git/config", "a/.minds", ".mindsx", "x.tsk.md", "tsk", "x.tskx"] {
            check(path, None, None);
        }
    }
}

//! Ownership and write permissions of files that decide what agents may do.

use std::fmt;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use minds_process::SystemError;
use nix::unistd::{Gid, Group, Uid, User};

/// The user id of root.
const ROOT: u32 = 0;
/// The write permission of the group, and that of all users.
const GROUP_WRITE: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
/// In a directory with this bit, an entry is renamed and removed by its owner only.
const STICKY: u32 = 0o1000;

/// The user on whose behalf the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The effective user id.
    pub user: u32,
    /// The user who became root with `sudo`, if there is one.
    pub sudo_user: Option<u32>,
}

/// Owner, group and permissions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// The user id of the owner.
    pub user: u32,
    /// The group id.
    pub group: u32,
    /// The permission bits.
    pub mode: u32,
}

/// The part that a file or directory plays in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The directory that contains the configuration. The sticky bit protects its entries.
    Container,
    /// A file or directory of the configuration itself. The sticky bit is not sufficient: new files could be
    /// added.
    Configuration,
    /// A symbolic link, of which only the owner is relevant: its permission bits have no effect.
    Link,
}

/// Why a file or directory is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// It is owned by a user other than the caller or root.
    ForeignOwner {
        /// The user id of the owner.
        user: u32,
    },
    /// Every user can write to it.
    WritableByAll,
    /// The members of a group can write to it.
    WritableByGroup {
        /// The group id.
        group: u32,
    },
}

/// A file or directory that is not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// Its path relative to the examined directory; empty for that directory itself.
    pub name: String,
    /// Why it is not trusted.
    pub reason: Distrust,
}

impl Caller {
    /// Returns the user on whose behalf the program runs. `SUDO_UID` is considered only for root.
    pub fn current() -> Self {
        let user = Uid::effective().as_raw();
        let sudo_user = std::env::var("SUDO_UID").ok().filter(|_| user == ROOT);
        Self { user, sudo_user: sudo_user.and_then(|id| id.parse().ok()) }
    }

    /// Returns whether files of a user count as owned by the caller or by root.
    fn trusts(self, user: u32) -> bool {
        user == self.user || user == ROOT || self.sudo_user == Some(user)
    }
}

impl Ownership {
    fn of(metadata: &std::fs::Metadata) -> Self {
        Self { user: metadata.uid(), group: metadata.gid(), mode: metadata.mode() & 0o7777 }
    }

    /// Decides whether a file or directory is trusted, and returns why it is not.
    ///
    /// The owner must be the caller, root, or the user who became root with `sudo`. Other users must not be
    /// able to write to it; a [container](Role::Container) with the sticky bit may be writable. Group write
    /// permission is accepted for a private group: the group of root, a group whose id equals the owner's id,
    /// or one that `is_private` accepts.
    pub fn distrust(
        self,
        role: Role,
        caller: Caller,
        is_private: impl FnOnce(Self) -> bool,
    ) -> Option<Distrust> {
        if !caller.trusts(self.user) {
            return Some(Distrust::ForeignOwner { user: self.user });
        }
        let is_protected = role == Role::Container && self.mode & STICKY != 0;
        if role == Role::Link || is_protected {
            return None;
        }
        if self.mode & OTHERS_WRITE != 0 {
            return Some(Distrust::WritableByAll);
        }
        let is_shared = self.mode & GROUP_WRITE != 0
            && self.group != ROOT
            && self.group != self.user
            && !is_private(self);
        is_shared.then_some(Distrust::WritableByGroup { group: self.group })
    }
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForeignOwner { user } => {
                let found = User::from_uid(Uid::from_raw(*user)).ok().flatten();
                write!(f, "it belongs to {}", describe_account("user", found.map(|user| user.name), *user))
            }
            Self::WritableByAll => f.write_str("every user of this machine can write to it"),
            Self::WritableByGroup { group } => {
                let found = Group::from_gid(Gid::from_raw(*group)).ok().flatten();
                write!(
                    f,
                    "all members of {} can write to it",
                    describe_account("group", found.map(|group| group.name), *group)
                )
            }
        }
    }
}

/// Returns how a user or group is referred to in messages. Databases of remote machines may contain names
/// with arbitrary characters.
fn describe_account(kind: &str, name: Option<String>, id: u32) -> String {
    let is_plain = |name: &String| {
        !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || "._-".contains(one))
    };
    match name.filter(is_plain) {
        Some(name) => format!("the {kind} `{name}` (id {id})"),
        None => format!("the {kind} with the id {id}"),
    }
}

/// Returns whether a group is the private group of the file's owner by its name, as many systems set it up:
/// it has the name of the user and no other members.
fn is_private_group_by_name(ownership: Ownership) -> bool {
    let user = User::from_uid(Uid::from_raw(ownership.user)).ok().flatten();
    let group = Group::from_gid(Gid::from_raw(ownership.group)).ok().flatten();
    user.zip(group).is_some_and(|(user, group)| {
        user.name == group.name && group.mem.iter().all(|member| *member == user.name)
    })
}

/// Returns the first untrusted path among the directory at `path` and those of `names` in it that exist.
/// `names` are paths relative to the directory, each after its parent. A symbolic link is checked by its own
/// owner and by its target.
///
/// # Errors
///
/// Fails if `path` is not an accessible directory.
pub fn find_untrusted(path: &Path, names: &[&str], caller: Caller) -> Result<Option<Untrusted>, SystemError> {
    let failed = |error| SystemError::new("read", path, error);
    let check = |name: &str, metadata: &std::fs::Metadata, role| {
        let reason = Ownership::of(metadata).distrust(role, caller, is_private_group_by_name)?;
        Some(Untrusted { name: name.to_owned(), reason })
    };
    let container = std::fs::metadata(path).map_err(failed)?;
    if let Some(found) = check("", &container, Role::Container) {
        return Ok(Some(found));
    }
    let mut missing: Option<&str> = None;
    for name in names {
        let is_below = |parent: &str| name.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'));
        if missing.is_some_and(is_below) {
            continue;
        }
        let place: PathBuf = path.join(name);
        let found = match std::fs::symlink_metadata(&place) {
            Ok(metadata) if metadata.is_symlink() => check(name, &metadata, Role::Link)
                .or_else(|| check(name, &std::fs::metadata(&place).ok()?, Role::Configuration)),
            Ok(metadata) => check(name, &metadata, Role::Configuration),
            // A path that cannot be examined is not read either.
            Err(error) => {
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                    missing = Some(name);
                }
                None
            }
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Caller = Caller { user: 1000, sudo_user: None };
    const BY_SUDO: Caller = Caller { user: 0, sudo_user: Some(1000) };
    const FOREIGN: Option<Distrust> = Some(Distrust::ForeignOwner { user: 1001 });
    const ALL: Option<Distrust> = Some(Distrust::WritableByAll);

    #[track_caller]
    fn check(caller: Caller, role: Role, facts: (u32, u32, u32), expected: Option<Distrust>) {
        let (user, group, mode) = facts;
        let found = Ownership { user, group, mode }.distrust(role, caller, |facts| facts.group == 500);
        assert_eq!(found, expected, "{caller:?} {role:?} {user}:{group} {mode:o}");
    }

    #[test]
    fn the_owner_must_be_the_caller_or_root() {
        for role in [Role::Container, Role::Configuration, Role::Link] {
            check(ME, role, (1000, 1000, 0o755), None);
            check(ME, role, (0, 0, 0o755), None);
            check(ME, role, (1001, 1001, 0o755), FOREIGN);
            check(ME, role, (1001, 1001, 0o700), FOREIGN);
            // Root is as careful as any user: the files of a user decide what is started as root.
            check(Caller { user: 0, sudo_user: None }, role, (1001, 1001, 0o755), FOREIGN);
            check(BY_SUDO, role, (1000, 1000, 0o755), None);
            check(BY_SUDO, role, (1001, 1001, 0o755), FOREIGN);
        }
        // The sticky bit does not restrict the owner of a directory, who can rename its entries.
        check(ME, Role::Container, (1001, 1001, 0o1777), FOREIGN);
    }

    #[test]
    fn other_users_must_not_have_write_permission() {
        check(ME, Role::Container, (1000, 1000, 0o777), ALL);
        check(ME, Role::Container, (0, 0, 0o777), ALL);
        check(ME, Role::Container, (0, 0, 0o1777), None);
        check(ME, Role::Configuration, (1000, 1000, 0o777), ALL);
        check(ME, Role::Configuration, (1000, 1000, 0o1777), ALL);
        check(ME, Role::Configuration, (1000, 1000, 0o666), ALL);
        check(ME, Role::Configuration, (1000, 1000, 0o702), ALL);
        check(ME, Role::Configuration, (1000, 1000, 0o644), None);
        check(ME, Role::Link, (1000, 1000, 0o777), None);
    }

    #[test]
    fn only_a_private_group_may_write() {
        let group = |group| Some(Distrust::WritableByGroup { group });
        for role in [Role::Container, Role::Configuration] {
            check(ME, role, (1000, 1000, 0o775), None);
            check(ME, role, (1000, 0, 0o775), None);
            check(ME, role, (1000, 500, 0o775), None);
            check(ME, role, (1000, 100, 0o775), group(100));
            check(ME, role, (1000, 100, 0o755), None);
            check(ME, role, (0, 100, 0o775), group(100));
            check(ME, role, (1000, 1001, 0o664), group(1001));
        }
        check(ME, Role::Container, (1000, 100, 0o1775), None);
    }

    #[test]
    fn directories_and_their_entries_are_checked() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::write(at("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink("a/b/file", at("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("dangling")).unwrap();
        let set = |name: &str, mode| {
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let names = ["a", "a/b", "a/b/file", "dangling", "link", "none", "none/x"];
        let find = || find_untrusted(folder.path(), &names, Caller::current()).unwrap();
        for (name, bad, good) in [("a", 0o777, 0o755), ("a/b", 0o1777, 0o755), ("a/b/file", 0o666, 0o644)] {
            assert_eq!(find(), None, "{name}");
            set(name, bad);
            let expected = Untrusted { name: name.to_owned(), reason: Distrust::WritableByAll };
            assert_eq!(find(), Some(expected));
            set(name, good);
        }
        set("a/b/file", 0o666);
        let expected = Untrusted { name: "link".to_owned(), reason: Distrust::WritableByAll };
        assert_eq!(find_untrusted(folder.path(), &["link"], Caller::current()).unwrap(), Some(expected));
        set("a/b/file", 0o644);
        set("", 0o1777);
        assert_eq!(find(), None);
        set("", 0o777);
        assert_eq!(find().map(|found| found.name), Some(String::new()));
        assert!(find_untrusted(&at("none"), &[], Caller::current()).is_err());
    }

    #[test]
    fn the_owner_of_a_directory_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let mine = std::fs::metadata(folder.path()).unwrap().uid();
        // For any other user the directory is foreign, unless it belongs to root.
        let other = Caller { user: mine.wrapping_add(1), sudo_user: None };
        let found = find_untrusted(folder.path(), &[], other).unwrap();
        let expected = Untrusted { name: String::new(), reason: Distrust::ForeignOwner { user: mine } };
        if mine == ROOT {
            let nobody = Some(65534);
            std::os::unix::fs::chown(folder.path(), nobody, nobody).unwrap();
            let found = find_untrusted(folder.path(), &[], Caller::current()).unwrap();
            let expected = Untrusted { reason: Distrust::ForeignOwner { user: 65534 }, ..expected };
            assert_eq!(found, Some(expected));
        } else {
            assert_eq!(found, Some(expected));
        }
    }
}

//! Calls that give entries other names.

use std::io;

use rustix::fs::AtFlags;
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
use rustix::io::Errno;

use super::Kind;
use super::call::call;
use super::unix::{Handle, is_unsupported, stat_entry, unlink};

/// Renames an entry; an existing target is replaced.
pub(crate) fn rename(from: (&Handle, &str), to: (&Handle, &str)) -> io::Result<()> {
    call("renameat", || rustix::fs::renameat(from.0, from.1, to.0, to.1))
}

/// Renames an entry to a name that does not exist.
pub(crate) fn rename_new(from: (&Handle, &str), to: (&Handle, &str)) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    let renamed = call("renameat2", || {
        rustix::fs::renameat_with(from.0, from.1, to.0, to.1, rustix::fs::RenameFlags::NOREPLACE)
    });
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    let renamed = Err(io::Error::from(Errno::NOSYS));
    match renamed {
        // A hard link can only be created at a new name, which gives the same guarantee for everything but
        // directories.
        Err(error) if is_unsupported(&error) && stat_entry(from.0, from.1)?.kind != Kind::Directory => {
            call("linkat", || rustix::fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty()))?;
            unlink(from.0, from.1).inspect_err(|_| {
                // The whole operation failed, so the new name is removed again.
                let _ = unlink(to.0, to.1);
            })
        }
        renamed => renamed,
    }
}

/// Exchanges two names, of which `other` is a temporary name.
///
/// If the file system cannot exchange names atomically, the file has a second hard link for a short time.
pub(crate) fn exchange(one: (&Handle, &str), other: (&Handle, &str)) -> io::Result<()> {
    if try_exchange(one, other)? {
        return Ok(());
    }
    let second = format!(".2{}", other.1);
    match unlink(other.0, &second) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    call("linkat", || rustix::fs::linkat(one.0, one.1, other.0, &second, AtFlags::empty()))?;
    rename(other, one)?;
    rename((other.0, &second), other)
}

/// Exchanges two names atomically, also of directories; returns whether the file system supports it.
pub(crate) fn try_exchange(one: (&Handle, &str), other: (&Handle, &str)) -> io::Result<bool> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    let exchanged = call("renameat2", || {
        rustix::fs::renameat_with(one.0, one.1, other.0, other.1, rustix::fs::RenameFlags::EXCHANGE)
    });
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    let exchanged = Err(io::Error::from(Errno::NOSYS));
    match exchanged {
        Err(error) if is_unsupported(&error) => Ok(false),
        exchanged => exchanged.map(|()| true),
    }
}

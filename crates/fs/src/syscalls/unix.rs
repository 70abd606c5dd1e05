//! System calls on Unix.

use std::io;
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::call::call;
use super::{Access, EnterResult, FileId, Kind, Sharing, Stamp, Stat};

/// An open file or directory.
pub(crate) type Handle = OwnedFd;

/// The flags for a handle that is used only as the base of relative paths.
#[cfg(target_os = "linux")]
const PATH_ONLY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PATH_ONLY: OFlags = OFlags::RDONLY;

/// Returns the flags for opening an entry or a path.
fn flags(access: Access) -> OFlags {
    let nonblocking = OFlags::NONBLOCK | OFlags::NOCTTY;
    let what = match access {
        Access::Read => OFlags::RDONLY | nonblocking,
        Access::Append => OFlags::WRONLY | OFlags::APPEND | nonblocking,
        Access::Own => OFlags::RDWR | nonblocking,
        Access::Directory => OFlags::RDONLY | OFlags::DIRECTORY,
        Access::Stat | Access::StatNoLink => PATH_ONLY,
    };
    what | OFlags::CLOEXEC
}

/// Opens a directory named by the user, at any path.
pub(crate) fn open_root(path: &Path) -> io::Result<Handle> {
    let flags = PATH_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    call("openat", || rustix::fs::openat(rustix::fs::CWD, path, flags, Mode::empty()))
}

/// Opens a path beneath a directory; the kernel refuses symbolic links and paths that escape the directory.
#[cfg(target_os = "linux")]
pub(crate) fn open_beneath(root: &Handle, path: &str, access: Access) -> io::Result<Handle> {
    use rustix::fs::ResolveFlags;

    let last = if access == Access::Stat { OFlags::NOFOLLOW } else { OFlags::empty() };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    call("openat2", || rustix::fs::openat2(root, path, flags(access) | last, Mode::empty(), resolve))
}

/// The kernel does not support this call.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open_beneath(_: &Handle, _: &str, _: Access) -> io::Result<Handle> {
    Err(Errno::NOSYS.into())
}

/// Returns whether [`open_beneath`] is not available, permanently or for this call: a seccomp filter may
/// refuse it.
pub(crate) fn is_unavailable(error: &io::Error) -> bool {
    matches!(errno(error), Some(Errno::NOSYS | Errno::PERM))
}

/// Returns whether names were moved while they were resolved.
pub(crate) fn is_concurrent_rename(error: &io::Error) -> bool {
    errno(error) == Some(Errno::AGAIN)
}

/// Returns whether a symbolic link was found where links are not followed.
pub(crate) fn is_link(error: &io::Error) -> bool {
    errno(error) == Some(Errno::LOOP)
}

/// Returns whether the path escapes the root.
pub(crate) fn is_outside(error: &io::Error) -> bool {
    errno(error) == Some(Errno::XDEV)
}

/// Returns whether the file system does not support this call.
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    matches!(errno(error), Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP))
}

/// Returns whether opening found a socket, or a pipe without a reader.
pub(crate) fn is_not_regular_file(error: &io::Error) -> bool {
    matches!(errno(error), Some(Errno::NXIO | Errno::NODEV))
}

/// Returns whether the process or the system cannot open any more files.
pub(crate) fn has_too_many_open(error: &io::Error) -> bool {
    matches!(errno(error), Some(Errno::MFILE | Errno::NFILE))
}

fn errno(error: &io::Error) -> Option<Errno> {
    error.raw_os_error().map(Errno::from_raw_os_error)
}

/// Opens an entry of a directory. A symbolic link fails with [`is_link`], except when only its metadata is
/// requested.
pub(crate) fn open_entry(directory: &Handle, name: &str, access: Access) -> io::Result<Handle> {
    let flags = flags(access) | OFlags::NOFOLLOW;
    let opened = call("openat", || rustix::fs::openat(directory, name, flags, Mode::empty()));
    match opened {
        Err(error) if errno(&error) == Some(Errno::NOTDIR) && read_link(directory, name).is_ok() => {
            Err(Errno::LOOP.into())
        }
        Ok(handle) if access == Access::StatNoLink && stat(&handle)?.kind == Kind::Link => {
            Err(Errno::LOOP.into())
        }
        opened => opened,
    }
}

/// Opens a directory as the base for the next segment, or reads the symbolic link at the name.
pub(crate) fn enter(directory: &Handle, name: &str) -> io::Result<EnterResult> {
    let flags = PATH_ONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match call("openat", || rustix::fs::openat(directory, name, flags, Mode::empty())) {
        // Which of the two errors is returned depends on the system.
        Err(error) if matches!(errno(&error), Some(Errno::NOTDIR | Errno::LOOP)) => {
            read_link(directory, name).map(EnterResult::Link).map_err(|_| error)
        }
        opened => opened.map(EnterResult::Directory),
    }
}

/// Creates a file with a name that does not exist.
pub(crate) fn create_new(directory: &Handle, name: &str, bits: u32) -> io::Result<Handle> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    call("openat", || rustix::fs::openat(directory, name, flags, Mode::from_raw_mode(bits)))
}

/// Returns the metadata of an open file.
pub(crate) fn stat(handle: &Handle) -> io::Result<Stat> {
    call("fstat", || rustix::fs::fstat(handle)).map(|stat| read_stat(&stat))
}

/// Returns the user id of the owner of an open file, and its permission bits.
pub(crate) fn owner(handle: &Handle) -> io::Result<(u32, u32)> {
    let stat = call("fstat", || rustix::fs::fstat(handle))?;
    Ok((stat.st_uid, read_stat(&stat).bits))
}

/// Sets the permissions of an entry, which is not a symbolic link.
pub(crate) fn set_entry_bits(directory: &Handle, name: &str, bits: u32) -> io::Result<()> {
    call("fchmodat", || rustix::fs::chmodat(directory, name, Mode::from_raw_mode(bits), AtFlags::empty()))
}

/// Returns a stamp by which a change of an open file is detected.
// The types of these fields differ between systems.
#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    clippy::cast_possible_wrap,
    reason = "they differ between systems"
)]
pub(crate) fn stamp(handle: &Handle) -> io::Result<Stamp> {
    call("fstat", || rustix::fs::fstat(handle)).map(|stat| Stamp {
        id: FileId::from((stat.st_dev as u64, stat.st_ino as u64)),
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: (stat.st_mtime as i64, i64::try_from(stat.st_mtime_nsec).unwrap_or_default()),
        changed: (stat.st_ctime as i64, i64::try_from(stat.st_ctime_nsec).unwrap_or_default()),
    })
}

/// Returns the metadata of an entry; a symbolic link is not followed.
pub(crate) fn stat_entry(directory: &Handle, name: &str) -> io::Result<Stat> {
    let flags = AtFlags::SYMLINK_NOFOLLOW;
    call("fstatat", || rustix::fs::statat(directory, name, flags)).map(|stat| read_stat(&stat))
}

// The types of these fields differ between systems.
#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    clippy::cast_possible_wrap,
    reason = "they differ between systems"
)]
pub(super) fn read_stat(stat: &rustix::fs::Stat) -> Stat {
    let mode = stat.st_mode;
    Stat {
        kind: kind(FileType::from_raw_mode(mode)),
        links: u64::from(stat.st_nlink),
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        bits: u32::from(mode) & 0o7777,
        id: FileId::from((stat.st_dev as u64, stat.st_ino as u64)),
        modified: (stat.st_mtime as i64)
            .saturating_mul(1_000)
            .saturating_add(i64::try_from(stat.st_mtime_nsec).unwrap_or_default() / 1_000_000),
    }
}

pub(super) fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    }
}

/// Reads once into the spare capacity of `bytes`.
pub(crate) fn read(handle: &Handle, bytes: &mut Vec<u8>) -> io::Result<usize> {
    call("read", || rustix::io::read(handle, rustix::buffer::spare_capacity(bytes)))
}

/// Reads once at `offset` plus the length of `bytes`, into its spare capacity.
pub(crate) fn read_at(handle: &Handle, bytes: &mut Vec<u8>, offset: u64) -> io::Result<usize> {
    let from = offset.saturating_add(bytes.len() as u64);
    call("pread", || rustix::io::pread(handle, rustix::buffer::spare_capacity(bytes), from))
}

/// Overwrites the bytes of an open file at `offset`.
pub(crate) fn overwrite(handle: &Handle, bytes: &[u8], offset: u64) -> io::Result<()> {
    let written = call("pwrite", || rustix::io::pwrite(handle, bytes, offset))?;
    if written == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Writes all bytes.
pub(crate) fn write_all(handle: &Handle, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = call("write", || rustix::io::write(handle, bytes))?;
        bytes = bytes.get(written..).filter(|_| written > 0).ok_or(io::ErrorKind::WriteZero)?;
    }
    Ok(())
}

/// Waits until the content of a file is on disk.
pub(crate) fn sync_data(handle: &Handle) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return call("fdatasync", || rustix::fs::fdatasync(handle));
    #[cfg(not(target_os = "linux"))]
    return call("fsync", || rustix::fs::fsync(handle));
}

/// Waits until the names of a directory are on disk.
pub(crate) fn sync_directory(directory: &Handle) -> io::Result<()> {
    call("fsync", || rustix::fs::fsync(directory))
}

/// Sets the permissions of an open file.
pub(crate) fn set_bits(handle: &Handle, bits: u32) -> io::Result<()> {
    call("fchmod", || rustix::fs::fchmod(handle, Mode::from_raw_mode(bits)))
}

/// Truncates an open file.
pub(crate) fn truncate(handle: &Handle, size: u64) -> io::Result<()> {
    call("ftruncate", || rustix::fs::ftruncate(handle, size))
}

/// Waits until everything on the file system of an open directory is on disk; returns false if the system has
/// no such call.
pub(crate) fn sync_file_system(directory: &Handle) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    let synced = call("syncfs", || rustix::fs::syncfs(directory));
    #[cfg(not(target_os = "linux"))]
    let synced = {
        let _ = directory;
        Err(io::Error::from(Errno::NOSYS))
    };
    match synced {
        Err(error) if is_unsupported(&error) => Ok(false),
        synced => synced.map(|()| true),
    }
}

/// Creates a symbolic link.
pub(crate) fn symlink(target: &str, directory: &Handle, name: &str) -> io::Result<()> {
    call("symlinkat", || rustix::fs::symlinkat(target, directory, name))
}

/// Returns the target of a symbolic link; fails if the entry is not a link.
pub(crate) fn read_link(directory: &Handle, name: &str) -> io::Result<Vec<u8>> {
    let target = call("readlinkat", || rustix::fs::readlinkat(directory, name, Vec::new()))?;
    Ok(target.into_bytes())
}

/// Returns the target of a symbolic link, which is `directory` itself if the name is empty. A target longer
/// than `buffer` is refused.
pub(crate) fn read_short_link<'b>(
    directory: &Handle,
    name: &str,
    buffer: &'b mut [u8],
) -> io::Result<&'b [u8]> {
    let length = call("readlinkat", || rustix::fs::readlinkat_raw(directory, name, &mut *buffer))?;
    buffer.get(..length).filter(|target| target.len() < buffer.len()).ok_or_else(|| Errno::NAMETOOLONG.into())
}

/// Creates a directory.
pub(crate) fn make_directory(directory: &Handle, name: &str) -> io::Result<()> {
    call("mkdirat", || rustix::fs::mkdirat(directory, name, Mode::from_raw_mode(0o777)))
}

/// Removes an entry that is not a directory.
pub(crate) fn unlink(directory: &Handle, name: &str) -> io::Result<()> {
    call("unlinkat", || rustix::fs::unlinkat(directory, name, AtFlags::empty()))
}

/// Removes an empty directory.
pub(crate) fn remove_directory(directory: &Handle, name: &str) -> io::Result<()> {
    call("unlinkat", || rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR))
}

/// Returns the process that holds the lock of an open file, if the system reports it.
#[cfg(target_os = "linux")]
pub(crate) fn lock_owner(handle: &Handle) -> Option<u32> {
    let stat = rustix::fs::fstat(handle).ok()?;
    let (major, minor) = (rustix::fs::major(stat.st_dev), rustix::fs::minor(stat.st_dev));
    let id = format!("{major:02x}:{minor:02x}:{}", stat.st_ino);
    // The format is `1: FLOCK  ADVISORY  WRITE 4242 00:2f:1234 0 EOF`; processes of other namespaces are not
    // listed.
    std::fs::read_to_string("/proc/locks").ok()?.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().filter(|field| *field != "->").skip(1);
        let (kind, process, file) = (fields.next()?, fields.nth(2)?, fields.next()?);
        let process = process.parse().ok().filter(|process| *process > 0);
        process.filter(|_| kind == "FLOCK" && file == id)
    })
}

/// The system does not report lock owners.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lock_owner(_: &Handle) -> Option<u32> {
    None
}

/// Returns the permissions that a new file with `bits` gets in a directory, after the umask of the process
/// and the default ACL of the directory. `name` is a name that is not in use.
pub(crate) fn bits_of_new(directory: &Handle, name: &str, bits: u32) -> io::Result<u32> {
    #[cfg(target_os = "linux")]
    {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let unnamed = call("openat", || rustix::fs::openat(directory, ".", flags, Mode::from_raw_mode(bits)));
        if let Ok(unnamed) = unnamed {
            return Ok(stat(&unnamed)?.bits);
        }
    }
    let found = stat(&create_new(directory, name, bits)?).map(|stat| stat.bits);
    unlink(directory, name)?;
    found
}

/// Tries to lock an open file without waiting; returns whether it succeeded.
pub(crate) fn try_lock(handle: &Handle, sharing: Sharing) -> io::Result<bool> {
    let operation = match sharing {
        Sharing::Shared => FlockOperation::NonBlockingLockShared,
        Sharing::Exclusive => FlockOperation::NonBlockingLockExclusive,
    };
    match call("flock", || rustix::fs::flock(handle, operation)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

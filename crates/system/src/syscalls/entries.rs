//! The entries of a directory.

use std::ffi::CStr;
use std::io;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::Kind;
use super::call::call;
use super::unix::{Handle, kind, read_stat};

/// The name of an entry, which need not be text, and what stands under it.
pub(crate) type RawEntry = (Vec<u8>, Kind);

/// How many bytes of entries are asked for at once.
#[cfg(target_os = "linux")]
const ENTRIES_AT_ONCE: usize = 16 << 10;

/// Returns the names in an open directory, in the order of the system, and what stands under each.
///
/// Of more than `most` entries nothing is returned. The directory was opened for its entries, and nobody else is reading them
/// by this handle.
pub(crate) fn entries(directory: &Handle, most: usize) -> io::Result<Option<Vec<RawEntry>>> {
    let mut found = Found { directory, most, entries: Vec::new() };
    let is_whole = read_entries(directory, |name, file_type| found.add(name, file_type))?;
    Ok(is_whole.then_some(found.entries))
}

/// Reads the entries of a directory as long as they are wanted; returns whether all were.
#[cfg(target_os = "linux")]
fn read_entries(
    directory: &Handle,
    mut wants: impl FnMut(&CStr, FileType) -> io::Result<bool>,
) -> io::Result<bool> {
    // The handle may have been read before. Opening the directory once more, as libraries do, takes three calls more.
    call("getdents", || rustix::fs::seek(directory, rustix::fs::SeekFrom::Start(0)))?;
    let mut buffer = [MaybeUninit::uninit(); ENTRIES_AT_ONCE];
    let mut reader = rustix::fs::RawDir::new(directory, &mut buffer);
    while let Some(entry) = reader.next() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            // The directory is gone, and with it all that it held.
            Err(Errno::NOENT) => break,
            entry => entry?,
        };
        if !wants(entry.file_name(), entry.file_type())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads the entries of a directory as long as they are wanted; returns whether all were.
#[cfg(not(target_os = "linux"))]
fn read_entries(
    directory: &Handle,
    mut wants: impl FnMut(&CStr, FileType) -> io::Result<bool>,
) -> io::Result<bool> {
    let mut reader = call("getdents", || rustix::fs::Dir::read_from(directory))?;
    while let Some(entry) = reader.read() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            entry => entry?,
        };
        if !wants(entry.file_name(), entry.file_type())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The entries that were read so far.
struct Found<'d> {
    directory: &'d Handle,
    most: usize,
    entries: Vec<RawEntry>,
}

impl Found<'_> {
    /// Adds an entry; returns whether there was room for it.
    fn add(&mut self, name: &CStr, file_type: FileType) -> io::Result<bool> {
        let bytes = name.to_bytes();
        if matches!(bytes, b"." | b"..") {
            return Ok(true);
        }
        if self.entries.len() == self.most {
            return Ok(false);
        }
        let kind = match file_type {
            FileType::Unknown => {
                match rustix::fs::statat(self.directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => read_stat(&stat).kind,
                    // It is gone.
                    Err(Errno::NOENT) => return Ok(true),
                    Err(error) => return Err(error.into()),
                }
            }
            known => kind(known),
        };
        self.entries.push((bytes.to_vec(), kind));
        Ok(true)
    }
}

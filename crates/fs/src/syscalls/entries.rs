//! Reading the entries of a directory.

use std::ffi::CStr;
use std::io;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::Kind;
use super::call::call;
use super::unix::{Handle, kind, read_stat};

/// The name of an entry, which need not be valid UTF-8, and its type.
pub(crate) type RawEntry = (Vec<u8>, Kind);

/// The size of the buffer for directory entries in bytes.
#[cfg(target_os = "linux")]
const BUFFER_BYTES: usize = 16 << 10;

/// Returns the names and types of the entries of an open directory, in the order of the system.
///
/// Returns none if there are more than `most` entries. The directory must be open for reading its entries,
/// and no other reader may use this handle.
pub(crate) fn entries(directory: &Handle, most: usize) -> io::Result<Option<Vec<RawEntry>>> {
    let mut collector = EntryCollector { directory, most, entries: Vec::new() };
    let is_complete = read_entries(directory, |name, file_type| collector.add(name, file_type))?;
    Ok(is_complete.then_some(collector.entries))
}

/// Reads entries while `wants` returns true; returns whether all were read.
#[cfg(target_os = "linux")]
fn read_entries(
    directory: &Handle,
    mut wants: impl FnMut(&CStr, FileType) -> io::Result<bool>,
) -> io::Result<bool> {
    // The handle may have been read before. Opening the directory again, as libraries do, takes three more
    // calls.
    call("getdents", || rustix::fs::seek(directory, rustix::fs::SeekFrom::Start(0)))?;
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut reader = rustix::fs::RawDir::new(directory, &mut buffer);
    while let Some(entry) = reader.next() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            // The directory was removed, and with it all entries.
            Err(Errno::NOENT) => break,
            entry => entry?,
        };
        if !wants(entry.file_name(), entry.file_type())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads entries while `wants` returns true; returns whether all were read.
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
struct EntryCollector<'d> {
    directory: &'d Handle,
    most: usize,
    entries: Vec<RawEntry>,
}

impl EntryCollector<'_> {
    /// Adds an entry; returns false if the limit is reached.
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
                    // The entry was removed meanwhile.
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

//! An in-memory file system that equates names which differ only in letter case, Unicode normalization, or
//! invisible characters, as macOS and ext4 with `casefold` do.
//!
//! It compares names with the tables of the standard library, not with those of `minds_vfs`, so that a mistake there
//! is not repeated here.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, SystemTime};

use fuser::{
    BackgroundSession, FileAttr, FileType, Filesystem, MountOption, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyWrite, Request, TimeOrNow,
};
use rustix::io::Errno;
use rustix::process::{getgid, getuid};
use unicode_normalization::UnicodeNormalization as _;

/// The kernel must not cache names: it does not know which of them are equal.
const UNCACHED: Duration = Duration::ZERO;

/// The flags of `renameat2`.
const NO_REPLACE: u32 = 1;
const EXCHANGE: u32 = 2;

/// Mounts an empty file system at the directory `at`. Dropping the session unmounts it.
///
/// # Errors
///
/// Returns the error of the kernel.
pub(super) fn mount(at: &Path) -> std::io::Result<BackgroundSession> {
    let root =
        Node { content: Content::Directory(BTreeMap::new()), mode: 0o755, modified: SystemTime::now() };
    fuser::spawn_mount2(Folding { nodes: vec![root] }, at, &[MountOption::FSName("folding".to_owned())])
}

/// Returns the form in which names are compared.
pub(super) fn fold(name: &str) -> String {
    let shown = name.chars().filter(|c| !is_ignored(*c)).collect::<String>();
    shown.nfd().flat_map(fold_character).nfd().collect()
}

/// Folds a character through its uppercase form; no file system equates the dotless `ı` with another letter.
fn fold_character(c: char) -> Vec<char> {
    if c == 'ı' {
        return vec![c];
    }
    c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Some of the characters that ext4 and HFS+ ignore in names.
pub(super) const IGNORED: [char; 7] =
    ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{fe0f}', '\u{feff}'];

fn is_ignored(c: char) -> bool {
    IGNORED.contains(&c)
}

struct Folding {
    /// Nodes by their number minus one. Nodes without a name are kept, because they can still be open.
    nodes: Vec<Node>,
}

struct Node {
    content: Content,
    mode: u16,
    modified: SystemTime,
}

enum Content {
    /// The given name and the number of each entry, by folded name.
    Directory(BTreeMap<String, (String, u64)>),
    File(Vec<u8>),
}

type Answer<T> = Result<T, Errno>;

impl Folding {
    fn node(&mut self, number: u64) -> Answer<&mut Node> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.nodes.get_mut(at)).ok_or(Errno::NOENT)
    }

    fn entries(&mut self, number: u64) -> Answer<&mut BTreeMap<String, (String, u64)>> {
        match &mut self.node(number)?.content {
            Content::Directory(entries) => Ok(entries),
            Content::File(_) => Err(Errno::NOTDIR),
        }
    }

    fn bytes(&mut self, number: u64) -> Answer<&mut Vec<u8>> {
        match &mut self.node(number)?.content {
            Content::File(bytes) => Ok(bytes),
            Content::Directory(_) => Err(Errno::ISDIR),
        }
    }

    fn attributes(&mut self, number: u64) -> Answer<FileAttr> {
        let node = self.node(number)?;
        let (kind, size, links) = match &node.content {
            Content::Directory(_) => (FileType::Directory, 0, 2),
            Content::File(bytes) => (FileType::RegularFile, bytes.len() as u64, 1),
        };
        Ok(FileAttr {
            ino: number,
            size,
            blocks: size.div_ceil(512),
            atime: node.modified,
            mtime: node.modified,
            ctime: node.modified,
            crtime: node.modified,
            kind,
            perm: node.mode,
            nlink: links,
            uid: getuid().as_raw(),
            gid: getgid().as_raw(),
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    fn find(&mut self, parent: u64, name: &OsStr) -> Answer<u64> {
        let name = text(name)?;
        self.entries(parent)?.get(&fold(name)).map(|(_, number)| *number).ok_or(Errno::NOENT)
    }

    fn add(&mut self, parent: u64, name: &OsStr, mode: u32, content: Content) -> Answer<FileAttr> {
        let name = text(name)?;
        if self.entries(parent)?.contains_key(&fold(name)) {
            return Err(Errno::EXIST);
        }
        let mode = u16::try_from(mode & 0o7777).unwrap_or_default();
        self.nodes.push(Node { content, mode, modified: SystemTime::now() });
        let number = self.nodes.len() as u64;
        self.entries(parent)?.insert(fold(name), (name.to_owned(), number));
        self.attributes(number)
    }

    fn remove(&mut self, parent: u64, name: &OsStr, is_directory: bool) -> Answer<()> {
        let number = self.find(parent, name)?;
        match &self.node(number)?.content {
            Content::Directory(_) if !is_directory => return Err(Errno::ISDIR),
            Content::File(_) if is_directory => return Err(Errno::NOTDIR),
            Content::Directory(entries) if !entries.is_empty() => return Err(Errno::NOTEMPTY),
            _ => {}
        }
        self.entries(parent)?.remove(&fold(text(name)?));
        Ok(())
    }

    fn relocate(&mut self, from: (u64, &OsStr), to: (u64, &OsStr), flags: u32) -> Answer<()> {
        let moved = self.find(from.0, from.1)?;
        let replaced = self.find(to.0, to.1).ok();
        let (old, new) = (text(from.1)?, text(to.1)?);
        if flags & EXCHANGE != 0 {
            let other = replaced.ok_or(Errno::NOENT)?;
            self.entries(from.0)?.insert(fold(old), (old.to_owned(), other));
            self.entries(to.0)?.insert(fold(new), (new.to_owned(), moved));
            return Ok(());
        }
        if let Some(replaced) = replaced.filter(|replaced| *replaced != moved) {
            if flags & NO_REPLACE != 0 {
                return Err(Errno::EXIST);
            }
            let is_directory = matches!(self.node(replaced)?.content, Content::Directory(_));
            self.remove(to.0, to.1, is_directory)?;
        }
        self.entries(from.0)?.remove(&fold(old));
        self.entries(to.0)?.insert(fold(new), (new.to_owned(), moved));
        Ok(())
    }

    fn list(&mut self, number: u64) -> Answer<Vec<(u64, FileType, String)>> {
        let entries: Vec<(String, u64)> = self.entries(number)?.values().cloned().collect();
        let mut listed =
            vec![(number, FileType::Directory, ".".to_owned()), (1, FileType::Directory, "..".to_owned())];
        for (name, number) in entries {
            listed.push((number, self.attributes(number)?.kind, name));
        }
        Ok(listed)
    }
}

fn text(name: &OsStr) -> Answer<&str> {
    name.to_str().ok_or(Errno::ILSEQ)
}

/// Reads an offset of the kernel.
fn offset(offset: i64) -> usize {
    usize::try_from(offset).unwrap_or_default()
}

/// Replies to the kernel: `send` sends the value, an error is sent as its number.
macro_rules! answer {
    ($result:expr, $reply:ident, $send:expr) => {
        match $result {
            Ok(value) => $send($reply, value),
            Err(error) => $reply.error(error.raw_os_error()),
        }
    };
}

impl Filesystem for Folding {
    fn lookup(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEntry) {
        let found = self.find(parent, name).and_then(|number| self.attributes(number));
        answer!(found, reply, |reply: ReplyEntry, found| reply.entry(&UNCACHED, &found, 0));
    }

    fn getattr(&mut self, _: &Request<'_>, number: u64, _: Option<u64>, reply: ReplyAttr) {
        answer!(self.attributes(number), reply, |reply: ReplyAttr, found| reply.attr(&UNCACHED, &found));
    }

    fn setattr(
        &mut self,
        _: &Request<'_>,
        number: u64,
        mode: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<u64>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<u32>,
        reply: ReplyAttr,
    ) {
        let mut set = || {
            if let Some(size) = size {
                self.bytes(number)?.resize(usize::try_from(size).map_err(|_| Errno::FBIG)?, 0);
            }
            if let Some(mode) = mode {
                self.node(number)?.mode = u16::try_from(mode & 0o7777).unwrap_or_default();
            }
            self.attributes(number)
        };
        answer!(set(), reply, |reply: ReplyAttr, found| reply.attr(&UNCACHED, &found));
    }

    fn mkdir(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let added = self.add(parent, name, mode & !umask, Content::Directory(BTreeMap::new()));
        answer!(added, reply, |reply: ReplyEntry, added| reply.entry(&UNCACHED, &added, 0));
    }

    fn create(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let added = self.add(parent, name, mode & !umask, Content::File(Vec::new()));
        answer!(added, reply, |reply: ReplyCreate, added| reply.created(&UNCACHED, &added, 0, 0, 0));
    }

    fn unlink(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        answer!(self.remove(parent, name, false), reply, |reply: ReplyEmpty, ()| reply.ok());
    }

    fn rmdir(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        answer!(self.remove(parent, name, true), reply, |reply: ReplyEmpty, ()| reply.ok());
    }

    fn rename(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        new_parent: u64,
        new_name: &OsStr,
        flags: u32,
        reply: ReplyEmpty,
    ) {
        let moved = self.relocate((parent, name), (new_parent, new_name), flags);
        answer!(moved, reply, |reply: ReplyEmpty, ()| reply.ok());
    }

    fn read(
        &mut self,
        _: &Request<'_>,
        number: u64,
        _: u64,
        start: i64,
        size: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyData,
    ) {
        let part = self.bytes(number).map(|bytes| {
            let rest = bytes.get(offset(start)..).unwrap_or_default();
            rest.get(..rest.len().min(size as usize)).unwrap_or_default().to_vec()
        });
        answer!(part, reply, |reply: ReplyData, part: Vec<u8>| reply.data(&part));
    }

    fn write(
        &mut self,
        _: &Request<'_>,
        number: u64,
        _: u64,
        start: i64,
        data: &[u8],
        _: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyWrite,
    ) {
        let written = self.bytes(number).map(|bytes| {
            let end = offset(start) + data.len();
            bytes.resize(bytes.len().max(end), 0);
            bytes[offset(start)..end].copy_from_slice(data);
            u32::try_from(data.len()).unwrap_or_default()
        });
        answer!(written, reply, |reply: ReplyWrite, written| reply.written(written));
    }

    fn flush(&mut self, _: &Request<'_>, _: u64, _: u64, _: u64, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&mut self, _: &Request<'_>, _: u64, _: u64, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsyncdir(&mut self, _: &Request<'_>, _: u64, _: u64, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn readdir(&mut self, _: &Request<'_>, number: u64, _: u64, start: i64, mut reply: ReplyDirectory) {
        match self.list(number) {
            Ok(listed) => {
                for (next, (number, kind, name)) in (1..).zip(listed).skip(offset(start)) {
                    if reply.add(number, next, kind, name) {
                        break;
                    }
                }
                reply.ok();
            }
            Err(error) => reply.error(error.raw_os_error()),
        }
    }
}

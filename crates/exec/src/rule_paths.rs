//! From the paths of the rules to open files.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2, readlinkat};
use rustix::io::Errno;

use crate::{SandboxRules, SkippedRule};

/// The maximum number of symbolic links of a path, as in the kernel.
const MAX_LINKS: usize = 40;

/// What a rule permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Device,
}

/// A file of the rules, opened without any access of its own.
#[derive(Debug)]
pub(crate) struct OpenRule {
    pub(crate) file: OwnedFd,
    pub(crate) is_folder: bool,
    pub(crate) access: Access,
}

/// Opens the files of the rules.
pub(crate) fn open_rules(rules: &SandboxRules) -> (Vec<OpenRule>, Vec<SkippedRule>) {
    let writable: Vec<PathBuf> =
        rules.write.iter().filter_map(|path| resolve(path, &[]).ok()).collect();
    let proc = rules.reads_proc.then(|| PathBuf::from("/proc"));
    let read = rules.read.iter().chain(&proc).map(|path| (path, Access::Read));
    let write = rules.write.iter().map(|path| (path, Access::Write));
    let devices = rules.devices.iter().map(|path| (path, Access::Device));
    let (mut opened, mut skipped) = (Vec::new(), Vec::new());
    for (path, access) in read.chain(write).chain(devices) {
        match open_rule(path, access, &writable) {
            Ok(rule) => opened.push(rule),
            Err(reason) => skipped.push(SkippedRule { path: path.clone(), reason }),
        }
    }
    (opened, skipped)
}

fn open_rule(path: &Path, access: Access, writable: &[PathBuf]) -> Result<OpenRule, String> {
    let path = resolve(path, writable)?;
    // If a part of the path has become a link since, this fails.
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let file = openat2(CWD, &path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).map_err(describe)?;
    let kind = FileType::from_raw_mode(fstat(&file).map_err(describe)?.st_mode);
    if access == Access::Device && kind != FileType::CharacterDevice {
        return Err("it is not a character device".to_owned());
    }
    Ok(OpenRule { file, is_folder: kind == FileType::Directory, access })
}

/// Returns a path without symbolic links, unless one of them lies in a folder of `writable`.
fn resolve(path: &Path, writable: &[PathBuf]) -> Result<PathBuf, String> {
    if !path.is_absolute() {
        return Err("it is not an absolute path".to_owned());
    }
    let (mut found, mut links) = (PathBuf::from("/"), 0);
    let mut rest: VecDeque<OsString> = names(path).collect();
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            found.pop();
            continue;
        }
        let next = found.join(&name);
        match readlinkat(CWD, &next, Vec::new()) {
            // Not a link.
            Err(Errno::INVAL) => found = next,
            Err(error) => return Err(describe(error)),
            Ok(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(describe(Errno::LOOP));
                }
                if writable.iter().any(|folder| found.starts_with(folder)) {
                    return Err(format!("`{}` is a symbolic link in a folder that commands can write", next.display()));
                }
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    found = PathBuf::from("/");
                }
                for name in names(&target).collect::<Vec<_>>().into_iter().rev() {
                    rest.push_front(name);
                }
            }
        }
    }
    Ok(found)
}

fn names(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    })
}

fn describe(error: Errno) -> String {
    match error {
        Errno::NOENT | Errno::NOTDIR => "it does not exist".to_owned(),
        error => minds_process::describe_io_error(&error.into()),
    }
}

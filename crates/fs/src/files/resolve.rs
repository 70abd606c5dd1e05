//! Resolving paths and symbolic links.

use std::ops::Range;

use minds_vfs::WorkspacePath;

use super::error::{FileErrorKind, Refusal};
use crate::Root;
use crate::syscalls::{self, Access, EnterResult, Handle};

/// The maximum number of symbolic links followed.
const MAX_LINKS: usize = 40;
/// The maximum number of attempts when names are moved concurrently.
const MAX_TRIES: usize = 16;

/// How symbolic links in a path are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Links are not followed.
    NoFollow,
    /// Links that stay inside the root are followed.
    Resolving,
}

impl Root {
    /// Opens the entry at `path`, and returns its real path, which does not contain symbolic links.
    ///
    /// The real path always leads to the object that was opened, even under concurrent changes: symbolic
    /// links are resolved first, and then the kernel opens the resolved path and refuses any link.
    pub(crate) fn open_at(
        &self,
        path: &WorkspacePath,
        mode: Mode,
        access: Access,
    ) -> Result<(Handle, WorkspacePath), Refusal> {
        match self.open_without_links(path, access) {
            Err(error)
                if mode == Mode::Resolving && self.follows_links && error.kind == FileErrorKind::Link => {}
            opened => return Ok((opened?, path.clone())),
        }
        self.follow(path, |real| match self.open_without_links(real, access) {
            Err(refusal) if refusal.kind == FileErrorKind::Link => Ok(None),
            opened => Ok(Some((opened?, real.clone()))),
        })
    }

    /// Opens the entry at `path` if the path does not contain symbolic links.
    pub(crate) fn open_without_links(&self, path: &WorkspacePath, access: Access) -> Result<Handle, Refusal> {
        let name = if path.is_root() { "." } else { path.as_str() };
        let mut tries = if self.kernel_resolves() { MAX_TRIES } else { 0 };
        while tries > 0 {
            match syscalls::open_beneath(&self.handle, name, access) {
                Err(error) if syscalls::is_concurrent_rename(&error) => tries -= 1,
                Err(error) if syscalls::is_unavailable(&error) => {
                    self.note_kernel_error(&error);
                    break;
                }
                Err(error) if syscalls::is_outside(&error) => {
                    return Err(Refusal { kind: FileErrorKind::Outside, source: Some(error) });
                }
                opened => return Ok(opened?),
            }
        }
        self.open_by_steps(path, access)
    }

    /// Opens one directory after the other, never through a link; for kernels that cannot resolve beneath a
    /// directory.
    fn open_by_steps(&self, path: &WorkspacePath, access: Access) -> Result<Handle, Refusal> {
        let mut segments = path.segments();
        let Some(name) = segments.next_back() else {
            return Ok(syscalls::open_entry(&self.handle, ".", access)?);
        };
        let mut inner: Option<Handle> = None;
        for segment in segments {
            match syscalls::enter(inner.as_ref().unwrap_or(&self.handle), segment)? {
                EnterResult::Directory(handle) => inner = Some(handle),
                EnterResult::Link(_) => return Err(FileErrorKind::Link.into()),
            }
        }
        Ok(syscalls::open_entry(inner.as_ref().unwrap_or(&self.handle), name, access)?)
    }

    /// Returns `path` with its first symbolic link replaced by the target; none if that requires looking at
    /// more directories. The kernel reports which prefix has no links, so few directories are opened.
    fn expand_first_link(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        if !self.kernel_resolves() {
            return None;
        }
        let path = path.as_str();
        let mut above = path.rsplit_once('/').map_or("", |(above, _)| above);
        let mut buffer = [0; 256];
        loop {
            let name = if above.is_empty() { "." } else { above };
            match syscalls::open_beneath(&self.handle, name, Access::Stat) {
                Ok(handle) => {
                    if let Ok(target) = syscalls::read_short_link(&handle, "", &mut buffer) {
                        let start = above.rfind('/').map_or(0, |slash| slash + 1);
                        return replace_link(path, start..above.len(), target);
                    }
                    // The prefix is a directory, so the following segment is the link.
                    let start = if above.is_empty() { 0 } else { above.len() + 1 };
                    let name = path.get(start..)?.split('/').next()?;
                    let target = syscalls::read_short_link(&handle, name, &mut buffer).ok()?;
                    return replace_link(path, start..start + name.len(), target);
                }
                Err(error) if syscalls::is_link(&error) && !above.is_empty() => {
                    above = above.rsplit_once('/').map_or("", |(above, _)| above);
                }
                Err(_) => return None,
            }
        }
    }

    /// Resolves the symbolic links of a path, and calls `attempt` with each candidate until it finds no link.
    ///
    /// The final entry need not exist; its parent must. Each directory is opened relative to the previous
    /// one, so `..` in a link target has the same meaning as for the kernel.
    pub(crate) fn follow<T>(
        &self,
        path: &WorkspacePath,
        mut attempt: impl FnMut(&WorkspacePath) -> Result<Option<T>, Refusal>,
    ) -> Result<T, Refusal> {
        let mut known = self.expand_first_link(path);
        for _ in 0..MAX_LINKS {
            let Some(real) = &known else { break };
            if let Some(found) = attempt(real)? {
                return Ok(found);
            }
            known = self.expand_first_link(real).filter(|next| next != real);
        }
        let mut links = 0;
        for _ in 0..MAX_TRIES {
            let mut walk =
                PathWalk { entered: Vec::new(), ahead: path.segments().rev().map(str::to_owned).collect() };
            loop {
                let followed = walk.step(&self.handle)?;
                links += usize::from(followed == Step::Link);
                if links > MAX_LINKS {
                    return Err(FileErrorKind::TooManyLinks.into());
                }
                // Usually there is only one link, whose target can be tried immediately.
                if followed != Step::Directory
                    && let Some(real) = walk.real_path()?
                    && let Some(found) = attempt(&real)?
                {
                    return Ok(found);
                }
                // Another process added a link meanwhile.
                if followed == Step::End {
                    break;
                }
            }
        }
        Err(FileErrorKind::Busy.into())
    }
}

/// Returns `path` with the symbolic link at the byte range `place` replaced by its target. Returns none for
/// targets that escape the root, or have `..` after a name, which may itself be a link; these require looking
/// at each directory.
fn replace_link(path: &str, place: Range<usize>, target: &[u8]) -> Option<WorkspacePath> {
    let mut target = str::from_utf8(target).ok()?;
    let mut above = path.get(..place.start)?;
    while let Some(rest) = target.strip_prefix("../") {
        let parent = above.strip_suffix('/')?;
        above = parent.get(..parent.rfind('/').map_or(0, |slash| slash + 1))?;
        target = rest;
    }
    if target.split('/').any(|name| matches!(name, "" | "." | "..")) {
        return None;
    }
    let mut real = String::with_capacity(path.len() + target.len());
    real.extend([above, target, path.get(place.end..)?]);
    WorkspacePath::parse(&real).ok()
}

/// The state of resolving a path segment by segment.
struct PathWalk {
    /// The directories that were opened, none of them through a link.
    entered: Vec<(String, Handle)>,
    /// The remaining segments, the next one last.
    ahead: Vec<String>,
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A directory was entered or left.
    Directory,
    /// A link was replaced by its target.
    Link,
    /// The last segment was reached, and is not a link.
    End,
}

impl PathWalk {
    fn step(&mut self, root: &Handle) -> Result<Step, Refusal> {
        let Some(segment) = self.ahead.pop() else { return Ok(Step::End) };
        match segment.as_str() {
            ".." if self.entered.pop().is_none() => return Err(FileErrorKind::Outside.into()),
            "" | "." | ".." => return Ok(Step::Directory),
            _ => {}
        }
        let here = self.entered.last().map_or(root, |(_, handle)| handle);
        if !self.ahead.is_empty() {
            match syscalls::enter(here, &segment)? {
                EnterResult::Directory(handle) => {
                    self.entered.push((segment, handle));
                    return Ok(Step::Directory);
                }
                EnterResult::Link(target) => return self.expand_link(target),
            }
        }
        let Ok(target) = syscalls::read_link(here, &segment) else {
            // It is not a link, or does not exist.
            self.ahead.push(segment);
            return Ok(Step::End);
        };
        self.expand_link(target)
    }

    /// Replaces a link by its target.
    fn expand_link(&mut self, target: Vec<u8>) -> Result<Step, Refusal> {
        let target = String::from_utf8(target).map_err(|_| FileErrorKind::Unnamed)?;
        if target.starts_with('/') {
            return Err(FileErrorKind::Outside.into());
        }
        self.ahead.extend(target.split('/').rev().map(str::to_owned));
        Ok(Step::Link)
    }

    /// Returns the resolved path; none if it still contains `.` or `..` segments.
    fn real_path(&self) -> Result<Option<WorkspacePath>, Refusal> {
        if self.ahead.iter().any(|segment| matches!(segment.as_str(), "" | "." | "..")) {
            return Ok(None);
        }
        let entered = self.entered.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = entered.chain(self.ahead.iter().rev().map(String::as_str)).collect();
        if names.is_empty() {
            return Ok(Some(WorkspacePath::root()));
        }
        WorkspacePath::parse(&names.join("/")).map(Some).map_err(|_| FileErrorKind::Unnamed.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The link is the name between `<` and `>`.
    #[track_caller]
    fn check(marked: &str, target: &str, expected: Option<&str>) {
        let (start, end) = (marked.find('<').unwrap(), marked.find('>').unwrap());
        let path = marked.replace(['<', '>'], "");
        let real = replace_link(&path, start..end - 1, target.as_bytes());
        assert_eq!(real.as_ref().map(WorkspacePath::as_str), expected, "{marked} -> {target}");
    }

    #[test]
    fn a_link_is_replaced_by_its_target() {
        check("<link>", "file", Some("file"));
        check("<link>/a", "dir", Some("dir/a"));
        check("a/<link>/b", "dir/deep", Some("a/dir/deep/b"));
        check("a/<link>/b", "../dir", Some("dir/b"));
        check("a/b/<link>/c", "../../dir", Some("dir/c"));
        check("a/b/<link>/c", "../dir", Some("a/dir/c"));
    }

    #[test]
    fn targets_that_need_directory_lookups_are_left_to_the_walk() {
        check("<link>/a", "../dir", None);
        check("a/<link>/b", "../../dir", None);
        check("a/<link>", "..", None);
        check("a/<link>", "dir/../other", None);
        check("a/<link>", "./dir", None);
        check("a/<link>", "/dir", None);
        check("a/<link>", "dir//deep", None);
        check("a/<link>", "", None);
        check("a/<link>", "dir/", None);
    }
}

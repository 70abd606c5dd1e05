//! From a path to what lies there.

use std::ops::Range;

use minds_paths::WorkspacePath;

use super::error::{FileErrorKind, Refusal};
use crate::Root;
use crate::syscalls::{self, Entered, Handle, Wanted};

/// How often links are followed, or a disturbed search is begun again.
const MAX_LINKS: usize = 40;
/// How often the kernel is asked again when names are moved about meanwhile.
const MAX_TRIES: usize = 16;

/// How links on the way are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// None is followed.
    Scoped,
    /// Those that stay inside are.
    Resolving,
}

impl Root {
    /// Opens what lies at `path`, and returns its real path, on which there is no link.
    ///
    /// The real path is one that led to the very thing that was opened, whatever changes meanwhile: with links on the way
    /// it is worked out first, and then the kernel opens that path and refuses any link.
    pub(crate) fn open_at(
        &self,
        path: &WorkspacePath,
        mode: Mode,
        wanted: Wanted,
    ) -> Result<(Handle, WorkspacePath), Refusal> {
        match self.open_exactly(path, wanted) {
            Err(error)
                if mode == Mode::Resolving && self.follows_links && error.kind == FileErrorKind::Link => {}
            opened => return Ok((opened?, path.clone())),
        }
        self.follow(path, |real| match self.open_exactly(real, wanted) {
            Err(refusal) if refusal.kind == FileErrorKind::Link => Ok(None),
            opened => Ok(Some((opened?, real.clone()))),
        })
    }

    /// Opens what lies at `path` if there is no link on the way.
    pub(crate) fn open_exactly(&self, path: &WorkspacePath, wanted: Wanted) -> Result<Handle, Refusal> {
        let name = if path.is_root() { "." } else { path.as_str() };
        let mut tries = if self.kernel_resolves() { MAX_TRIES } else { 0 };
        while tries > 0 {
            match syscalls::open_beneath(&self.handle, name, wanted) {
                Err(error) if syscalls::is_disturbed(&error) => tries -= 1,
                Err(error) if syscalls::is_unavailable(&error) => {
                    self.kernel_refused(&error);
                    break;
                }
                Err(error) if syscalls::is_outside(&error) => {
                    return Err(Refusal { kind: FileErrorKind::Outside, source: Some(error) });
                }
                opened => return Ok(opened?),
            }
        }
        self.open_by_steps(path, wanted)
    }

    /// Opens one directory after the other, none through a link; where the kernel cannot do it at once.
    fn open_by_steps(&self, path: &WorkspacePath, wanted: Wanted) -> Result<Handle, Refusal> {
        let mut segments = path.segments();
        let Some(name) = segments.next_back() else {
            return Ok(syscalls::open_entry(&self.handle, ".", wanted)?);
        };
        let mut inner: Option<Handle> = None;
        for segment in segments {
            match syscalls::enter(inner.as_ref().unwrap_or(&self.handle), segment)? {
                Entered::Directory(handle) => inner = Some(handle),
                Entered::Link(_) => return Err(FileErrorKind::Link.into()),
            }
        }
        Ok(syscalls::open_entry(inner.as_ref().unwrap_or(&self.handle), name, wanted)?)
    }

    /// Returns a path on which there is a link with where its first link leads in place of it; none if that takes more than
    /// a look. The kernel says how far no link is on it, so few directories are opened.
    fn past_link(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        if !self.kernel_resolves() {
            return None;
        }
        let path = path.as_str();
        let mut above = path.rsplit_once('/').map_or("", |(above, _)| above);
        let mut buffer = [0; 256];
        loop {
            let name = if above.is_empty() { "." } else { above };
            match syscalls::open_beneath(&self.handle, name, Wanted::Look) {
                Ok(handle) => {
                    if let Ok(target) = syscalls::read_short_link(&handle, "", &mut buffer) {
                        let start = above.rfind('/').map_or(0, |slash| slash + 1);
                        return instead(path, start..above.len(), target);
                    }
                    // It is a directory, so what comes next is the link.
                    let start = if above.is_empty() { 0 } else { above.len() + 1 };
                    let name = path.get(start..)?.split('/').next()?;
                    let target = syscalls::read_short_link(&handle, name, &mut buffer).ok()?;
                    return instead(path, start..start + name.len(), target);
                }
                Err(error) if syscalls::is_link(&error) && !above.is_empty() => {
                    above = above.rsplit_once('/').map_or("", |(above, _)| above);
                }
                Err(_) => return None,
            }
        }
    }

    /// Works out where a path with links really leads, and tries that until `attempt` finds no link on it any more.
    ///
    /// What it leads to need not exist, what holds it must. Each directory on the way is opened from the one before, so
    /// `..` in a link means what it means to the system.
    pub(crate) fn follow<T>(
        &self,
        path: &WorkspacePath,
        mut attempt: impl FnMut(&WorkspacePath) -> Result<Option<T>, Refusal>,
    ) -> Result<T, Refusal> {
        let mut known = self.past_link(path);
        for _ in 0..MAX_LINKS {
            let Some(real) = &known else { break };
            if let Some(found) = attempt(real)? {
                return Ok(found);
            }
            known = self.past_link(real).filter(|next| next != real);
        }
        let mut links = 0;
        for _ in 0..MAX_TRIES {
            let mut way =
                Way { entered: Vec::new(), ahead: path.segments().rev().map(str::to_owned).collect() };
            loop {
                let followed = way.step(&self.handle)?;
                links += usize::from(followed == Step::Link);
                if links > MAX_LINKS {
                    return Err(FileErrorKind::TooManyLinks.into());
                }
                // Mostly one link is all that there is, and where it leads can be tried at once.
                if followed != Step::Directory
                    && let Some(real) = way.real()?
                    && let Some(found) = attempt(&real)?
                {
                    return Ok(found);
                }
                // A link has come meanwhile.
                if followed == Step::End {
                    break;
                }
            }
        }
        Err(FileErrorKind::Busy.into())
    }
}

/// Returns `path` with where the first link on it leads in place of the link, whose name stands at `place`. What leads out
/// is left to those who look at each directory, and so is `..` behind a name, which may be another link.
fn instead(path: &str, place: Range<usize>, target: &[u8]) -> Option<WorkspacePath> {
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

/// A way through directories and links that is being gone.
struct Way {
    /// The directories that were opened, none through a link.
    entered: Vec<(String, Handle)>,
    /// What is still to come, the next segment last.
    ahead: Vec<String>,
}

/// What a step on the way led to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A directory, which was entered or left.
    Directory,
    /// A link, in the place of which stands now where it leads.
    Link,
    /// The last entry, which is no link.
    End,
}

impl Way {
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
                Entered::Directory(handle) => {
                    self.entered.push((segment, handle));
                    return Ok(Step::Directory);
                }
                Entered::Link(target) => return self.go_where(target),
            }
        }
        let Ok(target) = syscalls::read_link(here, &segment) else {
            // It is no link, or nothing is there.
            self.ahead.push(segment);
            return Ok(Step::End);
        };
        self.go_where(target)
    }

    /// Puts where a link leads in its place.
    fn go_where(&mut self, target: Vec<u8>) -> Result<Step, Refusal> {
        let target = String::from_utf8(target).map_err(|_| FileErrorKind::Unnamed)?;
        if target.starts_with('/') {
            return Err(FileErrorKind::Outside.into());
        }
        self.ahead.extend(target.split('/').rev().map(str::to_owned));
        Ok(Step::Link)
    }

    /// Returns the path that the way has become; none if it still goes back and forth.
    fn real(&self) -> Result<Option<WorkspacePath>, Refusal> {
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
        let real = instead(&path, start..end - 1, target.as_bytes());
        assert_eq!(real.as_ref().map(WorkspacePath::as_str), expected, "{marked} -> {target}");
    }

    #[test]
    fn a_link_is_replaced_by_where_it_leads() {
        check("<link>", "file", Some("file"));
        check("<link>/a", "dir", Some("dir/a"));
        check("a/<link>/b", "dir/deep", Some("a/dir/deep/b"));
        check("a/<link>/b", "../dir", Some("dir/b"));
        check("a/b/<link>/c", "../../dir", Some("dir/c"));
        check("a/b/<link>/c", "../dir", Some("a/dir/c"));
    }

    #[test]
    fn what_needs_a_look_at_each_directory_is_left_to_that() {
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

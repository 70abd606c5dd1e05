//! From a path to what lies there.

use minds_paths::WorkspacePath;

use super::error::{FileErrorKind, Refusal};
use crate::Root;
use crate::syscalls::{self, Entered, Handle, Wanted};

/// How often links are followed, or a disturbed search is begun again.
const MOST_LINKS: usize = 40;
/// How often the kernel is asked again when names are moved about meanwhile.
const MOST_TRIES: usize = 16;

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
            Err(error) if mode == Mode::Resolving && error.kind == FileErrorKind::Link => {}
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
        let mut tries = if self.kernel_resolves() { MOST_TRIES } else { 0 };
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

    /// Works out where a path with links really leads, and tries that until `attempt` finds no link on it any more.
    ///
    /// What it leads to need not exist, what holds it must. Each directory on the way is opened from the one before, so
    /// `..` in a link means what it means to the system.
    pub(crate) fn follow<T>(
        &self,
        path: &WorkspacePath,
        mut attempt: impl FnMut(&WorkspacePath) -> Result<Option<T>, Refusal>,
    ) -> Result<T, Refusal> {
        let mut links = 0;
        for _ in 0..MOST_TRIES {
            let mut way =
                Way { entered: Vec::new(), ahead: path.segments().rev().map(str::to_owned).collect() };
            loop {
                let followed = way.step(&self.handle)?;
                links += usize::from(followed == Step::Link);
                if links > MOST_LINKS {
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

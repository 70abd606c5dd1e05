//! From a path to what lies there.

use minds_paths::WorkspacePath;

use super::error::{FileErrorKind, Refusal};
use crate::Root;
use crate::syscalls::{self, Handle, Wanted};

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
        for _ in 0..MOST_TRIES {
            let real = self.real_path(path)?;
            match self.open_exactly(&real, wanted) {
                // A link has come meanwhile.
                Err(error) if error.kind == FileErrorKind::Link => {}
                opened => return Ok((opened?, real)),
            }
        }
        Err(FileErrorKind::Busy.into())
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
            inner = Some(syscalls::enter(inner.as_ref().unwrap_or(&self.handle), segment)?);
        }
        Ok(syscalls::open_entry(inner.as_ref().unwrap_or(&self.handle), name, wanted)?)
    }

    /// Works out where a path really leads. What it leads to need not exist, what holds it must.
    ///
    /// Each directory on the way is opened from the one before, so `..` in a link means what it means to the system.
    pub(crate) fn real_path(&self, path: &WorkspacePath) -> Result<WorkspacePath, Refusal> {
        let mut entered: Vec<(String, Handle)> = Vec::new();
        let mut name = None;
        let mut ahead: Vec<String> = path.segments().rev().map(str::to_owned).collect();
        let mut links = 0;
        while let Some(segment) = ahead.pop() {
            match segment.as_str() {
                ".." if entered.pop().is_none() => return Err(FileErrorKind::Outside.into()),
                "" | "." | ".." => continue,
                _ => {}
            }
            let here = entered.last().map_or(&self.handle, |(_, handle)| handle);
            let is_last = ahead.is_empty();
            if !is_last {
                match syscalls::enter(here, &segment) {
                    Ok(handle) => {
                        entered.push((segment, handle));
                        continue;
                    }
                    Err(error) if syscalls::is_link(&error) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            match syscalls::read_link(here, &segment) {
                Ok(target) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(FileErrorKind::TooManyLinks.into());
                    }
                    let target = String::from_utf8(target).map_err(|_| FileErrorKind::Unnamed)?;
                    if target.starts_with('/') {
                        return Err(FileErrorKind::Outside.into());
                    }
                    ahead.extend(target.split('/').rev().map(str::to_owned));
                }
                // It is no link, or nothing is there.
                Err(_) if is_last => name = Some(segment),
                Err(error) => return Err(error.into()),
            }
        }
        let names: Vec<String> = entered.into_iter().map(|(name, _)| name).chain(name).collect();
        if names.is_empty() {
            return Ok(WorkspacePath::root());
        }
        WorkspacePath::parse(&names.join("/")).map_err(|_| FileErrorKind::Unnamed.into())
    }
}

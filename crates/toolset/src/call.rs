//! One call.

use minds_access_control::{Access, Policy};
use minds_paths::WorkspacePath;
use minds_system::{FileError, Place, ReadFile, View};

use crate::answer::Refusal;
use crate::area::{self, Area};
use crate::arguments::Arguments;
use crate::{Caller, Tool, Workbench, fault};

/// A call that is granted: what was asked, by whom, and what it may touch.
pub struct Call<'c> {
    pub(crate) tool: &'static Tool,
    pub(crate) bench: &'c Workbench,
    pub(crate) caller: &'c Caller,
    pub(crate) arguments: Arguments,
    pub(crate) policy: &'c Policy,
}

impl Call<'_> {
    /// Returns the path that an argument names; the empty text where it is not given.
    pub(crate) fn path(&self, argument: &str) -> Result<WorkspacePath, Refusal> {
        self.tool.area.parse(argument, self.arguments.text(argument).unwrap_or_default())
    }

    /// Returns how links are treated.
    pub(crate) fn view(&self) -> View<'_> {
        match self.tool.area {
            Area::Minds => self.bench.root().scoped(),
            Area::Workspace => self.bench.root().resolving(),
        }
    }

    /// Judges a path; in `.minds` no lists apply, because they are what is edited there.
    pub(crate) fn judge(&self, access: Access, path: &WorkspacePath) -> Result<(), Refusal> {
        match self.tool.area {
            Area::Minds => Ok(()),
            Area::Workspace => area::judge(self.policy, access, path),
        }
    }

    /// Reads a file of at most `most` bytes; what is judged is what is read.
    pub(crate) fn read(&self, path: &WorkspacePath, most: u64) -> Result<ReadFile, Refusal> {
        self.judge(Access::Read, path)?;
        let file = self.view().open(path).map_err(|error| self.fault(&error, path))?;
        self.judge(Access::Read, file.real())?;
        file.read(most).map_err(|error| self.fault(&error, path))
    }

    /// Returns the place of a file that is to be written, where links are followed as far as the tool does; what is judged
    /// is what is changed.
    pub(crate) fn place(&self, path: &WorkspacePath) -> Result<Place<'_>, Refusal> {
        self.judged(path, View::place)
    }

    /// Returns the place of a name that is to be made, moved or removed; a link there is the place itself.
    pub(crate) fn entry(&self, path: &WorkspacePath) -> Result<Place<'_>, Refusal> {
        self.judged(path, View::entry)
    }

    fn judged<'s>(
        &'s self,
        path: &WorkspacePath,
        find: impl Fn(&View<'s>, &WorkspacePath) -> Result<Place<'s>, FileError>,
    ) -> Result<Place<'s>, Refusal> {
        self.judge(Access::Write, path)?;
        let place = find(&self.view(), path).map_err(|error| self.fault(&error, path))?;
        self.judge(Access::Write, place.real())?;
        Ok(place)
    }

    /// Returns the refusal for an error about a path.
    #[allow(clippy::unused_self, reason = "every refusal comes from a call")]
    pub(crate) fn fault(&self, error: &FileError, path: &WorkspacePath) -> Refusal {
        fault::refusal(error, path.as_str())
    }
}

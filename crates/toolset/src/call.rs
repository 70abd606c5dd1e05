//! A call of a tool.

use minds_access_control::Access;
use minds_fs::{FileError, FileErrorKind, Metadata, Place, ReadFile, View};
use minds_vfs::WorkspacePath;

use crate::answer::Refusal;
use crate::area::{Area, MINDS};
use crate::file_refusal::{ExpectedKind, quote};
use crate::permissions::Permissions;
use crate::{Caller, Code, Tool, ToolContext, ToolSource, file_refusal};

/// The maximum number of names that are compared with a missing one.
const MAX_NAMES: usize = 1_000;

/// A call of a tool that the caller has, with its permissions.
pub struct Call<'c> {
    pub(crate) tool: &'static Tool,
    pub(crate) context: &'c ToolContext,
    pub(crate) caller: &'c Caller,
    pub(crate) permissions: &'c Permissions,
    /// Whether the caller may manage the team through this toolbox.
    pub(crate) is_manager: bool,
    /// The servers, if a gateway runs.
    pub(crate) source: Option<&'c dyn ToolSource>,
    /// The conversation that calls; empty outside of a session.
    pub(crate) conversation: &'c str,
}

impl Call<'_> {
    /// Returns the path in an argument, whose name is for messages.
    pub(crate) fn path(&self, argument: &str, text: &str) -> Result<WorkspacePath, Refusal> {
        if text.trim().is_empty() {
            let next = match self.tool.area {
                Area::Minds => "pass a path such as `.minds/team.yaml`",
                Area::Workspace => "pass a path such as `src/main.rs`",
            };
            return Err(Refusal::new(Code::PathRequired, format!("`{argument}` is empty")).next(next));
        }
        self.tool.area.parse(argument, text)
    }

    /// Returns the path in an argument, which must not be the area itself.
    pub(crate) fn path_below(&self, argument: &str, text: &str) -> Result<WorkspacePath, Refusal> {
        let path = self.path(argument, text)?;
        if path == self.tool.area.top() {
            let what = match self.tool.area {
                Area::Minds => "`.minds` itself, which cannot be moved or removed",
                Area::Workspace => "the workspace itself",
            };
            let refusal = Refusal::new(Code::InvalidPath, format!("`{argument}` is {what}"));
            return Err(refusal.next("pass a path below it"));
        }
        Ok(path)
    }

    /// Returns the path in an argument, or the whole area if it is not set.
    pub(crate) fn path_or_top(&self, argument: &str, text: Option<&str>) -> Result<WorkspacePath, Refusal> {
        match (self.tool.area, text) {
            (area, None) | (area @ Area::Workspace, Some("")) => Ok(area.top()),
            (_, Some(text)) => self.path(argument, text),
        }
    }

    /// Returns a view that follows links as the area allows.
    pub(crate) fn view(&self) -> View<'_> {
        match self.tool.area {
            Area::Minds => self.context.root().no_follow(),
            Area::Workspace => self.context.root().resolving(),
        }
    }

    /// Checks the access to a path. Access lists do not apply in `.minds`, where they are edited.
    pub(crate) fn check_access(&self, access: Access, path: &WorkspacePath) -> Result<(), Refusal> {
        self.tool.area.check_access(self.permissions, access, path)
    }

    /// Returns whether access is allowed, without collecting reasons.
    pub(crate) fn permits(&self, access: Access, path: &WorkspacePath) -> bool {
        self.tool.area.permits(self.permissions.policy(), access, path)
    }

    /// Reads a file of at most `max` bytes. The access check applies to the file that is read.
    pub(crate) fn read(&self, path: &WorkspacePath, max: u64) -> Result<ReadFile, Refusal> {
        self.check_access(Access::Read, path)?;
        let file =
            self.view().open(path).map_err(|error| self.read_refusal(&error, ExpectedKind::File, path))?;
        self.check_access(Access::Read, file.real())?;
        file.read(max).map_err(|error| self.file_refusal(&error, path))
    }

    /// Returns the place of a file that is to be written, following links as the area allows. The access check applies to the
    /// file that is changed.
    pub(crate) fn place(&self, path: &WorkspacePath) -> Result<Place<'_>, Refusal> {
        self.check_access(Access::Write, path)?;
        let place = self.view().place(path).map_err(|error| self.file_refusal(&error, path))?;
        self.check_access(Access::Write, place.real())?;
        Ok(place)
    }

    /// Returns the place of a file that is to be created, moved or removed. A link is not followed.
    pub(crate) fn entry(&self, path: &WorkspacePath) -> Result<Place<'_>, Refusal> {
        self.entry_of(path, ExpectedKind::File)
    }

    /// As [`Call::entry`], for a file or a directory.
    pub(crate) fn entry_of(
        &self,
        path: &WorkspacePath,
        expected: ExpectedKind,
    ) -> Result<Place<'_>, Refusal> {
        self.check_access(Access::Write, path)?;
        let place = self.view().entry(path).map_err(|error| self.file_refusal_for(&error, expected, path))?;
        self.check_access(Access::Write, place.real())?;
        Ok(place)
    }

    /// Returns the metadata of a path, following links as the area allows; `None` if it does not exist.
    pub(crate) fn metadata(&self, path: &WorkspacePath) -> Result<Option<Metadata>, Refusal> {
        match self.view().metadata(path) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.file_refusal(&error, path)),
        }
    }

    /// Returns the refusal for an error about a file.
    pub(crate) fn file_refusal(&self, error: &FileError, path: &WorkspacePath) -> Refusal {
        self.file_refusal_for(error, ExpectedKind::File, path)
    }

    /// Returns the refusal for an error about a file or a directory.
    pub(crate) fn file_refusal_for(
        &self,
        error: &FileError,
        expected: ExpectedKind,
        path: &WorkspacePath,
    ) -> Refusal {
        let refusal = file_refusal::refusal(error, expected, path.as_str());
        if error.kind() == FileErrorKind::NotFound { self.with_suggestion(refusal, path) } else { refusal }
    }

    /// Returns the refusal for a read error, without details if the caller may not read the real path.
    pub(crate) fn read_refusal(
        &self,
        error: &FileError,
        expected: ExpectedKind,
        path: &WorkspacePath,
    ) -> Refusal {
        let real = self.view().metadata(path).ok().map(|found| found.real);
        match real.map(|real| self.check_access(Access::Read, &real)) {
            Some(Err(refusal)) => refusal,
            _ => self.file_refusal_for(error, expected, path),
        }
    }

    /// Returns the refusal of a path that does not exist.
    pub(crate) fn missing(&self, expected: ExpectedKind, path: &WorkspacePath) -> Refusal {
        let (code, what) = match expected {
            ExpectedKind::File => (Code::FileNotFound, "file"),
            ExpectedKind::Directory => (Code::DirNotFound, "directory"),
        };
        let refusal = Refusal::new(code, format!("{what} {} does not exist", quote(path.as_str())));
        self.with_suggestion(refusal.next("list the parent directory"), path)
    }

    /// Adds a suggestion for a path in `.minds` that does not exist.
    fn with_suggestion(&self, refusal: Refusal, path: &WorkspacePath) -> Refusal {
        let (Area::Minds, Some(parent), Some(name)) = (self.tool.area, path.parent(), path.file_name())
        else {
            return refusal;
        };
        let view = self.view();
        if view.metadata(&self.tool.area.top()).is_err() {
            return refusal
                .next(format!("`{MINDS}` does not exist yet; `team_mgmt_create_new_file` creates it"));
        }
        let Ok(listing) = view.list(&parent, MAX_NAMES) else { return refusal };
        let names = listing.entries.iter().filter_map(|entry| entry.real.file_name());
        match minds_diagnostics::find_nearest(name, names, 1).first() {
            Some(near) => refusal.next(format!("did you mean {}?", quote(&format!("{parent}/{near}")))),
            None => refusal,
        }
    }
}

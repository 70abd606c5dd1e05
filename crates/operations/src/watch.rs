//! Checking again whenever something changes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_document::Snapshot;
use minds_workspace::Host;

use crate::check::{outcome, read_with_tasks};
use crate::{CheckOutcome, Located, OperationError, compose_root, locate};

/// How often it is looked whether something changed. Reading a few small files costs less than a millisecond, works on
/// every file system, and sees a file that is replaced, as editors do.
const INTERVAL: Duration = Duration::from_millis(200);

/// A workspace that is checked again and again.
#[derive(Debug)]
pub struct Watch {
    base: PathBuf,
    paths: Vec<PathBuf>,
    host: Option<Host>,
    everywhere: bool,
    root: Option<PathBuf>,
    allows_outside: bool,
    /// What was checked last; nothing where there was no workspace.
    seen: Option<Snapshot>,
    is_first: bool,
}

impl Watch {
    /// Watches the workspace to which `paths` belong; see [`check`](crate::check()).
    pub fn new(base: &Path, paths: &[PathBuf]) -> Self {
        Self {
            base: base.to_owned(),
            paths: paths.to_vec(),
            host: None,
            everywhere: false,
            root: None,
            allows_outside: false,
            seen: None,
            is_first: true,
        }
    }

    /// Checks what depends on the machine on which the team would run, too.
    #[must_use]
    pub fn on(mut self, host: Option<Host>) -> Self {
        self.host = host;
        self
    }

    /// Looks for task packages anywhere in the workspace, except where ignore files leave them out.
    #[must_use]
    pub fn everywhere(mut self, everywhere: bool) -> Self {
        self.everywhere = everywhere;
        self
    }

    /// Watches the compose root at `root` alone, if one is named, whatever the paths.
    #[must_use]
    pub fn at_root(mut self, root: Option<PathBuf>) -> Self {
        self.root = root;
        self
    }

    /// Lets the files of a compose root name files outside the repository.
    #[must_use]
    pub fn allowing_outside(mut self, allows_outside: bool) -> Self {
        self.allows_outside = allows_outside;
        self
    }

    /// Waits until the files differ from what was checked before, and checks them; the first time at once.
    ///
    /// # Errors
    ///
    /// Fails where [`check`](crate::check()) fails.
    pub fn wait(&mut self) -> Result<CheckOutcome, OperationError> {
        loop {
            let located = match &self.root {
                Some(root) => compose_root::located(&self.base, Some(root))?,
                None => Located { everywhere: self.everywhere, ..locate(&self.base, &self.paths)? },
            };
            let located = Located { allows_outside: self.allows_outside, ..located };
            let snapshot = read_with_tasks(&located)?;
            if self.is_first || self.seen != snapshot {
                self.is_first = false;
                let outcome = outcome(self.host.as_ref(), &located, snapshot.as_ref());
                self.seen = snapshot;
                return Ok(outcome);
            }
            minds_system::pause(INTERVAL);
        }
    }
}

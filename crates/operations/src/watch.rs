//! Checking repeatedly when files change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_document::Snapshot;
use minds_workspace::Host;

use crate::check::{outcome, read_with_tasks};
use crate::{CheckOutcome, Located, OperationError, compose_root, locate};

/// The polling interval. Reading a few small files takes less than a millisecond, works on every file system,
/// and detects files that editors replace.
const INTERVAL: Duration = Duration::from_millis(200);

/// Checks a workspace each time its files change.
#[derive(Debug)]
pub struct Watch {
    base: PathBuf,
    paths: Vec<PathBuf>,
    host: Option<Host>,
    everywhere: bool,
    root: Option<PathBuf>,
    allows_outside: bool,
    /// The snapshot of the last check; `None` if there was no workspace.
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

    /// Also runs checks that depend on the machine.
    #[must_use]
    pub fn with_host(mut self, host: Option<Host>) -> Self {
        self.host = host;
        self
    }

    /// Searches the whole workspace for task packages, except ignored files.
    #[must_use]
    pub fn search_everywhere(mut self, everywhere: bool) -> Self {
        self.everywhere = everywhere;
        self
    }

    /// Watches only the compose root at `root`, if given, instead of the paths.
    #[must_use]
    pub fn with_root(mut self, root: Option<PathBuf>) -> Self {
        self.root = root;
        self
    }

    /// Permits files of a compose root to refer to files outside the repository.
    #[must_use]
    pub fn allow_outside(mut self, allows_outside: bool) -> Self {
        self.allows_outside = allows_outside;
        self
    }

    /// Waits until the files differ from the last check, and checks them. The first call returns immediately.
    ///
    /// # Errors
    ///
    /// Fails if [`check`](crate::check()) would fail.
    pub fn wait(&mut self) -> Result<CheckOutcome, OperationError> {
        loop {
            let located = match &self.root {
                Some(root) => compose_root::locate(&self.base, Some(root))?,
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

//! The steps of a change set as a kind of transaction.

use std::collections::BTreeSet;

use minds_vfs::WorkspacePath;

use super::effect::Effect;
use crate::Root;
use crate::files::Refusal;
use crate::syscalls::{self, Access};
use crate::transaction::{self, Origin, Steps};

/// The steps of a change set below a root.
pub(super) struct Effects<'r> {
    pub(super) root: &'r Root,
    pub(super) effects: Vec<Effect>,
}

impl Steps for Effects<'_> {
    type Step = Effect;
    type Error = Refusal;

    const MAY_REMAIN: bool = false;
    const IS_UNDONE_IF_INCOMPLETE: bool = false;

    fn steps(&self) -> &[Effect] {
        &self.effects
    }

    fn perform(&self, effect: &Effect, origin: Origin) -> Result<(), Refusal> {
        if origin == Origin::EarlierProcess && effect.is_done(self.root)? {
            return Ok(());
        }
        effect.perform(self.root)
    }

    fn undo(&self, effect: &Effect) -> Result<(), Refusal> {
        effect.undo(self.root)
    }

    fn clear(&self, effect: &Effect) -> Result<(), Refusal> {
        effect.clear(self.root)
    }

    fn sync_names(&self) -> Result<(), Refusal> {
        let directories: BTreeSet<_> = self.effects.iter().flat_map(Effect::directories).collect();
        for directory in &directories {
            match self.root.sync_names(directory) {
                // The directory was not created, or was removed again.
                Err(refusal) if Self::is_external_change(&refusal) => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    fn is_external_change(refusal: &Refusal) -> bool {
        transaction::is_external_change(refusal)
    }
}

impl Root {
    /// Waits until the names in a directory are on disk.
    pub(super) fn sync_names(&self, directory: &WorkspacePath) -> Result<(), Refusal> {
        Ok(syscalls::sync_directory(&self.open_without_links(directory, Access::Directory)?)?)
    }
}

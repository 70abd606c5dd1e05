//! Claims of installed items on names and paths.

use std::collections::BTreeMap;

use minds_sources::{ItemKey, ItemKind, Refusal, RefusalKind};
use minds_vfs::portable;

use crate::{AbsolutePath, InstalledItems};

/// Which item has which name and which path, ignoring case, because some file systems do.
#[derive(Debug, Default)]
pub(super) struct Claims {
    names: BTreeMap<(ItemKind, String), ItemKey>,
    /// Items that this plan installs: nothing else may take their names, not even the item that is installed
    /// under them now.
    planned: BTreeMap<(ItemKind, String), ItemKey>,
    places: BTreeMap<String, ItemKey>,
}

impl Claims {
    pub(super) fn of(installed: &InstalledItems) -> Self {
        let mut claims = Self::default();
        for item in installed.items.values() {
            claims.names.insert(fold_key(&item.key), item.key.clone());
            for at in item.placed.keys() {
                claims.places.insert(portable::fold(at.as_str()), item.key.clone());
            }
        }
        claims
    }

    /// Refuses a name that another item has; `earlier` is the previous key of the same item.
    pub(super) fn check_name(&self, key: &ItemKey, previous: Option<&ItemKey>) -> Result<(), Refusal> {
        let name = fold_key(key);
        if let Some(other) = self.planned.get(&name) {
            let message = format!("{key} would be installed twice, also as {other} of another source");
            return Err(Refusal::new(RefusalKind::NameTaken, message));
        }
        match self.names.get(&name) {
            Some(other) if Some(other) != previous => {
                let message = if other == key {
                    format!(
                        "{key} is already installed from another source; remove that item with `minds source uninstall`, or give one of the sources a prefix"
                    )
                } else {
                    format!(
                        "{key} and the installed {other} have the same name on case-insensitive file systems"
                    )
                };
                Err(Refusal::new(RefusalKind::NameTaken, message))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a path that another item has; `earlier` is the previous key of the same item.
    pub(super) fn check_place(
        &self,
        key: &ItemKey,
        previous: Option<&ItemKey>,
        at: &AbsolutePath,
    ) -> Result<(), Refusal> {
        match self.places.get(&portable::fold(at.as_str())) {
            Some(other) if other != key && Some(other) != previous => Err(Refusal::new(
                RefusalKind::LinkTaken,
                format!("{key} would be linked at `{at}`, the path of {other}"),
            )),
            _ => Ok(()),
        }
    }

    /// Claims a name and paths for an item that is installed, or will be.
    pub(super) fn claim<'a>(
        &mut self,
        key: &ItemKey,
        places: impl Iterator<Item = &'a AbsolutePath>,
    ) -> Result<(), Refusal> {
        for at in places {
            self.places.insert(portable::fold(at.as_str()), key.clone());
        }
        match self.planned.insert(fold_key(key), key.clone()) {
            None => Ok(()),
            Some(other) => Err(Refusal::new(
                RefusalKind::NameTaken,
                format!("{key} would be installed twice, also as {other}"),
            )),
        }
    }
}

fn fold_key(key: &ItemKey) -> (ItemKind, String) {
    (key.kind, portable::fold(key.name.as_str()))
}

//! Whose a name and a place are.

use std::collections::BTreeMap;

use minds_paths::portable;

use crate::{AbsolutePath, Installed, ItemKey, ItemKind, Refusal, RefusalKind};

/// Which item has which name and which place, whatever the letter case: some systems know none.
#[derive(Debug, Default)]
pub(super) struct Claims {
    names: BTreeMap<(ItemKind, String), ItemKey>,
    /// Items that this plan installs: nothing else may take their names, also not what is installed under them now.
    planned: BTreeMap<(ItemKind, String), ItemKey>,
    places: BTreeMap<String, ItemKey>,
}

impl Claims {
    pub(super) fn of(installed: &Installed) -> Self {
        let mut claims = Self::default();
        for item in installed.items.values() {
            claims.names.insert(folded(&item.key), item.key.clone());
            for at in item.placed.keys() {
                claims.places.insert(portable::fold(at.as_str()), item.key.clone());
            }
        }
        claims
    }

    /// Refuses a name that another item has; `earlier` is what the same item was called.
    pub(super) fn check_name(&self, key: &ItemKey, earlier: Option<&ItemKey>) -> Result<(), Refusal> {
        let name = folded(key);
        if let Some(other) = self.planned.get(&name) {
            let message = format!("{key} would be installed twice, as {other} of another source too");
            return Err(Refusal::new(RefusalKind::NameTaken, message));
        }
        match self.names.get(&name) {
            Some(other) if Some(other) != earlier => {
                let message = if other == key {
                    format!(
                        "{key} is installed from another source; forget that first, or give a source a prefix"
                    )
                } else {
                    format!("{key} and {other}, which is installed, are the same name on some systems")
                };
                Err(Refusal::new(RefusalKind::NameTaken, message))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a place that another item has; `earlier` is what the same item was called.
    pub(super) fn check_place(
        &self,
        key: &ItemKey,
        earlier: Option<&ItemKey>,
        at: &AbsolutePath,
    ) -> Result<(), Refusal> {
        match self.places.get(&portable::fold(at.as_str())) {
            Some(other) if other != key && Some(other) != earlier => Err(Refusal::new(
                RefusalKind::LinkTaken,
                format!("{key} would be placed where {other} is, `{at}`"),
            )),
            _ => Ok(()),
        }
    }

    /// Takes a name and places for an item that is, or is going to be, installed.
    pub(super) fn claim<'a>(
        &mut self,
        key: &ItemKey,
        places: impl Iterator<Item = &'a AbsolutePath>,
    ) -> Result<(), Refusal> {
        for at in places {
            self.places.insert(portable::fold(at.as_str()), key.clone());
        }
        match self.planned.insert(folded(key), key.clone()) {
            None => Ok(()),
            Some(other) => Err(Refusal::new(
                RefusalKind::NameTaken,
                format!("{key} would be installed twice, as {other} too"),
            )),
        }
    }
}

fn folded(key: &ItemKey) -> (ItemKind, String) {
    (key.kind, portable::fold(key.name.as_str()))
}

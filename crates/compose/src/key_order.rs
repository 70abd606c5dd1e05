//! The canonical order of keys in each file: the order of the fields of the models.

use std::collections::BTreeMap;

use minds_document::yaml::KeyOrder;
use minds_vfs::{Location, MountId, Snapshot};

use crate::family::ComposeFamily;
use crate::model::Compose;
use crate::place::{COMPOSE_FILE, RUNTIMES};
use crate::project::Project;
use crate::runtime::Runtime;

/// Returns the files of the compose root in `snapshot` that can be formatted, each with its key order. Files
/// outside the workspace are left out, because they may belong to another project.
pub fn key_orders(snapshot: &Snapshot) -> BTreeMap<Location, &'static KeyOrder> {
    let family = ComposeFamily::load(snapshot).value;
    if family.compose.is_none() {
        return BTreeMap::new();
    }
    let inside = |path: &str| Some(Location::new(MountId::WORKSPACE, family.root.join(path).ok()?));
    let compose = inside(COMPOSE_FILE).map(|location| (location, &COMPOSE));
    let places = family.projects.iter().filter_map(|file| file.place.as_ref().ok());
    let projects = places.map(|place| (place.location.clone(), &PROJECT));
    let descriptors = family.runtimes.keys().filter_map(|id| inside(&format!("{RUNTIMES}/{id}.yaml")));
    let files = projects.chain(descriptors.map(|location| (location, &RUNTIME))).chain(compose);
    files.filter(|(location, _)| location.mount == MountId::WORKSPACE).collect()
}

static COMPOSE: KeyOrder = KeyOrder::of::<Compose>();

static PROJECT: KeyOrder = KeyOrder::of::<Project>();

static RUNTIME: KeyOrder = KeyOrder::of::<Runtime>();

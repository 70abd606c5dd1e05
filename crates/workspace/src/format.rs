//! Formats files.

use std::collections::BTreeMap;

use minds_diagnostics::{Contents, Problems};
use minds_vfs::{ChangeSet, Location, MountId, Snapshot, SnapshotEntry};
use minds_yaml_format::Refusal;

use crate::rewrite;

/// The result of formatting.
#[derive(Debug, Default)]
pub struct FormatResult {
    /// The changed files by location, with the text before and after.
    pub files: BTreeMap<Location, (String, String)>,
    /// The files with a canonical form, sorted.
    pub seen: Vec<String>,
    /// The problems of files that were not formatted.
    pub problems: Problems,
    /// The files that were not formatted because their content might change, each with the place as `file:line:column`.
    pub unsure: Vec<String>,
}

/// Formats the files of `snapshot` that have a canonical form and for whose name `wanted` returns `true`. Files are formatted
/// independently of each other.
pub fn format(snapshot: &Snapshot, wanted: impl Fn(&str) -> bool) -> FormatResult {
    let mut formatted = FormatResult::default();
    #[cfg(feature = "compose")]
    let compose = minds_compose::key_orders(snapshot);
    for (location, _) in snapshot.iter() {
        let name = location.to_string();
        let order = minds_core::key_order(&name);
        #[cfg(feature = "fleet")]
        let order = order.or_else(|| minds_fleet::key_order(&name));
        #[cfg(feature = "compose")]
        let order = order.or_else(|| compose.get(location).copied());
        let order = order.filter(|_| location.mount == MountId::WORKSPACE);
        if !wanted(&name) {
            continue;
        }
        let Some(order) = order else {
            // A directory is only in the snapshot if it could not be listed. Files of other families have no canonical form.
            if minds_core::is_in_family_directory(&name) {
                snapshot.is_closed(location, &mut formatted.problems);
            }
            continue;
        };
        let is_withheld = |entry: &SnapshotEntry| entry.bytes().is_ok_and(Contents::is_withheld);
        if snapshot.get(location).is_some_and(is_withheld) {
            // The link points outside of the workspace, where nothing is changed.
            continue;
        }
        formatted.seen.push(name);
        let Some(source) = snapshot.source(location, &mut formatted.problems) else { continue };
        match minds_yaml_format::format(&source, order) {
            Ok(after) => {
                let before = source.text().unwrap_or_default();
                if before != after {
                    formatted.files.insert(location.clone(), (before.to_owned(), after));
                }
            }
            Err(Refusal::Problems(problems)) => formatted.problems.append(problems),
            Err(Refusal::Unsure(span)) => {
                let place = source.range(span).start;
                formatted.unsure.push(format!("{location}:{}:{}", place.line, place.column));
            }
            Err(_) => formatted.unsure.push(location.to_string()),
        }
    }
    formatted
}

impl FormatResult {
    /// Returns the change set: each changed file is written only if it has not been modified since it was read.
    pub fn plan(&self, before: &Snapshot) -> ChangeSet {
        rewrite::plan(&self.files, before)
    }
}

//! Putting files into their canonical form.

use std::collections::BTreeMap;

use minds_diagnostics::{Contents, Problems};
use minds_document::yaml::{self, Refusal};
use minds_document::{ChangeSet, Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId};

use crate::rewrite;

/// What formatting would do.
#[derive(Debug, Default)]
pub struct Formatted {
    /// The files that change, by their place: the text before and after.
    pub files: BTreeMap<Location, (String, String)>,
    /// The files that have a canonical form, in order.
    pub seen: Vec<String>,
    /// Why files are left as they are: they have problems.
    pub problems: Problems,
    /// The files of which it is not certain that they would say the same afterwards: the place in each, as
    /// `file:line:column`.
    pub unsure: Vec<String>,
}

/// Formats the files of `snapshot` that have a canonical form and that `wanted` picks by name. Each file stands for
/// itself: one that is left as it is keeps no other from being formatted.
pub fn format(snapshot: &Snapshot, wanted: impl Fn(&str) -> bool) -> Formatted {
    let mut formatted = Formatted::default();
    let compose = minds_compose::key_orders(snapshot);
    for (location, _) in snapshot.iter() {
        let name = location.to_string();
        let order = if location.mount == MountId::WORKSPACE {
            let compose = || compose.get(location).copied();
            minds_core::key_order(&name).or_else(|| minds_fleet::key_order(&name)).or_else(compose)
        } else {
            None
        };
        if !wanted(&name) {
            continue;
        }
        let Some(order) = order else {
            // A directory is only here if it could not be looked into. What other families read has no form.
            if minds_core::is_of_family(&name) {
                snapshot.is_closed(location, &mut formatted.problems);
            }
            continue;
        };
        let is_withheld = |entry: &SnapshotEntry| entry.bytes().is_ok_and(Contents::is_withheld);
        if snapshot.get(location).is_some_and(is_withheld) {
            // A link leads outside the workspace, where nothing is changed.
            continue;
        }
        formatted.seen.push(name);
        let Some(source) = snapshot.source(location, &mut formatted.problems) else { continue };
        match yaml::format(&source, order) {
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

impl Formatted {
    /// Returns the plan: each changed file is written if it still is what it was.
    pub fn plan(&self, before: &Snapshot) -> ChangeSet {
        rewrite::plan(&self.files, before)
    }
}

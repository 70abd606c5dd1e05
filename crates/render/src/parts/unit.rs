//! Where a part is in its file.

use minds_vfs::ContentHash;
use serde::{Deserialize, Serialize};

use super::record::UnitRecord;

/// A place in a file, with the keys that lead to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", content = "at", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Unit {
    /// The whole file.
    File,
    /// The section between two comments.
    Block,
    /// A member of an object.
    Member(Vec<String>),
    /// An item of a list.
    Item(Vec<String>),
    /// A table.
    Table(Vec<String>),
}

/// A part that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NewUnit<T> {
    pub(super) unit: Unit,
    pub(super) hash: ContentHash,
    pub(super) value: T,
}

/// What was written.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) text: String,
    /// The parts that the target owns. An item that another program wrote before stays its own.
    pub(super) owned: Vec<UnitRecord>,
    /// Whether something was replaced or removed that was not as it had been rendered.
    pub(super) is_drifted: bool,
    /// The parts of the file for which that holds.
    pub(super) drifted: Vec<String>,
}

impl Outcome {
    /// Records that a part was not as it had been rendered.
    pub(super) fn add_drift(&mut self, unit: &Unit) {
        self.is_drifted = true;
        if *unit != Unit::File {
            self.drifted.push(unit.describe());
        }
    }
}

impl<T> NewUnit<T> {
    pub(super) fn record(&self) -> UnitRecord {
        UnitRecord { unit: self.unit.clone(), hash: self.hash }
    }
}

impl Unit {
    /// Returns the place for people.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::File => "the file".to_owned(),
            Self::Block => "the section of minds".to_owned(),
            Self::Member(keys) | Self::Table(keys) => keys.join("."),
            Self::Item(keys) => format!("an item of {}", keys.join(".")),
        }
    }
}

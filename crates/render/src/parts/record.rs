//! The record of the parts that were rendered.

use minds_vfs::{ContentHash, WorkspacePath};
use serde::{Deserialize, Serialize};

use super::unit::Unit;
use crate::team_target::TeamTarget;

/// What a target owns in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRecord {
    /// The target.
    pub target: TeamTarget,
    /// The file.
    pub path: WorkspacePath,
    /// Whether the file was created for it. Then it is removed with the last part, if it contains nothing else.
    pub is_created: bool,
    /// The parts.
    pub units: Vec<UnitRecord>,
}

/// One part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitRecord {
    /// Where it is.
    pub unit: Unit,
    /// The hash of its meaning, or of a whole file.
    pub hash: ContentHash,
}

/// The form of a record in the manifest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartDocument {
    target: String,
    file: String,
    begun: bool,
    parts: Vec<UnitDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitDocument {
    place: Unit,
    hash: String,
}

impl PartRecord {
    pub(crate) fn encode(&self) -> PartDocument {
        let unit = |unit: &UnitRecord| UnitDocument { place: unit.unit.clone(), hash: unit.hash.to_string() };
        PartDocument {
            target: self.target.name().to_owned(),
            file: self.path.to_string(),
            begun: self.is_created,
            parts: self.units.iter().map(unit).collect(),
        }
    }

    /// Returns the record; none if it is not one that this version writes.
    pub(crate) fn decode(document: PartDocument) -> Option<Self> {
        let target = TeamTarget::find(&document.target)?;
        let path = WorkspacePath::parse(&document.file).ok()?;
        let unit = |unit: UnitDocument| Some(UnitRecord { unit: unit.place, hash: unit.hash.parse().ok()? });
        let units = document.parts.into_iter().map(unit).collect::<Option<Vec<_>>>()?;
        let is_whole = units.iter().any(|unit| unit.unit == Unit::File);
        let is_usable =
            !units.is_empty() && (!is_whole || units.len() == 1) && target.may_write(&path, is_whole);
        is_usable.then_some(Self { target, path, is_created: document.begun, units })
    }
}

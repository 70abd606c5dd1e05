//! The file `agent.json` in the state folder of an agent: what outlives its process.

use minds_fleet_protocol::limits::OFFSET_BLOCK;
use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::{FileErrorKind, Root};
use minds_vfs::{ContentHash, Expected, FileMode, WorkspacePath};
use serde_json::{Map, Value};

/// The name of the file.
const NAME: &str = "agent.json";
/// The member with the number of offsets that were reserved last.
const BLOCK: &str = "offset_block";
/// The number of attempts to replace the file, which other parts of the agent replace too.
const MAX_TRIES: usize = 100;
/// The maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The numbers that never decrease. Members that belong to other parts of the agent are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateRecord {
    /// The epoch of the last process.
    pub(crate) epoch: u64,
    /// A bound that no offset has reached.
    pub(crate) next_offset: u64,
    /// The number of offsets that were reserved last, of which a part may be unused.
    pub(crate) block: u64,
}

impl StateRecord {
    /// Reads the record; a new one if the file does not exist.
    pub(crate) fn read(folder: &Root) -> Result<Self, Failure> {
        let (members, _) = read_members(folder)?;
        let number = |name: &str| match members.get(name) {
            None => Ok(0),
            Some(value) => {
                value.as_u64().ok_or_else(|| invalid(&format!("`{name}` is not a number of at least 0")))
            }
        };
        let block = if members.contains_key(BLOCK) { number(BLOCK)? } else { OFFSET_BLOCK };
        Ok(Self { epoch: number("epoch")?, next_offset: number("next_offset")?, block })
    }

    /// Writes the record; members that another part of the agent writes meanwhile are kept. It is on disk when this returns.
    pub(crate) fn write(&self, folder: &Root) -> Result<(), Failure> {
        for _ in 0..MAX_TRIES {
            let (mut members, expected) = read_members(folder)?;
            members.insert("epoch".to_owned(), self.epoch.into());
            members.insert("next_offset".to_owned(), self.next_offset.into());
            members.remove(BLOCK);
            if self.block != OFFSET_BLOCK {
                members.insert(BLOCK.to_owned(), self.block.into());
            }
            let text = format!("{}\n", Value::Object(members));
            match folder.no_follow().replace(&path(NAME)?, text.as_bytes(), FileMode::Private, expected) {
                Err(error)
                    if matches!(error.kind(), FileErrorKind::Changed | FileErrorKind::AlreadyExists) => {}
                Err(error) => return Err(storage(&error)),
                Ok(()) => return Ok(()),
            }
        }
        Err(storage(&format!("`{NAME}` is replaced all the time")))
    }
}

/// Replaces a private file.
pub(crate) fn replace(folder: &Root, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let path = path(name)?;
    let replaced = folder.no_follow().replace(&path, bytes, FileMode::Private, Expected::Any);
    replaced.map_err(|error| storage(&error))
}

/// Returns the path of a name.
pub(crate) fn path(name: &str) -> Result<WorkspacePath, Failure> {
    WorkspacePath::parse(name).map_err(|error| storage(&error))
}

/// Returns `handler.error` with the reason `storage`.
pub(crate) fn storage(error: &dyn std::fmt::Display) -> Failure {
    let detail = minds_fleet_protocol::Json::parse(r#"{"reason":"storage"}"#).ok();
    Failure { detail, ..Failure::new(ErrorCode::HandlerError, error.to_string()) }
}

/// Returns the members of the file, and what the file has to be when it is replaced.
fn read_members(folder: &Root) -> Result<(Map<String, Value>, Expected), Failure> {
    match folder.no_follow().read(&path(NAME)?, MAX_BYTES) {
        Ok(file) => match serde_json::from_slice(&file.bytes) {
            Ok(Value::Object(members)) => Ok((members, Expected::Content(ContentHash::of(&file.bytes)))),
            Ok(_) => Err(invalid("it is not an object")),
            Err(error) => Err(invalid(&error.to_string())),
        },
        Err(error) if error.kind() == FileErrorKind::NotFound => Ok((Map::new(), Expected::Absent)),
        Err(error) => Err(storage(&error)),
    }
}

/// The file is replaced atomically, so an invalid one was edited. To guess would repeat epochs and offsets.
fn invalid(reason: &str) -> Failure {
    Failure::new(
        ErrorCode::ConfigInvalid,
        format!("cannot read `{NAME}` in the state folder of the agent: {reason}"),
    )
}

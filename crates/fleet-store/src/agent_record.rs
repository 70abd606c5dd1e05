//! The members of `agent.json` that belong to this crate.

use minds_fleet_protocol::Failure;
use minds_fs::FileErrorKind;
use minds_vfs::{ContentHash, Expected};
use serde_json::{Map, Value};

use crate::failure::{config_failure, storage};
use crate::folder::Folder;

const NAME: &str = "agent.json";
const ENROLLED: &str = "enrolled";
const ACP_SESSION: &str = "acp_session";
/// The maximum number of attempts while the bus replaces the file.
const MAX_TRIES: usize = 100;

/// What the agent has to know after a restart. The bus has the other members of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentRecord {
    /// Whether the agent has redeemed a bootstrap token.
    pub(crate) is_enrolled: bool,
    /// The session of an ACP engine.
    pub(crate) acp_session: Option<String>,
}

impl AgentRecord {
    /// Reads the record; the default if the file does not exist.
    pub(crate) fn read(folder: &Folder) -> Result<Self, Failure> {
        let members = read_members(folder)?.0;
        let is_enrolled = match members.get(ENROLLED) {
            None => false,
            Some(value) => value.as_bool().ok_or_else(|| unreadable("`enrolled` is not a boolean"))?,
        };
        let acp_session = match members.get(ACP_SESSION) {
            None | Some(Value::Null) => None,
            Some(Value::String(session)) => Some(session.clone()),
            Some(_) => return Err(unreadable("`acp_session` is not a string")),
        };
        Ok(Self { is_enrolled, acp_session })
    }

    /// Writes the record; all other members of the file are kept. It is on disk when this returns.
    pub(crate) fn write(&self, folder: &Folder) -> Result<(), Failure> {
        for _ in 0..MAX_TRIES {
            let (mut members, expected) = read_members(folder)?;
            members.insert(ENROLLED.to_owned(), self.is_enrolled.into());
            match &self.acp_session {
                Some(session) => members.insert(ACP_SESSION.to_owned(), session.clone().into()),
                None => members.remove(ACP_SESSION),
            };
            let text = format!("{}\n", Value::Object(members));
            match folder.replace(NAME, text.as_bytes(), expected) {
                Err(error)
                    if matches!(
                        error.kind(),
                        Some(FileErrorKind::Changed | FileErrorKind::AlreadyExists)
                    ) => {}
                Err(error) => return Err(error.into_failure()),
                Ok(()) => return Ok(()),
            }
        }
        Err(storage(format!("`{NAME}` is replaced all the time")))
    }
}

/// Returns the members of the file, and what the file has to be when it is replaced.
fn read_members(folder: &Folder) -> Result<(Map<String, Value>, Expected), Failure> {
    let Some(bytes) = folder.read(NAME)? else { return Ok((Map::new(), Expected::Absent)) };
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(members)) => Ok((members, Expected::Content(ContentHash::of(&bytes)))),
        Ok(_) => Err(unreadable("it is not an object")),
        Err(error) => Err(unreadable(&error.to_string())),
    }
}

/// The file is replaced atomically, so an invalid one was edited. To guess would let an agent enroll twice.
fn unreadable(reason: &str) -> Failure {
    config_failure(format!("cannot read `{NAME}` in the state folder of the agent: {reason}"))
}

//! The planned changes of a caller, and the refusals for them.

use minds_fs::FileErrorKind;
pub(crate) use minds_state::hunks::Plan;
use minds_state::hunks::{HunkError, HunkId, Store};

use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{LOCKED, quote};
use crate::{Area, Caller, Code};

/// Parses the id of a planned change.
///
/// # Errors
///
/// Refuses an invalid id.
pub(crate) fn parse_id(text: &str) -> Result<HunkId, Refusal> {
    HunkId::parse(text).ok_or_else(|| {
        Refusal::new(Code::InvalidHunkId, format!("{} is not a valid hunk id", quote(text)))
            .next("pass the `hunk_id` that a preview returned")
    })
}

/// Opens the store of the caller, and removes expired changes; `None` if nothing was ever planned.
///
/// # Errors
///
/// Fails if the folder cannot be opened.
pub(crate) fn find_store(call: &Call<'_>) -> Result<Option<Store>, Refusal> {
    let state = call.context.state().map_err(|_| HunkError::Unavailable("opened"))?;
    let open = |root| Store::open(root, call.context.now(), owner(call.caller, call.tool.area));
    Ok(state.map(open).transpose()?)
}

/// Opens the store of the caller, and creates it if necessary.
///
/// # Errors
///
/// Fails if the folder cannot be created.
pub(crate) fn ensure_store(call: &Call<'_>) -> Result<Store, Refusal> {
    let state = call.context.ensure_state().map_err(|_| HunkError::Unavailable("created"))?;
    Ok(Store::create(state, call.context.now(), owner(call.caller, call.tool.area))?)
}

/// Returns the owner of the changes that a caller plans with the tools of an area.
fn owner(caller: &Caller, area: Area) -> String {
    let area = match area {
        Area::Minds => "minds",
        Area::Workspace => "workspace",
    };
    match caller {
        Caller::Operator { name } => format!("{area}/operator/{name}"),
        Caller::Member { id } => format!("{area}/member/{id}"),
    }
}

impl From<HunkError> for Refusal {
    fn from(error: HunkError) -> Self {
        let (code, next) = match &error {
            HunkError::NotFound(_) => (
                Code::HunkNotFound,
                "it was applied, has expired, or never existed: preview the change again",
            ),
            HunkError::IdConflict => {
                (Code::HunkIdConflict, "preview the change again, and apply the new plan")
            }
            HunkError::WrongOwner => (
                Code::WrongOwner,
                "preview the change yourself, and apply it with a tool of the same toolset",
            ),
            HunkError::Folder(cause) if matches!(cause.kind(), FileErrorKind::Locked(_)) => {
                (Code::LOCKED, LOCKED)
            }
            _ => return Self::new(Code::FAILED, error.to_string()),
        };
        Self::new(code, error.to_string()).next(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_differ_by_caller_and_area() {
        let (alice, member) = (Caller::operator("alice"), Caller::member("alice"));
        let owners = [
            owner(&alice, Area::Minds),
            owner(&alice, Area::Workspace),
            owner(&member, Area::Minds),
            owner(&Caller::member("operator/alice"), Area::Minds),
        ];
        let different: std::collections::BTreeSet<_> = owners.iter().collect();
        assert_eq!(different.len(), owners.len());
    }
}

//! The file in which problems are remembered.

use minds_diagnostics::Diagnostic;
use minds_fs::{FileError, FileErrorKind, Root, Sharing, Stamp};
use minds_process::SystemError;
use minds_taskdoc::rfc3339;
use minds_vfs::{Expected, FileMode, PathError, WorkspacePath};
use serde::{Deserialize, Serialize};

use super::gateway::reconcile_gateways;
use super::reconcile::{self, reconcile, records};
use super::record::Record;
use super::reporter::ended_gateways;
use super::{Files, RememberedProblem};

/// The name of the file.
const FILE: &str = "problems.json";
/// The version of its format.
const VERSION: u32 = 1;
/// The maximum size of the file, in bytes; more is damage, because the number of problems is bounded.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum number of damaged files that are kept.
const MAX_DAMAGED: usize = 100;

/// Why the list of problems cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemsError {
    /// The state folder cannot be opened or created.
    #[error(transparent)]
    Folder(#[from] SystemError),
    /// The file cannot be read or written.
    #[error("the list of problems: {0}")]
    File(#[from] FileError),
    /// The file is damaged.
    #[error("the list of problems is damaged: {reason}; the next validation renames it and starts a new one")]
    Damaged {
        /// What is wrong with it.
        reason: String,
    },
    /// There are too many damaged files.
    #[error("the list of problems is damaged, and its folder already contains {MAX_DAMAGED} damaged ones")]
    TooManyDamaged,
    /// The file was written by a later version, and may contain more than this version would keep.
    #[error("the list of problems has format {found}, but this version of `minds` supports {VERSION}")]
    LaterVersion {
        /// The number of its format.
        found: u64,
    },
    /// Another gateway with the same identity runs.
    #[error("the gateway `{gateway}` already reports its problems")]
    GatewayRuns {
        /// The identity.
        gateway: String,
    },
    /// A file name is not a valid path, which does not happen.
    #[error(transparent)]
    Name(#[from] PathError),
}

/// The result of publishing.
#[derive(Debug, Default)]
pub struct Published {
    /// The new name of a damaged file.
    pub set_aside: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u64,
    problems: Vec<Record>,
}

/// Returns the problems that are remembered in a state folder: the open ones by place, then the resolved ones, the last
/// resolved first. `now` is the time in milliseconds since 1970, at which problems of ended gateways are resolved.
///
/// # Errors
///
/// Fails if they cannot be read.
pub fn read_remembered(state: &Root, now: u64) -> Result<Vec<RememberedProblem>, ProblemsError> {
    Ok(read_current(state, now)?.into_iter().map(|record| record.remembered).collect())
}

/// Returns the number of findings that the last validation did not find; `None` if there is no readable list of problems.
pub fn count_new(state: &Root, found: &[Diagnostic]) -> Option<usize> {
    let known = read(state).ok().filter(|known| !known.is_empty())?;
    Some(reconcile::count_new(&known, found))
}

/// Replaces the open problems of `files` by `found`. `now` is the time in milliseconds since 1970. Concurrent processes wait
/// for each other.
///
/// # Errors
///
/// Fails if the list cannot be read or written; it is unchanged then. A damaged list is renamed first.
pub fn publish<'d>(
    state: &Root,
    now: u64,
    files: Files,
    found: impl IntoIterator<Item = &'d Diagnostic>,
) -> Result<Published, ProblemsError> {
    update(state, now, |known, now| reconcile(known, files, records(found, now), now))
}

/// Changes the list, which no other process changes meanwhile.
pub(super) fn update(
    state: &Root,
    now: u64,
    change: impl FnOnce(Vec<Record>, &str) -> Vec<Record>,
) -> Result<Published, ProblemsError> {
    let path = WorkspacePath::parse(FILE)?;
    let _lock = state.no_follow().lock(&path, Sharing::Exclusive)?;
    let mut published = Published::default();
    let known = match read(state) {
        Err(ProblemsError::Damaged { .. }) => {
            published.set_aside = Some(set_aside(state, &path)?);
            Vec::new()
        }
        known => known?,
    };
    let problems = change(known.clone(), &rfc3339(now));
    if problems != known || published.set_aside.is_some() {
        write(state, &path, problems)?;
    }
    Ok(published)
}

/// Reads the list, and resolves what ended gateways left open.
pub(super) fn read_current(state: &Root, now: u64) -> Result<Vec<Record>, ProblemsError> {
    let known = read(state)?;
    if ended_gateways(state, &known).is_empty() {
        return Ok(known);
    }
    let resolve = |known: Vec<Record>| {
        let ended = ended_gateways(state, &known);
        reconcile_gateways(known, &ended, None, &rfc3339(now))
    };
    // Storing it keeps the time at which they were resolved. A reader neither waits for that nor fails because of it.
    let store = || {
        let path = WorkspacePath::parse(FILE)?;
        let Some(_lock) = state.no_follow().place(&path)?.try_lock(Sharing::Exclusive)? else {
            return Ok(None);
        };
        let known = read(state)?;
        let resolved = resolve(known.clone());
        if resolved != known {
            write(state, &path, resolved.clone())?;
        }
        Ok(Some(resolved))
    };
    let stored: Result<_, ProblemsError> = store();
    Ok(stored.ok().flatten().unwrap_or_else(|| resolve(known)))
}

/// Returns a stamp by which a change of the list is detected; `None` if it does not exist.
pub(super) fn stamp(state: &Root) -> Option<Stamp> {
    state.no_follow().stamp(&WorkspacePath::parse(FILE).ok()?).ok()
}

fn read(root: &Root) -> Result<Vec<Record>, ProblemsError> {
    #[derive(Deserialize)]
    struct Header {
        version: u64,
    }
    let damaged = |error: serde_json::Error| ProblemsError::Damaged { reason: error.to_string() };
    let bytes = match root.no_follow().read(&WorkspacePath::parse(FILE)?, MAX_BYTES) {
        Ok(read) => read.bytes,
        Err(error) if error.kind() == FileErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) if error.kind() == FileErrorKind::TooLarge => {
            return Err(ProblemsError::Damaged { reason: error.kind().to_string() });
        }
        Err(error) => return Err(error.into()),
    };
    let header: Header = serde_json::from_slice(&bytes).map_err(damaged)?;
    if header.version > u64::from(VERSION) {
        return Err(ProblemsError::LaterVersion { found: header.version });
    }
    let document: Document = serde_json::from_slice(&bytes).map_err(damaged)?;
    Ok(document.problems)
}

fn write(root: &Root, path: &WorkspacePath, problems: Vec<Record>) -> Result<(), ProblemsError> {
    let document = Document { version: VERSION.into(), problems };
    // The document contains only strings, numbers and lists, so serialization cannot fail.
    let bytes = serde_json::to_vec(&document).unwrap_or_default();
    Ok(root.no_follow().replace(path, &bytes, FileMode::Private, Expected::Any)?)
}

/// Gives a damaged file an unused name, so that it can still be inspected.
fn set_aside(root: &Root, path: &WorkspacePath) -> Result<String, ProblemsError> {
    for number in 1..=MAX_DAMAGED {
        let name = format!("problems.damaged-{number}.json");
        match root.no_follow().rename(path, &WorkspacePath::parse(&name)?) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == FileErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(ProblemsError::TooManyDamaged)
}

//! The file in which problems are remembered.

use minds_diagnostics::Diagnostic;
use minds_document::{Expected, FileMode, rfc3339};
use minds_paths::{PathError, WorkspacePath};
use minds_system::{FileError, FileErrorKind, Root, Sharing, SystemError};
use serde::{Deserialize, Serialize};

use super::reconcile::{Record, reconcile, records};
use super::{Files, RememberedProblem};
use crate::ToolContext;

/// The name of the file.
const FILE: &str = "problems.json";
/// The version of its format, and of the document that shows it.
const VERSION: u32 = 1;
/// How many bytes of it are read; it has fewer, because what is remembered is bounded.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How many damaged files are kept beside it.
const MAX_DAMAGED: usize = 100;

/// Why problems are not remembered, or what is remembered cannot be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemsError {
    /// The folder cannot be opened or made.
    #[error(transparent)]
    Folder(#[from] SystemError),
    /// The file cannot be read or written.
    #[error("the list of problems: {0}")]
    File(#[from] FileError),
    /// The file is not what was written there.
    #[error(
        "the list of problems is damaged: {reason}; the next validation puts it aside and begins a new one"
    )]
    Damaged {
        /// What is wrong with it.
        reason: String,
    },
    /// Too many damaged files were put aside.
    #[error("the list of problems is damaged, and {MAX_DAMAGED} damaged ones lie beside it already")]
    TooManyDamaged,
    /// The file comes from a later version of the program, which may know more than would be kept.
    #[error("the list of problems has the format {found}, and this version of `minds` knows {VERSION}")]
    LaterVersion {
        /// The number of its format.
        found: u64,
    },
    /// A name is no path, which does not happen.
    #[error(transparent)]
    Name(#[from] PathError),
}

/// What happened when problems were published.
#[derive(Debug, Default)]
pub(crate) struct Published {
    /// The name under which a damaged file was put aside.
    pub(crate) set_aside: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u64,
    problems: Vec<Record>,
}

/// Returns the problems that are remembered: those that are there, by their places, then those that are gone, the last one
/// first.
///
/// # Errors
///
/// Fails if they cannot be read.
pub fn remembered_problems(context: &ToolContext) -> Result<Vec<RememberedProblem>, ProblemsError> {
    let Some(root) = context.state()? else { return Ok(Vec::new()) };
    Ok(read(&root)?.into_iter().map(|record| record.remembered).collect())
}

/// Remembers that `found` is all that is wrong with `files`. Processes that do so at once wait for each other.
///
/// # Errors
///
/// Fails if the file cannot be read or written; it is as it was then. One that is damaged is put aside first.
pub(crate) fn publish<'d>(
    context: &ToolContext,
    files: Files,
    found: impl IntoIterator<Item = &'d Diagnostic>,
) -> Result<Published, ProblemsError> {
    let root = context.ensure_state()?;
    let path = WorkspacePath::parse(FILE)?;
    let _lock = root.scoped().lock(&path, Sharing::Exclusive)?;
    let mut published = Published::default();
    let known = match read(&root) {
        Err(ProblemsError::Damaged { .. }) => {
            published.set_aside = Some(set_aside(&root, &path)?);
            Vec::new()
        }
        known => known?,
    };
    let now = rfc3339(context.now());
    let problems = reconcile(known.clone(), files, records(found, &now), &now);
    if problems != known || published.set_aside.is_some() {
        write(&root, &path, problems)?;
    }
    Ok(published)
}

fn read(root: &Root) -> Result<Vec<Record>, ProblemsError> {
    #[derive(Deserialize)]
    struct Header {
        version: u64,
    }
    let damaged = |error: serde_json::Error| ProblemsError::Damaged { reason: error.to_string() };
    let bytes = match root.scoped().read(&WorkspacePath::parse(FILE)?, MAX_BYTES) {
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
    // Only texts, numbers and lists of them are in it, so serialization cannot fail.
    let bytes = serde_json::to_vec(&document).unwrap_or_default();
    Ok(root.scoped().replace(path, &bytes, FileMode::Private, Expected::Any)?)
}

/// Gives a damaged file a name at which nothing is, so that somebody can still look at it.
fn set_aside(root: &Root, path: &WorkspacePath) -> Result<String, ProblemsError> {
    for number in 1..=MAX_DAMAGED {
        let name = format!("problems.damaged-{number}.json");
        match root.scoped().rename(path, &WorkspacePath::parse(&name)?) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == FileErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(ProblemsError::TooManyDamaged)
}

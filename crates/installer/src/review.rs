//! Review of a source for its author.

use std::path::Path;

use minds_diagnostics::Report;
use minds_fs::{Root, real_directory};
use minds_process::SystemError;
use minds_sources::discovery::{self, Options};
use minds_sources::{Identity, MANIFEST_FILE, Prefix, RefusalKind, SourceItems};
use minds_vfs::MountId;

use crate::files::Files;
use crate::{SourceError, SourceErrorKind};

/// The result of a review.
#[derive(Clone, Debug)]
pub struct ReviewReport {
    /// The findings, and the files that were read.
    pub report: Report,
    /// The number of offered items.
    pub items: usize,
}

/// Reviews the source at `target`, a folder or its `mind.toml`, relative to `base`: everything that it
/// offers, and its problems. `prefix` is a prefix with which a user would install its items; an empty one is
/// none. Nothing is written, fetched or run.
///
/// # Errors
///
/// Fails if the folder does not exist, or the prefix is not valid. Problems of the source are in the report.
pub fn review(base: &Path, target: &Path, prefix: Option<&str>) -> Result<ReviewReport, SourceError> {
    let place = base.join(target);
    let is_manifest =
        place.file_name().is_some_and(|name| name == MANIFEST_FILE) && real_directory(&place).is_err();
    let folder = if is_manifest { target.parent().unwrap_or(Path::new("")) } else { target };
    let prefix = prefix.map(Prefix::parse).transpose().map_err(|error| {
        SourceError::new(SourceErrorKind::InvalidPrefix, format!("invalid prefix: {error}"))
    })?;
    let files = Files::of_folder(open(base, folder)?);
    let found = discovery::discover(Options::default(), |survey| files.survey(survey))?;
    let (discovered, mut problems) = (found.value, found.problems);
    let declared = discovered.manifest.as_ref().and_then(|file| file.manifest().prefix().cloned());
    let identity = Identity::parse("local/here/source")
        .map_err(|error| SourceError::new(SourceErrorKind::InvalidSpec, error.to_string()))?;
    let contents = files.contents(&discovered.catalog.items)?;
    let catalog = discovered.catalog.clone();
    let items = SourceItems::new(identity, prefix.unwrap_or(declared), None, catalog, contents);
    problems.append(minds_sources::review::review(&discovered, &items));
    let heads = discovered.places.iter().filter_map(|place| place.main_file.as_ref());
    let sources = discovered.manifest_source.iter().chain(heads);
    let mut files: Vec<String> = sources.map(|source| source.name().to_owned()).collect();
    files.sort();
    files.dedup();
    let allowed = problems.suppressed_counts().values().sum();
    let root = target.to_string_lossy().into_owned();
    let mut diagnostics = problems.into_sorted();
    minds_workspace::redact_findings(&mut diagnostics);
    let report = Report { root, files, diagnostics, allowed };
    Ok(ReviewReport { report, items: items.items.len() })
}

/// Opens the folder of a source, relative to `base`.
pub(crate) fn open(base: &Path, folder: &Path) -> Result<Root, SourceError> {
    let not_found = |message| SourceError::new(SourceErrorKind::Refused(RefusalKind::NotFound), message);
    match Root::open(&base.join(folder), MountId::WORKSPACE) {
        Ok(root) => Ok(root.without_links()),
        Err(SystemError::NotFound { .. }) => {
            Err(not_found(format!("the folder `{}` does not exist", folder.display())))
        }
        Err(error) => Err(not_found(error.to_string())),
    }
}

//! Where the files of a source are read: in a folder of this machine, or in a commit of a clone.

use minds_diagnostics::{Diagnostic, Severity};
use minds_document::{Survey, Surveyed};
use minds_paths::{MountId, WorkspacePath};
use minds_sources::discovery::{self, Discovered, Options};
use minds_sources::{
    AbsolutePath, Identity, Item, ItemContent, Refusal, RefusalKind, Registered, Remote, SourceItems,
};
use minds_system::git::{Git, GitError, GitErrorKind, ObjectId, Tree};
use minds_system::{Root, SystemError};

use super::home::{Home, std_path};
use super::{SourceError, SourceErrorKind, content};

/// The files of a source.
#[derive(Debug)]
pub(super) enum Files {
    /// A folder of this machine, read live.
    Folder(Root),
    /// A commit.
    Tree(Tree),
}

/// A source that was read.
#[derive(Debug)]
pub(super) struct ReadSource {
    pub(super) registered: Registered,
    pub(super) discovered: Discovered,
    pub(super) files: Files,
}

impl Files {
    /// Opens a folder.
    pub(super) fn folder(place: &AbsolutePath) -> Result<Self, SourceError> {
        let root = Root::open(&std_path(place), MountId::WORKSPACE).map_err(|error| match error {
            SystemError::NotFound { .. } => broken(format!("the folder `{place}` does not exist")),
            error => error.into(),
        })?;
        Ok(Self::Folder(root.without_links()))
    }

    /// Looks at places.
    pub(super) fn look(&self, survey: &Survey) -> Result<Surveyed, SourceError> {
        match self {
            Self::Folder(root) => Ok(root.survey(survey)),
            Self::Tree(tree) => tree.survey(survey).map_err(|error| from_git(&error)),
        }
    }

    /// Finds out what the source offers.
    ///
    /// # Errors
    ///
    /// Fails if its `mind.toml`, or the source as a whole, cannot be used.
    pub(super) fn discover(&self, options: Options) -> Result<Discovered, SourceError> {
        let parsed = discovery::discover(options, |survey| self.look(survey))?;
        let (discovered, problems) = (parsed.value, parsed.problems);
        if discovered.is_valid {
            return Ok(discovered);
        }
        if let Some(newer) = discovered.manifest.as_ref().and_then(|manifest| manifest.newer()) {
            let ours = minds_sources::COMPATIBILITY;
            let message = format!("it asks for a program that reads format {newer}; this one reads {ours}");
            return Err(SourceError::new(SourceErrorKind::IncompatibleVersion, message));
        }
        let is_about_manifest = discovered.manifest.as_ref().is_some_and(|manifest| !manifest.is_valid());
        let errors: Vec<Diagnostic> =
            problems.into_sorted().into_iter().filter(|found| found.severity == Severity::Error).collect();
        let is_about_manifest = is_about_manifest
            || errors.first().is_some_and(|found| found.rule.code == "source/unreadable-manifest");
        let kind =
            if is_about_manifest { SourceErrorKind::InvalidManifest } else { SourceErrorKind::InvalidSource };
        Err(SourceError::new(kind, told(&errors)))
    }

    /// Returns what items consist of.
    pub(super) fn contents(&self, items: &[Item]) -> Result<Vec<Result<ItemContent, Refusal>>, SourceError> {
        let places: Vec<WorkspacePath> = items.iter().map(|item| item.path.clone()).collect();
        let found = content::read(&mut |survey| self.look(survey), &places)?;
        let content = |(item, found): (&Item, content::Found)| match found {
            Ok(Some(content)) => match (&content, item.kind.is_folder()) {
                (ItemContent::Folder(_), true) | (ItemContent::File(_), false) => Ok(content),
                (_, true) => Err(bad(item, "it is no folder")),
                (_, false) => Err(bad(item, "it is no file")),
            },
            Ok(None) => Err(bad(item, &format!("there is nothing at `{}`", item.path))),
            Err(refusal) => Err(bad(item, &refusal.message)),
        };
        Ok(items.iter().zip(found).map(content).collect())
    }
}

fn bad(item: &Item, problem: &str) -> Refusal {
    Refusal::new(RefusalKind::BadContent, format!("{}: {problem}", item.key()))
}

impl ReadSource {
    /// Returns what the source offers under the names that it is installed under.
    pub(super) fn items(&self) -> Result<SourceItems, SourceError> {
        let catalog = self.discovered.catalog.clone();
        let contents = self.files.contents(&catalog.items)?;
        let declared = self.discovered.manifest.as_ref().and_then(|file| file.manifest().prefix());
        let prefix = self.registered.prefix(declared);
        let (identity, commit) = (self.registered.identity.clone(), self.registered.commit.clone());
        Ok(SourceItems::new(identity, prefix, commit, catalog, contents))
    }
}

/// Reads a source that is registered: its folder, or its clone at the commit that counts.
///
/// # Errors
///
/// Fails if it cannot be read; the others can all the same.
pub(super) fn read(
    home: &Home,
    git: &mut Option<Git>,
    source: &Registered,
) -> Result<ReadSource, SourceError> {
    read_files(home, git, source).map_err(|error| error.about(&source.identity))
}

fn read_files(home: &Home, git: &mut Option<Git>, source: &Registered) -> Result<ReadSource, SourceError> {
    let mut registered = source.clone();
    let files = match &source.remote {
        Remote::Folder(folder) if source.is_linked() => {
            let place = AbsolutePath::parse(folder).map_err(|error| broken(error.to_string()))?;
            let files = Files::folder(&place)?;
            if let Files::Folder(root) = &files {
                registered.commit = super::head::commit(root);
            }
            files
        }
        Remote::Folder(_) | Remote::Repository(_) => {
            let commit = source.commit.as_deref().and_then(|commit| ObjectId::parse(commit).ok());
            let commit = commit.ok_or_else(|| broken("it has no commit yet; run `minds sync`"))?;
            let clone = std_path(&home.place.join(&clone_of(&source.identity)?));
            let tree = the_git(git, false)?.tree(&clone, &commit, MountId::WORKSPACE);
            Files::Tree(tree.map_err(|error| from_git(&error))?)
        }
    };
    let options = Options { roots: shown_roots(source.roots.as_deref()), curator_roots: None };
    let discovered = files.discover(options)?;
    Ok(ReadSource { registered, discovered, files })
}

/// Returns roots as `mind.toml` writes them.
pub(super) fn shown_roots(roots: Option<&[WorkspacePath]>) -> Option<Vec<String>> {
    let shown = |root: &WorkspacePath| if root.is_root() { ".".to_owned() } else { root.to_string() };
    roots.map(|roots| roots.iter().map(shown).collect())
}

/// Returns where the clone of a source lies, from the folder of the program.
pub(super) fn clone_of(identity: &Identity) -> Result<WorkspacePath, SourceError> {
    // An identity has portable names only, so this stays below the folder of clones.
    WorkspacePath::parse(&format!("sources/{identity}.git"))
        .map_err(|error| SourceError::new(SourceErrorKind::InvalidSpec, error.to_string()))
}

/// Returns the git program, looked for the first time it is needed.
pub(super) fn the_git(git: &mut Option<Git>, user_config: bool) -> Result<&Git, SourceError> {
    if git.is_none() {
        *git = Some(Git::find(user_config).map_err(|error| from_git(&error))?);
    }
    git.as_ref().ok_or_else(|| broken("there is no git"))
}

/// Returns the error of the verbs for one of git.
pub(super) fn from_git(error: &GitError) -> SourceError {
    let kind = match error.kind() {
        GitErrorKind::Authentication => SourceErrorKind::Authentication,
        GitErrorKind::NoRevision => SourceErrorKind::UnknownRevision,
        GitErrorKind::Revision(_) => SourceErrorKind::InvalidRevision,
        GitErrorKind::TimedOut(_) => SourceErrorKind::Timeout,
        _ => SourceErrorKind::Git,
    };
    SourceError::new(kind, error.to_string())
}

pub(super) fn broken(problem: impl Into<String>) -> SourceError {
    SourceError::new(SourceErrorKind::Refused(RefusalKind::BrokenSource), problem)
}

/// Returns what is wrong in one line: the first error with its place, and how many more there are.
fn told(errors: &[Diagnostic]) -> String {
    let Some(first) = errors.first() else { return "it cannot be used".to_owned() };
    let place = first.primary.as_ref().map(|label| {
        let start = label.source.range(label.span).start;
        format!("{}:{}:{}: ", label.source.name(), start.line, start.column)
    });
    let more = match errors.len() {
        0 | 1 => String::new(),
        more => format!(" (and {} more; `minds review` shows them)", more - 1),
    };
    format!("{}{} [{}]{more}", place.unwrap_or_default(), first.message, first.rule.code)
}

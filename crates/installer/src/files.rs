//! Reading the files of a source from a folder of this machine, or from a commit of a clone.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Diagnostic, Parsed, Severity};
use minds_fs::Root;
use minds_git::{Git, GitError, GitErrorKind, ObjectId, Tree};
use minds_inventory::{AbsolutePath, RegisteredSource};
use minds_process::SystemError;
use minds_sources::discovery::{self, Discovery, Options};
use minds_sources::{Identity, Item, ItemContent, ItemKind, Refusal, RefusalKind, Remote, SourceItems};
use minds_vfs::{MountId, SnapshotEntry, Survey, SurveyResult, WorkspacePath};

use crate::home::{Home, std_path};
use crate::{SourceError, SourceErrorKind, content};

/// The files of a source.
#[derive(Debug)]
pub(crate) struct Files {
    place: Place,
    /// The files that discovery read completely, which are not read again.
    read_files: RefCell<BTreeMap<WorkspacePath, SnapshotEntry>>,
}

/// The location of the files.
#[derive(Debug)]
enum Place {
    /// A folder of this machine, read live.
    Folder(Root),
    /// A commit.
    Tree(Tree),
}

/// A source whose files were read.
#[derive(Debug)]
pub(crate) struct ReadSource {
    pub(crate) registered: RegisteredSource,
    pub(crate) discovered: Discovery,
    pub(crate) files: Files,
}

impl Files {
    /// Opens a folder.
    pub(crate) fn folder(place: &AbsolutePath) -> Result<Self, SourceError> {
        let root = Root::open(&std_path(place), MountId::WORKSPACE).map_err(|error| match error {
            SystemError::NotFound { .. } => broken(format!("the folder `{place}` does not exist")),
            error => error.into(),
        })?;
        Ok(Self::of_folder(root.without_links()))
    }

    /// Creates the files of an open folder.
    pub(crate) fn of_folder(root: Root) -> Self {
        Self { place: Place::Folder(root), read_files: RefCell::default() }
    }

    /// Creates the files of a commit.
    pub(crate) fn of_tree(tree: Tree) -> Self {
        Self { place: Place::Tree(tree), read_files: RefCell::default() }
    }

    /// Returns the folder of the files; `None` if they belong to a commit.
    pub(crate) fn root(&self) -> Option<&Root> {
        match &self.place {
            Place::Folder(root) => Some(root),
            Place::Tree(_) => None,
        }
    }

    /// Reads paths. Files that discovery has read are returned as they were then.
    pub(crate) fn survey(&self, survey: &Survey) -> Result<SurveyResult, SourceError> {
        let read_files = self.read_files.borrow();
        let read_file = |path: &WorkspacePath| match read_files.get(path) {
            Some(entry @ SnapshotEntry::File { bytes, .. }) if bytes.len() as u64 <= survey.max_bytes => {
                Some((path.clone(), entry.clone()))
            }
            _ => None,
        };
        let known: Vec<(WorkspacePath, SnapshotEntry)> = survey.files.iter().filter_map(read_file).collect();
        if known.is_empty() {
            return self.survey_now(survey);
        }
        let files = survey.files.iter().filter(|path| read_file(path).is_none()).cloned().collect();
        let mut answer =
            self.survey_now(&Survey { directories: survey.directories.clone(), files, ..*survey })?;
        for (path, entry) in known {
            answer.insert(path, entry);
        }
        Ok(answer)
    }

    /// Reads paths in their current state, even if discovery has read them.
    pub(crate) fn survey_now(&self, survey: &Survey) -> Result<SurveyResult, SourceError> {
        match &self.place {
            Place::Folder(root) => Ok(root.survey(survey)),
            Place::Tree(tree) => tree.survey(survey).map_err(|error| from_git(&error)),
        }
    }

    /// Reads paths, and keeps the files that are completely read.
    fn survey_and_keep(&self, survey: &Survey) -> Result<SurveyResult, SourceError> {
        let answer = self.survey_now(survey)?;
        let mut read_files = self.read_files.borrow_mut();
        for path in &survey.files {
            if let Some(entry @ SnapshotEntry::File { bytes, .. }) = answer.entries.get(path)
                && (bytes.len() as u64) < survey.max_bytes
            {
                read_files.insert(path.clone(), entry.clone());
            }
        }
        Ok(answer)
    }

    /// Discovers what the source offers.
    ///
    /// # Errors
    ///
    /// Fails if its `mind.toml`, or the source as a whole, is not valid.
    pub(crate) fn discover(&self, options: Options) -> Result<Discovery, SourceError> {
        expect_valid(discovery::discover(options, |survey| self.survey_and_keep(survey))?)
    }

    /// Reads only the `mind.toml` of the source.
    ///
    /// # Errors
    ///
    /// Fails if its `mind.toml` is not valid.
    fn manifest(&self) -> Result<Discovery, SourceError> {
        expect_valid(discovery::read_manifest(|survey| self.survey_now(survey))?)
    }

    /// Returns the content of items.
    pub(crate) fn contents(&self, items: &[Item]) -> Result<Vec<Result<ItemContent, Refusal>>, SourceError> {
        self.contents_of(&items.iter().collect::<Vec<_>>())
    }

    fn contents_of(&self, items: &[&Item]) -> Result<Vec<Result<ItemContent, Refusal>>, SourceError> {
        let place = |item: &&Item| (item.path.clone(), item.kind.is_folder());
        let places: Vec<content::Expected> = items.iter().map(place).collect();
        let found = content::read(&mut |survey| self.survey(survey), &places)?;
        let content = |(item, found): (&&Item, content::ItemResult)| match found {
            Ok(Some(content)) => match (&content, item.kind.is_folder()) {
                (ItemContent::Folder(_), true) | (ItemContent::File(_), false) => Ok(content),
                (_, true) => Err(invalid_item(item, "it is not a folder")),
                (_, false) => Err(invalid_item(item, "it is not a file")),
            },
            Ok(None) => Err(invalid_item(item, &format!("`{}` does not exist", item.path))),
            Err(refusal) => Err(invalid_item(item, &refusal.message)),
        };
        Ok(items.iter().zip(found).map(content).collect())
    }
}

/// Returns the result of discovery, if the source is valid.
fn expect_valid(parsed: Parsed<Discovery>) -> Result<Discovery, SourceError> {
    let (discovered, problems) = (parsed.value, parsed.problems);
    if discovered.is_valid {
        return Ok(discovered);
    }
    if let Some(newer) = discovered.manifest.as_ref().and_then(|manifest| manifest.newer()) {
        let supported = minds_sources::COMPATIBILITY;
        let message = format!("it requires version {newer} of the format, but only {supported} is supported");
        return Err(SourceError::new(SourceErrorKind::IncompatibleVersion, message));
    }
    let is_about_manifest = discovered.manifest.as_ref().is_some_and(|manifest| !manifest.is_valid());
    let errors: Vec<Diagnostic> =
        problems.into_sorted().into_iter().filter(|found| found.severity == Severity::Error).collect();
    let is_about_manifest = is_about_manifest
        || errors.first().is_some_and(|found| found.rule.code == "source/unreadable-manifest");
    let kind =
        if is_about_manifest { SourceErrorKind::InvalidManifest } else { SourceErrorKind::InvalidSource };
    Err(SourceError::new(kind, summarize_errors(&errors)))
}

fn invalid_item(item: &Item, problem: &str) -> Refusal {
    Refusal::new(RefusalKind::BadContent, format!("{}: {problem}", item.key()))
}

impl ReadSource {
    /// Returns the offered items under the names under which they are installed.
    pub(crate) fn items(&self) -> Result<SourceItems, SourceError> {
        let contents = self.files.contents(&self.discovered.catalog.items)?;
        Ok(self.source_items(contents))
    }

    /// Returns the offered items, with content only for selected items and those that they refer to, which is
    /// enough to determine whether these are up to date. Other items have no content.
    pub(crate) fn selected_items(
        &self,
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Result<SourceItems, SourceError> {
        let items = &self.discovered.catalog.items;
        let wanted: Vec<usize> =
            items.iter().enumerate().filter(|(_, item)| is_wanted(item)).map(|(at, _)| at).collect();
        let mut contents = self.read_contents(&wanted)?;
        let named: BTreeSet<&str> =
            contents.values().flatten().flat_map(minds_sources::referenced_tools).collect();
        let is_named = |at: &usize, item: &Item| {
            item.kind == ItemKind::Tool && named.contains(item.name.as_str()) && !contents.contains_key(at)
        };
        let tools: Vec<usize> =
            items.iter().enumerate().filter(|(at, item)| is_named(at, item)).map(|(at, _)| at).collect();
        let tools = self.read_contents(&tools)?;
        contents.extend(tools);
        let unread = || Err(Refusal::new(RefusalKind::BadContent, "its files were not read"));
        let contents = (0..items.len()).map(|at| contents.remove(&at).unwrap_or_else(unread)).collect();
        Ok(self.source_items(contents))
    }

    fn read_contents(
        &self,
        wanted: &[usize],
    ) -> Result<BTreeMap<usize, Result<ItemContent, Refusal>>, SourceError> {
        let items: Vec<&Item> =
            wanted.iter().filter_map(|at| self.discovered.catalog.items.get(*at)).collect();
        Ok(wanted.iter().copied().zip(self.files.contents_of(&items)?).collect())
    }

    fn source_items(&self, contents: Vec<Result<ItemContent, Refusal>>) -> SourceItems {
        let declared = self.discovered.manifest.as_ref().and_then(|file| file.manifest().prefix());
        let prefix = self.registered.prefix(declared);
        let (identity, commit) = (self.registered.identity.clone(), self.registered.commit.clone());
        SourceItems::new(identity, prefix, commit, self.discovered.catalog.clone(), contents)
    }
}

/// Reads a registered source: its folder, or its clone at the commit that is used.
///
/// # Errors
///
/// Fails if the source cannot be read, which does not affect other sources.
pub(crate) fn read(
    home: &Home,
    git: &mut Option<Git>,
    source: &RegisteredSource,
) -> Result<ReadSource, SourceError> {
    let options = Options { roots: format_roots(source.roots.as_deref()), curator_roots: None };
    read_with(home, git, source, |files| files.discover(options))
}

/// Reads only the `mind.toml` of a registered source; the catalog is empty.
///
/// # Errors
///
/// Fails like [`read`], except for problems of the offered items.
pub(crate) fn read_manifest(
    home: &Home,
    git: &mut Option<Git>,
    source: &RegisteredSource,
) -> Result<ReadSource, SourceError> {
    read_with(home, git, source, Files::manifest)
}

fn read_with(
    home: &Home,
    git: &mut Option<Git>,
    source: &RegisteredSource,
    discover: impl FnOnce(&Files) -> Result<Discovery, SourceError>,
) -> Result<ReadSource, SourceError> {
    let opened = open(home, git, source);
    let read = opened.and_then(|(registered, files)| {
        let discovered = discover(&files)?;
        Ok(ReadSource { registered, discovered, files })
    });
    read.map_err(|error| error.with_target(&source.identity))
}

/// Opens the files of a registered source.
fn open(
    home: &Home,
    git: &mut Option<Git>,
    source: &RegisteredSource,
) -> Result<(RegisteredSource, Files), SourceError> {
    let mut registered = source.clone();
    let files = match &source.remote {
        Remote::Folder(folder) if source.is_linked() => {
            let place = AbsolutePath::parse(folder).map_err(|error| broken(error.to_string()))?;
            let files = Files::folder(&place)?;
            registered.commit = files.root().and_then(crate::git_head::read_commit);
            files
        }
        Remote::Folder(_) | Remote::Repository(_) => {
            let commit = source.commit.as_deref().and_then(|commit| ObjectId::parse(commit).ok());
            let commit = commit.ok_or_else(|| broken("it has no commit yet; run `minds source sync`"))?;
            let clone = std_path(&home.place.join(&clone_of(&source.identity)?));
            let tree = require_git(git, false)?.tree(&clone, &commit, MountId::WORKSPACE);
            Files::of_tree(tree.map_err(|error| from_git(&error))?)
        }
    };
    Ok((registered, files))
}

/// Returns roots as written in `mind.toml`.
pub(crate) fn format_roots(roots: Option<&[WorkspacePath]>) -> Option<Vec<String>> {
    let format_root = |root: &WorkspacePath| if root.is_root() { ".".to_owned() } else { root.to_string() };
    roots.map(|roots| roots.iter().map(format_root).collect())
}

/// Returns the path of the clone of a source, relative to the data directory.
pub(crate) fn clone_of(identity: &Identity) -> Result<WorkspacePath, SourceError> {
    // An identity consists of portable names, so this stays below the folder of clones.
    WorkspacePath::parse(&format!("sources/{identity}.git"))
        .map_err(|error| SourceError::new(SourceErrorKind::InvalidSpec, error.to_string()))
}

/// Returns the git program, which is searched for on the first use.
pub(crate) fn require_git(git: &mut Option<Git>, user_config: bool) -> Result<&Git, SourceError> {
    if git.is_none() {
        *git = Some(Git::find(user_config).map_err(|error| from_git(&error))?);
    }
    git.as_ref().ok_or_else(|| broken("git was not found"))
}

/// Converts an error of git.
pub(crate) fn from_git(error: &GitError) -> SourceError {
    let kind = match error.kind() {
        GitErrorKind::Authentication => SourceErrorKind::Authentication,
        GitErrorKind::NoRevision => SourceErrorKind::UnknownRevision,
        GitErrorKind::Revision(_) => SourceErrorKind::InvalidRevision,
        GitErrorKind::TimedOut(_) => SourceErrorKind::Timeout,
        _ => SourceErrorKind::Git,
    };
    SourceError::new(kind, error.to_string())
}

pub(crate) fn broken(problem: impl Into<String>) -> SourceError {
    SourceError::new(SourceErrorKind::Refused(RefusalKind::BrokenSource), problem)
}

/// Returns the first error with its position, and the number of further errors, in one line.
fn summarize_errors(errors: &[Diagnostic]) -> String {
    let Some(first) = errors.first() else { return "it is not valid".to_owned() };
    let place = first.primary.as_ref().map(|label| {
        let start = label.source.range(label.span).start;
        format!("{}:{}:{}: ", label.source.name(), start.line, start.column)
    });
    let more = match errors.len() {
        0 | 1 => String::new(),
        more => format!(" (and {} more; `minds source review` lists them)", more - 1),
    };
    format!("{}{} [{}]{more}", place.unwrap_or_default(), first.message, first.rule.code)
}

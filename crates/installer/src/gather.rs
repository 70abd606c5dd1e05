//! Reading new sources, with their nested sources.

use std::collections::BTreeSet;

use minds_git::{FetchRequest, FetchResult, Git};
use minds_inventory::{AbsolutePath, Alias, RegisteredSource};
use minds_sources::discovery::Options;
use minds_sources::{Hook, Identity, Pin, Remote, Selection, SourceSpec};
use minds_vfs::{MountId, WorkspacePath};

use crate::clones::Clones;
use crate::fetch::{fetch, remote_of, resolve_pin, revision};
use crate::files::{self, Files, ReadSource, from_git, require_git};
use crate::home::{Home, std_path};
use crate::nested_sources::{find_nested_sources, ignored_settings_note, report_unread, url};
use crate::{FetchSettings, Interaction, SkipReason, SourceError, SourceErrorKind};

/// The maximum number of sources that one source brings along.
const MAX_SOURCES: usize = 1_000;

/// A source to read, with the settings for it.
#[derive(Clone, Debug)]
pub(crate) struct WantedSource {
    pub(crate) spec: SourceSpec,
    pub(crate) alias: Alias,
    /// The pin of the user, which overrides that of the source.
    pub(crate) pin: Option<Pin>,
    /// The roots of the user, which override those of the source.
    pub(crate) roots: Option<Vec<WorkspacePath>>,
    /// The settings of the nested entry, which apply if the source has no `mind.toml`.
    pub(crate) curator: Option<NestedSettings>,
    /// The items to install.
    pub(crate) selection: Selection,
}

/// The entry of a nested source.
#[derive(Clone, Debug)]
pub(crate) struct NestedSettings {
    pub(crate) by: Identity,
    pub(crate) pin: Pin,
    pub(crate) roots: Option<Vec<WorkspacePath>>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) skips_on_auth_failure: bool,
    pub(crate) message: Option<String>,
}

#[derive(Debug)]
pub(crate) struct NewSource {
    pub(crate) read: ReadSource,
    pub(crate) selection: Selection,
    /// The number of sources between it and the one that the user named.
    pub(crate) depth: usize,
    /// Whether it has a staged clone.
    pub(crate) is_cloned: bool,
}

/// A source with all its nested sources.
#[derive(Debug, Default)]
pub(crate) struct GatheredSources {
    /// The sources, each after the one that brings it along.
    pub(crate) sources: Vec<NewSource>,
    /// Nested sources that are already registered, with the items to install.
    pub(crate) known: Vec<(Identity, Selection)>,
    /// Errors of sources that could not be read.
    pub(crate) failures: Vec<SourceError>,
    /// Sources that are skipped because of their `on-auth-failure`.
    pub(crate) skipped: Vec<(String, SkipReason)>,
    pub(crate) notes: Vec<String>,
}

/// Reads sources with their nested sources.
pub(crate) struct Gatherer<'g> {
    pub(crate) home: &'g Home,
    pub(crate) git: &'g mut Option<Git>,
    pub(crate) clones: &'g mut Clones,
    pub(crate) terms: FetchSettings,
    pub(crate) interaction: &'g mut dyn Interaction,
}

impl Gatherer<'_> {
    /// Reads a source that the user names and, level by level, its nested sources. Each source is read once,
    /// even if several sources bring it along, and registered sources are not read.
    ///
    /// # Errors
    ///
    /// Fails if the source itself cannot be read. Failures of nested sources are collected.
    pub(crate) fn gather(&mut self, first: WantedSource) -> Result<GatheredSources, SourceError> {
        let mut gathered = GatheredSources::default();
        let identity = first.spec.identity.clone();
        let first = self.read_one(first).map_err(|error| error.with_target(&identity))?;
        self.add_with_nested(first, &mut gathered);
        Ok(gathered)
    }

    /// Reads one source without its nested sources.
    pub(crate) fn read_one(&mut self, wanted: WantedSource) -> Result<NewSource, SourceError> {
        self.read_all(&[wanted]).pop().unwrap_or_else(|| Err(files::broken("nothing was read")))
    }

    /// Adds a source and its nested sources.
    fn add_with_nested(&mut self, first: NewSource, gathered: &mut GatheredSources) {
        let mut seen: BTreeSet<Identity> = BTreeSet::from([first.read.registered.identity.clone()]);
        let mut level = find_nested_sources(self.home, &first.read, gathered);
        gathered.notes.extend(first.notes());
        gathered.sources.push(first);
        self.descend(&mut level, &mut seen, gathered, 1);
    }

    /// Reads the nested sources of registered sources that are new.
    pub(crate) fn gather_nested(&mut self, sources: &[ReadSource], gathered: &mut GatheredSources) {
        let mut seen: BTreeSet<Identity> = BTreeSet::new();
        let mut level: Vec<WantedSource> = Vec::new();
        for source in sources {
            level.extend(find_nested_sources(self.home, source, gathered));
        }
        self.descend(&mut level, &mut seen, gathered, 1);
    }

    fn descend(
        &mut self,
        level: &mut Vec<WantedSource>,
        seen: &mut BTreeSet<Identity>,
        gathered: &mut GatheredSources,
        mut depth: usize,
    ) {
        while !level.is_empty() {
            let mut fresh: Vec<WantedSource> = Vec::new();
            for wanted in level.drain(..) {
                let identity = &wanted.spec.identity;
                if let Some(known) = self.home.registry.find(identity) {
                    if known.remote != wanted.spec.remote {
                        gathered.notes.push(format!(
                            "{identity} is already registered from {}, so {} is skipped",
                            known.url(),
                            url(&wanted.spec.remote)
                        ));
                    } else if seen.insert(identity.clone()) {
                        gathered.known.push((identity.clone(), wanted.selection));
                    }
                } else if seen.len() >= MAX_SOURCES {
                    let message = format!("there are more than {MAX_SOURCES} nested sources");
                    gathered.failures.push(files::broken(message).with_target(identity));
                } else if seen.insert(identity.clone()) {
                    fresh.push(wanted);
                }
            }
            let curated: Vec<(Identity, Option<NestedSettings>)> =
                fresh.iter().map(|wanted| (wanted.spec.identity.clone(), wanted.curator.clone())).collect();
            for (read, (identity, curated)) in self.read_all(&fresh).into_iter().zip(curated) {
                match read {
                    Ok(mut source) => {
                        source.depth = depth;
                        level.extend(find_nested_sources(self.home, &source.read, gathered));
                        gathered.notes.extend(source.notes());
                        gathered.notes.extend(ignored_settings_note(&source, curated.as_ref()));
                        gathered.sources.push(source);
                    }
                    Err(error) => report_unread(&identity, error, curated.as_ref(), gathered),
                }
            }
            depth += 1;
        }
    }

    /// Reads sources concurrently: folders live, repositories after fetching. If the `mind.toml` of a source
    /// selects another commit, that one is fetched in a second step.
    fn read_all(&mut self, wanted: &[WantedSource]) -> Vec<Result<NewSource, SourceError>> {
        let first: Vec<Pin> = wanted.iter().map(|wanted| wanted.pin.clone().unwrap_or_default()).collect();
        let reads = self.read_at(wanted, &first);
        // The pin of the source, or of its nested entry, is known only now.
        let mut refetch = Vec::new();
        let mut results: Vec<Option<Result<NewSource, SourceError>>> = Vec::new();
        for (at, (read, wanted)) in reads.into_iter().zip(wanted).enumerate() {
            let pin = match &read {
                Ok(source) if wanted.pin.is_none() => declared_pin(source, wanted),
                _ => Pin::DefaultBranch,
            };
            if pin == Pin::DefaultBranch {
                results.push(Some(read));
            } else {
                refetch.push((at, wanted.clone(), pin));
                results.push(None);
            }
        }
        let (wanted_refetch, pins): (Vec<WantedSource>, Vec<Pin>) =
            refetch.iter().map(|(_, wanted, pin)| (wanted.clone(), pin.clone())).unzip();
        for (read, (at, ..)) in self.read_at(&wanted_refetch, &pins).into_iter().zip(refetch) {
            if let Some(result) = results.get_mut(at) {
                *result = Some(read);
            }
        }
        results.into_iter().flatten().collect()
    }

    /// Reads each source at the commit of a pin.
    fn read_at(&mut self, wanted: &[WantedSource], pins: &[Pin]) -> Vec<Result<NewSource, SourceError>> {
        let mut results: Vec<Option<Result<NewSource, SourceError>>> = Vec::new();
        let mut pending: Vec<(usize, WorkspacePath, FetchRequest)> = Vec::new();
        for (at, (wanted, pin)) in wanted.iter().zip(pins).enumerate() {
            let is_linked = matches!(wanted.spec.remote, Remote::Folder(_)) && *pin == Pin::DefaultBranch;
            if is_linked {
                results.push(Some(read_folder(wanted)));
                continue;
            }
            match self.request(wanted, pin) {
                Ok((staged, request)) => {
                    pending.push((at, staged, request));
                    results.push(None);
                }
                Err(error) => results.push(Some(Err(error))),
            }
        }
        if !pending.is_empty() {
            let requests: Vec<FetchRequest> = pending.iter().map(|(.., request)| request.clone()).collect();
            let fetched = match require_git(self.git, self.terms.use_git_config) {
                Ok(git) => fetch(git, &requests, self.terms, &mut *self.interaction),
                Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
            };
            for (fetched, (at, staged, _)) in fetched.into_iter().zip(pending) {
                let (Some(wanted), Some(pin)) = (wanted.get(at), pins.get(at)) else { continue };
                let read = fetched.and_then(|fetched| self.read_clone(wanted, pin, &staged, &fetched));
                if let Some(result) = results.get_mut(at) {
                    *result = Some(read);
                }
            }
        }
        results.into_iter().flatten().collect()
    }

    fn request(
        &mut self,
        wanted: &WantedSource,
        pin: &Pin,
    ) -> Result<(WorkspacePath, FetchRequest), SourceError> {
        let staged = self.clones.stage(&wanted.spec.identity)?;
        let into = std_path(&self.home.place.join(&staged));
        let remote = remote_of(self.home, &wanted.spec.remote)?;
        Ok((staged, FetchRequest { remote, revision: revision(pin), into, known: None }))
    }

    fn read_clone(
        &mut self,
        wanted: &WantedSource,
        pin: &Pin,
        staged: &WorkspacePath,
        fetched: &FetchResult,
    ) -> Result<NewSource, SourceError> {
        let git = require_git(self.git, self.terms.use_git_config)?;
        let at = std_path(&self.home.place.join(staged));
        let tree = git.tree(&at, fetched.commit(), MountId::WORKSPACE).map_err(|error| from_git(&error))?;
        let files = Files::of_tree(tree);
        let mut registered = new_registration(wanted);
        registered.tree =
            Some(git.tree_id(&at, fetched.commit()).map_err(|error| from_git(&error))?.to_string());
        registered.commit = Some(fetched.commit().to_string());
        registered.pin = resolve_pin(pin, fetched);
        new_source(wanted, registered, files, true)
    }
}

fn new_registration(wanted: &WantedSource) -> RegisteredSource {
    RegisteredSource {
        identity: wanted.spec.identity.clone(),
        remote: wanted.spec.remote.clone(),
        commit: None,
        tree: None,
        description: None,
        alias: wanted.alias.clone(),
        pin: Pin::DefaultBranch,
        roots: wanted.roots.clone(),
        curator: wanted.curator.as_ref().map(|curated| curated.by.clone()),
        hooks: Vec::new(),
        install_hooks: Vec::new(),
    }
}

fn read_folder(wanted: &WantedSource) -> Result<NewSource, SourceError> {
    let Remote::Folder(folder) = &wanted.spec.remote else { return Err(files::broken("it is not a folder")) };
    let place = AbsolutePath::parse(folder)
        .map_err(|error| SourceError::new(SourceErrorKind::InvalidSpec, error.to_string()))?;
    let files = Files::folder(&place)?;
    let mut registered = new_registration(wanted);
    registered.commit = files.root().and_then(crate::git_head::read_commit);
    new_source(wanted, registered, files, false)
}

fn new_source(
    wanted: &WantedSource,
    mut registered: RegisteredSource,
    files: Files,
    is_cloned: bool,
) -> Result<NewSource, SourceError> {
    let options = Options {
        roots: files::format_roots(wanted.roots.as_deref()),
        curator_roots: files::format_roots(
            wanted.curator.as_ref().and_then(|curated| curated.roots.as_deref()),
        ),
    };
    let discovered = files.discover(options)?;
    registered.description =
        discovered.manifest.as_ref().and_then(|file| file.manifest().description()).map(str::to_owned);
    if let (Some(curated), None) = (&wanted.curator, &discovered.manifest) {
        registered.roots.clone_from(&curated.roots);
        registered.hooks.clone_from(&curated.hooks);
    }
    let read = ReadSource { registered, discovered, files };
    Ok(NewSource { read, selection: wanted.selection.clone(), depth: 0, is_cloned })
}

/// Returns the pin of the source; if it has no `mind.toml`, that of the nested entry.
fn declared_pin(source: &NewSource, wanted: &WantedSource) -> Pin {
    match &source.read.discovered.manifest {
        Some(file) => file.manifest().pin(),
        None => wanted.curator.as_ref().map(|curated| curated.pin.clone()).unwrap_or_default(),
    }
}

impl NewSource {
    /// Returns notes about how the source was read.
    fn notes(&self) -> Vec<String> {
        let identity = &self.read.registered.identity;
        if self.read.discovered.ignores_roots {
            return vec![format!("{identity} lists its items in `mind.toml`, so `--root` has no effect")];
        }
        Vec::new()
    }
}

//! Reading in steps: `team-compose.yaml` refers to project files, and these refer to role prompts.

use std::collections::BTreeMap;

use minds_diagnostics::{Parsed, Problems, SourceFile};
use minds_document::{Context, Decode, Document, Format, Spanned, limits};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath, map_on_two_threads};

use crate::family::{ComposeFamily, ComposeFile, ProjectFile, Prompt, RuntimeFile};
use crate::place::{COMPOSE_FILE, Place, PlaceError, RUNTIMES, find_root};
use crate::project::{AgentFields, RolePrompt};

/// The maximum number of project files, and of role prompts, that are read.
const MAX_FILES: usize = 10_000;

/// The number of bytes from which a second thread makes parsing faster.
const MIN_PARALLEL_BYTES: usize = 128 << 10;

const TOO_MANY: &str = "more than 10,000 files are listed";

/// Reads a compose root in steps. The caller adds the [pending](Reader::pending) files to the snapshot and
/// calls [`advance`](Reader::advance), until no more files are pending.
#[derive(Debug)]
pub struct Reader {
    family: ComposeFamily,
    problems: Problems,
    step: Step,
    pending: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Projects,
    Prompts,
}

impl Reader {
    /// Starts with a snapshot that contains the files of [`scope`](crate::scope).
    pub fn start(snapshot: &Snapshot) -> Self {
        let (family, problems) = (ComposeFamily::default(), Problems::new());
        let mut reader = Self { family, problems, step: Step::Projects, pending: Vec::new() };
        if let Some(root) = find_root(snapshot) {
            reader.family.root = root;
            reader.read_compose(snapshot);
            reader.read_runtimes(snapshot);
        }
        reader
    }

    /// Returns the files that are needed next; empty when everything is read.
    pub fn pending(&self) -> &[Place] {
        &self.pending
    }

    /// Returns the path of the compose root in the snapshot.
    pub fn root(&self) -> &WorkspacePath {
        &self.family.root
    }

    /// Reads the pending files. A file that is not in `snapshot` is treated as missing.
    pub fn advance(&mut self, snapshot: &Snapshot) {
        let pending = std::mem::take(&mut self.pending);
        match self.step {
            Step::Projects => {
                self.step = Step::Prompts;
                self.read_projects(snapshot);
                self.collect_prompts();
                if self.pending.is_empty() {
                    self.read_prompts(snapshot);
                }
            }
            Step::Prompts if !pending.is_empty() => self.read_prompts(snapshot),
            Step::Prompts => {}
        }
    }

    /// Returns the decoded files, and the syntax and schema findings.
    pub fn finish(self) -> Parsed<ComposeFamily> {
        Parsed { value: self.family, problems: self.problems }
    }

    fn read_compose(&mut self, snapshot: &Snapshot) {
        let Ok(path) = self.family.root.join(COMPOSE_FILE) else { return };
        let location = Location::new(MountId::WORKSPACE, path);
        let mut file = ComposeFile { document: None, compose: None };
        if let Some(source) = snapshot.source(&location, &mut self.problems) {
            self.family.sources.push(source.clone());
            (file.document, file.compose) = parse(&source).take(&mut self.problems);
        }
        self.collect_projects(&file);
        self.family.compose = Some(file);
    }

    fn collect_projects(&mut self, file: &ComposeFile) {
        let projects = file.compose.as_ref().and_then(|compose| compose.projects.as_given());
        let entries = projects.into_iter().flat_map(|projects| &projects.value.items);
        let mut seen: BTreeMap<Place, Spanned<String>> = BTreeMap::new();
        for entry in entries.filter_map(|entry| entry.value.file.as_given()) {
            let entry = entry.clone().map(|file| file.0);
            let place = Place::of(&self.family.root, &entry.value);
            let mut reason = None;
            match &place {
                Ok(place) => {
                    if let Some(first) = seen.get(place) {
                        self.family.duplicate_entries.push((first.clone(), entry));
                        continue;
                    }
                    seen.insert(place.clone(), entry.clone());
                    if self.pending.len() < MAX_FILES {
                        self.pending.push(place.clone());
                    } else {
                        reason = Some(TOO_MANY.to_owned());
                    }
                }
                Err(error) => reason = Some(error.to_string()),
            }
            self.family.projects.push(ProjectFile {
                entry,
                place,
                reason,
                is_outside: false,
                document: None,
                project: None,
            });
        }
    }

    fn read_projects(&mut self, snapshot: &Snapshot) {
        let (mut files, mut sources) = (Vec::new(), Vec::new());
        for file in self.family.projects.iter_mut().filter(|file| file.reason.is_none()) {
            let Ok(place) = &file.place else { continue };
            match read_text(snapshot, place) {
                Ok(source) => {
                    files.push(file);
                    sources.push(source);
                }
                Err(ReadError::Missing) => file.reason = Some("it does not exist".to_owned()),
                Err(ReadError::Unusable(reason)) => file.reason = Some(reason),
                Err(ReadError::Outside(reason)) => {
                    file.reason = Some(reason);
                    file.is_outside = true;
                }
            }
        }
        let length: usize = sources.iter().map(|source| source.bytes().len()).sum();
        let is_parallel = sources.len() > 1 && length >= MIN_PARALLEL_BYTES;
        let parsed: Vec<Parsed<(_, _)>> = if is_parallel {
            map_on_two_threads(&sources, parse)
        } else {
            sources.iter().map(parse).collect()
        };
        for (file, parsed) in files.into_iter().zip(parsed) {
            (file.document, file.project) = parsed.take(&mut self.problems);
        }
        self.family.sources.extend(sources);
    }

    fn collect_prompts(&mut self) {
        let mut prompts: BTreeMap<String, Result<Place, PlaceError>> = BTreeMap::new();
        let projects = self.family.projects.iter().filter_map(|file| file.project.as_ref());
        for project in projects {
            let agents = project.managers().iter().chain(project.workers());
            for fields in agents.filter_map(|agent| agent.fields.as_given()) {
                for path in role_prompt_paths(&fields.value) {
                    if !prompts.contains_key(&path.value) {
                        prompts.insert(path.value.clone(), Place::of(&self.family.root, &path.value));
                    }
                }
            }
        }
        let mut pending: Vec<Place> = Vec::new();
        for (path, place) in prompts {
            let prompt = match place {
                Ok(place) if pending.len() < MAX_FILES => {
                    pending.push(place.clone());
                    Prompt::Missing(place)
                }
                Ok(_) => Prompt::Unusable(TOO_MANY.to_owned()),
                Err(error) => Prompt::Unusable(error.to_string()),
            };
            self.family.prompts.insert(path, prompt);
        }
        pending.sort();
        pending.dedup();
        self.pending = pending;
    }

    fn read_prompts(&mut self, snapshot: &Snapshot) {
        for prompt in self.family.prompts.values_mut() {
            let Prompt::Missing(place) = prompt else { continue };
            *prompt = match read_text(snapshot, place) {
                Ok(source) => {
                    self.family.sources.push(source.clone());
                    Prompt::Text(source)
                }
                Err(ReadError::Unusable(reason)) => Prompt::Unusable(reason),
                Err(ReadError::Outside(reason)) => Prompt::Outside(reason),
                Err(ReadError::Missing) => continue,
            };
        }
    }

    fn read_runtimes(&mut self, snapshot: &Snapshot) {
        let Ok(folder) = self.family.root.join(RUNTIMES) else { return };
        let folder = Location::new(MountId::WORKSPACE, folder);
        if let Some(entry) = snapshot.get(&folder) {
            // A snapshot contains a directory only if it could not be read or is not a directory.
            self.family.has_unknown_runtimes = !matches!(entry, SnapshotEntry::File { .. });
            let _ = snapshot.source(&folder, &mut self.problems);
        }
        for (location, _) in snapshot.iter() {
            let is_inside =
                location.mount == MountId::WORKSPACE && location.path.parent().as_ref() == Some(&folder.path);
            let name = location.path.file_name().filter(|_| is_inside).and_then(|name| name.rsplit_once('.'));
            // A file name whose only dot is at the start has no extension.
            let Some((id, extension)) = name.filter(|(id, _)| !id.is_empty()) else { continue };
            if extension != "yaml" {
                self.family.misnamed_runtimes.push(id.to_owned());
                continue;
            }
            let mut file = RuntimeFile { document: None, runtime: None };
            if let Some(source) = snapshot.source(location, &mut self.problems) {
                self.family.sources.push(source.clone());
                (file.document, file.runtime) = parse(&source).take(&mut self.problems);
            }
            self.family.runtimes.insert(id.to_owned(), file);
        }
    }
}

/// Parses and decodes a source file as YAML, with any name.
fn parse<T: Decode>(source: &SourceFile) -> Parsed<(Option<Document>, Option<T>)> {
    let Parsed { value: document, mut problems } = Format::Yaml.parse(source);
    let mut cx = Context::new();
    let value = document.as_ref().and_then(|document| T::decode(document.root(), &mut cx));
    problems.append(cx.into_problems());
    Parsed { value: (document, value), problems }
}

/// Returns the paths of the role prompts of an agent.
fn role_prompt_paths(fields: &AgentFields) -> impl Iterator<Item = &Spanned<String>> {
    let (one, several) = match fields.role_prompt.as_given().map(|prompt| &prompt.value) {
        None => (None, [].as_slice()),
        Some(RolePrompt::File(path)) => (Some(path), [].as_slice()),
        Some(RolePrompt::Files(paths)) => (None, paths.items.as_slice()),
    };
    one.into_iter().chain(several)
}

/// Why a file could not be read.
enum ReadError {
    Missing,
    /// The file is outside the permitted directories, with the reason.
    Outside(String),
    /// The file exists but cannot be used, with the reason.
    Unusable(String),
}

fn read_text(snapshot: &Snapshot, place: &Place) -> Result<SourceFile, ReadError> {
    let Some(entry) = snapshot.get(&place.location) else {
        return Err(
            unreadable_directory(snapshot, &place.location).map_or(ReadError::Missing, ReadError::Unusable)
        );
    };
    if let SnapshotEntry::Outside { reason } = entry {
        return Err(ReadError::Outside(reason.clone()));
    }
    match entry.bytes() {
        Ok(bytes) if bytes.len() > limits::MAX_BYTES => {
            Err(ReadError::Unusable("it is larger than 16 MiB".to_owned()))
        }
        Ok(bytes) => Ok(SourceFile::new(place.name.clone(), bytes.clone())),
        Err(reason) => Err(ReadError::Unusable(reason.to_owned())),
    }
}

/// Returns why the parent directory of `location` could not be read, if it could not.
fn unreadable_directory(snapshot: &Snapshot, location: &Location) -> Option<String> {
    let parent: WorkspacePath = location.path.parent()?;
    match snapshot.get(&Location::new(location.mount.clone(), parent))? {
        SnapshotEntry::Unreadable { reason } => Some(format!("its directory cannot be read: {reason}")),
        _ => None,
    }
}

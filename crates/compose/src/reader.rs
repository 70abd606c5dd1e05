//! Reading in steps: `team-compose.yaml` names project files, and these name role prompts.

use std::collections::BTreeMap;

use minds_diagnostics::{Parsed, Problems, SourceFile};
use minds_document::{
    Context, Decode, Document, Format, Snapshot, SnapshotEntry, Spanned, limits, on_two_threads,
};
use minds_paths::{Location, MountId, WorkspacePath};

use crate::family::{ComposeFamily, ComposeFile, ProjectFile, Prompt, RuntimeFile};
use crate::place::{COMPOSE_FILE, Place, PlaceError, RUNTIMES, find_root};
use crate::project::{AgentFields, RolePrompt};

/// How many files the files of a compose root name at most; what is named beyond is not read.
const MAX_FILES: usize = 10_000;

/// From so many bytes on a second thread pays.
const MUCH: usize = 128 << 10;

const TOO_MANY: &str = "more than 10,000 files are named";

/// A compose root that is being read. Whoever has the files asks what is [wanted](Reader::wanted), adds that to the
/// snapshot, and [goes on](Reader::go_on), until nothing more is wanted.
#[derive(Debug)]
pub struct Reader {
    family: ComposeFamily,
    problems: Problems,
    step: Step,
    wanted: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Projects,
    Prompts,
}

impl Reader {
    /// Begins with a snapshot that holds what [`scope`](crate::scope) says.
    pub fn start(snapshot: &Snapshot) -> Self {
        let (family, problems) = (ComposeFamily::default(), Problems::new());
        let mut reader = Self { family, problems, step: Step::Projects, wanted: Vec::new() };
        if let Some(root) = find_root(snapshot) {
            reader.family.root = root;
            reader.read_compose(snapshot);
            reader.read_runtimes(snapshot);
        }
        reader
    }

    /// Returns the files that are needed next; none at the end.
    pub fn wanted(&self) -> &[Place] {
        &self.wanted
    }

    /// Returns the compose root, in what was read.
    pub fn root(&self) -> &WorkspacePath {
        &self.family.root
    }

    /// Reads what was wanted. What is not in `snapshot` is not there.
    pub fn go_on(&mut self, snapshot: &Snapshot) {
        let wanted = std::mem::take(&mut self.wanted);
        match self.step {
            Step::Projects => {
                self.step = Step::Prompts;
                self.read_projects(snapshot);
                self.name_prompts();
                if self.wanted.is_empty() {
                    self.read_prompts(snapshot);
                }
            }
            Step::Prompts if !wanted.is_empty() => self.read_prompts(snapshot),
            Step::Prompts => {}
        }
    }

    /// Returns what was read, and what was wrong with the texts and their shape.
    pub fn finish(self) -> Parsed<ComposeFamily> {
        Parsed { value: self.family, problems: self.problems }
    }

    fn read_compose(&mut self, snapshot: &Snapshot) {
        let Ok(path) = self.family.root.join(COMPOSE_FILE) else { return };
        let location = Location::new(MountId::WORKSPACE, path);
        let mut file = ComposeFile { document: None, compose: None };
        if let Some(source) = snapshot.source(&location, &mut self.problems) {
            self.family.texts.push(source.clone());
            (file.document, file.compose) = read(&source).take(&mut self.problems);
        }
        self.name_projects(&file);
        self.family.compose = Some(file);
    }

    fn name_projects(&mut self, file: &ComposeFile) {
        let projects = file.compose.as_ref().and_then(|compose| compose.projects.given());
        let entries = projects.into_iter().flat_map(|projects| &projects.value.items);
        let mut seen: BTreeMap<Place, Spanned<String>> = BTreeMap::new();
        for entry in entries.filter_map(|entry| entry.value.file.given()) {
            let entry = entry.clone().map(|file| file.0);
            let place = Place::of(&self.family.root, &entry.value);
            let mut reason = None;
            match &place {
                Ok(place) => {
                    if let Some(first) = seen.get(place) {
                        self.family.repeated.push((first.clone(), entry));
                        continue;
                    }
                    seen.insert(place.clone(), entry.clone());
                    if self.wanted.len() < MAX_FILES {
                        self.wanted.push(place.clone());
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
            match text(snapshot, place) {
                Ok(source) => {
                    files.push(file);
                    sources.push(source);
                }
                Err(NoText::Missing) => file.reason = Some("it does not exist".to_owned()),
                Err(NoText::Unusable(reason)) => file.reason = Some(reason),
                Err(NoText::Outside(reason)) => {
                    file.reason = Some(reason);
                    file.is_outside = true;
                }
            }
        }
        let length: usize = sources.iter().map(|source| source.bytes().len()).sum();
        let is_much = sources.len() > 1 && length >= MUCH;
        let read: Vec<Parsed<(_, _)>> =
            if is_much { on_two_threads(&sources, read) } else { sources.iter().map(read).collect() };
        for (file, read) in files.into_iter().zip(read) {
            (file.document, file.project) = read.take(&mut self.problems);
        }
        self.family.texts.extend(sources);
    }

    fn name_prompts(&mut self) {
        let mut prompts: BTreeMap<String, Result<Place, PlaceError>> = BTreeMap::new();
        let projects = self.family.projects.iter().filter_map(|file| file.project.as_ref());
        for project in projects {
            let agents = project.managers.agents.iter().chain(&project.workers.agents);
            for fields in agents.filter_map(|agent| agent.fields.given()) {
                for path in paths(&fields.value) {
                    if !prompts.contains_key(&path.value) {
                        prompts.insert(path.value.clone(), Place::of(&self.family.root, &path.value));
                    }
                }
            }
        }
        let mut wanted: Vec<Place> = Vec::new();
        for (path, place) in prompts {
            let prompt = match place {
                Ok(place) if wanted.len() < MAX_FILES => {
                    wanted.push(place.clone());
                    Prompt::Missing(place)
                }
                Ok(_) => Prompt::Unusable(TOO_MANY.to_owned()),
                Err(error) => Prompt::Unusable(error.to_string()),
            };
            self.family.prompts.insert(path, prompt);
        }
        wanted.sort();
        wanted.dedup();
        self.wanted = wanted;
    }

    fn read_prompts(&mut self, snapshot: &Snapshot) {
        for prompt in self.family.prompts.values_mut() {
            let Prompt::Missing(place) = prompt else { continue };
            *prompt = match text(snapshot, place) {
                Ok(source) => {
                    self.family.texts.push(source.clone());
                    Prompt::Text(source)
                }
                Err(NoText::Unusable(reason)) => Prompt::Unusable(reason),
                Err(NoText::Outside(reason)) => Prompt::Outside(reason),
                Err(NoText::Missing) => continue,
            };
        }
    }

    fn read_runtimes(&mut self, snapshot: &Snapshot) {
        let Ok(folder) = self.family.root.join(RUNTIMES) else { return };
        let folder = Location::new(MountId::WORKSPACE, folder);
        if let Some(entry) = snapshot.get(&folder) {
            // A directory is only in a snapshot if it could not be looked into, or is none.
            self.family.has_unknown_runtimes = !matches!(entry, SnapshotEntry::File { .. });
            let _ = snapshot.source(&folder, &mut self.problems);
        }
        for (location, _) in snapshot.iter() {
            let is_inside =
                location.mount == MountId::WORKSPACE && location.path.parent().as_ref() == Some(&folder.path);
            let name = location.path.file_name().filter(|_| is_inside).and_then(|name| name.rsplit_once('.'));
            // A name that begins with its only dot has no extension.
            let Some((id, extension)) = name.filter(|(id, _)| !id.is_empty()) else { continue };
            if extension != "yaml" {
                self.family.misnamed_runtimes.push(id.to_owned());
                continue;
            }
            let mut file = RuntimeFile { document: None, runtime: None };
            if let Some(source) = snapshot.source(location, &mut self.problems) {
                self.family.texts.push(source.clone());
                (file.document, file.runtime) = read(&source).take(&mut self.problems);
            }
            self.family.runtimes.insert(id.to_owned(), file);
        }
    }
}

/// Reads a text as YAML, whatever its name, and decodes it.
fn read<T: Decode>(source: &SourceFile) -> Parsed<(Option<Document>, Option<T>)> {
    let Parsed { value: document, mut problems } = Format::Yaml.parse(source);
    let mut cx = Context::new();
    let value = document.as_ref().and_then(|document| T::decode(document.root(), &mut cx));
    problems.append(cx.into_problems());
    Parsed { value: (document, value), problems }
}

/// Returns the paths of the role prompts of an agent.
fn paths(fields: &AgentFields) -> impl Iterator<Item = &Spanned<String>> {
    let (one, several) = match fields.role_prompt.given().map(|prompt| &prompt.value) {
        None => (None, [].as_slice()),
        Some(RolePrompt::File(path)) => (Some(path), [].as_slice()),
        Some(RolePrompt::Files(paths)) => (None, paths.items.as_slice()),
    };
    one.into_iter().chain(several)
}

/// Why a value is missing.
enum NoText {
    Missing,
    /// The place is outside the area that may be read: why, in words.
    Outside(String),
    /// Something else is in the way: what, in words.
    Unusable(String),
}

/// Returns the text at a place.
fn text(snapshot: &Snapshot, place: &Place) -> Result<SourceFile, NoText> {
    let Some(entry) = snapshot.get(&place.location) else {
        return Err(closed(snapshot, &place.location).map_or(NoText::Missing, NoText::Unusable));
    };
    if let SnapshotEntry::Outside { reason } = entry {
        return Err(NoText::Outside(reason.clone()));
    }
    match entry.bytes() {
        Ok(bytes) if bytes.len() > limits::MAX_BYTES => {
            Err(NoText::Unusable("it is larger than 16 MiB".to_owned()))
        }
        Ok(bytes) => Ok(SourceFile::new(place.name.clone(), bytes.clone())),
        Err(reason) => Err(NoText::Unusable(reason.to_owned())),
    }
}

/// Returns why the directory that holds a place could not be looked into, if it could not.
fn closed(snapshot: &Snapshot, location: &Location) -> Option<String> {
    let parent: WorkspacePath = location.path.parent()?;
    match snapshot.get(&Location::new(location.mount.clone(), parent))? {
        SnapshotEntry::Unreadable { reason } => Some(format!("its directory cannot be read: {reason}")),
        _ => None,
    }
}

//! The files of clients in a workspace, and what they refer to.

use std::collections::BTreeSet;

use minds_diagnostics::{Diagnostic, Parsed, Problems, SourceFile, Span};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use crate::client::{Client, KindData};
use crate::decode::{self, Content};
use crate::imports::{Import, imports};
use crate::kind::Kind;
use crate::selection::select;

/// The files of clients.
#[derive(Debug, Default)]
pub struct ClientsFamily {
    /// The files in the order of their paths.
    pub files: Vec<ClientFile>,
    /// The contents of the files.
    pub sources: Vec<SourceFile>,
    /// The paths of files that exist and cannot be read.
    unreadable: BTreeSet<WorkspacePath>,
    /// The files that instructions import and that exist.
    existing: BTreeSet<WorkspacePath>,
}

/// A file that a client reads.
#[derive(Debug)]
pub struct ClientFile {
    /// The path in the workspace.
    pub path: WorkspacePath,
    /// The client.
    pub client: &'static Client,
    /// What the file is to the client.
    pub kind: Kind,
    /// What is known about files of this kind.
    pub known: &'static KindData,
    /// The text.
    pub source: SourceFile,
    /// What was read.
    pub content: Content,
    /// The files that it imports.
    pub imports: Vec<Import>,
}

impl ClientsFamily {
    /// Reads the files of clients in a snapshot of a workspace.
    ///
    /// Loading never fails because of content: what cannot be read is a problem.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        let mut problems = Problems::new();
        let mut family = Self::default();
        if snapshot.get(&search_limit()).is_some() {
            let source = SourceFile::new(".", "");
            let message = "not every file of a client was checked: the workspace has too many files";
            let found =
                Diagnostic::new(&minds_vfs::rules::UNREADABLE, message).primary(source.label(Span::at(0)));
            problems.push(
                found.help("ignore directories that are not part of the project, or check single files"),
            );
        }
        for (path, client, kind) in select_in(snapshot) {
            let Some(known) = client.kind(kind) else { continue };
            let place = Location::new(MountId::WORKSPACE, path.clone());
            let Some(source) = snapshot.source(&place, &mut problems) else {
                family.unreadable.insert(path.clone());
                continue;
            };
            let content = decode::read(&source, known, &mut problems);
            let imports = if known.imports { imports(path, &source) } else { Vec::new() };
            family.sources.push(source.clone());
            family.files.push(ClientFile {
                path: path.clone(),
                client,
                kind,
                known,
                source,
                content,
                imports,
            });
        }
        let exists =
            |path: &WorkspacePath| snapshot.get(&Location::new(MountId::WORKSPACE, path.clone())).is_some();
        let imported = family.files.iter().flat_map(|file| &file.imports).map(|import| &import.target);
        family.existing = imported.filter(|path| exists(path)).cloned().collect();
        Parsed { value: family, problems }
    }

    /// Returns the paths that the files in a snapshot import. A loader adds them to the snapshot if they exist, without their
    /// content.
    pub fn imported_paths(snapshot: &Snapshot) -> BTreeSet<WorkspacePath> {
        let mut found = BTreeSet::new();
        for (path, client, kind) in select_in(snapshot) {
            if !client.kind(kind).is_some_and(|known| known.imports) {
                continue;
            }
            let place = Location::new(MountId::WORKSPACE, path.clone());
            // Files that cannot be read are reported when the family is loaded.
            if let Some(source) = snapshot.source(&place, &mut Problems::new()) {
                found.extend(imports(path, &source).into_iter().map(|import| import.target));
            }
        }
        found
    }

    /// Returns whether a path of the workspace is that of a file in the family.
    pub fn has(&self, path: &WorkspacePath) -> bool {
        self.files.binary_search_by(|file| file.path.cmp(path)).is_ok()
    }

    /// Returns the paths of files that exist and cannot be read, in their order.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.unreadable.iter()
    }

    /// Returns whether an imported file exists.
    pub(crate) fn has_imported(&self, path: &WorkspacePath) -> bool {
        self.existing.contains(path)
    }

    /// Returns the files of a client of one kind.
    pub fn of<'f>(&'f self, client: &'f str, kind: Kind) -> impl Iterator<Item = &'f ClientFile> {
        self.files.iter().filter(move |file| file.client.id == client && file.kind == kind)
    }
}

/// Returns the location that a loader sets if it could not read every file, which is not one of the workspace.
pub fn search_limit() -> Location {
    Location::new(MountId::new("clients"), WorkspacePath::root())
}

/// Returns the files of clients in a snapshot.
fn select_in(snapshot: &Snapshot) -> Vec<(&WorkspacePath, &'static Client, Kind)> {
    let is_file = |entry: &SnapshotEntry| {
        !matches!(entry, SnapshotEntry::Unread | SnapshotEntry::Directory | SnapshotEntry::Link { .. })
    };
    let paths = snapshot
        .iter()
        .filter(|(location, entry)| location.mount == MountId::WORKSPACE && is_file(entry))
        .map(|(location, _)| &location.path);
    select(paths)
}

impl ClientFile {
    /// Returns the text after the front matter.
    pub fn body(&self) -> &str {
        self.content.body.map(|span| self.source.slice(span)).unwrap_or_default()
    }

    /// Returns the name of the file without its extension, and without `.agent`.
    pub fn stem(&self) -> &str {
        let name = self.path.file_name().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.strip_suffix(".agent").unwrap_or(stem)
    }

    /// Returns the value of a key of the front matter or document.
    pub fn get(&self, key: &str) -> Option<&crate::Item> {
        self.content.data.as_ref()?.get(key)
    }

    /// Returns whether the file is a page for readers, not one that a client could use.
    pub fn is_page(&self) -> bool {
        self.content.data.is_none()
            && self.content.flaws.is_empty()
            && matches!(
                self.stem().to_ascii_lowercase().as_str(),
                "readme" | "index" | "contributing" | "changelog"
            )
    }
}

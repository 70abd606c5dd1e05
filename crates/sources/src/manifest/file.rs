//! Reading `mind.toml`.

use minds_diagnostics::{Diagnostic, Parsed, Problems, SourceFile, Span};
use minds_document::{Completeness as _, Context, Decode, Document, toml};
use minds_vfs::{Location, MountId, Scope, Snapshot, WorkspacePath};

use super::model::Manifest;
use crate::compatibility::is_compatible;
use crate::discovery::rules::UNREADABLE_MANIFEST;
use crate::rules;

/// The name of the file, at the root of a source.
pub const MANIFEST_FILE: &str = "mind.toml";
/// The maximum size of the file in bytes; one more byte is read to recognize a larger file.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Returns the scope that is read first for the source at the root of `mount`.
pub fn scope(mount: &MountId) -> Scope {
    let file = WorkspacePath::parse(MANIFEST_FILE).map(|path| Location::new(mount.clone(), path));
    Scope { files: file.into_iter().collect(), ..Scope::default() }
}

/// An existing `mind.toml`, decoded as far as possible.
#[derive(Debug, Default)]
pub struct ManifestFile {
    text: Option<SourceFile>,
    document: Option<Document>,
    manifest: Manifest,
    newer: Option<String>,
    is_valid: bool,
}

impl ManifestFile {
    /// Reads the whole file of at most 1 MiB: structure, keywords, names, paths, patterns, and conflicts
    /// between them.
    ///
    /// The required version is checked first. A file that requires a newer version has only this one finding
    /// and an empty manifest, because this program would misinterpret it.
    pub fn read(source: &SourceFile) -> Parsed<Self> {
        let mut problems = Problems::new();
        if source.bytes().len() as u64 > MAX_MANIFEST_BYTES {
            problems.push(too_large(source));
            return Parsed { value: Self { text: Some(source.clone()), ..Self::default() }, problems };
        }
        let Some(document) = toml::parse(source).take(&mut problems) else {
            return Parsed { value: Self { text: Some(source.clone()), ..Self::default() }, problems };
        };
        let mut cx = Context::new();
        let newer = newer(&document, &mut cx);
        let mut read = Self { text: Some(source.clone()), newer, ..Self::default() };
        if read.newer.is_none() {
            read.manifest = Manifest::decode(document.root(), &mut cx).unwrap_or_default();
            rules::check_manifest(&document, &read.manifest, &mut cx);
        }
        problems.append(cx.into_problems());
        read.is_valid = read.newer.is_none()
            && !document.is_partial()
            && !problems.has_errors()
            && read.manifest.is_complete();
        read.document = Some(document);
        Parsed { value: read, problems }
    }

    /// Reads the file at `location`; `None` if nothing exists there. A link is not followed.
    pub fn load(snapshot: &Snapshot, location: &Location) -> Parsed<Option<Self>> {
        if snapshot.get(location).is_none() {
            return Parsed::clean(None);
        }
        let mut problems = Problems::new();
        let source = snapshot.source(location, &mut problems);
        let value = source.map_or_else(Self::default, |source| Self::read(&source).take(&mut problems));
        Parsed { value: Some(value), problems }
    }

    /// Returns the source text; `None` if the file could not be read.
    pub fn text(&self) -> Option<&SourceFile> {
        self.text.as_ref()
    }

    /// Returns the syntax tree; `None` if the text could not be parsed.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// Returns what could be decoded. It is only complete if the file [is valid](Self::is_valid).
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the version that the file requires, if it is newer than the supported one.
    pub fn newer(&self) -> Option<&str> {
        self.newer.as_deref()
    }

    /// Returns whether the whole file could be decoded and has no errors. Nothing may be fetched or run
    /// because of an invalid file.
    pub fn is_valid(&self) -> bool {
        self.is_valid
    }
}

/// Reports that a file is too large.
fn too_large(source: &SourceFile) -> Diagnostic {
    let message = format!("`{MANIFEST_FILE}` is larger than {} MiB", MAX_MANIFEST_BYTES >> 20);
    // No line of it is useful to show.
    let place = SourceFile::new(source.name(), "").label(Span::at(0));
    Diagnostic::new(&UNREADABLE_MANIFEST, message).primary(place).help("shorten the file")
}

/// Returns and reports the version that the file requires, if it is newer than the supported one.
fn newer(document: &Document, cx: &mut Context) -> Option<String> {
    let node = document.root().get("source")?.get("min-mind-version")?;
    let minds_document::Value::String(version) = node.value() else { return None };
    if is_compatible(version) {
        return None;
    }
    rules::incompatible_version::report(node, version, cx);
    Some(version.to_owned())
}

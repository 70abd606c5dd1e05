//! Reading the file.

use minds_diagnostics::{Diagnostic, Parsed, Problems, SourceFile, Span};
use minds_document::{Context, Decode, Document, Field, Scope, Snapshot, Spanned, toml};
use minds_paths::{Location, MountId, WorkspacePath};

use super::model::Manifest;
use super::whole::Whole as _;
use crate::compatibility::is_compatible;
use crate::discovery::rules::UNREADABLE_MANIFEST;
use crate::rules;

/// The name of the file, at the root of a source.
pub const MANIFEST_FILE: &str = "mind.toml";
/// How many bytes the file has at most; one more is read, by which a larger one is recognised.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Returns what is read first of the source whose root is the root of `mount`.
pub fn scope(mount: &MountId) -> Scope {
    let file = WorkspacePath::parse(MANIFEST_FILE).map(|path| Location::new(mount.clone(), path));
    Scope { files: file.into_iter().collect(), ..Scope::default() }
}

/// A `mind.toml` that is there, read as far as it could be.
#[derive(Debug, Default)]
pub struct ManifestFile {
    text: Option<SourceFile>,
    document: Option<Document>,
    manifest: Manifest,
    newer: Option<String>,
    is_valid: bool,
}

impl ManifestFile {
    /// Reads the file of at most 1 MiB, all of it: shape, words, names, paths, patterns, and what excludes each other.
    ///
    /// What version it asks for is looked at before anything else. A file that asks for a newer one has this one finding
    /// and says nothing, because this program would misunderstand it.
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
            && read.manifest.is_whole();
        read.document = Some(document);
        Parsed { value: read, problems }
    }

    /// Reads the file at `location`; none if nothing is there. A link is not followed.
    pub fn load(snapshot: &Snapshot, location: &Location) -> Parsed<Option<Self>> {
        if snapshot.get(location).is_none() {
            return Parsed::clean(None);
        }
        let mut problems = Problems::new();
        let source = snapshot.source(location, &mut problems);
        let value = source.map_or_else(Self::default, |source| Self::read(&source).take(&mut problems));
        Parsed { value: Some(value), problems }
    }

    /// Returns the text; none where there is no file that could be read.
    pub fn text(&self) -> Option<&SourceFile> {
        self.text.as_ref()
    }

    /// Returns the tree; none where the text could not be read.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// Returns what could be read. It is what the author means only if the file [is valid](Self::is_valid).
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the version that the file asks for, if that is newer than what is read.
    pub fn newer(&self) -> Option<&str> {
        self.newer.as_deref()
    }

    /// Returns whether all of the file could be read and nothing in it is an error. Nothing may be fetched or run because
    /// of one that is not.
    pub fn is_valid(&self) -> bool {
        self.is_valid
    }
}

/// Says that a file is not read because of its size.
fn too_large(source: &SourceFile) -> Diagnostic {
    let message = format!("`{MANIFEST_FILE}` is larger than {} MiB", MAX_MANIFEST_BYTES >> 20);
    // No line of it is worth showing.
    let place = SourceFile::new(source.name(), "").label(Span::at(0));
    Diagnostic::new(&UNREADABLE_MANIFEST, message).primary(place).help("shorten the file")
}

/// Returns the version that the file asks for, if that is newer than what is read, and reports it.
fn newer(document: &Document, cx: &mut Context) -> Option<String> {
    let node = document.root().get("source")?.get("min-mind-version")?;
    let minds_document::Value::String(version) = node.value() else { return None };
    if is_compatible(version) {
        return None;
    }
    rules::incompatible_version::report(node, version, cx);
    Some(version.to_owned())
}

/// Returns the value of a field that must be there.
pub(super) fn required<T>(field: Field<T>) -> Option<Spanned<T>> {
    match field {
        Field::Given(value) => Some(value),
        Field::Absent | Field::Unreadable(_) => None,
    }
}

//! The steps of discovery.

use minds_diagnostics::{Diagnostic, Parsed, Problems, SourceFile, Span};
use minds_vfs::{Survey, SurveyResult, WorkspacePath};

use super::finder::Finder;
use super::partial_tree::{MAX_FRONT_MATTER_BYTES, PartialTree, Target, Text};
use super::{Discovery, Options, rules};
use crate::manifest::MAX_MANIFEST_BYTES;
use crate::{MANIFEST_FILE, ManifestFile};

/// Discovery in progress. The caller reads what is [requested](Reader::request), passes it to
/// [`advance`](Reader::advance), and has the result once nothing more is requested.
///
/// There are about six steps for a source of any size: each requests everything that is known to be needed.
#[derive(Debug)]
pub struct Reader {
    options: Options,
    tree: PartialTree,
    wanted: Survey,
    found: Discovery,
    problems: Problems,
    /// Whether `mind.toml` was read, or is known not to exist.
    has_manifest: bool,
}

impl Reader {
    /// Starts at the root of a source.
    pub fn start(options: Options) -> Self {
        let mut reader = Self {
            options,
            tree: PartialTree::default(),
            wanted: Survey::default(),
            found: Discovery::default(),
            problems: Problems::new(),
            has_manifest: false,
        };
        reader.pass();
        reader
    }

    /// Returns what has to be read next; `None` at the end.
    pub fn request(&self) -> Option<&Survey> {
        (!self.wanted.is_empty()).then_some(&self.wanted)
    }

    /// Continues with the answer to the request. A path that is not in the answer does not exist.
    pub fn advance(&mut self, answer: SurveyResult) {
        let survey = std::mem::take(&mut self.wanted);
        self.tree.add(&survey, answer);
        self.pass();
    }

    /// Returns the result. It is incomplete as long as something is requested.
    pub fn finish(self) -> Parsed<Discovery> {
        Parsed { value: self.found, problems: self.problems }
    }

    fn pass(&mut self) {
        if !self.has_manifest && self.read_manifest().is_none() {
            self.wanted = self.tree.take_request(MAX_MANIFEST_BYTES + 1);
            return;
        }
        if !self.found.is_valid {
            return;
        }
        let mut finder = Finder::new(&self.tree, &self.options, &self.found);
        finder.find();
        self.wanted = self.tree.take_request(MAX_FRONT_MATTER_BYTES);
        if finder.is_too_large() {
            self.wanted = Survey::default();
        }
        if self.wanted.is_empty() {
            let found = finder.finish(&mut self.problems);
            self.found.catalog = found.catalog;
            self.found.places = found.places;
            self.found.is_valid = found.is_valid;
            self.found.ignores_roots = found.ignores_roots;
        }
    }

    /// Reads `mind.toml`; `None` if its content is not known yet.
    fn read_manifest(&mut self) -> Option<()> {
        let path = WorkspacePath::parse(MANIFEST_FILE).unwrap_or_default();
        // The folder of the file is the root of the source, so a link is resolved from there.
        let text = self.tree.text(&path)?;
        let label = || SourceFile::new(MANIFEST_FILE, "").label(Span::at(0));
        self.found.is_valid = true;
        let mut refuse = |message: String| {
            let found = Diagnostic::new(&rules::UNREADABLE_MANIFEST, message)
                .primary(label())
                .help(format!("put a regular file `{MANIFEST_FILE}` in its place, or remove it"));
            self.problems.push(found);
            self.found.is_valid = false;
        };
        match text {
            Text::Nothing => match self.tree.real(&path)? {
                Target::Nothing => {}
                // The author intends the file to exist, so the source without it is not what the author
                // meant.
                Target::Dangling => refuse(format!("`{MANIFEST_FILE}` is a dangling symbolic link")),
                _ => refuse(format!("`{MANIFEST_FILE}` cannot be read: it is not a file")),
            },
            Text::Outside(target) => {
                refuse(format!(
                    "`{MANIFEST_FILE}` is a symbolic link to `{}`, outside of the source",
                    target.escape_debug()
                ));
            }
            Text::Closed(reason) => refuse(format!("`{MANIFEST_FILE}` cannot be read: {reason}")),
            Text::Found(_, bytes) => {
                let source = SourceFile::new(MANIFEST_FILE, bytes);
                let manifest = ManifestFile::read(&source).take(&mut self.problems);
                self.found.is_valid = manifest.is_valid();
                self.found.manifest = Some(manifest);
                self.found.manifest_source = Some(source);
            }
        }
        self.has_manifest = true;
        Some(())
    }
}

/// Discovers what a source offers; `survey_files` reads the requested parts of the tree.
///
/// # Errors
///
/// Returns the first error of `survey_files`. A mistake in the source is not an error but a problem of the result.
pub fn discover<E>(
    options: Options,
    mut survey_files: impl FnMut(&Survey) -> Result<SurveyResult, E>,
) -> Result<Parsed<Discovery>, E> {
    let mut reader = Reader::start(options);
    while let Some(wanted) = reader.request() {
        let answer = survey_files(wanted)?;
        reader.advance(answer);
    }
    Ok(reader.finish())
}

/// Reads only the `mind.toml` of a source.
///
/// # Errors
///
/// Returns the first error of `survey_files`. A mistake in the file is not an error but a problem of the result.
pub fn read_manifest<E>(
    mut survey_files: impl FnMut(&Survey) -> Result<SurveyResult, E>,
) -> Result<Parsed<Discovery>, E> {
    let mut reader = Reader::start(Options::default());
    while !reader.has_manifest
        && let Some(wanted) = reader.request()
    {
        let answer = survey_files(wanted)?;
        reader.advance(answer);
    }
    Ok(reader.finish())
}

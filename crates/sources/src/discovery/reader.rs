//! The steps of discovery.

use minds_diagnostics::{Diagnostic, Parsed, Problems, SourceFile, Span};
use minds_document::{Survey, Surveyed};
use minds_paths::WorkspacePath;

use super::finder::Finder;
use super::known::{Known, MAX_FRONT_MATTER_BYTES, Real, Text};
use super::{Discovered, Options, rules};
use crate::manifest::MAX_MANIFEST_BYTES;
use crate::{MANIFEST_FILE, ManifestFile};

/// Discovery under way. Whoever has the files looks at what is [wanted](Reader::wanted), tells it by
/// [going on](Reader::go_on), and has the answer once nothing more is wanted.
///
/// There are about six steps, however large the source is: each asks for all that can be known to be needed.
#[derive(Debug)]
pub struct Reader {
    options: Options,
    known: Known,
    wanted: Survey,
    found: Discovered,
    problems: Problems,
    /// Whether `mind.toml` was read, or is known not to be there.
    has_manifest: bool,
}

impl Reader {
    /// Begins at the root of a source.
    pub fn start(options: Options) -> Self {
        let mut reader = Self {
            options,
            known: Known::default(),
            wanted: Survey::default(),
            found: Discovered::default(),
            problems: Problems::new(),
            has_manifest: false,
        };
        reader.pass();
        reader
    }

    /// Returns what has to be looked at next; nothing at the end.
    pub fn wanted(&self) -> Option<&Survey> {
        (!self.wanted.is_empty()).then_some(&self.wanted)
    }

    /// Goes on with what was wanted. What is not in the answer is not there.
    pub fn go_on(&mut self, answer: Surveyed) {
        let asked = std::mem::take(&mut self.wanted);
        self.known.learn(&asked, answer);
        self.pass();
    }

    /// Returns what was found. Before nothing more is wanted, that is not all.
    pub fn finish(self) -> Parsed<Discovered> {
        Parsed { value: self.found, problems: self.problems }
    }

    fn pass(&mut self) {
        if !self.has_manifest && self.read_manifest().is_none() {
            self.wanted = self.known.take_wanted(MAX_MANIFEST_BYTES + 1);
            return;
        }
        if !self.found.is_valid {
            return;
        }
        let mut finder = Finder::new(&self.known, &self.options, &self.found);
        finder.find();
        self.wanted = self.known.take_wanted(MAX_FRONT_MATTER_BYTES);
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

    /// Reads `mind.toml`; nothing if that is not known yet.
    fn read_manifest(&mut self) -> Option<()> {
        let path = WorkspacePath::parse(MANIFEST_FILE).unwrap_or_default();
        // Its folder is the root of the source, so a link is followed from there.
        let text = self.known.text(&path)?;
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
            Text::Nothing => match self.known.real(&path)? {
                Real::Nothing => {}
                // Its author means one to be there, so the source is not what it seems to be without it.
                Real::Dangling => refuse(format!("`{MANIFEST_FILE}` is a link that leads to nothing")),
                _ => refuse(format!("`{MANIFEST_FILE}` cannot be read: it is no file")),
            },
            Text::Outside(target) => {
                refuse(format!(
                    "`{MANIFEST_FILE}` is a link that leads out of the source, to `{}`",
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

/// Discovers what a source offers, of which `look` looks at what it is asked to.
///
/// # Errors
///
/// Returns what `look` fails with. What is wrong with the source is no error but a problem.
pub fn discover<E>(
    options: Options,
    mut look: impl FnMut(&Survey) -> Result<Surveyed, E>,
) -> Result<Parsed<Discovered>, E> {
    let mut reader = Reader::start(options);
    while let Some(wanted) = reader.wanted() {
        let answer = look(wanted)?;
        reader.go_on(answer);
    }
    Ok(reader.finish())
}

/// Reads what a source says of itself, its `mind.toml`, and not what it offers.
///
/// # Errors
///
/// Returns what `look` fails with. What is wrong with the file is no error but a problem.
pub fn read_manifest<E>(
    mut look: impl FnMut(&Survey) -> Result<Surveyed, E>,
) -> Result<Parsed<Discovered>, E> {
    let mut reader = Reader::start(Options::default());
    while !reader.has_manifest
        && let Some(wanted) = reader.wanted()
    {
        let answer = look(wanted)?;
        reader.go_on(answer);
    }
    Ok(reader.finish())
}

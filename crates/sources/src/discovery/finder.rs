//! One pass of discovery over the part of the tree that is known.

use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Label, Problems, Rule, SourceFile, Span};
use minds_document::Spanned;
use minds_vfs::{WorkspacePath, portable};

use super::offer::Offer;
use super::partial_tree::PartialTree;
use super::{Discovery, ItemPlace, Options, rules};
use crate::rules::duplicate_item;
use crate::{Catalog, Item, ItemKind, MANIFEST_FILE, Manifest, ManifestFile};

/// The maximum number of items of a source.
const MAX_ITEMS: usize = 50_000;

/// Folders with third-party or generated files, in which nothing is discovered.
const VENDORED: [&str; 7] =
    ["__MACOSX", "__pycache__", "bower_components", "node_modules", "site-packages", "vendor", "venv"];

/// Searches for items in the known part of the tree. Missing parts are requested, and the next pass starts
/// from the beginning.
#[derive(Debug)]
pub(crate) struct Finder<'k> {
    pub(crate) tree: &'k PartialTree,
    pub(crate) options: &'k Options,
    pub(crate) manifest: Option<&'k Manifest>,
    source: Option<&'k SourceFile>,
    problems: Problems,
    found: Vec<(Item, ItemPlace)>,
    is_valid: bool,
    is_too_large: bool,
}

impl<'k> Finder<'k> {
    pub(crate) fn new(tree: &'k PartialTree, options: &'k Options, read: &'k Discovery) -> Self {
        Self {
            tree,
            options,
            manifest: read.manifest.as_ref().map(ManifestFile::manifest),
            source: read.manifest_source.as_ref(),
            problems: Problems::new(),
            found: Vec::new(),
            is_valid: true,
            is_too_large: false,
        }
    }

    /// Returns whether `mind.toml` lists the items.
    pub(crate) fn is_authoritative(&self) -> bool {
        self.manifest.is_some_and(Manifest::is_authoritative)
    }

    pub(crate) fn find(&mut self) {
        if self.is_authoritative() {
            self.find_listed();
            self.find_by_patterns();
        } else {
            self.find_by_convention();
        }
        if self.tree.exceeds_limit() {
            self.refuse_as_too_large("it has more than 400,000 files and folders to search");
        }
    }

    /// Returns whether the source is refused because of its size.
    pub(crate) fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// Adds an item, once its front matter is known.
    pub(crate) fn offer(&mut self, offer: &Offer<'_>) {
        if self.found.len() >= MAX_ITEMS {
            self.refuse_as_too_large("it offers more than 50,000 items");
            return;
        }
        if let Some(found) = offer.complete(self) {
            self.found.push(found);
        }
    }

    pub(crate) fn refuse_as_too_large(&mut self, why: &str) {
        if !self.is_too_large {
            let place = WorkspacePath::root();
            self.report(&rules::TOO_LARGE, &place, format!("the source is too large: {why}"), |found| {
                found.help("split the source, or remove what does not belong to it")
            });
        }
        self.is_too_large = true;
        self.is_valid = false;
    }

    /// Reports a finding at a path of the source.
    pub(crate) fn report(
        &mut self,
        rule: &'static Rule,
        place: &WorkspacePath,
        message: String,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        self.problems.push(more(Diagnostic::new(rule, message).primary(label_of(place))));
    }

    /// Reports a finding at a value of `mind.toml` that makes the whole source invalid.
    pub(crate) fn refuse<T>(
        &mut self,
        rule: &'static Rule,
        place: &Spanned<T>,
        message: String,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        self.report_at(rule, place, message, more);
        self.invalidate();
    }

    /// Reports a finding at a value of `mind.toml`.
    pub(crate) fn report_at<T>(
        &mut self,
        rule: &'static Rule,
        place: &Spanned<T>,
        message: String,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let label = self.label_at(place);
        self.problems.push(more(Diagnostic::new(rule, message).primary(label)));
    }

    /// Marks the source as invalid, after a finding that gives the reason.
    pub(crate) fn invalidate(&mut self) {
        self.is_valid = false;
    }

    pub(crate) fn label_at<T>(&self, place: &Spanned<T>) -> Label {
        match self.source {
            Some(source) => source.label(place.span),
            None => SourceFile::new(MANIFEST_FILE, "").label(Span::at(0)),
        }
    }

    /// Returns the sorted result, without duplicates.
    pub(crate) fn finish(mut self, problems: &mut Problems) -> Discovery {
        let is_authoritative = self.is_authoritative();
        let mut found = std::mem::take(&mut self.found);
        found.sort_by(|(a, at), (b, other)| {
            (a.kind, &at.declared, &a.name).cmp(&(b.kind, &other.declared, &b.name))
        });
        self.refuse_duplicates(&found);
        problems.append(self.problems);
        let (items, places) = found.into_iter().unzip();
        Discovery {
            catalog: Catalog { items, is_authoritative },
            places,
            is_valid: self.is_valid,
            ignores_roots: is_authoritative && self.options.roots.is_some(),
            ..Discovery::default()
        }
    }

    fn refuse_duplicates(&mut self, found: &[(Item, ItemPlace)]) {
        let mut seen: BTreeMap<(ItemKind, String), &WorkspacePath> = BTreeMap::new();
        for (item, place) in found {
            // Some file systems are case-insensitive.
            let key = (item.kind, portable::fold(item.name.as_str()));
            let Some(first) = seen.insert(key, &place.declared) else { continue };
            self.is_valid = false;
            let message = format!(
                "{} `{}` is defined twice: in `{first}` and `{}`",
                item.kind, item.name, place.declared
            );
            let found = Diagnostic::new(&duplicate_item::RULE, message)
                .primary(label_of(&place.declared))
                .secondary(label_of(first).message("first definition"))
                .help("rename one of them, or list the items with `[[items]]` in `mind.toml`");
            self.problems.push(found);
        }
    }
}

pub(crate) fn label_of(place: &WorkspacePath) -> Label {
    SourceFile::new(place.to_string(), "").label(Span::at(0))
}

/// Returns whether an entry with this name is ignored: it is hidden, or a vendored folder.
pub(crate) fn is_ignored_name(name: &str) -> bool {
    name.starts_with('.') || is_vendored(name)
}

pub(crate) fn is_vendored(name: &str) -> bool {
    VENDORED.contains(&name)
}

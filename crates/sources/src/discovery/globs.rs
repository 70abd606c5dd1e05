//! Discovery by the patterns of `[discover]`.

use std::collections::BTreeSet;

use minds_document::{Field, List, Spanned};
use minds_vfs::WorkspacePath;

use super::finder::{Finder, is_vendored};
use super::offer::{Offer, OfferName, is_skill};
use super::partial_tree::{Entry, Listing, Target};
use super::pattern::{self, Effort, Part, Pattern};
use super::{SKILL_FILE, rules};
use crate::{GlobPattern, Globs, ItemKind};

/// The maximum total number of steps for matching names with patterns.
const MAX_STEPS: u64 = 50_000_000;
/// The maximum number of patterns in a list.
const MAX_PATTERNS: usize = 256;
/// The maximum depth of folders that are searched.
const MAX_DEPTH: usize = 64;

/// A position in a pattern: its index, and the number of parts that are matched so far.
type Position = (usize, usize);

/// The patterns of one kind.
struct Search<'m> {
    kind: ItemKind,
    include: Vec<(&'m Spanned<GlobPattern>, Pattern)>,
    exclude: Vec<Pattern>,
    effort: Effort,
    /// The folders of skills that were found, because two patterns can match one folder.
    skills: BTreeSet<WorkspacePath>,
}

/// A folder to search.
struct Folder {
    declared: WorkspacePath,
    real: WorkspacePath,
    depth: usize,
    include: BTreeSet<Position>,
    exclude: BTreeSet<Position>,
}

impl<'k> Finder<'k> {
    pub(crate) fn find_by_patterns(&mut self) {
        for kind in ItemKind::ALL {
            if let Some(globs) = self.manifest.and_then(|manifest| manifest.globs(kind)) {
                self.find_kind_by_patterns(kind, globs);
            }
        }
    }

    fn find_kind_by_patterns(&mut self, kind: ItemKind, globs: &'k Globs) {
        let include = patterns(&globs.include);
        let exclude: Vec<Pattern> =
            patterns(&globs.exclude).into_iter().map(|(_, pattern)| pattern).collect();
        if include.len().max(exclude.len()) > MAX_PATTERNS {
            return self.refuse_as_too_large("a list has more than 256 patterns");
        }
        let effort = Effort::new(MAX_STEPS);
        let mut search = Search { kind, include, exclude, effort, skills: BTreeSet::new() };
        let start = |count: usize| (0..count).map(|pattern| (pattern, 0));
        let top = Folder {
            declared: WorkspacePath::root(),
            real: WorkspacePath::root(),
            depth: 0,
            include: closure(start(search.include.len()), |at| search.optional_include(at)),
            exclude: closure(start(search.exclude.len()), |at| search.exclude_part(at)),
        };
        let mut folders = vec![top];
        while let Some(folder) = folders.pop() {
            self.search_folder(&mut search, &folder, &mut folders);
            if search.effort.is_exhausted() {
                return self.refuse_as_too_large("matching its patterns takes too long");
            }
        }
    }

    fn search_folder(&mut self, search: &mut Search<'k>, folder: &Folder, folders: &mut Vec<Folder>) {
        let tree = self.tree;
        let Some(Listing::Entries { named, unnamed }) = tree.listing(&folder.real) else { return };
        if folder.depth > 0 || !search.is_all_literal(folder) {
            for name in unnamed.iter().filter(|_| search.may_contain_items(folder)) {
                self.report_unsafe_name(&folder.declared, name);
            }
        }
        for (name, entry) in named {
            self.search_entry(search, folder, name, entry, folders);
        }
    }

    fn search_entry(
        &mut self,
        search: &mut Search<'k>,
        folder: &Folder,
        name: &str,
        entry: &Entry,
        folders: &mut Vec<Folder>,
    ) {
        let chars: Vec<char> = name.chars().collect();
        let is_link = matches!(entry, Entry::Link(_));
        let include = search.advance_included(folder, name, &chars, is_link);
        let passed_over = include.is_empty() && search.would_include(folder, &chars);
        if include.is_empty() && !passed_over {
            return;
        }
        let (Ok(declared), Ok(path)) = (folder.declared.join(name), folder.real.join(name)) else { return };
        let exclude = search.advance_in_folder(folder, &chars);
        let Some(real) = self.tree.real_entry(path, entry) else { return };
        let is_folder = matches!(real, Target::Directory(_));
        if search.excludes(&exclude, is_folder) {
            return;
        }
        if passed_over {
            if name != ".git" && is_folder == search.kind.is_folder() {
                self.report_skipped(search.kind, &declared);
            }
            return;
        }
        let accepted = search.matching_patterns(&include, is_folder);
        match real {
            Target::Dangling if !accepted.is_empty() => self.report_dangling(&declared),
            Target::Nothing | Target::Dangling => {}
            Target::Outside(target) => self.report_outside(&declared, &target),
            Target::Closed(reason) => {
                if !accepted.is_empty() {
                    let message = format!("`{declared}` cannot be read: {reason}");
                    self.report_unreadable(&declared, message);
                }
            }
            Target::File(real) => {
                if let Some(first) = accepted.first() {
                    self.take_file(search, folder, *first, &accepted, declared, real);
                }
            }
            Target::Directory(real) => {
                if let Some(first) = accepted.first() {
                    let chars: Vec<char> = SKILL_FILE.chars().collect();
                    let inner = search.advance_excluded(&exclude, &chars);
                    if search.kind == ItemKind::Skill && search.excludes(&inner, false) {
                        return;
                    }
                    self.take_folder(search, *first, &accepted, &declared, &real);
                }
                if folder.depth < MAX_DEPTH {
                    folders.push(Folder { declared, real, depth: folder.depth + 1, include, exclude });
                } else {
                    self.refuse_as_too_large("its folders are nested more than 64 levels deep");
                }
            }
        }
    }

    fn take_file(
        &mut self,
        search: &mut Search<'k>,
        folder: &Folder,
        first: usize,
        accepted: &[usize],
        declared: WorkspacePath,
        real: WorkspacePath,
    ) {
        let kind = search.kind;
        let name = declared.file_name().unwrap_or_default().to_owned();
        match kind {
            ItemKind::Agent | ItemKind::Rule => {
                let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
                let stem = if stem.is_empty() { &name } else { stem };
                self.offer(&Offer { kind, declared, real, name: OfferName::Given(stem), entry: None });
            }
            ItemKind::Skill if name == SKILL_FILE => {
                let is_literal = accepted.iter().all(|at| search.is_literal(*at, 1));
                self.take_skill(search, is_literal, &folder.declared, &folder.real);
            }
            ItemKind::Skill => {
                self.report_unfit(search, first, &declared, "it is not a folder with a `SKILL.md`");
            }
            ItemKind::Tool => self.report_unfit(search, first, &declared, "a tool is a folder"),
        }
    }

    fn take_folder(
        &mut self,
        search: &mut Search<'k>,
        first: usize,
        accepted: &[usize],
        declared: &WorkspacePath,
        real: &WorkspacePath,
    ) {
        let kind = search.kind;
        match kind {
            ItemKind::Agent | ItemKind::Rule => {
                let why = if kind == ItemKind::Agent { "an agent is a file" } else { "a rule is a file" };
                self.report_unfit(search, first, declared, why);
            }
            ItemKind::Tool => {
                let name = declared.file_name().unwrap_or_default();
                let (name, declared, real) = (OfferName::Given(name), declared.clone(), real.clone());
                self.offer(&Offer { kind, declared, real, name, entry: None });
            }
            ItemKind::Skill => match is_skill(self.tree, real) {
                None => {}
                Some(true) => {
                    let is_literal = accepted.iter().all(|at| search.is_literal(*at, 0));
                    self.take_skill(search, is_literal, declared, real);
                }
                Some(false) => self.report_unfit(search, first, declared, "it does not contain a `SKILL.md`"),
            },
        }
    }

    fn take_skill(
        &mut self,
        search: &mut Search<'k>,
        is_literal: bool,
        declared: &WorkspacePath,
        real: &WorkspacePath,
    ) {
        if !search.skills.insert(declared.clone()) {
            return;
        }
        // With a literal last folder in the pattern, all matches would have the same name.
        let name = declared.file_name().unwrap_or_default();
        let name = if is_literal { OfferName::OfFrontMatter(name) } else { OfferName::Given(name) };
        let (kind, declared, real) = (ItemKind::Skill, declared.clone(), real.clone());
        self.offer(&Offer { kind, declared: declared.clone(), real, name, entry: None });
    }

    fn report_unfit(&mut self, search: &Search<'k>, pattern: usize, declared: &WorkspacePath, why: &str) {
        let Some((text, parsed)) = search.include.get(pattern) else { return };
        // A pattern that ends with `**` does not intend every folder to be an item.
        if parsed.parts.last() == Some(&Part::AnyFolders) {
            return;
        }
        let kind = search.kind;
        let message = format!("`{declared}` matches a pattern for {}, but {why}", kind.folder());
        self.report_at(&rules::UNFIT_MATCH, text, message, |found| {
            found.help("write a narrower pattern, or exclude this path")
        });
    }
}

impl Search<'_> {
    fn include_part(&self, (pattern, part): Position) -> Option<&Part> {
        self.include.get(pattern).and_then(|(_, pattern)| pattern.parts.get(part))
    }

    /// Returns the part at a position if it may match zero folders. A `**` at the end of a pattern matches
    /// the content of the folder in front of it, but not that folder.
    fn optional_include(&self, at: Position) -> Option<&Part> {
        self.include_part(at).filter(|_| !self.is_last_part(at))
    }

    /// Returns whether the part at a position is the last part of its pattern.
    fn is_last_part(&self, (pattern, part): Position) -> bool {
        self.include.get(pattern).is_some_and(|(_, pattern)| part + 1 >= pattern.parts.len())
    }

    fn exclude_part(&self, (pattern, part): Position) -> Option<&Part> {
        self.exclude.get(pattern).and_then(|pattern| pattern.parts.get(part))
    }

    fn is_literal(&self, pattern: usize, from_end: usize) -> bool {
        self.include.get(pattern).is_some_and(|(_, pattern)| pattern.is_literal(from_end))
    }

    /// Returns whether every name that is searched for in a folder is literal.
    fn is_all_literal(&self, folder: &Folder) -> bool {
        folder.include.iter().all(|at| self.include_part(*at).is_none_or(Part::is_literal))
    }

    /// Returns whether an entry of a folder could be an item.
    fn may_contain_items(&self, folder: &Folder) -> bool {
        folder.include.iter().any(|(pattern, part)| {
            let parts = self.include.get(*pattern).map(|(_, pattern)| pattern.parts.len());
            parts == Some(part + 1) && !self.is_all_literal(folder)
        })
    }

    /// Returns the positions in the patterns after a name. Hidden and vendored names must be literal, and
    /// `**` does not follow links, because they can form a cycle.
    fn advance_included(
        &self,
        folder: &Folder,
        name: &str,
        chars: &[char],
        is_link: bool,
    ) -> BTreeSet<Position> {
        if name.eq_ignore_ascii_case(".git") {
            return BTreeSet::new();
        }
        let (is_hidden, is_vendored) = (name.starts_with('.'), is_vendored(name));
        let next = folder.include.iter().flat_map(|at| match self.include_part(*at) {
            None => [None, None],
            Some(Part::AnyFolders) if is_hidden || is_vendored || is_link => [None, None],
            // At the end of a pattern it matches every folder on the way.
            Some(Part::AnyFolders) => [Some(*at), self.is_last_part(*at).then_some((at.0, at.1 + 1))],
            Some(part @ Part::Name(tokens)) => {
                let may = (!is_hidden || part.begins_with_dot()) && (!is_vendored || part.is_literal());
                let is_match = may && pattern::matches(tokens, chars, &self.effort);
                [is_match.then_some((at.0, at.1 + 1)), None]
            }
        });
        closure(next.flatten(), |at| self.optional_include(at))
    }

    /// Returns whether an ignored entry would be found otherwise.
    fn would_include(&self, folder: &Folder, chars: &[char]) -> bool {
        let is_passed_over = chars.first() == Some(&'.') || is_vendored(&chars.iter().collect::<String>());
        is_passed_over
            && folder.include.iter().any(|at| {
                let Some(Part::Name(tokens)) = self.include_part(*at) else { return false };
                self.include_part((at.0, at.1 + 1)).is_none() && pattern::matches(tokens, chars, &self.effort)
            })
    }

    fn advance_in_folder(&self, folder: &Folder, chars: &[char]) -> BTreeSet<Position> {
        self.advance_excluded(&folder.exclude, chars)
    }

    /// Returns the positions in the `exclude` patterns after a name; they match hidden names as well.
    fn advance_excluded(&self, positions: &BTreeSet<Position>, chars: &[char]) -> BTreeSet<Position> {
        let next = positions.iter().filter_map(|at| match self.exclude_part(*at)? {
            Part::AnyFolders => Some(*at),
            Part::Name(tokens) => pattern::matches(tokens, chars, &self.effort).then_some((at.0, at.1 + 1)),
        });
        closure(next, |at| self.exclude_part(at))
    }

    /// Returns whether an entry is excluded, with everything below it.
    fn excludes(&self, positions: &BTreeSet<Position>, is_folder: bool) -> bool {
        positions.iter().any(|at| {
            let pattern = self.exclude.get(at.0);
            pattern.is_some_and(|pattern| at.1 >= pattern.parts.len() && (is_folder || !pattern.is_folder()))
        })
    }

    /// Returns the patterns that match an entry.
    fn matching_patterns(&self, positions: &BTreeSet<Position>, is_folder: bool) -> Vec<usize> {
        let is_met = |at: &&Position| {
            let pattern = self.include.get(at.0).map(|(_, pattern)| pattern);
            pattern.is_some_and(|pattern| at.1 >= pattern.parts.len() && (is_folder || !pattern.is_folder()))
        };
        positions.iter().filter(is_met).map(|at| at.0).collect()
    }
}

fn patterns(list: &Field<List<GlobPattern>>) -> Vec<(&Spanned<GlobPattern>, Pattern)> {
    let patterns = list.as_given().into_iter().flat_map(|list| &list.value.items);
    patterns.map(|pattern| (pattern, Pattern::from(&pattern.value))).collect()
}

/// Adds the positions that are reached if `**` matches zero folders.
fn closure<'p>(
    positions: impl Iterator<Item = Position>,
    part: impl Fn(Position) -> Option<&'p Part>,
) -> BTreeSet<Position> {
    let mut all = BTreeSet::new();
    for mut at in positions {
        while all.insert(at) && part(at) == Some(&Part::AnyFolders) {
            at = (at.0, at.1 + 1);
        }
    }
    all
}

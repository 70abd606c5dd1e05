//! Review of a source for its author.
//!
//! Discovery determines what is offered; the review checks the content of the items: unresolved references,
//! hidden text, front matter that two programs read differently, skills that some program would not load.
//! Nothing is changed.

mod content;
mod description;
mod hooks;
mod reading;
mod references;
pub(crate) mod rules;
mod skill;
mod tooling;
mod yaml_front_matter;

use minds_diagnostics::{Diagnostic, Problems, Rule, SourceFile, Span};
use minds_vfs::WorkspacePath;

use crate::dependencies::Siblings;
use crate::discovery::{Discovery, ItemPlace};
use crate::source_items::{OfferedItem, SourceItems};
use crate::{Item, ItemContent};

pub use content::scan;

/// Returns whether findings of a rule come from discovery or a review, and not from checking only
/// `mind.toml`.
pub fn is_found_by_review(rule: &Rule) -> bool {
    let is_it = |other: &&Rule| other.code == rule.code;
    rules::ALL.iter().any(is_it) || crate::discovery::rules::ALL.iter().any(is_it)
}

/// Reviews everything that a source offers. `items` are those of `discovered`, with their content.
///
/// Takes time and memory linear in the text.
pub fn review(discovered: &Discovery, items: &SourceItems) -> Problems {
    let siblings = Siblings::of(&items.items);
    let mut review = Review { items, siblings, problems: Problems::new() };
    for (offered, place) in items.items.iter().zip(&discovered.places) {
        let Ok(content) = &offered.content else {
            review.report_unusable(offered, place);
            continue;
        };
        let files = files(&offered.item, content);
        let subject = ReviewedItem { offered, place, files: &files };
        content::check(&mut review, content, &subject);
        description::check(&mut review, &subject);
        hooks::check_item(&mut review, &subject);
        references::check(&mut review, &subject);
        let head = place.main_file.as_ref().map(yaml_front_matter::YamlFrontMatter::read);
        if let Some(head) = &head {
            reading::check(&mut review, &subject, head);
        }
        skill::check(&mut review, &subject, head.as_ref());
    }
    tooling::check(&mut review, discovered);
    hooks::check_source(&mut review, discovered);
    review.problems
}

/// A review in progress.
struct Review<'r> {
    items: &'r SourceItems,
    siblings: Siblings<'r>,
    problems: Problems,
}

struct ReviewedItem<'r> {
    offered: &'r OfferedItem,
    place: &'r ItemPlace,
    /// Its files, each named by its path relative to the root of the source.
    files: &'r [SourceFile],
}

impl Review<'_> {
    fn report(
        &mut self,
        rule: &'static Rule,
        source: &SourceFile,
        span: Span,
        message: impl FnOnce() -> String,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        self.problems.report(source, span, rule, || {
            more(Diagnostic::new(rule, message()).primary(source.label(span)))
        });
    }

    fn report_unusable(&mut self, offered: &OfferedItem, place: &ItemPlace) {
        let Err(refusal) = &offered.content else { return };
        let source = SourceFile::new(place.declared.to_string(), "");
        let message = || format!("cannot install {}", refusal.message);
        self.report(&rules::UNUSABLE_CONTENT, &source, Span::at(0), message, |found| {
            found.help("remove it from the item, or replace it with a smaller regular file")
        });
    }
}

impl ReviewedItem<'_> {
    fn item(&self) -> &Item {
        &self.offered.item
    }

    /// Returns the file in which the item describes itself, or an empty placeholder if it has none.
    fn main_file(&self) -> SourceFile {
        self.place.main_file.clone().unwrap_or_else(|| SourceFile::new(self.place.declared.to_string(), ""))
    }
}

/// Returns the files of an item, named by their paths relative to the root of the source.
fn files(item: &Item, content: &ItemContent) -> Vec<SourceFile> {
    let name = |inside: &WorkspacePath| match (inside.is_root(), item.path.is_root()) {
        (true, _) => item.path.to_string(),
        (_, true) => inside.to_string(),
        _ => format!("{}/{inside}", item.path),
    };
    content.files().map(|(inside, file)| SourceFile::new(name(&inside), file.bytes.clone())).collect()
}

/// Returns whether a file is read by agents.
fn is_markdown(source: &SourceFile) -> bool {
    source.name().rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("md"))
}

fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

//! The rules for the layout of packages, with one file and one page for each rule.

mod cut_section;
mod foreign_entry;
mod invalid_package_name;
mod misplaced_section;
mod missing_section;
mod name_collision;
mod nested_package;
mod not_a_directory;
mod not_utf8;
mod over_budget;
mod single_file;
mod too_large;
mod too_many_entries;
mod unindexed_sections;
mod unusable_file;
mod unusable_name;

use minds_diagnostics::{Problems, Rule, SourceFile};
use minds_document::check_hidden_text;
use minds_vfs::{Snapshot, SnapshotEntry, WorkspacePath};

use crate::layout::{self, Layout};
use crate::role::Role;

/// All rules for packages, by code.
pub static ALL: &[&Rule] = &[
    &cut_section::RULE,
    &foreign_entry::RULE,
    &invalid_package_name::RULE,
    &misplaced_section::RULE,
    &missing_section::RULE,
    &name_collision::RULE,
    &nested_package::RULE,
    &not_a_directory::RULE,
    &not_utf8::RULE,
    &over_budget::RULE,
    &single_file::RULE,
    &too_large::RULE,
    &too_many_entries::RULE,
    &unindexed_sections::RULE,
    &unusable_file::RULE,
    &unusable_name::RULE,
];

/// The directory in which packages are created.
#[derive(Clone, Copy, Debug)]
pub struct Home<'h> {
    /// The directory.
    pub path: &'h WorkspacePath,
    /// Whether the directory is configured; otherwise it is the default, which may have another purpose.
    pub is_chosen: bool,
}

/// Applies the rules to all packages in a snapshot, in any directory, and to the task home if it is known.
///
/// The snapshot must contain the directories of each package and the text of each section.
pub fn check(snapshot: &Snapshot, home: Option<&Home<'_>>) -> Problems {
    let mut problems = Problems::new();
    too_many_entries::check_places(snapshot, home, &mut problems);
    if let Some(home) = home {
        not_a_directory::check_home(snapshot, home, &mut problems);
        single_file::check(snapshot, home, &mut problems);
    }
    let layouts = Layout::all(snapshot);
    name_collision::check_packages(&layouts, &mut problems);
    for layout in &layouts {
        check_package(snapshot, layout, &mut problems);
    }
    problems
}

fn check_package(snapshot: &Snapshot, layout: &Layout<'_>, problems: &mut Problems) {
    if !layout.is_directory() {
        not_a_directory::check_package(layout, problems);
        return;
    }
    report_unreadable(snapshot, layout, problems);
    too_many_entries::check(layout, problems);
    if !layout.is_package() {
        invalid_package_name::check(layout, problems);
        return;
    }
    // If the package is not accessible, nothing is known to be missing.
    if matches!(layout.state, SnapshotEntry::Directory) {
        missing_section::check(layout, problems);
    }
    misplaced_section::check(layout, problems);
    foreign_entry::check(layout, problems);
    not_a_directory::check(layout, problems);
    unusable_file::check(layout, problems);
    too_large::check(layout, problems);
    not_utf8::check(layout, problems);
    problems.append(check_hidden_text(&section_sources(layout)));
    nested_package::check(layout, problems);
    unusable_name::check(layout, problems);
    name_collision::check(layout, problems);
    unindexed_sections::check(layout, problems);
    if !over_budget::check(layout, problems) {
        cut_section::check(layout, problems);
    }
}

/// Returns the text of all sections that are valid UTF-8, because all of them are given to models.
fn section_sources(layout: &Layout<'_>) -> Vec<SourceFile> {
    let entries = layout.entries.iter().filter_map(|entry| match (&entry.role, entry.state) {
        (Role::Section(_), SnapshotEntry::File { bytes, .. }) if bytes.text().is_ok() => {
            Some(SourceFile::new(entry.path, bytes.clone()))
        }
        _ => None,
    });
    entries.collect()
}

/// Reports existing entries that are not accessible.
fn report_unreadable(snapshot: &Snapshot, layout: &Layout<'_>, problems: &mut Problems) {
    let own = [(layout.path, layout.state)];
    let inner = layout.entries.iter().map(|entry| (entry.path, entry.state));
    for (path, state) in own.into_iter().chain(inner) {
        if let (SnapshotEntry::Unreadable { .. }, Some(location)) = (state, layout::location(path)) {
            let _ = snapshot.source(&location, problems);
        }
    }
}

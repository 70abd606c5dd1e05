//! The integration tests of this crate, one module for each subject.
//!
//! Tests about the tools and codes that pages name are those of the tools.
#![allow(
    clippy::expect_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod coverage;
mod golden;
mod matches;
mod templates;

use minds_manual::{Language, Manual, Pages, Topic};
use minds_vfs::Snapshot;

const LANGUAGES: [Language; 2] = [Language::English, Language::Chinese];

/// The page about a topic, without tools and in a workspace without files.
fn page(path: &[&str], language: Language) -> String {
    let found = Pages::default().find(path.iter().copied()).unwrap();
    assert_eq!(found.topic.path(), path);
    Manual::default().page(&found.topic, language)
}

/// Every page in a language, with its path.
fn all_pages(language: Language) -> Vec<(String, String)> {
    let manual = Manual::default();
    let page = |topic: &Topic| (topic.path().join("/"), manual.page(topic, language));
    Pages::default().topics().iter().map(page).collect()
}

/// A workspace with these files.
fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    let path = |path: &str| minds_vfs::WorkspacePath::parse(path).unwrap();
    files.iter().fold(Snapshot::new(), |snapshot, (name, text)| snapshot.with_file(path(name), *text))
}

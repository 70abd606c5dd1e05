//! The manual: what pages say about the tools and codes, and in a workspace on disk.

mod pages;
mod tables;
mod tool;

use std::path::Path;

use minds_toolset::manual::{Language, Manual, Topic, manual, pages};
use minds_toolset::{Clock, ToolContext};
use minds_vfs::Snapshot;

const LANGUAGES: [Language; 2] = [Language::English, Language::Chinese];

/// A workspace with some files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join("workspace").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::create_dir_all(folder.path().join("workspace")).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn context(&self) -> ToolContext {
        ToolContext::open(&self.path().join("workspace"), &self.path().join("state"), Clock::At(0)).unwrap()
    }

    fn page(&self, path: &[&str], language: Language) -> String {
        manual(&self.context()).page(&topic(path), language)
    }
}

/// The topic with exactly this path.
fn topic(path: &[&str]) -> Topic {
    let found = pages().find(path.iter().copied()).unwrap();
    assert_eq!(found.topic.path(), path);
    found.topic
}

/// The page about a topic in a workspace without files.
fn page(path: &[&str], language: Language) -> String {
    empty_manual().page(&topic(path), language)
}

/// The manual for a workspace without files.
fn empty_manual() -> Manual {
    Manual::new(pages(), &Snapshot::new())
}

/// Every page in a language, with its path.
fn all_pages(language: Language) -> Vec<(String, String)> {
    let manual = empty_manual();
    let page = |topic: &Topic| (topic.path().join("/"), manual.page(topic, language));
    pages().topics().iter().map(page).collect()
}

/// Returns the code spans outside of code blocks.
fn code_spans(page: &str) -> Vec<String> {
    let mut quoted = Vec::new();
    let mut is_block = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            quoted.extend(line.split('`').skip(1).step_by(2).map(ToOwned::to_owned));
        }
    }
    quoted
}

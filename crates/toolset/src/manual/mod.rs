//! The manual: how to manage a team, in pages that an agent asks for by topic.
//!
//! What is explained stands in Markdown files, one for each topic and language. What could grow old stands in none of
//! them: tables of fields, providers, toolsets, findings and codes are made from what runs, when a page is asked for.
//!
//! ```
//! use minds_toolset::manual::{Language, Manual, find};
//!
//! let found = find(["member-properties", "!team"])?;
//! assert_eq!(found.topic.path(), ["team", "member-properties"]);
//! let page = Manual::default().page(&found.topic, Language::English);
//! assert!(page.starts_with("# Properties of members\n") && page.contains("`no_write_dirs`"));
//!
//! let unknown = find(["permisions"]).unwrap_err();
//! assert_eq!(unknown.nearest(), ["permissions"]);
//! # Ok::<(), minds_toolset::manual::UnknownTopic>(())
//! ```

mod find;
mod parts;
mod shapes;
mod table;
mod topics;

use minds_core::{LLM_FILE, MCP_FILE, TeamFamily};
use minds_diagnostics::Problems;
use minds_document::Scope;
use minds_paths::{Location, MountId, WorkspacePath};

pub use find::{Found, UnknownTopic, find};
pub use topics::{Topic, topics};

use crate::ToolContext;

/// How many bytes several pages have together; a single page may have more.
const MAX_ANSWER: usize = 32 * 1024;

/// A language that the manual is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// `en`
    #[default]
    English,
    /// `zh`
    Chinese,
}

impl Language {
    /// The words by which languages are asked for.
    pub const WORDS: &[&str] = &["en", "zh"];

    /// Returns the language that a word asks for.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::English, Self::Chinese].into_iter().find(|language| language.as_str() == word)
    }

    /// Returns the word by which the language is asked for.
    pub fn as_str(self) -> &'static str {
        self.pick("en", "zh")
    }

    /// Returns what is meant for this language.
    fn pick<T>(self, english: T, chinese: T) -> T {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}

/// The manual for a workspace.
#[derive(Debug, Default)]
pub struct Manual {
    /// The providers and servers that the workspace adds.
    family: TeamFamily,
}

impl Manual {
    /// Returns the manual for the workspace as it is now.
    pub fn of(context: &ToolContext) -> Self {
        let place = |path| Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?));
        let scope = Scope::of_files([LLM_FILE, MCP_FILE].into_iter().filter_map(place));
        let snapshot = context.root().snapshot(&scope);
        Self { family: TeamFamily::load(&snapshot).take(&mut Problems::new()) }
    }

    /// Returns the page about a topic, in Markdown.
    pub fn page(&self, topic: &Topic, language: Language) -> String {
        let context = parts::Context { family: &self.family, topic, language };
        let mut page = String::new();
        for line in topic.text(language).lines() {
            match parts::find(line) {
                Some(part) => page.push_str(part(&context).trim_end()),
                None => page.push_str(&topic.fill(line)),
            }
            page.push('\n');
        }
        page
    }

    /// Returns the page that was found and those about what was asked for besides, one after another. What has no page, or
    /// is too long to be given with the others, is said first.
    pub fn answer(&self, found: &Found, language: Language) -> String {
        let mut notes = String::new();
        if !found.unknown.is_empty() {
            let (unknown, nearest) = (found.unknown.format_names(), found.unknown.format_nearest());
            notes += &language.pick(
                format!(
                    "> The manual has no topic {unknown}; nearest: {nearest}. This is the page above it.\n\n"
                ),
                format!("> 手册里没有主题 {unknown}；最接近的是 {nearest}。下面是它的上级页面。\n\n"),
            );
        }
        let mut pages = self.page(&found.topic, language);
        for other in &found.others {
            let page = self.page(other, language);
            if pages.len() + page.len() > MAX_ANSWER {
                let call = other.call();
                notes += &language.pick(
                    format!("> For what you name besides, ask for `{call}`.\n\n"),
                    format!("> 你还提到的内容，请用 `{call}` 查看。\n\n"),
                );
                continue;
            }
            pages.push('\n');
            pages.push_str(&page);
        }
        notes + &pages
    }
}

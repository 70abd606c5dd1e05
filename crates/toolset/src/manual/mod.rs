//! The manual: how to manage a team, in pages that an agent requests by topic.
//!
//! Each page is a Markdown file per language. Tables of fields, providers, toolsets, findings and codes are generated from
//! the code when a page is requested, so that they cannot become outdated.
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

use minds_core::{LLM_FILE, MCP_FILE, TEAM_FILE, TeamFamily};
use minds_diagnostics::Problems;
use minds_vfs::{Location, MountId, Scope, WorkspacePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use find::{PageMatch, UnknownTopic, find};
pub use topics::{Topic, topics};

use crate::ToolContext;

/// The maximum size of an answer with several pages, in bytes; a single page may be larger.
const MAX_ANSWER: usize = 32 * 1024;

/// A language of the manual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Language {
    /// `en`
    #[default]
    #[serde(rename = "en")]
    English,
    /// `zh`
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// The codes of the languages.
    pub const CODES: &[&str] = &["en", "zh"];

    /// Returns the language with a code.
    pub fn parse(code: &str) -> Option<Self> {
        [Self::English, Self::Chinese].into_iter().find(|language| language.as_str() == code)
    }

    /// Returns the code of the language.
    pub fn as_str(self) -> &'static str {
        self.pick("en", "zh")
    }

    /// Returns the value for this language.
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
    /// The team of the workspace, and the providers and servers that it adds.
    family: TeamFamily,
}

impl Manual {
    /// Returns the manual for the workspace as it is now.
    pub fn of(context: &ToolContext) -> Self {
        let place = |path| Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?));
        let scope = Scope::of_files([TEAM_FILE, LLM_FILE, MCP_FILE].into_iter().filter_map(place));
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

    /// Returns a short reference: the most important rules, all fields, and the names of toolsets and providers.
    pub fn reference(&self, language: Language) -> String {
        let topics = topics();
        let topic = topics.iter().find(|topic| topic.name() == topics::FIELDS);
        let context = topic.map(|topic| parts::Context { family: &self.family, topic, language });
        context.map(|context| parts::reference(&context)).unwrap_or_default()
    }

    /// Returns the best page, followed by the pages for the remaining names. Notes at the beginning name the topics that do
    /// not exist or did not fit.
    pub fn answer(&self, found: &PageMatch, language: Language) -> String {
        let mut notes = String::new();
        if !found.unknown.is_empty() {
            let (unknown, nearest) = (found.unknown.format_names(), found.unknown.format_nearest());
            notes += &language.pick(
                format!(
                    "> The manual has no topic {unknown}; similar: {nearest}. This is the parent page.\n\n"
                ),
                format!("> 手册里没有主题 {unknown}；最接近的是 {nearest}。下面是它的上级页面。\n\n"),
            );
        }
        let mut pages = self.page(&found.topic, language);
        for other in &found.additional {
            let page = self.page(other, language);
            if pages.len() + page.len() > MAX_ANSWER {
                let call = other.call();
                notes += &language.pick(
                    format!("> For the remaining topic, request `{call}`.\n\n"),
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

//! The manual for one workspace.

use minds_core::{LLM_FILE, MCP_FILE, TEAM_FILE, TeamFamily};
use minds_diagnostics::Problems;
use minds_vfs::{Location, MountId, Scope, Snapshot, WorkspacePath};

use crate::topics::FIELDS;
use crate::{Language, PageMatch, Pages, Topic, parts};

/// The maximum size of an answer with several pages, in bytes; a single page may be larger.
const MAX_ANSWER: usize = 32 * 1024;

/// The manual for a workspace.
#[derive(Debug, Default)]
pub struct Manual {
    pages: Pages,
    /// The team of the workspace, and the providers and servers that it adds.
    family: TeamFamily,
}

impl Manual {
    /// Returns the files that the pages depend on.
    pub fn scope() -> Scope {
        let place = |path| Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?));
        Scope::of_files([TEAM_FILE, LLM_FILE, MCP_FILE].into_iter().filter_map(place))
    }

    /// Returns the manual with some pages, for the files of a workspace.
    pub fn new(pages: Pages, files: &Snapshot) -> Self {
        Self { pages, family: TeamFamily::load(files).take(&mut Problems::new()) }
    }

    /// Returns the page about a topic, in Markdown.
    pub fn page(&self, topic: &Topic, language: Language) -> String {
        let context = self.context(topic, language);
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
        let topics = self.pages.topics();
        let topic = topics.iter().find(|topic| topic.name() == FIELDS);
        topic.map(|topic| parts::reference(&self.context(topic, language))).unwrap_or_default()
    }

    fn context<'c>(&'c self, topic: &'c Topic, language: Language) -> parts::Context<'c> {
        parts::Context { pages: &self.pages, family: &self.family, topic, language }
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

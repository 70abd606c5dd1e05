//! The pages of the manual.

use std::borrow::Cow;

use minds_core::catalog::{TOOLSETS, find_toolset};

use crate::Language;

/// A page of the manual, by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    path: Vec<&'static str>,
    files: PageFiles,
}

/// A page in each language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PageFiles {
    english: &'static str,
    chinese: &'static str,
}

macro_rules! page {
    ($file:literal) => {
        PageFiles {
            english: include_str!(concat!("pages/en/", $file, ".md")),
            chinese: include_str!(concat!("pages/zh/", $file, ".md")),
        }
    };
}

/// The pages, in reading order. Of two equally good matches the earlier one is used.
const PAGES: &[(&[&str], PageFiles)] = &[
    (&["bootstrap"], page!("bootstrap")),
    (&["team"], page!("team")),
    (&["team", "member-properties"], page!("team-member-properties")),
    (&["llm"], page!("llm")),
    (&["llm", "builtin-defaults"], page!("llm-builtin-defaults")),
    (&["llm", "model-params"], page!("llm-model-params")),
    (&["mcp"], page!("mcp")),
    (&["mcp", "troubleshooting"], page!("mcp-troubleshooting")),
    (&["minds"], page!("minds")),
    (&["permissions"], page!("permissions")),
    (&["toolsets"], page!("toolsets")),
    (&[FIELDS], page!("fields")),
    (&["files"], page!("files")),
    (&["findings"], page!("findings")),
    (&["settings"], page!("settings")),
    (&["tasks"], page!("tasks")),
    (&["troubleshooting"], page!("troubleshooting")),
    (&["topics"], page!("topics")),
    (&[INDEX], page!("index")),
];

/// The default topic.
pub(crate) const INDEX: &str = "index";

/// The topic with the rules and all fields in short.
pub(crate) const FIELDS: &str = "fields";

/// The parent topic of the toolsets, which share a template.
const TOOLSETS_TOPIC: &str = "toolsets";
const TOOLSET: PageFiles = page!("toolset");

/// The placeholder for the name of the toolset.
const NAME: &str = "{{toolset-name}}";

/// A tool that pages name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolEntry {
    /// The name.
    pub name: &'static str,
    /// The toolsets that include it.
    pub toolsets: &'static [&'static str],
    /// The description for models. The first sentence is the purpose.
    pub description: &'static str,
}

/// A code of refusals that pages explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeEntry {
    /// The code.
    pub name: &'static str,
    /// The meaning as a sentence.
    pub description: &'static str,
}

/// The pages of the manual for a program, which depend on its tools.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    /// The tools that can be called.
    pub tools: Vec<ToolEntry>,
    /// The codes of refusals.
    pub codes: Vec<CodeEntry>,
}

impl Pages {
    /// Returns all topics: the pages, and after `toolsets` one for each toolset.
    pub fn topics(&self) -> Vec<Topic> {
        let mut topics = Vec::new();
        for (path, files) in PAGES {
            topics.push(Topic { path: path.to_vec(), files: *files });
            if *path == [TOOLSETS_TOPIC] {
                let path = |name| vec![TOOLSETS_TOPIC, name];
                let toolsets = self.toolsets().into_iter();
                topics.extend(toolsets.map(|name| Topic { path: path(name), files: TOOLSET }));
            }
        }
        topics
    }

    /// Returns the toolsets that have a page: the built-in ones, and those of the tools.
    pub(crate) fn toolsets(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = TOOLSETS.iter().map(|toolset| toolset.name).collect();
        for name in self.tools.iter().flat_map(|tool| tool.toolsets) {
            if find_toolset(name).is_none() && !names.contains(name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the tools of a toolset.
    pub(crate) fn tools_of(&self, toolset: &str) -> impl Iterator<Item = &ToolEntry> {
        self.tools.iter().filter(move |tool| tool.toolsets.contains(&toolset))
    }
}

impl ToolEntry {
    /// Returns the first sentence of the description.
    pub(crate) fn purpose(&self) -> &'static str {
        let first = self.description.split(". ").next().unwrap_or_default();
        first.split(';').next().unwrap_or_default().trim_end_matches('.')
    }
}

impl Topic {
    /// Returns the path.
    pub fn path(&self) -> &[&'static str] {
        &self.path
    }

    /// Returns the last part of the path.
    pub(crate) fn name(&self) -> &'static str {
        self.path.last().copied().unwrap_or(INDEX)
    }

    /// Returns whether the topic has no parent.
    pub(crate) fn is_top(&self) -> bool {
        self.path.len() == 1
    }

    /// Returns the toolset of the page, if it is about one.
    pub(crate) fn toolset(&self) -> Option<&'static str> {
        (self.files == TOOLSET).then_some(self.name())
    }

    /// Returns the title of the page.
    pub fn title(&self, language: Language) -> Cow<'static, str> {
        let first = self.text(language).lines().next().unwrap_or_default();
        self.fill(first.trim_start_matches(['#', ' ']))
    }

    /// Returns the summary, which is the sentence below the title.
    pub fn summary(&self, language: Language) -> Cow<'static, str> {
        let mut lines = self.text(language).lines().skip(1);
        self.fill(lines.find(|line| !line.is_empty()).unwrap_or_default())
    }

    /// Returns the value of `topics` for this page.
    pub(crate) fn call(&self) -> String {
        let parts: Vec<String> = self.path.iter().map(|part| format!("\"{part}\"")).collect();
        format!("[{}]", parts.join(", "))
    }

    /// Returns the page with its placeholders.
    pub(crate) fn text(&self, language: Language) -> &'static str {
        language.pick(self.files.english, self.files.chinese)
    }

    /// Replaces the placeholder for the toolset in a line.
    pub(crate) fn fill(&self, line: &'static str) -> Cow<'static, str> {
        match self.toolset() {
            Some(name) if line.contains(NAME) => Cow::Owned(line.replace(NAME, name)),
            _ => Cow::Borrowed(line),
        }
    }
}

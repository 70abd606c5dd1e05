//! The generated parts that replace the placeholders of pages.

mod fields;
mod lists;
mod providers;
mod servers;
mod tasks;
mod toolsets;

use minds_core::TeamFamily;

use crate::{Language, Pages, Topic};

/// The context in which a part is generated.
pub(crate) struct Context<'c> {
    /// All pages.
    pub(crate) pages: &'c Pages,
    /// The providers and servers of the workspace.
    pub(crate) family: &'c TeamFamily,
    /// The page that contains the part.
    pub(crate) topic: &'c Topic,
    /// The language of the page.
    pub(crate) language: Language,
}

type Part = fn(&Context<'_>) -> String;

/// The parts, by the name of the placeholder, which is a line such as `{{topics}}`.
const PARTS: &[(&str, Part)] = &[
    ("topics", lists::top_topics),
    ("all-topics", lists::all_topics),
    ("rules", lists::rules),
    ("codes", lists::codes),
    ("shadow-members", lists::shadow_members),
    ("team-fields", fields::team),
    ("member-fields", fields::member),
    ("provider-fields", fields::provider),
    ("model-fields", fields::model),
    ("server-fields", fields::server),
    ("settings-fields", fields::settings),
    ("short-rules", fields::short_rules),
    ("short-fields", fields::short),
    ("short-tools", toolsets::short),
    ("model-params", fields::model_params),
    ("model-param-options", providers::param_options),
    ("merged-providers", providers::in_workspace),
    ("shipped-providers", providers::built_in),
    ("task-sections", tasks::sections),
    ("task-guide", tasks::guidance),
    ("task-tools", tasks::tools),
    ("mcp-admin", servers::administration),
    ("toolsets", toolsets::all),
    ("toolset-tools", toolsets::tools),
    ("toolset-grant", toolsets::grant),
];

/// Returns the most important rules, all fields, and the names of toolsets and providers.
pub(crate) fn reference(context: &Context<'_>) -> String {
    let rules = context.pick("# Reference", "# 速查");
    let fields = context.pick("## Fields", "## 字段");
    let more = context.pick(
        "`team_mgmt_manual` explains them; `[\"fields\"]` also lists the tools of the toolsets.",
        "`team_mgmt_manual` 解释它们；`[\"fields\"]` 还列出各工具集的工具。",
    );
    format!(
        "{rules}\n\n{}\n{fields}\n\n{}{}{}\n{more}\n",
        fields::short_rules(context),
        fields::short(context),
        toolsets::names(context),
        providers::names(context),
    )
}

/// Returns the part for a line, if the line is a placeholder.
pub(crate) fn find(line: &str) -> Option<Part> {
    let name = line.strip_prefix("{{")?.strip_suffix("}}")?;
    PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
}

impl Context<'_> {
    /// Returns the value for the language.
    fn pick<T>(&self, english: T, chinese: T) -> T {
        self.language.pick(english, chinese)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_placeholders_match() {
        for language in [Language::English, Language::Chinese] {
            let texts: Vec<&str> =
                Pages::default().topics().iter().map(|topic| topic.text(language)).collect();
            for (name, _) in PARTS {
                let place = format!("\n{{{{{name}}}}}\n");
                assert!(texts.iter().any(|text| text.contains(&place)), "{name} is not in any page");
            }
            for line in texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("{{")) {
                assert!(find(line).is_some(), "no part for {line}");
            }
        }
    }
}

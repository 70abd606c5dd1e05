//! Converting a Markdown file with a whole task to sections.
//!
//! Headings decide: the text after a heading like `## Goals` or `# 约束` belongs to the section with that name,
//! all other text to the progress. Every byte goes to exactly one section, in order. A heading at the start
//! of a section that consists only of the section's name is omitted, because the effective text contains that
//! heading anyway.

mod headings;
mod names;

use std::collections::BTreeMap;

use crate::Section;
use headings::Reader;

/// Returns the text of each section. Sections without text are absent.
///
/// A heading applies up to the next heading of the same or a higher level; within it, a deeper heading with
/// the name of a section starts that section. Front matter, code and comments do not contain headings.
pub fn split(text: &str) -> BTreeMap<Section, String> {
    let mut parts: BTreeMap<Section, String> = BTreeMap::new();
    // The enclosing headings, with their levels and sections.
    let mut open: Vec<(usize, Section)> = Vec::new();
    // The sections that start with a heading of their own name, with the length of that heading.
    let mut doubled: Vec<(Section, usize)> = Vec::new();
    for piece in Reader::new(text) {
        if let Some(heading) = piece.heading {
            while open.last().is_some_and(|(level, _)| *level >= heading.level) {
                open.pop();
            }
            if let Some(section) = names::section(heading.text) {
                open.push((heading.level, section));
            }
        }
        let section = open.last().map_or(Section::PROGRESS, |(_, section)| section.clone());
        if let (Some(heading), false) = (piece.heading, parts.contains_key(&section))
            && names::is_bare_name(heading.text, &section)
        {
            doubled.push((section.clone(), heading.length));
        }
        parts.entry(section).or_default().push_str(piece.text);
    }
    for (section, length) in doubled {
        let Some(part) = parts.get_mut(&section) else { continue };
        // A section that would be blank keeps its heading, so that nothing is lost.
        if let Some(rest) = part.get(length..).filter(|rest| !rest.trim().is_empty()) {
            *part = rest.to_owned();
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn describe_parts(text: &str) -> String {
        let parts = split(text);
        let descriptions = parts.iter().map(|(section, text)| format!("{section}: {text:?}"));
        descriptions.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn headings_select_the_section_of_text() {
        let text = "---\ntitle: x\n# Goals\n---\n# Ship it\nintro\n\n## Goals\n- g\n### How\n- h\n## Notes\nn\n\
                    # 约束：\nc\n```md\n# Progress\n```\n## Risks\nr\n### More\nm\n## Else\ne\n";
        let parts = split(text);
        let part = |section: &str| parts.get(&Section::parse_qualified(section).unwrap()).map(String::as_str);
        assert_eq!(part("goals"), Some("- g\n### How\n- h\n"));
        assert_eq!(part("constraints"), Some("c\n```md\n# Progress\n```\n## Else\ne\n"));
        assert_eq!(part("progress"), Some("---\ntitle: x\n# Goals\n---\n# Ship it\nintro\n\n## Notes\nn\n"));
        assert_eq!(part("bearinmind/risks"), Some("r\n### More\nm\n"));
        assert_eq!(describe_parts("no heading"), "progress: \"no heading\"");
        assert_eq!(describe_parts(""), "");
        assert_eq!(describe_parts("Goals\n=====\r\ng\n\nNotes\n---\nn"), "goals: \"g\\n\\nNotes\\n---\\nn\"");
        assert_eq!(describe_parts("# Goals\na\n# Goal\nb"), "goals: \"a\\n# Goal\\nb\"");
        assert_eq!(describe_parts("# Success criteria\na\n"), "goals: \"# Success criteria\\na\\n\"");
        assert_eq!(
            describe_parts("## Risks\n\n# Goals\n"),
            "goals: \"# Goals\\n\"\nbearinmind/risks: \"## Risks\\n\\n\""
        );
    }

    /// A line that resembles Markdown syntax.
    fn line() -> impl Strategy<Value = String> {
        let known = prop::sample::select(vec![
            "# Goals",
            "## 目标",
            "### Constraints ###",
            "# Notes",
            "```",
            "~~~~ md",
            "```` x",
            "---",
            "===",
            "<!-- x",
            "-->",
            "    # Goals",
            "- # Goals",
            "> # Risks",
            "Progress",
            "",
            " ",
            "\u{feff}# Goals",
            "text",
            "#nospace",
        ]);
        (
            prop_oneof![4 => known.prop_map(ToOwned::to_owned), 1 => "\\PC{0,12}"],
            prop::sample::select(vec!["\n", "\r\n", "\r", ""]),
        )
            .prop_map(|(line, end)| line + end)
    }

    proptest! {
        /// The sections contain every line of the file once, in order within each section; only headings that
        /// consist of the name of their section may be omitted.
        #[test]
        fn nothing_is_lost(lines in prop::collection::vec(line(), 0..40)) {
            let text = lines.concat();
            let parts = split(&text);
            let mut all: Vec<&str> = text.split_inclusive('\n').collect();
            for line in parts.values().flat_map(|part| part.split_inclusive('\n')) {
                let at = all.iter().position(|other| *other == line);
                prop_assert!(at.is_some(), "{line:?} is not a line of the file, or is duplicated");
                all.remove(at.unwrap());
            }
            for line in &all {
                let heading = line.trim().trim_start_matches('\u{feff}').trim_matches(['#', ' ']);
                let is_underline = !heading.is_empty() && heading.chars().all(|c| "=-".contains(c));
                let is_bare_name = |section: &Section| names::is_bare_name(heading, section);
                prop_assert!(is_underline || Section::injected_sections().any(|section| is_bare_name(&section)), "{line:?} is lost");
            }
            prop_assert!(all.len() <= 2 * Section::injected_sections().count());
            for part in parts.values() {
                let mut rest = text.split_inclusive('\n');
                prop_assert!(part.split_inclusive('\n').all(|line| rest.any(|other| other == line)));
            }
        }
    }
}

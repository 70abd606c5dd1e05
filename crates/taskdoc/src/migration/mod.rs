//! Making sections of a Markdown file that says everything about a task.
//!
//! Headings decide: what follows a heading like `## Goals` or `# 约束` goes to the section that it names. What follows no such
//! heading goes to the progress. Every byte goes to one section, in its order; only a heading at the start of a section that
//! says nothing but its name is left out, because the text for agents has that heading anyway.

mod headings;
mod names;

use std::collections::BTreeMap;

use crate::Section;
use headings::Reader;

/// Returns what each section gets of a text, by section. Sections that get nothing are left out.
///
/// A heading holds until the next one of its level or a higher one, and a deeper one that names a section takes over within
/// it. What stands in front matter, in fenced blocks of code, in comments and in indented code is no heading.
pub fn split(text: &str) -> BTreeMap<Section, String> {
    let mut parts: BTreeMap<Section, String> = BTreeMap::new();
    // The headings that are open, each with its level and the section that it names.
    let mut open: Vec<(usize, Section)> = Vec::new();
    // The sections that begin with a heading of their own name, each with the length of that heading.
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
            && names::is_own(heading.text, &section)
        {
            doubled.push((section.clone(), heading.length));
        }
        parts.entry(section).or_default().push_str(piece.text);
    }
    for (section, length) in doubled {
        let Some(part) = parts.get_mut(&section) else { continue };
        // A section that would be blank keeps its heading, so that nothing of the file is lost.
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

    fn told(text: &str) -> String {
        let parts = split(text);
        let told = parts.iter().map(|(section, text)| format!("{section}: {text:?}"));
        told.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn headings_decide_where_text_goes() {
        let text = "---\ntitle: x\n# Goals\n---\n# Ship it\nintro\n\n## Goals\n- g\n### How\n- h\n## Notes\nn\n\
                    # 约束：\nc\n```md\n# Progress\n```\n## Risks\nr\n### More\nm\n## Else\ne\n";
        let parts = split(text);
        let part = |section: &str| parts.get(&Section::parse_whole(section).unwrap()).map(String::as_str);
        assert_eq!(part("goals"), Some("- g\n### How\n- h\n"));
        assert_eq!(part("constraints"), Some("c\n```md\n# Progress\n```\n## Else\ne\n"));
        assert_eq!(part("progress"), Some("---\ntitle: x\n# Goals\n---\n# Ship it\nintro\n\n## Notes\nn\n"));
        assert_eq!(part("bearinmind/risks"), Some("r\n### More\nm\n"));
        assert_eq!(told("no heading"), "progress: \"no heading\"");
        assert_eq!(told(""), "");
        assert_eq!(told("Goals\n=====\r\ng\n\nNotes\n---\nn"), "goals: \"g\\n\\nNotes\\n---\\nn\"");
        assert_eq!(told("# Goals\na\n# Goal\nb"), "goals: \"a\\n# Goal\\nb\"");
        assert_eq!(told("# Success criteria\na\n"), "goals: \"# Success criteria\\na\\n\"");
        assert_eq!(
            told("## Risks\n\n# Goals\n"),
            "goals: \"# Goals\\n\"\nbearinmind/risks: \"## Risks\\n\\n\""
        );
    }

    /// Lines that are likely to be taken for something.
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
        /// The sections hold every line of the file, each once, and within a section in its order; only headings that say
        /// nothing but the name of their section may be left out.
        #[test]
        fn nothing_is_lost(lines in prop::collection::vec(line(), 0..40)) {
            let text = lines.concat();
            let parts = split(&text);
            let mut all: Vec<&str> = text.split_inclusive('\n').collect();
            for line in parts.values().flat_map(|part| part.split_inclusive('\n')) {
                let at = all.iter().position(|other| *other == line);
                prop_assert!(at.is_some(), "{line:?} is in no line of the file, or there more often");
                all.remove(at.unwrap());
            }
            for line in &all {
                let heading = line.trim().trim_start_matches('\u{feff}').trim_matches(['#', ' ']);
                let is_underline = !heading.is_empty() && heading.chars().all(|sign| "=-".contains(sign));
                let is_own = |section: &Section| names::is_own(heading, section);
                prop_assert!(is_underline || Section::injected().any(|section| is_own(&section)), "{line:?} is lost");
            }
            prop_assert!(all.len() <= 2 * Section::injected().count());
            for part in parts.values() {
                let mut rest = text.split_inclusive('\n');
                prop_assert!(part.split_inclusive('\n').all(|line| rest.any(|other| other == line)));
            }
        }
    }
}

//! Tasks in a single Markdown file, the format of older programs.

/// The maximum size of a Markdown file that is examined, in bytes.
pub const MAX_SINGLE_FILE_BYTES: u64 = 1024 * 1024;

/// Prefixes of headings that are typical of a task.
const HEADINGS: &[&str] = &[
    "goal",
    "objective",
    "constraint",
    "requirement",
    "progress",
    "status",
    "目标",
    "目的",
    "约束",
    "限制",
    "进展",
    "进度",
];

/// Returns whether a Markdown file looks like a task in a single file: a heading starts with a word for
/// goals, constraints or progress, in English or Chinese. A `README.md` never counts as one.
pub fn is_single_file(name: &str, text: &str) -> bool {
    let name = name.to_lowercase();
    let is_markdown = name.strip_suffix(".md").is_some_and(|stem| stem != "readme" && !stem.is_empty());
    is_markdown && headings(text).any(|heading| HEADINGS.iter().any(|word| heading.starts_with(word)))
}

/// Returns the headings in lowercase, without those in fenced code.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let mut fence: Option<&str> = None;
    text.lines().filter_map(move |line| {
        let line = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let is_heading = fence.is_none() && line.starts_with('#');
        is_heading.then(|| line.trim_start_matches('#').trim_start_matches([' ', '*', '_']).to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::is_single_file;

    #[test]
    fn a_heading_distinguishes_a_task_from_other_files() {
        for text in
            ["# Goals\n", "# Plan\n\n## **Constraints**\n- x\n", "#进展\n", "```\n# x\n```\n# Status: open\n"]
        {
            assert!(is_single_file("plan.md", text), "{text}");
        }
        for text in ["", "goals\n", "# Notes\n", "```\n# Goals\n```\n", "~~~\n```\n# Goals\n", "- # Goals\n"]
        {
            assert!(!is_single_file("plan.md", text), "{text}");
        }
        assert!(is_single_file("PLAN.MD", "# Goals\n"));
        for name in ["README.md", "readme.MD", "plan.txt", ".md", "plan"] {
            assert!(!is_single_file(name, "# Goals\n"), "{name}");
        }
    }
}

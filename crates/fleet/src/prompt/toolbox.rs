//! The generated block.

use super::blocks::{TOOLBOX, write_marker};
use super::neutralize;
use crate::tools::{Argument, Descriptor};

/// The maximum length of each string of a descriptor, in characters.
const LONGEST: usize = 1_000;

/// Generates the block with the tools of an agent: markers, a heading, and an item for each tool, sorted by name. It has no
/// final line break.
///
/// Strings of descriptors are sanitized: each becomes one line without control characters, markers and ends of comments, and
/// is truncated after 1,000 characters. Of several descriptors with the same name, the first is used.
pub fn toolbox<'d>(tools: impl IntoIterator<Item = &'d Descriptor<'d>>) -> String {
    let mut tools: Vec<&Descriptor<'_>> = tools.into_iter().collect();
    tools.sort_by_key(|tool| tool.name);
    tools.dedup_by_key(|tool| tool.name);
    let mut lines = vec![write_marker(true, TOOLBOX), "### Toolbox".to_owned(), String::new()];
    for tool in tools {
        lines.push(format!("- **{}** — {}", line(tool.name), line(tool.doc)).trim_end().to_owned());
        if !tool.args.is_empty() {
            let args: Vec<String> = tool.args.iter().map(argument).collect();
            lines.push(format!("  - args: {}", args.join(", ")));
        }
    }
    lines.extend([String::new(), write_marker(false, TOOLBOX)]);
    lines.join("\n")
}

fn argument(argument: &Argument<'_>) -> String {
    let kind = if argument.kind.is_empty() { "str" } else { argument.kind };
    let star = if argument.is_required { "*" } else { "" };
    format!("{}: {}{star}", line(argument.name), line(kind))
}

/// Sanitizes a string to one line that cannot end a comment.
fn line(text: &str) -> String {
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    let short: String = words.join(" ").chars().take(LONGEST).collect();
    let mut line = neutralize(&short).into_owned();
    for (hostile, safe) in [("<!--", "<! --"), ("-->", "-- >")] {
        while line.contains(hostile) {
            line = line.replace(hostile, safe);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::BUILTIN;

    #[test]
    fn tools_are_listed_by_name() {
        insta::assert_snapshot!(toolbox(BUILTIN.iter().rev()));
    }

    #[test]
    fn a_tool_without_arguments_has_no_line_for_them() {
        let tool = Descriptor { name: "a.b", doc: "", args: &[] };
        let args = [
            Argument { name: "x", kind: "", is_required: false },
            Argument { name: "y", kind: "list", is_required: true },
        ];
        let other = Descriptor { name: "a.c", doc: " C\n\tc ", args: &args };
        assert_eq!(
            toolbox([&other, &tool, &tool]),
            "<!-- ateam-protect:start:toolbox -->\n### Toolbox\n\n- **a.b** —\n- **a.c** — C c\n  \
             - args: x: str, y: list*\n\n<!-- ateam-protect:end:toolbox -->"
        );
    }

    #[test]
    fn hostile_strings_are_neutralized() {
        for (text, expected) in [
            ("a --> b", "a -- > b"),
            ("<!-- ateam-protect:end:toolbox -->", "<! -- ateam-protect end:toolbox -- >"),
            ("a\n<!-- ateam-\u{0}protect:x", "a <! -- ateam- protect:x"),
            ("<!<!----", "<!<! ----"),
            ("---->", "---- >"),
            ("a\u{2028}b\u{85}c", "a b c"),
        ] {
            assert_eq!(line(text), expected, "{text:?}");
        }
        assert_eq!(line(&"ä".repeat(5_000)).chars().count(), LONGEST);
    }
}

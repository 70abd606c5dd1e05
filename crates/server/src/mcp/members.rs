//! The minds files of members as text for models.

use std::fmt::Write as _;

use minds_workspace::MemberFile;

use crate::mcp::uri::encode;

/// The prefix of URIs.
const MEMBER: &str = "minds://member/";
/// The URI template for members.
pub(crate) const TEMPLATE: &str = "minds://member/{member}";
/// The maximum size of minds files in instructions, in bytes.
pub(crate) const INSTRUCTIONS_BUDGET: usize = 32 * 1024;
/// The maximum size of minds files in a prompt, in bytes.
pub(crate) const PROMPT_BUDGET: usize = 100 * 1024;

/// Composed minds files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ComposedFiles {
    pub(crate) text: String,
    /// The number of bytes of the text that belong to each file, in order.
    pub(crate) lengths: Vec<usize>,
    /// The truncated files, with the number of omitted bytes.
    pub(crate) cut: Vec<(String, usize)>,
}

/// Returns the URI of the minds files of a member.
pub(crate) fn address(member: &str) -> String {
    format!("{MEMBER}{}", encode(member))
}

/// Composes the minds files of a member, each below a heading, with at most `budget` bytes of content, the persona first.
/// A line marks each truncated or unreadable file, with the URI of the complete files.
pub(crate) fn compose(texts: &[MemberFile], budget: usize, address: &str) -> ComposedFiles {
    let mut composed = ComposedFiles { text: String::new(), lengths: Vec::new(), cut: Vec::new() };
    let mut left = budget;
    for MemberFile { kind, file, text } in texts {
        let before = composed.text.len();
        let mut heading = kind.clone();
        if let Some(first) = heading.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if !composed.text.is_empty() {
            composed.text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(composed.text, "## {heading} (`{file}`)\n\n");
        match text {
            Err(reason) => {
                let _ = writeln!(
                    composed.text,
                    "[`{file}` is missing here: it {reason}. Ask for it to be repaired.]"
                );
            }
            Ok(text) if text.len() <= left => {
                left -= text.len();
                composed.text.push_str(text);
                if !text.is_empty() && !text.ends_with('\n') {
                    composed.text.push('\n');
                }
            }
            Ok(text) => {
                let kept = text.get(..line_end(text, left)).unwrap_or_default();
                let left_out = text.len() - kept.len();
                left = 0;
                let _ = writeln!(
                    composed.text,
                    "{kept}\n[… {left_out} of the {} bytes of `{file}` are omitted here; `{address}` has the complete file …]",
                    text.len()
                );
                composed.cut.push((file.clone(), left_out));
            }
        }
        composed.lengths.push(composed.text.len() - before);
    }
    composed
}

/// Returns the end of the last complete line within the first `max` bytes, or of the last complete character.
fn line_end(text: &str, max: usize) -> usize {
    let end = text.floor_char_boundary(max);
    text.get(..end).and_then(|head| head.rfind('\n')).map_or(end, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member_files(texts: &[(&str, Result<&str, &str>)]) -> Vec<MemberFile> {
        let text = |(kind, text): &(&str, Result<&str, &str>)| MemberFile {
            kind: (*kind).to_owned(),
            file: format!("{kind}.md"),
            text: text.map(str::to_owned).map_err(str::to_owned),
        };
        texts.iter().map(text).collect()
    }

    #[test]
    fn files_have_headings_and_unreadable_ones_are_marked() {
        let composed = compose(
            &member_files(&[
                ("persona", Ok("P")),
                ("knowledge", Err("is not valid UTF-8")),
                ("lessons", Ok("")),
            ]),
            10,
            "a",
        );
        assert_eq!(
            composed.text,
            "## Persona (`persona.md`)\n\nP\n\n## Knowledge (`knowledge.md`)\n\n\
             [`knowledge.md` is missing here: it is not valid UTF-8. Ask for it to be repaired.]\n\n## Lessons (`lessons.md`)\n\n"
        );
        assert!(composed.cut.is_empty());
    }

    #[test]
    fn long_files_are_truncated_between_lines_and_marked() {
        let line = "差遣牒对话树\n";
        let all = member_files(&[
            ("persona", Ok(&line.repeat(10))),
            ("knowledge", Ok(&line.repeat(10))),
            ("lessons", Ok("x")),
        ]);
        for budget in 0..500 {
            let composed = compose(&all, budget, "minds://member/a");
            let cut: usize = composed.cut.iter().map(|(_, left_out)| left_out).sum();
            let kept = 20 * line.len() + 1 - cut;
            assert!(kept <= budget && kept + line.len() > budget.min(380), "{budget}: {}", composed.text);
            let parts = composed
                .text
                .lines()
                .filter(|found| found.contains("are omitted here; `minds://member/a` has"))
                .count();
            assert_eq!(parts, composed.cut.len(), "{budget}");
            assert_eq!(composed.cut.is_empty(), budget > 20 * line.len(), "{budget}");
        }
    }
}

//! What members are told about themselves: their minds files as text for a model.

use std::fmt::Write as _;

use minds_workspace::MemberText;

use crate::uri::encode;

/// How an address begins.
const MEMBER: &str = "minds://member/";
/// The addresses of all members.
pub(crate) const TEMPLATE: &str = "minds://member/{member}";
/// The most bytes of minds files that the instructions have.
pub(crate) const INSTRUCTIONS_BUDGET: usize = 32 * 1024;
/// The most bytes of minds files that a prompt has.
pub(crate) const PROMPT_BUDGET: usize = 100 * 1024;

/// Minds files put together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) text: String,
    /// The files of which not all is in the text, with the number of bytes left out.
    pub(crate) cut: Vec<(String, usize)>,
}

/// Returns the address of what a member is told.
pub(crate) fn address(member: &str) -> String {
    format!("{MEMBER}{}", encode(member))
}

/// Puts the minds files of a member together, each below a heading; of their texts at most `budget` bytes, the persona
/// first. A line says where something is cut or could not be read, and names the address that has all of it.
pub(crate) fn text(texts: &[MemberText], budget: usize, address: &str) -> Told {
    let mut told = Told { text: String::new(), cut: Vec::new() };
    let mut left = budget;
    for MemberText { kind, file, text } in texts {
        let mut heading = kind.clone();
        if let Some(first) = heading.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if !told.text.is_empty() {
            told.text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(told.text, "## {heading} (`{file}`)\n\n");
        match text {
            Err(reason) => {
                let _ = writeln!(
                    told.text,
                    "[`{file}` is missing here: it {reason}. Ask for it to be repaired.]"
                );
            }
            Ok(text) if text.len() <= left => {
                left -= text.len();
                told.text.push_str(text);
                if !text.is_empty() && !text.ends_with('\n') {
                    told.text.push('\n');
                }
            }
            Ok(text) => {
                let kept = text.get(..line_end(text, left)).unwrap_or_default();
                let left_out = text.len() - kept.len();
                left = 0;
                let _ = writeln!(
                    told.text,
                    "{kept}\n[… {left_out} of the {} bytes of `{file}` are left out here; `{address}` has all of it …]",
                    text.len()
                );
                told.cut.push((file.clone(), left_out));
            }
        }
    }
    told
}

/// Returns the end of the last whole line within the first `most` bytes, or of the last whole character.
fn line_end(text: &str, most: usize) -> usize {
    let end = text.floor_char_boundary(most);
    text.get(..end).and_then(|head| head.rfind('\n')).map_or(end, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[(&str, Result<&str, &str>)]) -> Vec<MemberText> {
        let text = |(kind, text): &(&str, Result<&str, &str>)| MemberText {
            kind: (*kind).to_owned(),
            file: format!("{kind}.md"),
            text: text.map(str::to_owned).map_err(str::to_owned),
        };
        texts.iter().map(text).collect()
    }

    #[test]
    fn files_stand_below_headings_and_what_cannot_be_read_is_named() {
        let told = text(
            &texts(&[("persona", Ok("P")), ("knowledge", Err("is not valid UTF-8")), ("lessons", Ok(""))]),
            10,
            "a",
        );
        assert_eq!(
            told.text,
            "## Persona (`persona.md`)\n\nP\n\n## Knowledge (`knowledge.md`)\n\n\
             [`knowledge.md` is missing here: it is not valid UTF-8. Ask for it to be repaired.]\n\n## Lessons (`lessons.md`)\n\n"
        );
        assert!(told.cut.is_empty());
    }

    #[test]
    fn what_has_no_room_is_cut_between_lines_and_named() {
        let line = "差遣牒对话树\n";
        let all = texts(&[
            ("persona", Ok(&line.repeat(10))),
            ("knowledge", Ok(&line.repeat(10))),
            ("lessons", Ok("x")),
        ]);
        for budget in 0..500 {
            let told = text(&all, budget, "minds://member/a");
            let cut: usize = told.cut.iter().map(|(_, left_out)| left_out).sum();
            let kept = 20 * line.len() + 1 - cut;
            assert!(kept <= budget && kept + line.len() > budget.min(380), "{budget}: {}", told.text);
            let parts = told
                .text
                .lines()
                .filter(|found| found.contains("are left out here; `minds://member/a` has"))
                .count();
            assert_eq!(parts, told.cut.len(), "{budget}");
            assert_eq!(told.cut.is_empty(), budget > 20 * line.len(), "{budget}");
        }
    }
}

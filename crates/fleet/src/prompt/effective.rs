//! Putting a prompt together.

use super::blocks::{TOOLBOX, write_mark};
use super::lines::{closed, line_break, without_sign};
use super::violation::{Violation, ViolationKind, Within};
use super::{Blocks, MAX_PROMPT_BYTES, neutral, toolbox};
use crate::tools::Descriptor;

/// Returns what an agent is told: the base, the overlay, and exactly one generated block, whatever the two texts are.
///
/// The block stands where the first one stands, of the base before the overlay, or at the end if there is none; further
/// ones are left out. Other protected blocks stay, with their marks. What only looks like a mark, or belongs to no block,
/// becomes [neutral]; each text is looked at for itself, so no block begins in one and ends in the other.
///
/// White space at the end of the base becomes one empty line before the overlay, of which all white space stays. A byte
/// order mark before either text is left out: it is about a file, and within a text it would be a sign that nobody sees.
pub fn effective<'d>(
    base: &str,
    overlay: &str,
    tools: impl IntoIterator<Item = &'d Descriptor<'d>>,
) -> String {
    let generated = toolbox(tools);
    let (base, overlay) = (without_sign(base), without_sign(overlay));
    let mut is_placed = false;
    let mut text = layer(base.trim_end(), &generated, &mut is_placed).trim_end().to_owned();
    if !text.is_empty() && !overlay.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(&layer(overlay, &generated, &mut is_placed));
    if is_placed { text } else { with_block_at_end(text, &generated, "\n") }
}

/// A text with an up-to-date generated block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refreshed {
    /// The text.
    pub text: String,
    /// Whether it is another one than before.
    pub is_changed: bool,
}

/// Returns a text of which the generated block is up to date: the first one is replaced, further ones are removed, and if
/// there is none, it is put at the end. Everything else stays byte for byte.
///
/// # Errors
///
/// Returns the first line whose mark is broken, because then it is not known what the block is; or that the text would be
/// larger than a prompt may be.
pub fn refresh<'d>(
    text: &str,
    tools: impl IntoIterator<Item = &'d Descriptor<'d>>,
) -> Result<Refreshed, Violation> {
    let found = Blocks::find(text);
    if let Some(broken) = found.broken.into_iter().next() {
        return Err(Violation::new(Within::Old, broken.line, broken.kind.into()));
    }
    let ending = line_break(text);
    let generated = toolbox(tools).replace('\n', ending);
    let mut new = String::with_capacity(text.len() + generated.len());
    let mut end = 0;
    for (at, block) in found.blocks.iter().filter(|block| block.name == TOOLBOX).enumerate() {
        new.push_str(text.get(end..block.range.start).unwrap_or_default());
        end = block.range.end;
        if at == 0 {
            new.push_str(&generated);
            let is_closed = text.get(block.range.clone()).is_some_and(|block| block.ends_with('\n'));
            new.push_str(if is_closed { ending } else { "" });
        }
    }
    new.push_str(text.get(end..).unwrap_or_default());
    if end == 0 {
        new = with_block_at_end(new, &generated, ending);
    }
    if new.len() > MAX_PROMPT_BYTES {
        return Err(Violation::new(Within::Old, 1, ViolationKind::TooLarge));
    }
    Ok(Refreshed { is_changed: new != text, text: new })
}

fn with_block_at_end(text: String, generated: &str, line_break: &str) -> String {
    let mut text = closed(text, line_break);
    if !text.is_empty() {
        text.push_str(line_break);
    }
    text + generated + line_break
}

/// Returns a text with its blocks, as it is shown; the first generated one is replaced if none was before.
fn layer(text: &str, generated: &str, is_placed: &mut bool) -> String {
    let found = Blocks::find(text);
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for block in &found.blocks {
        shown.push_str(&neutral(text.get(end..block.range.start).unwrap_or_default()));
        end = block.range.end;
        let is_closed = text.get(block.range.clone()).is_some_and(|block| block.ends_with('\n'));
        if block.name != TOOLBOX {
            let body = closed(neutral(block.body(text)).into_owned(), "\n");
            let (start, last) = (write_mark(true, &block.name), write_mark(false, &block.name));
            for part in [start.as_str(), "\n", body.as_str(), last.as_str()] {
                shown.push_str(part);
            }
        } else if *is_placed {
            continue;
        } else {
            *is_placed = true;
            shown.push_str(generated);
        }
        shown.push_str(if is_closed { "\n" } else { "" });
    }
    shown.push_str(&neutral(text.get(end..).unwrap_or_default()));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::BUILTIN;

    const OLD: &str = "<!-- ateam-protect:start:toolbox -->\nold\n<!-- ateam-protect:end:toolbox -->\n";

    fn told(base: &str, overlay: &str) -> String {
        let tools = BUILTIN.iter().filter(|tool| tool.name == "fs.stat");
        let generated = toolbox(tools.clone());
        effective(base, overlay, tools).replace(&generated, "[toolbox]")
    }

    #[test]
    fn the_block_stands_where_the_first_one_stands() {
        for (base, overlay, expected) in [
            ("", "", "[toolbox]\n"),
            ("base\n", "", "base\n\n[toolbox]\n"),
            ("", "over", "over\n\n[toolbox]\n"),
            ("base \n\n\n", "  - over\n\n", "base\n\n  - over\n\n\n[toolbox]\n"),
            ("base\n", &format!("a\n{OLD}b\n"), "base\n\na\n[toolbox]\nb\n"),
            (&format!("{OLD}base"), &format!("a\n{OLD}b\n"), "[toolbox]\nbase\n\na\nb\n"),
            ("base", &OLD.repeat(3), "base\n\n[toolbox]\n"),
            (OLD, "", "[toolbox]"),
            (&format!("\u{feff}{OLD}"), "\u{feff}over", "[toolbox]\n\nover"),
        ] {
            assert_eq!(told(base, overlay), expected, "{base:?} {overlay:?}");
        }
    }

    #[test]
    fn other_blocks_stay_and_broken_marks_do_not() {
        let rules = "<!-- ateam-protect:start:rules -->\nkeep\n<!-- ateam-protect:end:rules -->\n";
        assert_eq!(told("", rules), format!("{rules}\n[toolbox]\n"));
        // A block does not begin in one text and end in the other.
        assert_eq!(
            told("<!-- ateam-protect:start:toolbox -->", "<!-- ateam-protect:end:toolbox -->"),
            "<!-- ateam-protect start:toolbox -->\n\n<!-- ateam-protect end:toolbox -->\n\n[toolbox]\n"
        );
    }

    #[test]
    fn refreshing_changes_the_block_alone() {
        let tools = || BUILTIN.iter().filter(|tool| tool.name == "fs.stat");
        let new = toolbox(tools());
        for (text, expected) in [
            (String::new(), format!("{new}\n")),
            ("  a".to_owned(), format!("  a\n\n{new}\n")),
            (format!("a\n{OLD}  b\n\n"), format!("a\n{new}\n  b\n\n")),
            (OLD.trim_end().to_owned(), new.clone()),
            (format!("{OLD}a\n{OLD}b"), format!("{new}\na\nb")),
            (format!("a\n{OLD}").replace('\n', "\r\n"), format!("a\n{new}\n").replace('\n', "\r\n")),
            (format!("\u{feff}{OLD}a\n"), format!("\u{feff}{new}\na\n")),
        ] {
            let done = refresh(&text, tools()).unwrap();
            assert_eq!(done, Refreshed { text: expected.clone(), is_changed: true }, "{text:?}");
            assert!(!refresh(&expected, tools()).unwrap().is_changed, "{text:?}");
        }
        assert_eq!(refresh("a\n<!-- ateam-protect:start:toolbox -->", tools()).unwrap_err().line, 2);
    }

    #[test]
    fn a_block_makes_no_text_too_large() {
        let tools = || BUILTIN.iter();
        let block = refresh("a", tools()).unwrap().text.len() - 1;
        let text = |room: usize| "a".repeat(MAX_PROMPT_BYTES - room);
        assert_eq!(refresh(&text(block), tools()).unwrap().text.len(), MAX_PROMPT_BYTES);
        let refused = refresh(&text(block - 1), tools());
        assert_eq!(refused, Err(Violation::new(Within::Old, 1, ViolationKind::TooLarge)));
        // A block that is there may grow, too.
        let old = format!("{}\n{OLD}", text(OLD.len() + 1));
        assert_eq!(refresh(&old, tools()), refused);
    }
}

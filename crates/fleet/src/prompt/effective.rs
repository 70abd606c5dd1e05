//! Composing prompts.

use super::blocks::{TOOLBOX, write_marker};
use super::lines::{ensure_final_break, line_break, without_byte_order_mark};
use super::violation::{Violation, ViolationKind, ViolationText};
use super::{Blocks, MAX_PROMPT_BYTES, neutralize, toolbox};
use crate::tools::Descriptor;

/// Composes a prompt from the base, the overlay, and exactly one generated block.
///
/// The block replaces the first one in base and overlay, or is added at the end; further ones are omitted. Other protected
/// blocks stay, with their markers. Broken markers and text that looks like a marker are [neutralized](neutralize). Base
/// and overlay are parsed separately, so no block begins in one and ends in the other.
///
/// White space at the end of the base becomes one empty line; white space of the overlay stays. Byte order marks are
/// removed, because they would be invisible characters within the prompt.
pub fn effective<'d>(
    base: &str,
    overlay: &str,
    tools: impl IntoIterator<Item = &'d Descriptor<'d>>,
) -> String {
    let generated = toolbox(tools);
    let (base, overlay) = (without_byte_order_mark(base), without_byte_order_mark(overlay));
    let mut is_placed = false;
    let mut text = layer(base.trim_end(), &generated, &mut is_placed).trim_end().to_owned();
    if !text.is_empty() && !overlay.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(&layer(overlay, &generated, &mut is_placed));
    if is_placed { text } else { with_block_at_end(text, &generated, "\n") }
}

/// The result of updating a generated block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshResult {
    /// The text.
    pub text: String,
    /// Whether it has changed.
    pub is_changed: bool,
}

/// Updates the generated block: the first one is replaced, further ones are removed, and a missing one is added at the end.
/// Everything else stays the same, byte for byte.
///
/// # Errors
///
/// Returns the first broken marker, which makes the block ambiguous, or that the text would be too large.
pub fn refresh<'d>(
    text: &str,
    tools: impl IntoIterator<Item = &'d Descriptor<'d>>,
) -> Result<RefreshResult, Violation> {
    let found = Blocks::find(text);
    if let Some(broken) = found.broken.into_iter().next() {
        return Err(Violation::new(ViolationText::Old, broken.line, broken.kind.into()));
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
        return Err(Violation::new(ViolationText::Old, 1, ViolationKind::TooLarge));
    }
    Ok(RefreshResult { is_changed: new != text, text: new })
}

fn with_block_at_end(text: String, generated: &str, line_break: &str) -> String {
    let mut text = ensure_final_break(text, line_break);
    if !text.is_empty() {
        text.push_str(line_break);
    }
    text + generated + line_break
}

/// Returns the text for the prompt; the first generated block is replaced unless `is_placed`.
fn layer(text: &str, generated: &str, is_placed: &mut bool) -> String {
    let found = Blocks::find(text);
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for block in &found.blocks {
        shown.push_str(&neutralize(text.get(end..block.range.start).unwrap_or_default()));
        end = block.range.end;
        let is_closed = text.get(block.range.clone()).is_some_and(|block| block.ends_with('\n'));
        if block.name != TOOLBOX {
            let body = ensure_final_break(neutralize(block.body(text)).into_owned(), "\n");
            let (start, last) = (write_marker(true, &block.name), write_marker(false, &block.name));
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
    shown.push_str(&neutralize(text.get(end..).unwrap_or_default()));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::BUILTIN;

    const OLD: &str = "<!-- ateam-protect:start:toolbox -->\nold\n<!-- ateam-protect:end:toolbox -->\n";

    fn compose(base: &str, overlay: &str) -> String {
        let tools = BUILTIN.iter().filter(|tool| tool.name == "fs.stat");
        let generated = toolbox(tools.clone());
        effective(base, overlay, tools).replace(&generated, "[toolbox]")
    }

    #[test]
    fn the_generated_block_replaces_the_first_one() {
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
            assert_eq!(compose(base, overlay), expected, "{base:?} {overlay:?}");
        }
    }

    #[test]
    fn other_blocks_are_kept_and_broken_markers_are_not() {
        let rules = "<!-- ateam-protect:start:rules -->\nkeep\n<!-- ateam-protect:end:rules -->\n";
        assert_eq!(compose("", rules), format!("{rules}\n[toolbox]\n"));
        // A block cannot begin in the base and end in the overlay.
        assert_eq!(
            compose("<!-- ateam-protect:start:toolbox -->", "<!-- ateam-protect:end:toolbox -->"),
            "<!-- ateam-protect start:toolbox -->\n\n<!-- ateam-protect end:toolbox -->\n\n[toolbox]\n"
        );
    }

    #[test]
    fn refreshing_only_changes_the_block() {
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
            assert_eq!(done, RefreshResult { text: expected.clone(), is_changed: true }, "{text:?}");
            assert!(!refresh(&expected, tools()).unwrap().is_changed, "{text:?}");
        }
        assert_eq!(refresh("a\n<!-- ateam-protect:start:toolbox -->", tools()).unwrap_err().line, 2);
    }

    #[test]
    fn a_generated_block_must_not_exceed_the_limit() {
        let tools = || BUILTIN.iter();
        let block = refresh("a", tools()).unwrap().text.len() - 1;
        let text = |room: usize| "a".repeat(MAX_PROMPT_BYTES - room);
        assert_eq!(refresh(&text(block), tools()).unwrap().text.len(), MAX_PROMPT_BYTES);
        let refused = refresh(&text(block - 1), tools());
        assert_eq!(refused, Err(Violation::new(ViolationText::Old, 1, ViolationKind::TooLarge)));
        // An existing block may grow too.
        let old = format!("{}\n{OLD}", text(OLD.len() + 1));
        assert_eq!(refresh(&old, tools()), refused);
    }
}

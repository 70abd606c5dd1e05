//! Validating edits of prompts.

use std::collections::BTreeMap;

use super::lines::{lines, without_break};
use super::violation::{Violation, ViolationKind, ViolationText};
use super::{Block, Blocks, MAX_PROMPT_BYTES, TOOLBOX};

/// The result of a valid edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedPrompt {
    /// The text, with at most one generated block: of several, the first one is kept.
    pub text: String,
}

/// Checks that `new` keeps every protected block of `old`: for each name as many blocks as before, in the same order, with
/// the same lines. Blocks may be moved, and line breaks may change.
///
/// Generated blocks are an exception: one may be added, and of several only the first one must stay; further ones are
/// removed from the result.
///
/// # Errors
///
/// Returns the first line of `new` with a broken marker or a changed or added block, or the first line of `old` with a
/// removed block.
pub fn validate_edit(old: &str, new: &str) -> Result<EditedPrompt, Violation> {
    if new.len() > MAX_PROMPT_BYTES {
        return Err(Violation::new(ViolationText::New, 1, ViolationKind::TooLarge));
    }
    let (before, after) = (Blocks::find(old), Blocks::find(new));
    if let Some(broken) = after.broken.first() {
        return Err(Violation::new(ViolationText::New, broken.line, broken.kind.clone().into()));
    }
    let (mut kept, given) = (by_name(&before), by_name(&after));
    if let Some(boxes) = kept.get_mut(TOOLBOX) {
        boxes.truncate(1);
    }
    let mut violations: Vec<Violation> = Vec::new();
    for (name, old_blocks) in &kept {
        let new_blocks = given.get(name).map(Vec::as_slice).unwrap_or_default();
        violations.extend(compare(name, (old, old_blocks), (new, new_blocks)));
    }
    for (name, new_blocks) in &given {
        let known = if *name == TOOLBOX { new_blocks.len() } else { kept.get(name).map_or(0, Vec::len) };
        let added = new_blocks.iter().skip(known);
        violations.extend(added.map(|block| {
            Violation::new(ViolationText::New, block.line, ViolationKind::Added((*name).to_owned()))
        }));
    }
    violations.sort_by_key(|violation| (violation.within, violation.line));
    match violations.into_iter().next() {
        Some(violation) => Err(violation),
        None => Ok(EditedPrompt { text: with_one_toolbox(new, &after) }),
    }
}

/// Compares the blocks with one name.
fn compare(
    name: &str,
    (old, old_blocks): (&str, &[&Block]),
    (new, new_blocks): (&str, &[&Block]),
) -> Option<Violation> {
    for (at, block) in old_blocks.iter().enumerate() {
        let Some(now) = new_blocks.get(at) else {
            return Some(Violation::new(
                ViolationText::Old,
                block.line,
                ViolationKind::Removed(name.to_owned()),
            ));
        };
        if let Some(offset) = first_difference(block.body(old), now.body(new)) {
            return Some(Violation::new(
                ViolationText::New,
                now.line + offset + 1,
                ViolationKind::Changed(name.to_owned()),
            ));
        }
    }
    None
}

/// Returns the index of the first line in which two bodies differ.
fn first_difference(old: &str, new: &str) -> Option<usize> {
    let (mut old_blocks, mut new_blocks) = (lines(old).map(without_break), lines(new).map(without_break));
    let mut at = 0;
    loop {
        match (old_blocks.next(), new_blocks.next()) {
            (None, None) => return None,
            (old, new) if old == new => at += 1,
            _ => return Some(at),
        }
    }
}

fn by_name(found: &Blocks) -> BTreeMap<&str, Vec<&Block>> {
    let mut named: BTreeMap<&str, Vec<&Block>> = BTreeMap::new();
    for block in &found.blocks {
        named.entry(&block.name).or_default().push(block);
    }
    named
}

fn with_one_toolbox(text: &str, found: &Blocks) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for block in found.with_name(TOOLBOX).skip(1) {
        kept.push_str(text.get(end..block.range.start).unwrap_or_default());
        end = block.range.end;
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "one\n<!-- ateam-protect:start:rules -->\nkeep\nthis\n<!-- ateam-protect:end:rules -->\ntwo\n\
                       <!-- ateam-protect:start:toolbox -->\nold\n<!-- ateam-protect:end:toolbox -->\n";

    #[track_caller]
    fn check(change: impl Fn(&str) -> String, expected: Result<(), (usize, bool, &str)>) {
        let new = change(OLD);
        let found = validate_edit(OLD, &new);
        let found = found.map(|edited| assert_eq!(edited.text, new));
        let shown = found.map_err(|violation| {
            (violation.line, violation.within == ViolationText::Old, violation.kind.to_string())
        });
        assert_eq!(
            shown.as_ref().map_err(|(line, is_in_old, kind)| (*line, *is_in_old, kind.as_str())),
            expected.as_ref().map(|()| &()).map_err(|error| *error),
            "{new}"
        );
    }

    #[test]
    fn text_outside_of_blocks_may_change() {
        check(str::to_owned, Ok(()));
        check(|old| old.replace("one\n", "").replace("two", "\n  - two\n"), Ok(()));
        check(|old| old.replace('\n', "\r\n"), Ok(()));
        check(
            |old| {
                let (rules, toolbox) = old.split_once("two\n").unwrap();
                format!("{toolbox}{rules}")
            },
            Ok(()),
        );
    }

    #[test]
    fn text_in_blocks_must_stay() {
        check(|old| old.replace("this", "that"), Err((4, false, "the protected block `rules` was changed")));
        check(|old| old.replace("this\n", ""), Err((4, false, "the protected block `rules` was changed")));
        check(
            |old| old.replace("old\n", "old\nnew\n"),
            Err((9, false, "the protected block `toolbox` was changed")),
        );
        check(
            |old| old.replace("  ", "").replace("keep", "keep "),
            Err((3, false, "the protected block `rules` was changed")),
        );
    }

    #[test]
    fn markers_must_be_kept() {
        check(|_| String::new(), Err((2, true, "the protected block `rules` was removed")));
        check(
            |old| old.replace("<!-- ateam-protect:end:rules -->\n", ""),
            Err((2, false, "the protected block `toolbox` starts within `rules`")),
        );
        check(|old| old.replace("rules", "laws"), Err((2, false, "the protected block `laws` is new")));
        check(
            |old| format!("<!-- ateam-protect:start:mine -->\n<!-- ateam-protect:end:mine -->\n{old}"),
            Err((1, false, "the protected block `mine` is new")),
        );
        check(
            |old| format!("{old}see ateam-protect:start:rules"),
            Err((10, false, "this looks like a marker of a protected block, but is not valid")),
        );
    }

    #[test]
    fn one_generated_block_is_kept() {
        let toolbox = "<!-- ateam-protect:start:toolbox -->\nnew\n<!-- ateam-protect:end:toolbox -->\n";
        assert_eq!(validate_edit(OLD, &format!("{OLD}{toolbox}end")).unwrap().text, format!("{OLD}end"));
        assert_eq!(validate_edit("a\n", toolbox).unwrap().text, toolbox);
        let two = toolbox.repeat(2);
        assert_eq!(validate_edit(&two, toolbox).unwrap().text, toolbox);
        assert!(validate_edit(&two, "").is_err());
    }

    #[test]
    fn a_broken_text_can_be_fixed() {
        let broken = "<!-- ateam-protect:start:rules -->\nkeep\n";
        assert!(validate_edit(broken, "keep\n").is_ok());
        assert!(validate_edit(broken, broken).is_err());
    }

    #[test]
    fn a_prompt_that_is_too_large_is_refused() {
        let text = |length: usize| OLD.to_owned() + &"a".repeat(length - OLD.len());
        assert!(validate_edit(OLD, &text(MAX_PROMPT_BYTES)).is_ok());
        let refused = validate_edit(OLD, &text(MAX_PROMPT_BYTES + 1));
        assert_eq!(refused, Err(Violation::new(ViolationText::New, 1, ViolationKind::TooLarge)));
    }
}

//! A section of a Markdown file, between two comments.

use minds_vfs::ContentHash;

use super::record::UnitRecord;
use super::unit::{NewUnit, Outcome, Unit};

const START: &str = "<!-- minds: begin (rendered from .minds/; edit there) -->";
const START_WORDS: &str = "<!-- minds: begin";
const END: &str = "<!-- minds: end -->";

/// Replaces the section, adds it at the end, or removes it.
///
/// # Errors
///
/// Returns why the section cannot be found.
pub(super) fn write(
    text: &str,
    wanted: Option<&NewUnit<&str>>,
    previous: Option<&UnitRecord>,
) -> Result<Outcome, String> {
    let found = find(text)?;
    let is_same = |hash: ContentHash| wanted.is_some_and(|wanted| wanted.hash == hash);
    let mut written =
        Outcome { owned: wanted.iter().map(|wanted| wanted.record()).collect(), ..Outcome::default() };
    if let Some(section) = &found {
        let hash = hash(section.inner);
        if !is_same(hash) && previous.is_none_or(|previous| previous.hash != hash) {
            written.add_drift(&Unit::Block);
        }
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = wanted.map(|wanted| {
        let inner = wanted.value.trim_end_matches('\n').replace('\n', newline);
        format!("{START}{newline}{inner}{newline}{END}")
    });
    written.text = match (found, block) {
        (None, None) => text.to_owned(),
        (None, Some(block)) if text.trim().is_empty() => format!("{block}{newline}"),
        (None, Some(block)) => {
            let gap = if text.ends_with('\n') { newline.to_owned() } else { newline.repeat(2) };
            format!("{text}{gap}{block}{newline}")
        }
        (Some(section), Some(_)) if is_same(hash(section.inner)) => text.to_owned(),
        (Some(section), Some(block)) => format!("{}{block}{}", section.before, section.after),
        (Some(section), None) => {
            let after = section.after.strip_prefix(newline).unwrap_or(section.after);
            let before = section.before.strip_suffix(newline).unwrap_or(section.before);
            format!("{before}{after}")
        }
    };
    Ok(written)
}

/// Returns the part to write.
pub(super) fn new_unit(text: &str) -> NewUnit<&str> {
    NewUnit { unit: Unit::Block, hash: hash(text), value: text }
}

/// Returns the length of the section in a Markdown file with its comments, in bytes; 0 if it has none.
pub fn section_length(text: &str) -> usize {
    let section = find(text).ok().flatten();
    section.map_or(0, |section| text.len() - section.before.len() - section.after.len())
}

/// Returns whether a file has nothing but white space.
pub(super) fn is_empty(text: &str) -> bool {
    text.trim().is_empty()
}

/// The hash does not depend on line breaks, which a checkout may change.
fn hash(inner: &str) -> ContentHash {
    ContentHash::of(inner.replace("\r\n", "\n").trim_matches('\n').as_bytes())
}

struct Section<'t> {
    before: &'t str,
    inner: &'t str,
    after: &'t str,
}

fn find(text: &str) -> Result<Option<Section<'_>>, String> {
    let starts = text.matches(START_WORDS).count();
    let ends = text.matches(END).count();
    match (starts, ends) {
        (0, 0) => return Ok(None),
        (1, 1) => {}
        _ => return Err(format!("the comments `{START_WORDS}` and `{END}` do not exist once each")),
    }
    let missing = || format!("the comment `{END}` is before `{START_WORDS}`");
    let (before, rest) = text.split_once(START_WORDS).ok_or_else(missing)?;
    let (_, rest) = rest.split_once("-->").ok_or_else(missing)?;
    let (inner, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(Some(Section { before, inner, after }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_text(text: &str, inner: Option<&str>) -> String {
        let wanted = inner.map(new_unit);
        write(text, wanted.as_ref(), None).unwrap().text
    }

    #[test]
    fn a_section_is_added_replaced_and_removed_again() {
        for text in ["# Mine\n\nText.\n", "no end", ""] {
            let with = write_text(text, Some("ours\n"));
            assert!(with.contains("begin") && with.contains("ours\n<!-- minds: end -->\n"), "{with}");
            assert_eq!(write_text(&with, Some("ours\n")), with);
            let changed = write_text(&with, Some("other\n"));
            assert_eq!(changed, with.replace("ours", "other"));
            let removed = write_text(&changed, None);
            assert_eq!(removed.trim_end(), text.trim_end());
        }
        let with = write_text("a\r\nb\r\n", Some("x\ny"));
        assert!(with.ends_with("x\r\ny\r\n<!-- minds: end -->\r\n"), "{with:?}");
        assert_eq!(write_text(&with, Some("x\ny")), with);
    }

    #[test]
    fn a_section_that_was_changed_has_drifted_and_a_broken_one_is_refused() {
        let with = write_text("", Some("ours"));
        let edited = with.replace("ours", "theirs");
        let record = UnitRecord { unit: Unit::Block, hash: hash("ours") };
        assert!(!write(&with, None, Some(&record)).unwrap().is_drifted);
        assert!(write(&edited, None, Some(&record)).unwrap().is_drifted);
        assert!(write(&with.replace(END, ""), None, None).is_err());
    }

    #[test]
    fn the_section_has_a_length() {
        assert_eq!(section_length("a\n"), 0);
        let with = write_text("a\n", Some("ours\n"));
        assert_eq!(section_length(&with), with.len() - "a\n\n\n".len());
        assert_eq!(section_length(END), 0, "the start is missing");
    }
}

//! Items without a description.

use super::{Review, ReviewedItem, rules, span};
use crate::ItemKind;

pub(super) fn check(review: &mut Review<'_>, subject: &ReviewedItem<'_>) {
    let item = subject.item();
    // Skills have their own rules.
    if item.kind == ItemKind::Skill && subject.place.main_file.is_some() {
        return;
    }
    if item.description.as_ref().is_none_or(|text| text.trim().is_empty()) {
        let message = || format!("{} has no description", item.key());
        review.report(&rules::MISSING_DESCRIPTION, &subject.main_file(), span(0, 0), message, |found| {
            found.help(
                "write `description: …` in the front matter of its file, or in its entry in `mind.toml`",
            )
        });
    }
}

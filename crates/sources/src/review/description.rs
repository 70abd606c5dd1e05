//! Items that do not say what they are for.

use super::{Review, Subject, rules, span};
use crate::ItemKind;

pub(super) fn check(review: &mut Review<'_>, subject: &Subject<'_>) {
    let item = subject.item();
    // Of a skill its own rules say more.
    if item.kind == ItemKind::Skill && subject.place.head.is_some() {
        return;
    }
    if item.description.as_ref().is_none_or(|said| said.trim().is_empty()) {
        let message = || format!("{} does not say what it is for", item.key());
        review.report(&rules::MISSING_DESCRIPTION, &subject.head(), span(0, 0), message, |found| {
            found.help("write `description: …` in the head of its file, or in its entry of `mind.toml`")
        });
    }
}

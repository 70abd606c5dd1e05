//! Redundant entries, found once for all members with equal lists.

use minds_access_control::{RedundantEntry, find_redundant};

use super::combination::{Combination, Content};

/// Lists with at most this many entries are compared in pairs without a charge: the cost is linear in the size of the file.
const FEW: usize = 8;

/// The maximum total weight of the patterns of such lists.
const FEW_WEIGHT: usize = 64;

/// The redundant entries of all lists that were compared; `None` for lists whose comparison would take too long.
#[derive(Default)]
pub(super) struct EqualLists<'f> {
    #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
    compared: std::collections::HashMap<Content<'f>, Option<Vec<RedundantEntry>>>,
}

impl<'f> EqualLists<'f> {
    /// Returns the redundant entries of the lists of a member; `None` if finding them would take too long.
    pub(super) fn find_redundant(
        &mut self,
        combination: &Combination<'f>,
        steps: &mut usize,
    ) -> Option<&[RedundantEntry]> {
        let (length, weight) = (combination.length(), combination.weight());
        // Without wildcards, comparing a few entries takes less time than looking the lists up.
        if length <= FEW && weight == length && combination.all_are_effective() {
            return Some(&[]);
        }
        let compared = self.compared.entry(combination.content());
        compared.or_insert_with(|| compare(combination, (length, weight), steps)).as_deref()
    }
}

fn compare(
    combination: &Combination<'_>,
    (length, weight): (usize, usize),
    steps: &mut usize,
) -> Option<Vec<RedundantEntry>> {
    let cost = weight.saturating_mul(weight);
    let all_are_effective = if length > FEW {
        *steps = steps.checked_sub(cost)?;
        combination.all_are_effective()
    } else {
        weight <= FEW_WEIGHT && combination.all_are_effective()
    };
    if all_are_effective {
        return Some(Vec::new());
    }
    *steps = steps.checked_sub(cost)?;
    find_redundant(&combination.to_lists(), steps)
}

//! Search for duplicate keys.

#[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
use std::collections::HashMap;

use crate::key_filter::filter_bit;

/// Mappings with at most this number of keys are compared pairwise, which needs no memory.
const FEW: usize = 24;

/// Calls `found` with the index of each key that repeats an earlier one, and the index of the first such key, in
/// order. The second component of a pair is ignored.
pub(super) fn duplicates<T>(keys: &[(&str, T)], mut found: impl FnMut(usize, usize)) {
    if keys.len() <= FEW {
        let mut marks = 0;
        for (at, (key, _)) in keys.iter().enumerate() {
            let mark = filter_bit(key);
            if marks & mark != 0
                && let Some(first) = keys.iter().take(at).position(|(earlier, _)| earlier == key)
            {
                found(at, first);
            }
            marks |= mark;
        }
    } else {
        #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
        let mut seen = HashMap::with_capacity(keys.len());
        for (at, (key, _)) in keys.iter().enumerate() {
            let first = *seen.entry(*key).or_insert(at);
            if first != at {
                found(at, first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(keys: &[&str], expected: &[(usize, usize)]) {
        let mut pairs = Vec::new();
        let keys: Vec<(&str, ())> = keys.iter().map(|key| (*key, ())).collect();
        duplicates(&keys, |at, first| pairs.push((at, first)));
        assert_eq!(pairs, expected);
    }

    #[test]
    fn each_duplicate_is_found_with_the_first_key() {
        check(&[], &[]);
        check(&["a", "b", "a", "a", "b"], &[(2, 0), (3, 0), (4, 1)]);
    }

    #[test]
    fn many_keys_are_treated_like_few() {
        let names: Vec<String> = (0..100).map(|i| format!("k{}", i % 90)).collect();
        let keys: Vec<&str> = names.iter().map(String::as_str).collect();
        let expected: Vec<(usize, usize)> = (90..100).map(|at| (at, at - 90)).collect();
        check(&keys, &expected);
    }
}

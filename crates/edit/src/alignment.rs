//! Finds the lines that two versions certainly have in common.
//!
//! There may be many shortest diffs (insertions and removals of lines) between two versions: of two equal consecutive lines,
//! either one may have been removed. A line is *certain* if every shortest diff keeps it, and at the same place. In a common
//! prefix, all lines up to the last one that is unique in both versions are certain, and the same applies to a common suffix.
//! Between them, all shortest diffs are computed in a band around the diagonal of the edit matrix. If that needs too much
//! memory, no line in between is certain.

use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of cells of the matrix.
const MAX_CELLS: usize = 4_000_000;
/// The initial width of the band.
const FIRST_REACH: usize = 8;
/// A distance that cannot occur.
const FAR: u32 = u32::MAX / 4;

/// Returns for each line of `base` its index in `other`, if that is certain.
pub(crate) fn aligned_lines(base: &[&str], other: &[&str]) -> Vec<Option<usize>> {
    if base == other {
        return (0..base.len()).map(Some).collect();
    }
    let (a, b, single) = number_lines(base, other);
    let head = a.iter().zip(&b).take_while(|(a, b)| a == b);
    let head = count_to_last(head.map(|(line, _)| single.contains(line)));
    let (a_rest, b_rest) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    let tail = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(a, b)| a == b);
    let tail = count_to_last(tail.map(|(line, _)| single.contains(line)));
    let middle = |rest: &[u32]| rest.get(..rest.len() - tail).unwrap_or_default().to_vec();
    let mut kept: Vec<Option<usize>> = (0..head).map(Some).collect();
    kept.extend(align_middle(&middle(a_rest), &middle(b_rest)).into_iter().map(|place| Some(place? + head)));
    kept.extend((b.len() - tail..b.len()).map(Some));
    kept
}

/// Returns the number of items up to and including the last `true`.
fn count_to_last(flags: impl Iterator<Item = bool>) -> usize {
    flags.enumerate().filter(|(_, flag)| *flag).last().map_or(0, |(index, _)| index + 1)
}

/// Returns the lines as numbers, equal lines having equal numbers, and the numbers of lines that are unique in both.
fn number_lines(base: &[&str], other: &[&str]) -> (Vec<u32>, Vec<u32>, BTreeSet<u32>) {
    let mut known: BTreeMap<&str, (u32, u32, u32)> = BTreeMap::new();
    let mut next = 0;
    let mut number = |line, in_base: u32, in_other: u32| {
        let entry = known.entry(line).or_insert_with(|| {
            next += 1;
            (next, 0, 0)
        });
        *entry = (entry.0, entry.1 + in_base, entry.2 + in_other);
        entry.0
    };
    let a = base.iter().map(|line| number(*line, 1, 0)).collect();
    let b = other.iter().map(|line| number(*line, 0, 1)).collect();
    let single = known.values().filter(|(_, base, other)| (*base, *other) == (1, 1));
    let single = single.map(|(number, ..)| *number).collect();
    (a, b, single)
}

/// Returns the certain lines by computing all shortest diffs.
fn align_middle(a: &[u32], b: &[u32]) -> Vec<Option<usize>> {
    let backwards = |lines: &[u32]| lines.iter().rev().copied().collect::<Vec<_>>();
    let Some((there, distance)) = shortest(a, b) else { return vec![None; a.len()] };
    let Some(back) = Band::new(&backwards(a), &backwards(b), there.reach) else { return vec![None; a.len()] };
    let rest = |i: usize, j: usize| back.at(a.len() - i, b.len() - j);
    let place = |(i, line): (usize, &u32)| {
        let mut kept = None;
        for j in there.columns(i) {
            if there.at(i, j) + 1 + rest(i + 1, j) == distance {
                return None;
            }
            if b.get(j) == Some(line) && there.at(i, j) + rest(i + 1, j + 1) == distance {
                if kept.is_some() {
                    return None;
                }
                kept = Some(j);
            }
        }
        kept
    };
    a.iter().enumerate().map(place).collect()
}

/// Returns the band that contains all shortest diffs, and their length.
fn shortest(a: &[u32], b: &[u32]) -> Option<(Band, u32)> {
    let widest = a.len().max(b.len());
    let mut reach = a.len().abs_diff(b.len()).max(FIRST_REACH).min(widest);
    loop {
        let band = Band::new(a, b, reach)?;
        let distance = band.at(a.len(), b.len());
        // A diff that leaves the band is longer than the width of the band.
        if distance as usize <= reach || reach >= widest {
            return Some((band, distance));
        }
        reach = (reach * 2).min(distance as usize).min(widest);
    }
}

/// The distances from the start to all pairs of positions that are at most `reach` lines apart.
struct Band {
    reach: usize,
    columns: usize,
    cells: Vec<u32>,
}

impl Band {
    fn new(a: &[u32], b: &[u32], reach: usize) -> Option<Self> {
        let size = (a.len() + 1).checked_mul(2 * reach + 1).filter(|size| *size <= MAX_CELLS)?;
        let mut band = Self { reach, columns: b.len(), cells: vec![FAR; size] };
        for i in 0..=a.len() {
            for j in band.columns(i) {
                let (above, left) = (i.checked_sub(1), j.checked_sub(1));
                let mut best = if i == 0 && j == 0 { 0 } else { FAR };
                if let Some(i) = above {
                    best = best.min(band.at(i, j) + 1);
                }
                if let Some(j) = left {
                    best = best.min(band.at(i, j) + 1);
                }
                if let (Some(i), Some(j)) = (above, left)
                    && a.get(i) == b.get(j)
                {
                    best = best.min(band.at(i, j));
                }
                if let Some(cell) = band.cell(i, j).and_then(|cell| band.cells.get_mut(cell)) {
                    *cell = best;
                }
            }
        }
        Some(band)
    }

    /// Returns the columns of a row.
    fn columns(&self, row: usize) -> std::ops::RangeInclusive<usize> {
        row.saturating_sub(self.reach)..=(row + self.reach).min(self.columns)
    }

    fn cell(&self, row: usize, column: usize) -> Option<usize> {
        let width = 2 * self.reach + 1;
        let offset = (column + self.reach).checked_sub(row).filter(|offset| *offset < width)?;
        Some(row * width + offset)
    }

    fn at(&self, row: usize, column: usize) -> u32 {
        self.cell(row, column).and_then(|cell| self.cells.get(cell)).copied().unwrap_or(FAR)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(base: &'static str, other: &'static str, expected: &[Option<usize>]) {
        let words = |text: &'static str| text.split_terminator(' ').collect::<Vec<_>>();
        let (a, b) = (words(base), words(other));
        assert_eq!(aligned_lines(&a, &b), expected, "`{base}` and `{other}`");
    }

    /// A diff is one of several shortest ones, so it keeps lines that may as well be the removed ones.
    #[test]
    fn a_diff_keeps_lines_that_are_not_certain() {
        let (base, other) = (["a", "x", "x", "b"], ["a", "x", "b"]);
        assert_eq!(minds_text::unchanged_lines(&base, &other), [Some(0), Some(1), Some(3)]);
        assert_eq!(aligned_lines(&base, &other), [Some(0), None, None, Some(2)]);
    }

    #[test]
    fn a_line_is_certain_if_every_shortest_diff_keeps_it_at_one_place() {
        check("a b c", "x a b c", &[Some(1), Some(2), Some(3)]);
        check("a b c", "a c", &[Some(0), None, Some(1)]);
        check("a x x b", "a x b", &[Some(0), None, None, Some(2)]);
        check("a x b", "a x x b", &[Some(0), None, Some(3)]);
        check("x x x", "x x x", &[Some(0), Some(1), Some(2)]);
        check("x x x", "n x x x", &[Some(1), Some(2), Some(3)]);
        check("a b", "b a", &[None, None]);
        check("", "a", &[]);
        check("a", "", &[None]);
    }

    #[test]
    fn beyond_the_limit_only_common_prefix_and_suffix_are_certain() {
        let name = |prefix: &str, number: usize| format!("{prefix}{number}");
        let texts = |prefix: &str| {
            let middle = (0..3_000).map(|number| name(prefix, number));
            ["top".to_owned()].into_iter().chain(middle).chain(["end".to_owned()]).collect::<Vec<_>>()
        };
        let (one, other) = (texts("a"), texts("b"));
        let (one, other): (Vec<_>, Vec<_>) =
            (one.iter().map(String::as_str).collect(), other.iter().map(String::as_str).collect());
        let kept = aligned_lines(&one, &other);
        assert_eq!((kept[0], kept[1], kept[3_001]), (Some(0), None, Some(3_001)));
    }

    /// Returns all shortest diffs.
    fn ways(a: &[&str], b: &[&str]) -> Vec<Vec<Option<usize>>> {
        fn go(
            a: &[&str],
            b: &[&str],
            j: usize,
            kept: &mut Vec<Option<usize>>,
            all: &mut Vec<Vec<Option<usize>>>,
        ) {
            let Some((first, rest)) = a.split_first() else {
                all.push(kept.clone());
                return;
            };
            kept.push(None);
            go(rest, b, j, kept, all);
            kept.pop();
            for (at, _) in b.iter().enumerate().skip(j).filter(|(_, line)| *line == first) {
                kept.push(Some(at));
                go(rest, b, at + 1, kept, all);
                kept.pop();
            }
        }
        let mut all = Vec::new();
        go(a, b, 0, &mut Vec::new(), &mut all);
        let count = |way: &Vec<Option<usize>>| way.iter().flatten().count();
        let most = all.iter().map(count).max().unwrap_or(0);
        all.retain(|way| count(way) == most);
        all.sort();
        all.dedup();
        all
    }

    fn lines() -> impl Strategy<Value = Vec<&'static str>> {
        prop::collection::vec(prop::sample::select(vec!["", "a", "b", "c"]), 0..8)
    }

    proptest! {
        /// The matrix gives the same result as enumerating all diffs.
        #[test]
        fn the_matrix_agrees_with_an_exhaustive_search(a in lines(), b in lines()) {
            let ways = ways(&a, &b);
            let all_say = |index: usize| {
                let first = ways[0][index];
                if ways.iter().all(|way| way[index] == first) { first } else { None }
            };
            let expected: Vec<_> = (0..a.len()).map(all_say).collect();
            prop_assert_eq!(aligned_lines(&a, &b), expected);
        }
    }
}

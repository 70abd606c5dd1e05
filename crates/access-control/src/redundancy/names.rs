//! Names that stand for all names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use minds_paths::portable::{fold, is_encapsulated};

use crate::extension::{self, Extension};

/// How far is looked for names. Globs that can be combined in more ways than this are not understood.
const MAX_STATES: usize = 4_096;

/// What it costs to go on by a character, in steps of about ten nanoseconds, and what each place in a glob adds.
const STEPS_EACH: usize = 64;
const STEPS_EACH_PLACE: usize = 32;

/// What tells names apart that stand in no pattern: which globs they fit, and their extension as far as a list has it.
type Profile = (Vec<usize>, Option<Option<String>>);

/// Returns names that stand in no pattern, so that each name that stands in none fits the same globs as one of them, and
/// is the same for the lists of extensions; names of packages left out. None if that would be too many, or take more steps
/// than are left.
pub(super) fn representatives(
    globs: &BTreeSet<&str>,
    literals: &BTreeSet<&str>,
    extensions: &[&Extension],
    steps: &mut usize,
) -> Option<Vec<String>> {
    let globs: Vec<Vec<char>> = globs.iter().map(|glob| glob.chars().collect()).collect();
    let alphabet = alphabet(&globs, literals, extensions);
    let mut found: BTreeMap<Profile, String> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::new();
    let start = State { places: skipped(&globs, (0..globs.len()).map(|glob| (glob, 0))), ending: None };
    seen.insert(start.clone());
    queue.push_back((start, String::new()));
    while let Some((state, name)) = queue.pop_front() {
        for c in &alphabet {
            *steps = steps.checked_sub(STEPS_EACH + STEPS_EACH_PLACE * state.places.len())?;
            let mut name = name.clone();
            name.push(*c);
            let next = state.step(&globs, extensions, *c, &name);
            let is_name = !matches!(name.as_str(), "." | "..") && !is_encapsulated(&name);
            if is_name && !literals.contains(name.as_str()) {
                found.entry(profile(&globs, extensions, &next, &name)).or_insert_with(|| name.clone());
            }
            if seen.insert(next.clone()) {
                if seen.len() > MAX_STATES {
                    return None;
                }
                queue.push_back((next, name));
            }
        }
    }
    Some(found.into_values().collect())
}

/// What matters about the beginning of a name for everything that can follow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The places in the globs at which the name can be.
    places: BTreeSet<(usize, usize)>,
    ending: Option<Ending>,
}

/// What stands behind the last dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ending {
    /// Whether something stands before the dot.
    has_stem: bool,
    /// Its folded letters, as long as they begin an extension that matters; none behind that.
    letters: Option<String>,
}

impl State {
    fn step(&self, globs: &[Vec<char>], extensions: &[&Extension], c: char, name: &str) -> Self {
        let moved = self.places.iter().filter_map(|(glob, place)| match globs.get(*glob)?.get(*place)? {
            '*' => Some((*glob, *place)),
            same if *same == c => Some((*glob, place + 1)),
            _ => None,
        });
        let ending = if c == '.' {
            Some(Ending { has_stem: name.len() > 1, letters: Some(String::new()) })
        } else {
            self.ending.clone().map(|ending| Ending { letters: ending.with(c, extensions), ..ending })
        };
        Self { places: skipped(globs, moved), ending }
    }
}

impl Ending {
    fn with(&self, c: char, extensions: &[&Extension]) -> Option<String> {
        let mut letters = self.letters.clone()?;
        letters += &fold(c.encode_utf8(&mut [0; 4]));
        let matters = |extension: &str| extension.starts_with(&letters);
        let does = matters("tsk") || extensions.iter().any(|extension| matters(extension.as_str()));
        does.then_some(letters)
    }
}

/// Adds the places behind each `*`.
fn skipped(globs: &[Vec<char>], places: impl Iterator<Item = (usize, usize)>) -> BTreeSet<(usize, usize)> {
    let mut all = BTreeSet::new();
    for (glob, place) in places {
        all.insert((glob, place));
        if globs.get(glob).and_then(|glob| glob.get(place)) == Some(&'*') {
            all.insert((glob, place + 1));
        }
    }
    all
}

fn profile(globs: &[Vec<char>], extensions: &[&Extension], state: &State, name: &str) -> Profile {
    let is_at_end =
        |(glob, place): &&(usize, usize)| globs.get(*glob).is_some_and(|glob| glob.len() == *place);
    let fitting = state.places.iter().filter(is_at_end).map(|(glob, _)| *glob).collect();
    let extension = extension::of_name(name).filter(|_| !extensions.is_empty()).map(|extension| {
        extensions.iter().any(|listed| listed.as_str() == extension).then(|| extension.into_owned())
    });
    (fitting, extension)
}

/// Returns the characters that matter, and one that does not. That one is in no literal either: a name with it is never one
/// of those that are left out, so each kind of names has a representative.
fn alphabet(globs: &[Vec<char>], literals: &BTreeSet<&str>, extensions: &[&Extension]) -> Vec<char> {
    let mut alphabet: BTreeSet<char> = globs.iter().flatten().copied().filter(|c| *c != '*').collect();
    if !extensions.is_empty() || alphabet.contains(&'.') {
        alphabet.insert('.');
        // The ending of packages matters as much as the extensions of the lists, in any letter case.
        for c in extensions.iter().flat_map(|extension| extension.as_str().chars()).chain("tsk".chars()) {
            alphabet.insert(c);
            alphabet.extend(c.to_uppercase());
        }
    }
    let written = literals.iter().flat_map(|literal| literal.chars());
    let known: BTreeSet<String> =
        alphabet.iter().copied().chain(written).map(|c| fold(c.encode_utf8(&mut [0; 4]))).collect();
    let is_other = |c: &char| !known.contains(&fold(c.encode_utf8(&mut [0; 4])));
    alphabet.extend(('a'..='z').rev().chain('0'..='9').chain('\u{4e00}'..='\u{9fff}').find(is_other));
    alphabet.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever characters literals have, a name that is none of them stands for all other names.
    #[test]
    fn literals_never_hide_all_other_names() {
        for literals in [["z", "zz"], ["y", "yy"], ["0", "00"]] {
            let mut steps = 1_000_000;
            let literals = BTreeSet::from(literals);
            let names = representatives(&BTreeSet::from(["*"]), &literals, &[], &mut steps);
            let names = names.expect("there are steps enough");
            assert!(!names.is_empty(), "{literals:?}");
            assert!(names.iter().all(|name| !literals.contains(name.as_str())), "{names:?}");
        }
    }
}

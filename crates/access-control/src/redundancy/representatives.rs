//! Names that represent all names that the patterns do not distinguish.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use minds_vfs::portable::{fold, is_encapsulated};

use crate::extension::{self, Extension};

/// The maximum number of states to explore. Globs with more combinations are not analyzed.
const MAX_STATES: usize = 4_096;

/// The cost of extending a name by a character, in steps of about ten nanoseconds, and of each position in a glob.
const STEPS_EACH: usize = 64;
const STEPS_EACH_PLACE: usize = 32;

/// What distinguishes names that are not literals: which globs match them, and their extension if a list contains it.
type Profile = (Vec<usize>, Option<Option<String>>);

/// Returns names that are not literals of a pattern, such that every other such name matches the same globs and extension
/// entries as one of them. Names of packages are excluded. `None` if there are too many, or not enough steps are left.
pub(super) fn representatives(
    globs: &BTreeSet<&str>,
    literals: &BTreeSet<&str>,
    extensions: &[&Extension],
    steps: &mut usize,
) -> Option<Vec<String>> {
    let globs: Vec<Vec<char>> = globs.iter().map(|glob| glob.chars().collect()).collect();
    let alphabet = alphabet(&globs, literals, extensions);
    let mut exploration =
        Exploration { globs: &globs, literals, extensions, alphabet: &alphabet, other: None };
    let (found, excluded) = exploration.run(steps)?;
    if excluded.iter().all(|profile| found.contains_key(profile)) {
        return Some(found.into_values().collect());
    }
    // The shortest name of a profile is a literal, and it is the only one that was tried: try names with the character that
    // no literal contains as well.
    exploration.other = alphabet.last().copied();
    let (found, _) = exploration.run(steps)?;
    Some(found.into_values().collect())
}

struct Exploration<'e> {
    globs: &'e [Vec<char>],
    literals: &'e BTreeSet<&'e str>,
    extensions: &'e [&'e Extension],
    alphabet: &'e [char],
    /// A character that no literal contains, if names with it are distinguished from names without it.
    other: Option<char>,
}

impl Exploration<'_> {
    /// Returns the shortest names that are not literals, by profile, and the profiles of literals.
    fn run(&self, steps: &mut usize) -> Option<(BTreeMap<Profile, String>, BTreeSet<Profile>)> {
        let (globs, extensions) = (self.globs, self.extensions);
        let (mut found, mut excluded) = (BTreeMap::new(), BTreeSet::new());
        let mut seen = BTreeSet::new();
        let mut queue = VecDeque::new();
        let places = epsilon_closure(globs, (0..globs.len()).map(|glob| (glob, 0)));
        let start = State { places, ending: None, has_other: false };
        seen.insert(start.clone());
        queue.push_back((start, String::new()));
        while let Some((state, name)) = queue.pop_front() {
            for c in self.alphabet {
                *steps = steps.checked_sub(STEPS_EACH + STEPS_EACH_PLACE * state.places.len())?;
                let mut name = name.clone();
                name.push(*c);
                let mut next = state.step(globs, extensions, *c, &name);
                next.has_other |= self.other == Some(*c);
                let is_name = !matches!(name.as_str(), "." | "..") && !is_encapsulated(&name);
                if is_name && self.literals.contains(name.as_str()) {
                    excluded.insert(profile(globs, extensions, &next, &name));
                } else if is_name {
                    found.entry(profile(globs, extensions, &next, &name)).or_insert_with(|| name.clone());
                }
                if seen.insert(next.clone()) {
                    if seen.len() > MAX_STATES {
                        return None;
                    }
                    queue.push_back((next, name));
                }
            }
        }
        Some((found, excluded))
    }
}

/// The state of a name prefix: everything that affects how the rest of the name matches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The positions in the globs that the name can have reached.
    places: BTreeSet<(usize, usize)>,
    ending: Option<NameEnding>,
    /// Whether the name has the character that no literal contains, if that is distinguished.
    has_other: bool,
}

/// The text after the last dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NameEnding {
    /// Whether there is text before the dot.
    has_stem: bool,
    /// The folded text, as long as it is a prefix of a relevant extension; `None` after that.
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
            Some(NameEnding { has_stem: name.len() > 1, letters: Some(String::new()) })
        } else {
            self.ending.clone().map(|ending| NameEnding { letters: ending.with(c, extensions), ..ending })
        };
        Self { places: epsilon_closure(globs, moved), ending, has_other: self.has_other }
    }
}

impl NameEnding {
    fn with(&self, c: char, extensions: &[&Extension]) -> Option<String> {
        let mut letters = self.letters.clone()?;
        letters += &fold(c.encode_utf8(&mut [0; 4]));
        let matters = |extension: &str| extension.starts_with(&letters);
        let does = matters("tsk") || extensions.iter().any(|extension| matters(extension.as_str()));
        does.then_some(letters)
    }
}

/// Adds the positions after each `*`.
fn epsilon_closure(
    globs: &[Vec<char>],
    places: impl Iterator<Item = (usize, usize)>,
) -> BTreeSet<(usize, usize)> {
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
    let matching = state.places.iter().filter(is_at_end).map(|(glob, _)| *glob).collect();
    let extension = extension::of_name(name).filter(|_| !extensions.is_empty()).map(|extension| {
        extensions.iter().any(|listed| listed.as_str() == extension).then(|| extension.into_owned())
    });
    (matching, extension)
}

/// Returns the relevant characters, and at the end one that is not relevant. No literal contains that one, so that a name with it is
/// never excluded and each class of names has a representative.
fn alphabet(globs: &[Vec<char>], literals: &BTreeSet<&str>, extensions: &[&Extension]) -> Vec<char> {
    let mut alphabet: BTreeSet<char> = globs.iter().flatten().copied().filter(|c| *c != '*').collect();
    if !extensions.is_empty() || alphabet.contains(&'.') {
        alphabet.insert('.');
        // The extension of packages is as relevant as those of the lists, in any letter case.
        for c in extensions.iter().flat_map(|extension| extension.as_str().chars()).chain("tsk".chars()) {
            alphabet.insert(c);
            alphabet.extend(c.to_uppercase());
        }
    }
    let written = literals.iter().flat_map(|literal| literal.chars());
    let known: BTreeSet<String> =
        alphabet.iter().copied().chain(written).map(|c| fold(c.encode_utf8(&mut [0; 4]))).collect();
    let is_other = |c: &char| !known.contains(&fold(c.encode_utf8(&mut [0; 4])));
    let other = ('a'..='z').rev().chain('0'..='9').chain('\u{4e00}'..='\u{9fff}').find(is_other);
    alphabet.into_iter().chain(other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For any literals, one name that is not a literal represents all other names.
    #[test]
    fn literals_never_exclude_every_representative() {
        for literals in [["z", "zz"], ["y", "yy"], ["0", "00"]] {
            let mut steps = 1_000_000;
            let literals = BTreeSet::from(literals);
            let names = representatives(&BTreeSet::from(["*"]), &literals, &[], &mut steps);
            let names = names.expect("there are enough steps");
            assert!(!names.is_empty(), "{literals:?}");
            assert!(names.iter().all(|name| !literals.contains(name.as_str())), "{names:?}");
        }
    }

    /// The shortest name that both globs match is a literal, but not the only one.
    #[test]
    fn a_literal_does_not_exclude_longer_names_that_match_the_same_globs() {
        let names = representatives(
            &BTreeSet::from(["*.b", "a*"]),
            &BTreeSet::from(["a.b", "a"]),
            &[],
            &mut 1_000_000,
        );
        let names = names.expect("there are enough steps");
        assert!(
            names.iter().any(|name| name.starts_with('a') && name.strip_suffix(".b").is_some()),
            "{names:?}"
        );
    }
}

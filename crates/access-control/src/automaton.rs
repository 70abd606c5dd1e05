//! Matches a path against many patterns at once.
//!
//! Each pattern is a row of states, one for each number of its segments that the path has matched so far. The rows of all
//! patterns are packed into words of 64 states, none across two words. A segment of the path advances all of them: a table
//! maps literal names to the states that they advance, and the segments with `*` of a word are matched in addition. Matching
//! neither backtracks nor caches, so the time depends on the length of the path and the number of words only.
//!
//! Patterns of the deny list are folded and matched against the folded path, those of the allow list against the path
//! itself.

use std::borrow::Cow;

use minds_vfs::WorkspacePath;

use crate::Pattern;
use crate::glob_set::{GlobSet, GlobSetBuilder, Name};
use crate::name_table::NameTable;
use crate::pattern::Segment;

/// The patterns of a deny list and of an allow list, compiled.
#[derive(Debug, Default)]
pub(crate) struct Automaton {
    words: Vec<StateWord>,
    /// The number of words with patterns of the deny list; they come first.
    deny_words: usize,
    names: NameTable,
}

/// The constant part of 64 states.
#[derive(Debug, Default)]
struct StateWord {
    /// The initial states.
    start: u64,
    /// The states before a `**`.
    any: u64,
    /// The accepting states, after the last segment: the path is in the scope.
    end: u64,
    /// The states before a segment with `*`.
    glob: u64,
    globs: GlobSet,
}

/// The result of matching a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// A pattern of the deny list covers it.
    Denied,
    /// A pattern of the allow list covers it, and none of the deny list.
    Allowed,
    /// No pattern covers it.
    Nothing,
}

/// Up to this number of words no heap memory is allocated: enough for several hundred patterns.
const INLINE: usize = 32;

impl Automaton {
    /// Compiles two lists.
    pub(crate) fn new(deny: &[Pattern], allow: &[Pattern]) -> Self {
        let mut builder = Builder::default();
        builder.automaton.names = NameTable::with_capacity(2 * (deny.len() + allow.len()));
        builder.automaton.deny_words = builder.add_list(deny.iter().map(Pattern::folded_pattern));
        builder.add_list(allow.iter());
        builder.automaton
    }

    /// Matches a path. The deny list matches the folded path; an entry that matches only the path as written (see
    /// [`needs_exact_match`](crate::pattern::needs_exact_match)) is not found here.
    pub(crate) fn run(&self, path: &WorkspacePath) -> Match {
        let folded = if self.deny_words == 0 { Cow::Borrowed(path) } else { path.to_folded() };
        if self.words.len() <= INLINE {
            let mut states = [0; INLINE];
            self.run_in(path, &folded, states.get_mut(..self.words.len()).unwrap_or_default())
        } else {
            self.run_in(path, &folded, &mut vec![0; self.words.len()])
        }
    }

    fn run_in(&self, path: &WorkspacePath, folded: &WorkspacePath, states: &mut [u64]) -> Match {
        let mut found = Match::Nothing;
        // Once the path is allowed, only the deny list can change the result.
        let mut words = self.words.len();
        for (at, (state, word)) in states.iter_mut().zip(&self.words).enumerate() {
            *state = word.start;
            if word.start & word.end != 0 {
                if at < self.deny_words {
                    return Match::Denied;
                }
                found = Match::Allowed;
                words = self.deny_words;
            }
        }
        for (name, folded) in path.segments().zip(folded.segments()) {
            let is_folded = name == folded;
            let (name, folded) = (Name::new(name), Name::new(folded));
            let mut moves = self.names.moves(folded.text);
            let mut is_over = true;
            let current = states.iter_mut().zip(&self.words).enumerate().take(words);
            for (at, (state, word)) in current {
                if at == self.deny_words && !is_folded {
                    moves = self.names.moves(name.text);
                    moves.skip_to(at);
                }
                let named = moves.take_word(at);
                if *state == 0 {
                    continue;
                }
                let mut next = *state & named;
                if *state & word.glob != 0 {
                    let name = if at < self.deny_words { &folded } else { &name };
                    next |= word.globs.matching(*state, name);
                }
                *state = word.epsilon_closure(*state & word.any | next << 1);
                is_over &= *state == 0;
                if *state & word.end != 0 {
                    if at < self.deny_words {
                        return Match::Denied;
                    }
                    found = Match::Allowed;
                    words = self.deny_words;
                }
            }
            if is_over {
                break;
            }
        }
        found
    }
}

impl StateWord {
    /// Adds the states after each `**`, which also matches no segment. No two `**` are adjacent.
    fn epsilon_closure(&self, states: u64) -> u64 {
        states | (states & self.any) << 1
    }
}

/// Builds an automaton.
#[derive(Default)]
struct Builder<'p> {
    automaton: Automaton,
    /// The number of states in use in the last word.
    used: u32,
    /// The segments with `*` of the last word.
    globs: GlobSetBuilder<'p>,
    /// Whether the last word is unfinished.
    is_open: bool,
}

impl<'p> Builder<'p> {
    fn add(&mut self, pattern: &'p Pattern) {
        let segments = pattern.segments();
        // There are at most 32 segments, so a row always fits into a word.
        let length = u32::try_from(segments.len() + 1).unwrap_or(u64::BITS);
        if !self.is_open || self.used + length > u64::BITS {
            self.end_word();
            self.automaton.words.push(StateWord::default());
            self.is_open = true;
        }
        let at = self.automaton.words.len() - 1;
        let mut bit = 1 << self.used;
        self.used += length;
        let Some(word) = self.automaton.words.last_mut() else { return };
        word.start |= bit;
        for segment in segments {
            match segment {
                Segment::Any => word.any |= bit,
                Segment::Glob(text) => {
                    word.glob |= bit;
                    self.globs.add(text, bit);
                }
                Segment::Literal(text) => self.automaton.names.add(text, at, bit),
            }
            bit <<= 1;
        }
        word.end |= bit;
    }

    fn end_word(&mut self) {
        if let Some(word) = self.automaton.words.last_mut().filter(|_| self.is_open) {
            word.start = word.epsilon_closure(word.start);
            word.globs = std::mem::take(&mut self.globs).build();
        }
        self.is_open = false;
        self.used = 0;
    }

    /// Adds the patterns of a list in separate words, and returns the total number of words.
    ///
    /// A word is skipped once none of its states is active. Sorting makes patterns that begin with the same name share words.
    fn add_list(&mut self, patterns: impl Iterator<Item = &'p Pattern>) -> usize {
        let mut sorted: Vec<(Option<Segment<'_>>, &Pattern)> =
            patterns.map(|pattern| (pattern.segments().next(), pattern)).collect();
        sorted.sort_by_key(|(first, _)| *first);
        for (_, pattern) in sorted {
            self.add(pattern);
        }
        self.end_word();
        self.automaton.words.len()
    }
}

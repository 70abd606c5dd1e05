//! Many patterns at once.
//!
//! Each pattern is a row of states, one for each number of its parts that the path has gone through so far. The rows of
//! all patterns lie beside each other in words of 64 states, none across two words. A segment of the path moves all of
//! them: a table says which states a name moves, and the parts with a `*` of a word are tried beside it. There is no way
//! back and no cache, so a path takes time in its length and the number of words, whatever the patterns are.
//!
//! Patterns of the deny list are compiled folded and see the folded path; those of the allow list see the path as it is.

use std::borrow::Cow;

use minds_paths::WorkspacePath;

use crate::Pattern;
use crate::globs::{Globs, GlobsBuilder, Name};
use crate::names::Names;
use crate::pattern::Segment;

/// The patterns of a deny list and of an allow list, compiled.
#[derive(Debug, Default)]
pub(crate) struct Automaton {
    words: Vec<Word>,
    /// The number of words with patterns of the deny list; they come first.
    deny_words: usize,
    names: Names,
}

/// What is fixed about 64 states.
#[derive(Debug, Default)]
struct Word {
    /// Those in which a path starts.
    start: u64,
    /// Those before a `**`.
    any: u64,
    /// Those behind the last part: the path is in the scope.
    end: u64,
    /// Those before a part with a `*`.
    glob: u64,
    globs: Globs,
}

/// What the lists say about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// A pattern of the deny list covers it.
    Denied,
    /// A pattern of the allow list does, and none of the deny list.
    Allowed,
    /// No pattern covers it.
    Nothing,
}

/// The number of words for whose states no memory is asked for: some hundred patterns.
const INLINE: usize = 32;

impl Automaton {
    /// Compiles two lists.
    pub(crate) fn new(deny: &[Pattern], allow: &[Pattern]) -> Self {
        let mut builder = Builder::default();
        builder.made.names = Names::with_capacity(2 * (deny.len() + allow.len()));
        builder.made.deny_words = builder.add_list(deny.iter().map(Pattern::folded));
        builder.add_list(allow.iter());
        builder.made
    }

    /// Decides about a path. Denied is also what the deny list matches only once both are folded; what it matches only
    /// as it is (see [`needs_exact_match`](crate::pattern::needs_exact_match)) is not found.
    pub(crate) fn run(&self, path: &WorkspacePath) -> Match {
        let folded = if self.deny_words == 0 { Cow::Borrowed(path) } else { path.folded() };
        if self.words.len() <= INLINE {
            let mut states = [0; INLINE];
            self.run_in(path, &folded, states.get_mut(..self.words.len()).unwrap_or_default())
        } else {
            self.run_in(path, &folded, &mut vec![0; self.words.len()])
        }
    }

    fn run_in(&self, path: &WorkspacePath, folded: &WorkspacePath, states: &mut [u64]) -> Match {
        let mut found = Match::Nothing;
        // Once something allows the path, only a pattern that denies it can change that.
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
                let named = moves.take(at);
                if *state == 0 {
                    continue;
                }
                let mut next = *state & named;
                if *state & word.glob != 0 {
                    let name = if at < self.deny_words { &folded } else { &name };
                    next |= word.globs.matching(*state, name);
                }
                *state = word.with_skipped(*state & word.any | next << 1);
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

impl Word {
    /// Adds the states behind each `**`, which stands for no segment as well. No two follow each other.
    fn with_skipped(&self, states: u64) -> u64 {
        states | (states & self.any) << 1
    }
}

/// An automaton that is being made.
#[derive(Default)]
struct Builder<'p> {
    made: Automaton,
    /// The number of states of the last word that are taken.
    used: u32,
    /// The parts with a `*` of the last word.
    globs: GlobsBuilder<'p>,
    /// Whether there is a last word that is not finished.
    is_open: bool,
}

impl<'p> Builder<'p> {
    fn add(&mut self, pattern: &'p Pattern) {
        let segments = pattern.segments();
        // There are 32 parts at most, so a row always fits into a word.
        let length = u32::try_from(segments.len() + 1).unwrap_or(u64::BITS);
        if !self.is_open || self.used + length > u64::BITS {
            self.end_word();
            self.made.words.push(Word::default());
            self.is_open = true;
        }
        let at = self.made.words.len() - 1;
        let mut bit = 1 << self.used;
        self.used += length;
        let Some(word) = self.made.words.last_mut() else { return };
        word.start |= bit;
        for segment in segments {
            match segment {
                Segment::Any => word.any |= bit,
                Segment::Glob(text) => {
                    word.glob |= bit;
                    self.globs.add(text, bit);
                }
                Segment::Literal(text) => self.made.names.add(text, at, bit),
            }
            bit <<= 1;
        }
        word.end |= bit;
    }

    fn end_word(&mut self) {
        if let Some(word) = self.made.words.last_mut().filter(|_| self.is_open) {
            word.start = word.with_skipped(word.start);
            word.globs = std::mem::take(&mut self.globs).build();
        }
        self.is_open = false;
        self.used = 0;
    }

    /// Adds the patterns of a list in words of their own, and returns how many words there are then.
    ///
    /// A word is only looked at as long as one of its states is reached. So patterns that begin with the same name share
    /// words, and those that begin anywhere share few.
    fn add_list(&mut self, patterns: impl Iterator<Item = &'p Pattern>) -> usize {
        let mut sorted: Vec<(Option<Segment<'_>>, &Pattern)> =
            patterns.map(|pattern| (pattern.segments().next(), pattern)).collect();
        sorted.sort_by_key(|(first, _)| *first);
        for (_, pattern) in sorted {
            self.add(pattern);
        }
        self.end_word();
        self.made.words.len()
    }
}

//! Many patterns at once.
//!
//! Each pattern is a row of states, one for each number of its parts that the path has gone through so far. The rows of
//! all patterns lie beside each other in words of 64 states, none across two words. A segment of the path moves all of
//! them: a table says which states a name moves, only states before a part with a `*` are tried one by one. There is no
//! way back and no cache, so a path takes time in its length and the number of words, whatever the patterns are.

use minds_paths::WorkspacePath;

use crate::pattern::Segment;
use crate::{Pattern, glob};

/// For each name that stands in a pattern, which moves are its.
#[expect(clippy::disallowed_types, reason = "it is only asked for a name, so its order is never seen")]
type Names = std::collections::HashMap<Box<str>, (u32, u32), foldhash::fast::RandomState>;

/// The patterns of a deny list and of an allow list, compiled.
#[derive(Debug, Default)]
pub(crate) struct Automaton {
    words: Box<[Word]>,
    /// The number of words with patterns of the deny list; they come first.
    deny_words: usize,
    names: Names,
    moves: Box<[Move]>,
    /// The parts with a `*`, in the order of their states.
    globs: Box<[Box<str>]>,
}

/// What is fixed about 64 states.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Those in which a path starts.
    start: u64,
    /// Those before a `**`.
    any: u64,
    /// Those before a part with a `*`.
    glob: u64,
    /// Those behind the last part: the path is in the scope.
    end: u64,
    /// The number of parts with a `*` in the words before.
    globs_before: u32,
}

/// The states of one word that a name moves.
#[derive(Clone, Copy, Debug)]
struct Move {
    word: u32,
    states: u64,
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
        for pattern in deny {
            builder.add(pattern);
        }
        let deny_words = builder.words.len();
        builder.used = u64::BITS;
        for pattern in allow {
            builder.add(pattern);
        }
        builder.finish(deny_words)
    }

    /// Decides about a path.
    pub(crate) fn run(&self, path: &WorkspacePath) -> Match {
        if self.words.len() <= INLINE {
            let mut states = [0; INLINE];
            self.run_in(path, states.get_mut(..self.words.len()).unwrap_or_default())
        } else {
            self.run_in(path, &mut vec![0; self.words.len()])
        }
    }

    fn run_in(&self, path: &WorkspacePath, states: &mut [u64]) -> Match {
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
        for name in path.segments() {
            let mut moves = self.moves_of(name);
            let mut is_over = true;
            let current = states.iter_mut().zip(&self.words).enumerate().take(words);
            for (at, (state, word)) in current {
                let named = take(&mut moves, at);
                if *state == 0 {
                    continue;
                }
                let mut next = *state & named;
                let mut globs = *state & word.glob;
                while globs != 0 {
                    let bit = globs & globs.wrapping_neg();
                    globs ^= bit;
                    if self.glob(word, bit).is_some_and(|glob| glob::matches(glob, name)) {
                        next |= bit;
                    }
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

    /// Returns the states that a name moves, in the order of their words.
    fn moves_of(&self, name: &str) -> &[Move] {
        let Some((start, end)) = self.names.get(name) else { return &[] };
        self.moves.get(*start as usize..*end as usize).unwrap_or_default()
    }

    /// Returns the part before which the state `bit` of `word` stands.
    fn glob(&self, word: &Word, bit: u64) -> Option<&str> {
        let at = word.globs_before + (word.glob & (bit - 1)).count_ones();
        self.globs.get(at as usize).map(|glob| &**glob)
    }
}

impl Word {
    /// Adds the states behind each `**`, which stands for no segment as well. No two follow each other.
    fn with_skipped(&self, states: u64) -> u64 {
        states | (states & self.any) << 1
    }
}

/// Takes what is about the word `at` off the front.
fn take(moves: &mut &[Move], at: usize) -> u64 {
    match moves.split_first() {
        Some((first, rest)) if first.word as usize == at => {
            *moves = rest;
            first.states
        }
        _ => 0,
    }
}

/// An automaton that is being made.
#[derive(Default)]
struct Builder<'p> {
    words: Vec<Word>,
    /// The number of states of the last word that are taken.
    used: u32,
    names: Vec<(&'p str, u32, u64)>,
    globs: Vec<Box<str>>,
}

impl<'p> Builder<'p> {
    fn add(&mut self, pattern: &'p Pattern) {
        let segments = pattern.segments();
        // There are 32 parts at most, so a row always fits into a word.
        let length = u32::try_from(segments.len() + 1).unwrap_or(u64::BITS);
        if self.words.is_empty() || self.used + length > u64::BITS {
            let globs_before = u32::try_from(self.globs.len()).unwrap_or(u32::MAX);
            self.words.push(Word { globs_before, ..Word::default() });
            self.used = 0;
        }
        let at = u32::try_from(self.words.len() - 1).unwrap_or(u32::MAX);
        let Some(word) = self.words.last_mut() else { return };
        let mut bit = 1 << self.used;
        self.used += length;
        word.start |= bit;
        for segment in segments {
            match segment {
                Segment::Any => word.any |= bit,
                Segment::Glob(text) => {
                    word.glob |= bit;
                    self.globs.push(text.into());
                }
                Segment::Literal(text) => self.names.push((text, at, bit)),
            }
            bit <<= 1;
        }
        word.end |= bit;
    }

    fn finish(mut self, deny_words: usize) -> Automaton {
        for word in &mut self.words {
            word.start = word.with_skipped(word.start);
        }
        self.names.sort_unstable();
        let mut moves: Vec<Move> = Vec::with_capacity(self.names.len());
        let mut names =
            Names::with_capacity_and_hasher(self.names.len(), foldhash::fast::RandomState::default());
        for same_name in self.names.chunk_by(|(a, ..), (b, ..)| a == b) {
            let start = offset(moves.len());
            for same_word in same_name.chunk_by(|(_, a, _), (_, b, _)| a == b) {
                let states = same_word.iter().fold(0, |states, (.., bit)| states | bit);
                moves.extend(same_word.first().map(|(_, word, _)| Move { word: *word, states }));
            }
            if let Some((name, ..)) = same_name.first() {
                names.insert((*name).into(), (start, offset(moves.len())));
            }
        }
        Automaton {
            words: self.words.into(),
            deny_words,
            names,
            moves: moves.into(),
            globs: self.globs.into(),
        }
    }
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

//! The automaton states that each literal name advances.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// The literal names of all patterns, each with the states that it advances.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    hasher: RandomState,
    table: HashTable<Entry>,
    /// All names, concatenated.
    text: String,
    moves: Vec<Move>,
}

/// One name: its byte range in the text, and the indices of its first and last move.
#[derive(Debug)]
struct Entry {
    start: u32,
    end: u32,
    first: u32,
    last: u32,
}

/// The states of one word that a name advances.
#[derive(Clone, Copy, Debug)]
struct Move {
    word: u32,
    /// The index of the next move of the name, in a later word; [`NONE`] after the last.
    next: u32,
    states: u64,
}

const NONE: u32 = u32::MAX;

/// The moves of one name, in word order.
pub(crate) struct Moves<'n> {
    all: &'n [Move],
    next: Option<Move>,
}

impl NameTable {
    /// Returns an empty table with capacity for about `names` names.
    pub(crate) fn with_capacity(names: usize) -> Self {
        Self {
            table: HashTable::with_capacity(names),
            text: String::with_capacity(8 * names),
            moves: Vec::with_capacity(names),
            ..Self::default()
        }
    }

    /// Adds a state that a name advances. Words must be added in ascending order.
    pub(crate) fn add(&mut self, name: &str, word: usize, state: u64) {
        let Self { hasher, table, text, moves } = self;
        let word = offset(word);
        let new = offset(moves.len());
        let (start, end) = (offset(text.len()), offset(text.len() + name.len()));
        let found = table.entry(
            hasher.hash_one(name),
            |entry| name_text(text, entry) == name,
            |entry| hasher.hash_one(name_text(text, entry)),
        );
        let mut entry = found.or_insert(Entry { start, end, first: new, last: NONE });
        let entry = entry.get_mut();
        if entry.last == NONE {
            text.push_str(name);
        }
        match moves.get_mut(entry.last as usize) {
            Some(same) if same.word == word => same.states |= state,
            earlier => {
                if let Some(earlier) = earlier {
                    earlier.next = new;
                }
                entry.last = new;
                moves.push(Move { word, next: NONE, states: state });
            }
        }
    }

    /// Returns the moves of a name; empty if no pattern contains it.
    pub(crate) fn moves(&self, name: &str) -> Moves<'_> {
        let found = self.table.find(self.hasher.hash_one(name), |entry| name_text(&self.text, entry) == name);
        Moves {
            all: &self.moves,
            next: found.and_then(|entry| self.moves.get(entry.first as usize)).copied(),
        }
    }
}

fn name_text<'t>(text: &'t str, entry: &Entry) -> &'t str {
    text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
}

impl Moves<'_> {
    /// Removes and returns the states of a word. Words must be requested in ascending order.
    pub(crate) fn take_word(&mut self, word: usize) -> u64 {
        match self.next {
            Some(first) if first.word as usize == word => {
                self.next = self.all.get(first.next as usize).copied();
                first.states
            }
            _ => 0,
        }
    }

    /// Skips the moves of all words before `word`.
    pub(crate) fn skip_to(&mut self, word: usize) {
        while let Some(first) = self.next.filter(|first| (first.word as usize) < word) {
            self.next = self.all.get(first.next as usize).copied();
        }
    }
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

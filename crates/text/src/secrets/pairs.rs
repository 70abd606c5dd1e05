//! Pairs of a name and a value, as in lists of variables: `name: API_KEY` beside `value: …`.

use super::names::{KeyClass, classify_key};

/// The state of the mapping that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    /// The indentation of its keys; none in brackets.
    indent: Option<usize>,
    is_open: bool,
    naming: Option<KeyClass>,
    /// A value whose name has not been read: its start, and the end of its line.
    value: Option<(usize, usize)>,
}

/// The role of a key in such a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairRole {
    Name,
    Value,
}

impl PairRole {
    /// Returns the role of a key.
    pub(super) fn of(key: &str) -> Option<Self> {
        match key {
            "name" | "key" => Some(Self::Name),
            "value" => Some(Self::Value),
            _ => None,
        }
    }
}

impl Pair {
    /// Ends the pair where a line begins another mapping: a new item, or less indentation.
    pub(super) fn begin_line(&mut self, content: &str, indent: usize) {
        let is_left = self.indent.is_some_and(|own| indent < own);
        if content.starts_with("- ") || content.starts_with(['{', '}', '[']) || is_left {
            *self = Self::default();
        }
    }

    /// Ends a pair in brackets where brackets open or close.
    pub(super) fn end_pair(&mut self) {
        if self.indent.is_none() {
            *self = Self::default();
        }
    }

    /// Returns the naming of the value of this mapping, if its name was read.
    pub(super) fn value(&mut self, indent: Option<usize>, from: usize, end: usize) -> Option<KeyClass> {
        self.enter(indent);
        if self.naming.is_none() {
            self.value = Some((from, end));
        }
        self.naming.filter(|naming| *naming != KeyClass::Ordinary)
    }

    /// Records the name, and returns the preceding value if the name makes it a secret.
    pub(super) fn name(&mut self, indent: Option<usize>, name: &str) -> Option<(usize, usize, KeyClass)> {
        self.enter(indent);
        let naming = classify_key(name);
        self.naming = Some(naming);
        let (from, end) = self.value.take()?;
        (naming != KeyClass::Ordinary).then_some((from, end, naming))
    }

    fn enter(&mut self, indent: Option<usize>) {
        if !self.is_open || self.indent != indent {
            *self = Self { indent, is_open: true, ..Self::default() };
        }
    }
}

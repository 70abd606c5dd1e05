//! Pairs of a name and a value, as lists of variables have them: `name: API_KEY` beside `value: …`.

use super::names::{Naming, naming};

/// What is known of the mapping that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    /// How far its keys are indented; none in brackets.
    indent: Option<usize>,
    is_open: bool,
    naming: Option<Naming>,
    /// A value whose name has not been read: where it begins and where its line ends.
    value: Option<(usize, usize)>,
}

/// What a key is in such a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Name,
    Value,
}

impl Half {
    /// Returns what a key of this name is.
    pub(super) fn of(key: &str) -> Option<Self> {
        match key {
            "name" | "key" => Some(Self::Name),
            "value" => Some(Self::Value),
            _ => None,
        }
    }
}

impl Pair {
    /// Forgets the pair where a line begins another mapping: it is a further item, or is indented less.
    pub(super) fn begin_line(&mut self, content: &str, indent: usize) {
        let is_left = self.indent.is_some_and(|own| indent < own);
        if content.starts_with("- ") || content.starts_with(['{', '}', '[']) || is_left {
            *self = Self::default();
        }
    }

    /// Forgets a pair in brackets where brackets open or close.
    pub(super) fn turn(&mut self) {
        if self.indent.is_none() {
            *self = Self::default();
        }
    }

    /// Returns how the value of this mapping is named, if that was read.
    pub(super) fn value(&mut self, indent: Option<usize>, from: usize, end: usize) -> Option<Naming> {
        self.enter(indent);
        if self.naming.is_none() {
            self.value = Some((from, end));
        }
        self.naming.filter(|naming| *naming != Naming::Ordinary)
    }

    /// Remembers the name, and returns the value that was read before it if it is a secret by that.
    pub(super) fn name(&mut self, indent: Option<usize>, name: &str) -> Option<(usize, usize, Naming)> {
        self.enter(indent);
        let naming = naming(name);
        self.naming = Some(naming);
        let (from, end) = self.value.take()?;
        (naming != Naming::Ordinary).then_some((from, end, naming))
    }

    fn enter(&mut self, indent: Option<usize>) {
        if !self.is_open || self.indent != indent {
            *self = Self { indent, is_open: true, ..Self::default() };
        }
    }
}

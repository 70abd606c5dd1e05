//! A compact list of the segments of a pattern.

use std::ops::Deref;

use super::Part;

/// The parts of a pattern; dereferences to a slice.
#[derive(Clone, Debug)]
pub(super) enum Parts {
    Few(PartList),
    Many(Box<[Part]>),
}

/// A list of few parts without a heap allocation. Nearly every pattern fits.
#[derive(Clone, Debug)]
pub(super) struct PartList {
    parts: [Part; Self::MAX_PARTS],
    length: u8,
}

impl PartList {
    const MAX_PARTS: usize = 4;

    pub(super) const fn new() -> Self {
        Self { parts: [Part::NOTHING; Self::MAX_PARTS], length: 0 }
    }

    /// Appends a part; `None` if the list is full.
    pub(super) fn push(&mut self, part: Part) -> Option<()> {
        *self.parts.get_mut(usize::from(self.length))? = part;
        self.length += 1;
        Some(())
    }
}

impl From<Vec<Part>> for Parts {
    fn from(parts: Vec<Part>) -> Self {
        let mut few = PartList::new();
        let all = parts.iter().try_for_each(|part| few.push(*part));
        if all.is_some() { Self::Few(few) } else { Self::Many(parts.into()) }
    }
}

impl Deref for Parts {
    type Target = [Part];

    fn deref(&self) -> &[Part] {
        match self {
            Self::Few(few) => few.parts.get(..usize::from(few.length)).unwrap_or_default(),
            Self::Many(parts) => parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Kind;

    #[test]
    fn few_and_many_parts_are_stored_unchanged() {
        for length in 0..10 {
            let given: Vec<Part> =
                (0..length).map(|at| Part { start: at, end: at + 1, kind: Kind::Literal }).collect();
            let parts = Parts::from(given.clone());
            assert_eq!(format!("{:?}", &*parts), format!("{given:?}"));
        }
    }
}

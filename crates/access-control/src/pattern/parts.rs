//! The segments of a pattern as a list.

use std::ops::Deref;

use super::Part;

/// The list of the parts of a pattern. It reads as a slice.
#[derive(Clone, Debug)]
pub(super) enum Parts {
    Few(FewParts),
    Many(Box<[Part]>),
}

/// A list of few parts. Nearly every pattern has no more, and they need no memory of their own.
#[derive(Clone, Debug)]
pub(super) struct FewParts {
    parts: [Part; Self::MOST],
    length: u8,
}

impl FewParts {
    const MOST: usize = 4;

    pub(super) const fn new() -> Self {
        Self { parts: [Part::NOTHING; Self::MOST], length: 0 }
    }

    /// Adds a part behind the others; none if that is one too many.
    pub(super) fn push(&mut self, part: Part) -> Option<()> {
        *self.parts.get_mut(usize::from(self.length))? = part;
        self.length += 1;
        Some(())
    }
}

impl From<Vec<Part>> for Parts {
    fn from(parts: Vec<Part>) -> Self {
        let mut few = FewParts::new();
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
    fn few_and_many_parts_stay_as_they_are() {
        for length in 0..10 {
            let given: Vec<Part> =
                (0..length).map(|at| Part { start: at, end: at + 1, kind: Kind::Literal }).collect();
            let parts = Parts::from(given.clone());
            assert_eq!(format!("{:?}", &*parts), format!("{given:?}"));
        }
    }
}

//! Whether all of a mapping could be decoded.

pub use minds_diagnostics::Completeness;
pub use minds_document_derive::Completeness;

use crate::{Field, List, Spanned};

impl<T: Completeness> Completeness for Field<T> {
    fn is_complete(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::Given(value) => value.value.is_complete(),
            Self::Unreadable(_) => false,
        }
    }
}

impl<T: Completeness> Completeness for List<T> {
    fn is_complete(&self) -> bool {
        self.is_complete && self.items.iter().all(|item| item.value.is_complete())
    }
}

impl<T: Completeness> Completeness for Spanned<T> {
    fn is_complete(&self) -> bool {
        self.value.is_complete()
    }
}

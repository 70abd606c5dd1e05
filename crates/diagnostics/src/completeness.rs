//! Whether all of a value could be read.

/// A value of which a part may be unreadable.
///
/// The default is right for values that are read completely or not at all.
pub trait Completeness {
    /// Returns whether no part of the value is unreadable.
    fn is_complete(&self) -> bool {
        true
    }
}

impl<T: Completeness> Completeness for Option<T> {
    fn is_complete(&self) -> bool {
        self.as_ref().is_none_or(Completeness::is_complete)
    }
}

impl Completeness for bool {}

impl Completeness for String {}

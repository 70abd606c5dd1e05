//! Decoded values with their places.

use minds_diagnostics::Span;

use crate::{Node, NodeId};

/// A value, and the node that it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The span that it was read from.
    pub span: Span,
    /// The node that it was read from.
    pub node: NodeId,
}

impl<T> Spanned<T> {
    /// Wraps `value` as read from `node`.
    pub fn new(value: T, node: Node<'_>) -> Self {
        Self { value, span: node.span(), node: node.id() }
    }

    /// Returns another value with the same place.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: map(self.value), span: self.span, node: self.node }
    }
}

/// The value of one key of a mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// The mapping does not have the key.
    #[default]
    Absent,
    /// A value.
    Given(Spanned<T>),
    /// The value was reported. This is not the same as absent: nothing may be derived from it.
    Unreadable(Spanned<()>),
}

impl<T> Field<T> {
    /// Returns the value, if the key has a valid one.
    pub fn as_given(&self) -> Option<&Spanned<T>> {
        match self {
            Self::Given(value) => Some(value),
            Self::Absent | Self::Unreadable(_) => None,
        }
    }

    /// Returns the value, if the key has a valid one.
    pub fn into_given(self) -> Option<Spanned<T>> {
        match self {
            Self::Given(value) => Some(value),
            Self::Absent | Self::Unreadable(_) => None,
        }
    }

    /// Returns whether the mapping does not have the key.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns whether the key exists and its value is not valid.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }

    /// Returns this field, or `inherited` if the key is absent. A key with an invalid value still replaces the
    /// inherited value.
    pub fn or<'f>(&'f self, inherited: &'f Self) -> &'f Self {
        if self.is_absent() { inherited } else { self }
    }

    /// Makes the field unreadable if it is absent and `place` returns a place.
    pub fn mark_unreadable(&mut self, place: impl FnOnce() -> Option<Spanned<()>>) {
        if self.is_absent()
            && let Some(place) = place()
        {
            *self = Self::Unreadable(place);
        }
    }

    /// Returns the same field with another value.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Given(value) => Field::Given(value.map(map)),
            Self::Unreadable(place) => Field::Unreadable(place),
        }
    }

    /// Returns the place of the value, if the key exists.
    pub fn place(&self) -> Option<Spanned<()>> {
        match self {
            Self::Absent => None,
            Self::Given(value) => Some(Spanned { value: (), span: value.span, node: value.node }),
            Self::Unreadable(place) => Some(*place),
        }
    }
}

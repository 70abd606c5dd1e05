//! What steps of renaming make of every name, whatever it is.

use super::literal_tools::{MAX_NAME_BYTES, is_name_character};
use super::model::Transform;

/// So many combinations of removed and kept prefixes are followed.
const MAX_SHAPES: usize = 64;

/// A shape of the names that renaming gives: `head`, then what is left of the original name, then `tail`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// What every name begins with.
    pub(crate) head: String,
    /// What every name ends with.
    pub(crate) tail: String,
    /// The least that is left of the original name, in bytes: nothing if a step may have removed all of it.
    least_rest: usize,
}

impl Shape {
    /// The shape of names that nothing has changed.
    fn original() -> Self {
        Self { head: String::new(), tail: String::new(), least_rest: 1 }
    }

    /// Returns whether a name of this shape can be used.
    fn can_be_a_name(&self) -> bool {
        let fixed = [&self.head, &self.tail];
        fixed.iter().all(|text| text.chars().all(is_name_character))
            && self.head.len() + self.tail.len() + self.least_rest <= MAX_NAME_BYTES
    }
}

/// Returns the shapes that one more step gives; none if they are not known or too many.
fn step(shapes: Vec<Shape>, step: &Transform) -> Option<Vec<Shape>> {
    let mut next: Vec<Shape> = Vec::new();
    for mut shape in shapes {
        match step {
            Transform::Prefix(prefix) => shape.head.insert_str(0, prefix),
            Transform::Suffix(suffix) => shape.tail.push_str(suffix),
            Transform::ReplacePrefix { remove, add } => {
                if let Some(kept) = shape.head.strip_prefix(remove.as_str()) {
                    shape.head = format!("{add}{kept}");
                } else {
                    if let Some(inner) = remove.strip_prefix(shape.head.as_str()) {
                        if may_reach_into_tail(&shape, inner) {
                            return None;
                        }
                        if may_begin_a_name(inner) {
                            next.push(Shape { head: add.clone(), tail: shape.tail.clone(), least_rest: 0 });
                        }
                    }
                    shape.head.insert_str(0, add);
                }
            }
        }
        next.push(shape);
    }
    next.dedup();
    (next.len() <= MAX_SHAPES).then_some(next)
}

/// Returns whether the removed text may reach into the tail: up to and including `inner` of the original name is removed.
fn may_reach_into_tail(shape: &Shape, inner: &str) -> bool {
    let mut ends = inner.char_indices().filter(|(at, _)| *at >= shape.least_rest);
    ends.any(|(at, _)| inner.get(at..).is_some_and(|end| shape.tail.starts_with(end)))
}

/// Returns whether an original name may begin with `inner`.
fn may_begin_a_name(inner: &str) -> bool {
    inner.chars().all(is_name_character) && inner.len() <= MAX_NAME_BYTES
}

/// Returns the index of the step after which no name can be used any more, if that is so at the end.
pub(crate) fn unusable_after(steps: &[&Transform]) -> Option<usize> {
    let mut shapes = vec![Shape::original()];
    let mut breaking = None;
    for (at, transform) in steps.iter().enumerate() {
        shapes = step(shapes, transform)?;
        if shapes.iter().any(Shape::can_be_a_name) {
            breaking = None;
        } else {
            breaking = breaking.or(Some(at));
        }
    }
    breaking
}

/// Returns what is put around every name from which no step removes anything.
pub(crate) fn around(steps: &[&Transform]) -> Option<Shape> {
    let mut shapes = vec![Shape::original()];
    for transform in steps {
        shapes = step(shapes, transform)?;
    }
    shapes.pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::transform::apply;

    fn prefix(text: &str) -> Transform {
        Transform::Prefix(text.into())
    }

    fn suffix(text: &str) -> Transform {
        Transform::Suffix(text.into())
    }

    fn replace(remove: &str, add: &str) -> Transform {
        Transform::ReplacePrefix { remove: remove.into(), add: add.into() }
    }

    #[track_caller]
    fn check(steps: &[Transform], expected: Option<usize>) {
        assert_eq!(unusable_after(&steps.iter().collect::<Vec<_>>()), expected, "{steps:?}");
    }

    #[test]
    fn steps_that_leave_no_usable_name_are_found() {
        check(&[], None);
        check(&[prefix("browser_")], None);
        check(&[prefix("browser/")], Some(0));
        check(&[prefix("a_"), suffix(".x")], Some(1));
        check(&[prefix("a/"), replace("a/", "a_")], None);
        check(&[prefix("a/"), replace("b/", "a_")], Some(0));
        check(&[replace("browser_", "b/")], Some(0));
        check(&[prefix(&"x".repeat(63))], None);
        check(&[prefix(&"x".repeat(64))], Some(0));
        check(&[prefix(&"x".repeat(40)), suffix(&"y".repeat(24))], Some(1));
        // Where the prefix was there and is the whole name, nothing is left of it.
        check(&[replace("a", &"x".repeat(64))], None);
        // What is removed may reach into the suffix.
        check(&[suffix("/b"), replace("a/b", "")], None);
        check(&[prefix("é")], Some(0));
    }

    proptest::proptest! {
        /// No short name can be used where all are said to be unusable.
        #[test]
        fn no_name_can_be_used_after_unusable_steps(
            steps in proptest::collection::vec(
                proptest::prop_oneof![
                    "[ab/]{0,2}".prop_map(Transform::Prefix),
                    "[ab/]{0,2}".prop_map(Transform::Suffix),
                    ("[ab/]{0,3}", "[ab/]{0,2}")
                        .prop_map(|(remove, add)| Transform::ReplacePrefix { remove, add }),
                ],
                0..5,
            ),
        ) {
            let steps: Vec<&Transform> = steps.iter().collect();
            let can_be_used = |name: &str| {
                let name = apply(name, steps.iter().copied()).expect("it is short");
                crate::mcp::literal_tools::why_no_name(&name).is_none()
            };
            let mut names: Vec<String> = vec![String::new()];
            for _ in 0..5 {
                names = names.iter().flat_map(|name| ["", "a", "b"].map(|c| format!("{name}{c}"))).collect();
                names.sort();
                names.dedup();
            }
            names.retain(|name| !name.is_empty());
            let is_any_usable = names.iter().any(|name| can_be_used(name));
            if unusable_after(&steps).is_some() {
                proptest::prop_assert!(!is_any_usable);
            }
        }
    }

    use proptest::strategy::Strategy as _;
}

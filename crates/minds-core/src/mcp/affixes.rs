//! The effect of renaming steps on all tool names.

use super::exposure::{MAX_NAME_BYTES, is_name_character};
use super::model::Transform;

/// The maximum number of combinations of removed and kept prefixes that are followed.
const MAX_SHAPES: usize = 64;

/// The shape of renamed names: `head`, then the rest of the original name, then `tail`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The beginning of every name.
    pub(crate) head: String,
    /// The end of every name.
    pub(crate) tail: String,
    /// The minimum length of the rest of the original name in bytes: 0 if a step may have removed all of it.
    min_rest: usize,
}

impl Shape {
    /// The shape of original names.
    fn original() -> Self {
        Self { head: String::new(), tail: String::new(), min_rest: 1 }
    }

    /// Returns whether a name of this shape can be a valid tool name.
    fn can_be_a_name(&self) -> bool {
        let fixed = [&self.head, &self.tail];
        fixed.iter().all(|text| text.chars().all(is_name_character))
            && self.head.len() + self.tail.len() + self.min_rest <= MAX_NAME_BYTES
    }
}

/// Returns the shapes after one more step; `None` if they are not known or too many.
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
                            next.push(Shape { head: add.clone(), tail: shape.tail.clone(), min_rest: 0 });
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
    let mut ends = inner.char_indices().filter(|(at, _)| *at >= shape.min_rest);
    ends.any(|(at, _)| inner.get(at..).is_some_and(|end| shape.tail.starts_with(end)))
}

/// Returns whether an original name may begin with `inner`.
fn may_begin_a_name(inner: &str) -> bool {
    inner.chars().all(is_name_character) && inner.len() <= MAX_NAME_BYTES
}

/// Returns the index of the step after which no tool name is valid, if none is valid after all steps.
pub(crate) fn find_breaking_step(steps: &[&Transform]) -> Option<usize> {
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

/// Returns the prefix and suffix that the steps add to every name from which they remove nothing.
pub(crate) fn added_affixes(steps: &[&Transform]) -> Option<Shape> {
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
        assert_eq!(find_breaking_step(&steps.iter().collect::<Vec<_>>()), expected, "{steps:?}");
    }

    #[test]
    fn steps_that_make_all_names_invalid_are_found() {
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
        // If the name is equal to the removed prefix, its rest is empty.
        check(&[replace("a", &"x".repeat(64))], None);
        // The removed prefix may include part of the suffix.
        check(&[suffix("/b"), replace("a/b", "")], None);
        check(&[prefix("é")], Some(0));
    }

    proptest::proptest! {
        /// If no name is valid after the steps, this holds for all short names.
        #[test]
        fn no_name_is_valid_after_a_breaking_step(
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
                crate::mcp::exposure::invalid_name_reason(&name).is_none()
            };
            let mut names: Vec<String> = vec![String::new()];
            for _ in 0..5 {
                names = names.iter().flat_map(|name| ["", "a", "b"].map(|c| format!("{name}{c}"))).collect();
                names.sort();
                names.dedup();
            }
            names.retain(|name| !name.is_empty());
            let is_any_usable = names.iter().any(|name| can_be_used(name));
            if find_breaking_step(&steps).is_some() {
                proptest::prop_assert!(!is_any_usable);
            }
        }
    }

    use proptest::strategy::Strategy as _;
}

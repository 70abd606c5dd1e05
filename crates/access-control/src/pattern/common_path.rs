//! A path in the scopes of two patterns.

use std::borrow::Cow;

use super::Segment;
use crate::glob;

/// The text that replaces each `*`.
const FILLER: &str = "~";

/// Returns a path in both scopes; `None` if no path is in both. Some names of the path may be reserved or invalid, because
/// the scopes may have no other path in common.
///
/// Takes time proportional to the product of both lengths.
pub(crate) fn common_path(first: &[Segment<'_>], second: &[Segment<'_>]) -> Option<String> {
    // Both scopes contain everything below a path, so nothing is searched once one pattern is matched completely.
    let width = second.len() + 1;
    let mut search =
        Search { first, second, width, failed: vec![false; (first.len() + 1) * width], names: Vec::new() };
    search.extend(0, 0).then(|| search.names.join("/"))
}

struct Search<'s> {
    first: &'s [Segment<'s>],
    second: &'s [Segment<'s>],
    /// The length of a row of `failed`.
    width: usize,
    /// The pairs of positions from which no path matches the rests of both patterns.
    failed: Vec<bool>,
    /// The names that lead to the current pair of positions.
    names: Vec<Cow<'s, str>>,
}

impl Search<'_> {
    /// Extends the path by names that match both patterns from these positions on; returns whether this is possible.
    fn extend(&mut self, first: usize, second: usize) -> bool {
        let place = first * self.width + second;
        if self.failed.get(place) != Some(&false) {
            return false;
        }
        let is_found = match (self.first.get(first), self.second.get(second)) {
            (None, None) => true,
            (Some(Segment::Any), None) => self.extend(first + 1, second),
            (None, Some(Segment::Any)) => self.extend(first, second + 1),
            (Some(Segment::Any), Some(Segment::Any)) => {
                self.extend(first + 1, second) || self.extend(first, second + 1)
            }
            (Some(Segment::Any), Some(other)) => {
                self.extend(first + 1, second) || self.extend_by(sample(*other), first, second + 1)
            }
            (Some(other), Some(Segment::Any)) => {
                self.extend(first, second + 1) || self.extend_by(sample(*other), first + 1, second)
            }
            (Some(name), None) => self.extend_by(sample(*name), first + 1, second),
            (None, Some(name)) => self.extend_by(sample(*name), first, second + 1),
            (Some(a), Some(b)) => {
                common_name(*a, *b).is_some_and(|name| self.extend_by(name, first + 1, second + 1))
            }
        };
        if !is_found && let Some(failed) = self.failed.get_mut(place) {
            *failed = true;
        }
        is_found
    }
}

impl<'s> Search<'s> {
    /// Extends the path by `name`, and then from these positions on.
    fn extend_by(&mut self, name: Cow<'s, str>, first: usize, second: usize) -> bool {
        self.names.push(name);
        let is_found = self.extend(first, second);
        if !is_found {
            self.names.pop();
        }
        is_found
    }
}

/// Returns a name that a segment matches.
fn sample(segment: Segment<'_>) -> Cow<'_, str> {
    match segment {
        Segment::Any => Cow::Borrowed(FILLER),
        Segment::Literal(text) => Cow::Borrowed(text),
        Segment::Glob(text) => Cow::Owned(text.replace('*', FILLER)),
    }
}

/// Returns a name that both segments match; `None` if no name does.
fn common_name<'s>(first: Segment<'s>, second: Segment<'s>) -> Option<Cow<'s, str>> {
    match (first, second) {
        (Segment::Any, other) | (other, Segment::Any) => Some(sample(other)),
        (Segment::Literal(a), Segment::Literal(b)) => (a == b).then_some(Cow::Borrowed(a)),
        (Segment::Literal(text), Segment::Glob(glob)) | (Segment::Glob(glob), Segment::Literal(text)) => {
            glob::matches(glob, text).then_some(Cow::Borrowed(text))
        }
        (Segment::Glob(a), Segment::Glob(b)) => common_name_of_globs(a, b).map(Cow::Owned),
    }
}

/// Returns a name that both globs match. Only their ends can be incompatible: the first `*` of each glob matches everything
/// up to its own middle, and the last `*` everything after it.
fn common_name_of_globs(first: &str, second: &str) -> Option<String> {
    let (first_head, first_middle, first_tail) = ends(first);
    let (second_head, second_middle, second_tail) = ends(second);
    let is_compatible = |longer: &str, shorter: &str| longer.starts_with(shorter);
    let head = if is_compatible(first_head, second_head) {
        first_head
    } else if is_compatible(second_head, first_head) {
        second_head
    } else {
        return None;
    };
    let tail = if first_tail.ends_with(second_tail) {
        first_tail
    } else if second_tail.ends_with(first_tail) {
        second_tail
    } else {
        return None;
    };
    let mut name = String::from(head);
    for middle in [first_middle, second_middle].into_iter().filter(|middle| !middle.is_empty()) {
        name.push_str(FILLER);
        name.push_str(&middle.replace('*', FILLER));
    }
    name.push_str(FILLER);
    name.push_str(tail);
    Some(name)
}

/// Returns what is in front of the first `*`, between the first and the last, and after the last.
fn ends(glob: &str) -> (&str, &str, &str) {
    let (head, rest) = glob.split_once('*').unwrap_or((glob, ""));
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    (head, middle, tail)
}

#[cfg(test)]
mod tests {
    use minds_vfs::WorkspacePath;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::Pattern;

    fn common(first: &str, second: &str) -> Option<String> {
        let read = |text: &str| Pattern::parse(text).expect("the pattern is valid");
        let (first, second) = (read(first), read(second));
        common_path(&first.segments().collect::<Vec<_>>(), &second.segments().collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(first: &str, second: &str, expected: Option<&str>) {
        assert_eq!(common(first, second).as_deref(), expected, "{first} and {second}");
        assert_eq!(common(second, first).is_some(), expected.is_some(), "{second} and {first}");
    }

    #[test]
    fn a_common_path_is_in_both_scopes() {
        check("src", "src/gen", Some("src/gen"));
        check("src", "docs", None);
        check("src", ".", Some("src"));
        check(".", ".", Some(""));
        check("**/*.key", "src/*", Some("src/~.key"));
        check("**/gen", "src", Some("src/gen"));
        check("a/**/b", "a/c/*", Some("a/c/b"));
        check("a*", "*b", Some("a~b"));
        check("a*", "b*", None);
        check("*.rs", "*.md", None);
        check("ab*c*d", "a*e*cd", Some("ab~c~e~cd"));
        check("*/x", "*/y", None);
        check("*/x", "**/y/z", Some("~/x/y/z"));
        check(".*", "*.", Some(".~."));
    }

    fn patterns() -> impl Strategy<Value = String> {
        let segment = select(vec!["a", "b", "ab", "*", "**", "a*", "*b", "b*a", "*a*"]);
        prop::collection::vec(segment, 1..4).prop_map(|segments| segments.join("/"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// A common path is in both scopes, and if there is none, no path is.
        #[test]
        fn a_common_path_exists_if_the_scopes_overlap(
            first in patterns(),
            second in patterns(),
            paths in prop::collection::vec("([ab]{1,3}/){0,4}[ab]{1,3}", 40),
        ) {
            let read = |text: &str| Pattern::parse(text).expect("the pattern is valid");
            let is_in_both = |path: &str| {
                let path = WorkspacePath::parse(path).expect("the path is valid");
                read(&first).matches(&path) && read(&second).matches(&path)
            };
            match common(&first, &second) {
                Some(path) => prop_assert!(path.is_empty() || is_in_both(&path), "{}", path),
                None => prop_assert!(!paths.iter().any(|path| is_in_both(path))),
            }
        }
    }
}

//! Finds paths that are in two scopes.

use minds_access_control::Pattern;
use minds_vfs::WorkspacePath;

/// The name that represents all names.
const ANY_NAME: &str = "_";

/// The numbers of names that `**` is expanded to: none, one, and more than most entries have.
const DEPTHS: [usize; 3] = [0, 1, 9];

/// Returns a sample path in the scope of a pattern: the pattern with `_` instead of wildcards.
pub(super) fn sample(pattern: &Pattern) -> WorkspacePath {
    let segments = segments(pattern, 0);
    shared_path(&segments, &segments).unwrap_or_default()
}

/// Returns paths that are in the scopes of both patterns: at least one if there is any, and deeper ones if `**` allows it,
/// because another entry may decide about the first one. May miss paths if both patterns have wildcards within one name.
pub(super) fn shared_paths(a: &ExpandedPattern, b: &ExpandedPattern) -> Vec<WorkspacePath> {
    let mut found: Vec<WorkspacePath> = Vec::new();
    let Some((shallow_a, shallow_b)) = a.by_depth.first().zip(b.by_depth.first()) else { return found };
    let pairs = b.by_depth.iter().map(|deep| (shallow_a, deep));
    // The first pair of the second sequence is skipped because it is also the first pair of the first one.
    for (in_a, in_b) in pairs.chain(a.by_depth.iter().skip(1).map(|deep| (deep, shallow_b))) {
        let path = shared_path(in_a, in_b);
        found.extend(path.filter(|path| !found.contains(path)));
    }
    found
}

/// A pattern, prepared for comparison with many other patterns: its segments with each of [`DEPTHS`] names before each `**`;
/// only one expansion for a pattern without `**`.
#[derive(Debug)]
pub(super) struct ExpandedPattern {
    by_depth: Vec<Vec<String>>,
}

impl ExpandedPattern {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let shallow = segments(pattern, 0);
        let depths = if shallow.iter().any(|segment| segment == "**") { DEPTHS.as_slice() } else { &[] };
        let deep = depths.iter().skip(1).map(|depth| segments(pattern, *depth));
        Self { by_depth: std::iter::once(shallow.clone()).chain(deep).collect() }
    }
}

/// Returns the segments of a pattern, with `names` additional names before each `**`.
fn segments(pattern: &Pattern, names: usize) -> Vec<String> {
    let text = pattern.to_string();
    let mut found = Vec::new();
    for segment in text.split('/').filter(|segment| *segment != ".") {
        if segment == "**" {
            found.extend(std::iter::repeat_n("*".to_owned(), names));
        }
        found.push(segment.to_owned());
    }
    found
}

fn shared_path(a: &[String], b: &[String]) -> Option<WorkspacePath> {
    let mut search = Search { a, b, failed: vec![false; (a.len() + 1) * (b.len() + 1)] };
    let names = search.walk(0, 0)?;
    WorkspacePath::normalize(&names.into_iter().rev().collect::<Vec<_>>().join("/")).ok()
}

/// Walks both patterns in parallel; each pair of positions is tried once.
struct Search<'p> {
    a: &'p [String],
    b: &'p [String],
    failed: Vec<bool>,
}

impl Search<'_> {
    /// Returns the names after the positions `i` and `j`, in reverse order.
    fn walk(&mut self, i: usize, j: usize) -> Option<Vec<String>> {
        let cell = i * (self.b.len() + 1) + j;
        if self.failed.get(cell).copied().unwrap_or(true) {
            return None;
        }
        let found = self.step(i, j);
        if let (None, Some(failed)) = (&found, self.failed.get_mut(cell)) {
            *failed = true;
        }
        found
    }

    fn step(&mut self, i: usize, j: usize) -> Option<Vec<String>> {
        let (a, b) = (self.a.get(i).cloned(), self.b.get(j).cloned());
        let mut with = |name: String, i, j| {
            let mut names = self.walk(i, j)?;
            names.push(name);
            Some(names)
        };
        match (a.as_deref(), b.as_deref()) {
            (None, None) => Some(Vec::new()),
            // The rest of one pattern may match after any number of names of the other.
            (Some("**"), None | Some("**")) => self.walk(i + 1, j),
            (None, Some("**")) => self.walk(i, j + 1),
            (Some(name), None) => with(instantiate(name), i + 1, j),
            (None, Some(name)) => with(instantiate(name), i, j + 1),
            (Some("**"), Some(name)) => {
                let name = instantiate(name);
                self.walk(i + 1, j).or_else(|| {
                    let mut names = self.walk(i, j + 1)?;
                    names.push(name);
                    Some(names)
                })
            }
            (Some(name), Some("**")) => {
                let name = instantiate(name);
                self.walk(i, j + 1).or_else(|| {
                    let mut names = self.walk(i + 1, j)?;
                    names.push(name);
                    Some(names)
                })
            }
            (Some(a), Some(b)) => with(common_name(a, b)?, i + 1, j + 1),
        }
    }
}

/// Returns a name that matches a segment.
fn instantiate(segment: &str) -> String {
    if segment == "*" { ANY_NAME.to_owned() } else { segment.replace('*', ANY_NAME) }
}

/// Returns a name that matches both segments, if one is found.
fn common_name(a: &str, b: &str) -> Option<String> {
    // Most segments have no wildcard, or consist of one.
    match (a.contains('*'), b.contains('*')) {
        (false, false) => return (a == b).then(|| a.to_owned()),
        (false, true) => return matches(b, a).then(|| a.to_owned()),
        (true, false) => return matches(a, b).then(|| b.to_owned()),
        (true, true) => {}
    }
    let (in_a, in_b) = (instantiate(a), instantiate(b));
    let joined = || format!("{}{}", a.replace('*', ""), b.replace('*', ""));
    let reversed = || format!("{}{}", b.replace('*', ""), a.replace('*', ""));
    let names = [in_a, in_b, joined(), reversed()];
    names.into_iter().find(|name| matches(a, name) && matches(b, name))
}

fn matches(segment: &str, name: &str) -> bool {
    if segment == "*" {
        return true;
    }
    match (Pattern::parse(segment), WorkspacePath::parse(name)) {
        (Ok(pattern), Ok(name)) => pattern.matches(&name),
        _ => segment == name,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, expected: Option<&str>) {
        let [a, b] = [a, b].map(|text| Pattern::parse(text).unwrap());
        let found = shared_paths(&ExpandedPattern::new(&a), &ExpandedPattern::new(&b));
        assert_eq!(found.first().map(WorkspacePath::as_str), expected, "{a} and {b}");
    }

    #[test]
    fn a_shared_path_is_in_both_scopes() {
        check("src", "src/gen", Some("src/gen"));
        check("src/gen", ".", Some("src/gen"));
        check(".", ".", Some(""));
        check("src", "docs", None);
        check("src", "**/secret", Some("src/secret"));
        check("**/secret", "src", Some("src/secret"));
        check("src/*", "src", Some("src/_"));
        check("*.md", "draft-*", Some("draft-.md"));
        check("a/**/b", "a/x", Some("a/x/b"));
        check("a/*/b", "a/**/c", Some("a/c/b"));
        check("*.md", "*.rs", None);
    }

    #[test]
    fn two_stars_are_expanded_to_different_numbers_of_names() {
        let [root, entry] = [".", "**/b"].map(|text| Pattern::parse(text).unwrap());
        let found: Vec<String> = shared_paths(&ExpandedPattern::new(&root), &ExpandedPattern::new(&entry))
            .iter()
            .map(WorkspacePath::to_string)
            .collect();
        assert_eq!(found, ["b", "_/b", "_/_/_/_/_/_/_/_/_/b"]);
    }

    proptest! {
        /// Returned paths are in both scopes, and without wildcards within names a path is found if there is one.
        #[test]
        fn shared_paths_are_correct(
            a in prop::collection::vec(prop::sample::select(vec!["a", "b", "*", "**", "a*"]), 1..5),
            b in prop::collection::vec(prop::sample::select(vec!["a", "b", "*", "**", "*b"]), 1..5),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "c"]), 0..6),
        ) {
            let [a, b] = [a, b].map(|segments| Pattern::parse(&segments.join("/")).unwrap());
            let found = shared_paths(&ExpandedPattern::new(&a), &ExpandedPattern::new(&b));
            for found in &found {
                prop_assert!(a.matches(found) && b.matches(found), "{} and {}: {}", a, b, found);
            }
            let path = WorkspacePath::normalize(&path.join("/")).unwrap();
            if a.matches(&path) && b.matches(&path) {
                prop_assert!(!found.is_empty(), "{} and {}: {}", a, b, path);
            }
        }
    }
}

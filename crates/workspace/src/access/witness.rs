//! Paths that lie in two scopes.

use minds_access_control::Pattern;
use minds_paths::WorkspacePath;

/// What stands for any name.
const ANY_NAME: &str = "_";

/// For how many names `**` is taken: for none, for one, and for more than most entries have.
const DEPTHS: [usize; 3] = [0, 1, 9];

/// Returns a path in the scope of a pattern, as general as there is one: the path that it names, with `_` for wildcards.
pub(super) fn sample(pattern: &Pattern) -> WorkspacePath {
    let segments = segments(pattern, 0);
    meeting(&segments, &segments).unwrap_or_default()
}

/// Returns paths that lie in the scopes of both patterns: some if there are any, and deeper ones too where `**` allows
/// it, because another entry may be about the first. It need not find one where both have wildcards in one name.
pub(super) fn both(a: &Pattern, b: &Pattern) -> Vec<WorkspacePath> {
    let mut found: Vec<WorkspacePath> = Vec::new();
    for (in_a, in_b) in DEPTHS.map(|depth| (0, depth)).into_iter().chain(DEPTHS.map(|depth| (depth, 0))) {
        let path = meeting(&segments(a, in_a), &segments(b, in_b));
        found.extend(path.filter(|path| !found.contains(path)));
    }
    found
}

/// Returns the segments of a pattern, with so many names before each `**`.
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

fn meeting(a: &[String], b: &[String]) -> Option<WorkspacePath> {
    let mut search = Search { a, b, failed: vec![false; (a.len() + 1) * (b.len() + 1)] };
    let names = search.walk(0, 0)?;
    WorkspacePath::normalize(&names.into_iter().rev().collect::<Vec<_>>().join("/")).ok()
}

/// Walks both patterns side by side; each pair of places is tried once.
struct Search<'p> {
    a: &'p [String],
    b: &'p [String],
    failed: Vec<bool>,
}

impl Search<'_> {
    /// Returns the names behind the places `i` and `j`, the last one first.
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
            // What follows one of them may still lie behind any names of the other.
            (Some("**"), None | Some("**")) => self.walk(i + 1, j),
            (None, Some("**")) => self.walk(i, j + 1),
            (Some(name), None) => with(instance(name), i + 1, j),
            (None, Some(name)) => with(instance(name), i, j + 1),
            (Some("**"), Some(name)) => {
                let name = instance(name);
                self.walk(i + 1, j).or_else(|| {
                    let mut names = self.walk(i, j + 1)?;
                    names.push(name);
                    Some(names)
                })
            }
            (Some(name), Some("**")) => {
                let name = instance(name);
                self.walk(i, j + 1).or_else(|| {
                    let mut names = self.walk(i + 1, j)?;
                    names.push(name);
                    Some(names)
                })
            }
            (Some(a), Some(b)) => with(common(a, b)?, i + 1, j + 1),
        }
    }
}

/// Returns a name that matches a segment.
fn instance(segment: &str) -> String {
    if segment == "*" { ANY_NAME.to_owned() } else { segment.replace('*', ANY_NAME) }
}

/// Returns a name that matches both segments, if one is found.
fn common(a: &str, b: &str) -> Option<String> {
    let (in_a, in_b) = (instance(a), instance(b));
    let joined = || format!("{}{}", a.replace('*', ""), b.replace('*', ""));
    let reversed = || format!("{}{}", b.replace('*', ""), a.replace('*', ""));
    let names = [in_a, in_b, joined(), reversed()];
    names.into_iter().find(|name| matches(a, name) && matches(b, name))
}

fn matches(segment: &str, name: &str) -> bool {
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
        let found = both(&a, &b);
        assert_eq!(found.first().map(WorkspacePath::as_str), expected, "{a} and {b}");
    }

    #[test]
    fn a_path_lies_in_both_scopes_or_there_is_none() {
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
    fn two_stars_are_taken_for_different_numbers_of_names() {
        let [root, entry] = [".", "**/b"].map(|text| Pattern::parse(text).unwrap());
        let found: Vec<String> = both(&root, &entry).iter().map(WorkspacePath::to_string).collect();
        assert_eq!(found, ["b", "_/b", "_/_/_/_/_/_/_/_/_/b"]);
    }

    proptest! {
        /// What is found lies in both scopes, and without wildcards within names something is found wherever there is.
        #[test]
        fn what_is_found_is_true(
            a in prop::collection::vec(prop::sample::select(vec!["a", "b", "*", "**", "a*"]), 1..5),
            b in prop::collection::vec(prop::sample::select(vec!["a", "b", "*", "**", "*b"]), 1..5),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "c"]), 0..6),
        ) {
            let [a, b] = [a, b].map(|segments| Pattern::parse(&segments.join("/")).unwrap());
            let found = both(&a, &b);
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

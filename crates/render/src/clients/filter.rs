//! Which tools of a server are enabled, for clients that list them by name.

use minds_core::mcp::exposure::ExposureRules;

use super::entry::WithPlace;

/// Which tools are enabled.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Exposure<'s> {
    /// All tools.
    All,
    /// Only these tools.
    Only(Vec<&'s str>),
    /// All tools except these.
    AllBut(Vec<&'s str>),
}

/// Which tools are enabled, and which entries are patterns.
#[derive(Debug)]
pub(super) struct Filter<'s> {
    pub(super) exposure: Exposure<'s>,
    /// The patterns in the whitelist, which a client does not support.
    pub(super) white_patterns: Vec<&'s WithPlace<String>>,
    /// The patterns in the blacklist.
    pub(super) black_patterns: Vec<&'s WithPlace<String>>,
}

type Entries = [WithPlace<String>];

impl<'s> Filter<'s> {
    /// Expresses the rules of a whitelist and a blacklist as one list of names.
    pub(super) fn of(white: &'s Entries, black: &'s Entries) -> Self {
        let values = |list: &'s Entries| list.iter().map(|entry| &entry.value);
        let rules = ExposureRules::new(values(white), values(black), []);
        let covers_all = |list: &Entries| list.iter().any(|entry| is_everything(&entry.value));
        let none = Vec::new;
        if covers_all(white) {
            return Self { exposure: Exposure::All, white_patterns: none(), black_patterns: none() };
        }
        if covers_all(black) || !rules.accepts_unlisted() {
            let (names, white_patterns) = split(white);
            return Self { exposure: Exposure::Only(names), white_patterns, black_patterns: none() };
        }
        let (names, black_patterns) = split(black);
        let names: Vec<&str> = names.into_iter().filter(|name| rules.filter(name).is_err()).collect();
        let exposure = if names.is_empty() { Exposure::All } else { Exposure::AllBut(names) };
        Self { exposure, white_patterns: none(), black_patterns }
    }

    /// Returns, for each list, whether it has an effect on which tools are enabled.
    pub(super) fn are_relevant(white: &'s Entries, black: &'s Entries) -> (bool, bool) {
        let filter = Self::of(white, black);
        let is_all = filter.exposure == Exposure::All && filter.black_patterns.is_empty();
        (!is_all && !white.is_empty(), !is_all && !black.is_empty())
    }
}

/// Returns the distinct names of a list, and its patterns.
fn split(list: &Entries) -> (Vec<&str>, Vec<&WithPlace<String>>) {
    let mut names: Vec<&str> = Vec::new();
    let mut patterns = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for entry in list {
        if entry.value.contains('*') {
            patterns.push(entry);
        } else if seen.insert(entry.value.as_str()) {
            names.push(&entry.value);
        }
    }
    (names, patterns)
}

fn is_everything(entry: &str) -> bool {
    !entry.is_empty() && entry.bytes().all(|byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(entries: &[String]) -> Vec<WithPlace<String>> {
        entries.iter().cloned().map(WithPlace::without_place).collect()
    }

    #[track_caller]
    fn check(white: &[&str], black: &[&str], expected: &Exposure<'_>, patterns: (usize, usize)) {
        let lists = [white, black]
            .map(|entries| list(&entries.iter().map(|entry| (*entry).into()).collect::<Vec<String>>()));
        let found = Filter::of(&lists[0], &lists[1]);
        assert_eq!(&found.exposure, expected, "{white:?} {black:?}");
        assert_eq!((found.white_patterns.len(), found.black_patterns.len()), patterns, "{white:?} {black:?}");
    }

    #[test]
    fn lists_are_expressed_as_one() {
        check(&[], &[], &Exposure::All, (0, 0));
        check(&["a", "a", "b"], &[], &Exposure::Only(vec!["a", "b"]), (0, 0));
        check(&["a", "b_*"], &[], &Exposure::Only(vec!["a"]), (1, 0));
        check(&["*"], &["a"], &Exposure::All, (0, 0));
        check(&["a"], &["*"], &Exposure::Only(vec!["a"]), (0, 0));
        check(&[], &["**"], &Exposure::Only(vec![]), (0, 0));
        check(&[], &["a", "x*"], &Exposure::AllBut(vec!["a"]), (0, 1));
        check(&["a*"], &["ab", "b"], &Exposure::AllBut(vec!["b"]), (0, 0));
        check(&["a"], &["a"], &Exposure::All, (0, 0));
        check(&[""], &[], &Exposure::Only(vec![""]), (0, 0));
    }

    proptest! {
        /// Without patterns, a tool is enabled if and only if the lists enable it.
        #[test]
        fn enabled_tools_follow_the_lists(
            white in prop::collection::vec("[ab*]{1,4}", 0..3),
            black in prop::collection::vec("[ab*]{1,4}", 0..3),
            name in "[ab]{1,4}",
        ) {
            let (white_list, black_list) = (list(&white), list(&black));
            let found = Filter::of(&white_list, &black_list);
            let expected = ExposureRules::new(&white, &black, []).filter(&name).is_ok();
            let offered = match &found.exposure {
                Exposure::All => true,
                Exposure::Only(names) => names.contains(&name.as_str()),
                Exposure::AllBut(names) => !names.contains(&name.as_str()),
            };
            if found.white_patterns.is_empty() && found.black_patterns.is_empty() {
                prop_assert_eq!(offered, expected);
            } else if found.black_patterns.is_empty() {
                prop_assert!(!offered || expected, "no tool is enabled that the lists disable");
            }
        }
    }
}

//! Compares the compiled policy with slow, simple definitions and with another library.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use minds_access_control::{
    Access, Compiler, EntryList, Extension, Lists, Pattern, Policy, Reason, ReservedArea,
};
use minds_vfs::WorkspacePath;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A segment of a pattern, from few characters, so that patterns often match paths.
fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]{1,2}",
        2 => select(vec!["*", "**", "a*", "*b", "*a*", "a*b"]).prop_map(str::to_owned),
        1 => select(vec![".", "..", "", ".minds", ".MINDS", "x.tsk", "*.tsk", "x.T*", "é*", "*.b", "a**", "A", "aB", "A*", "*B*b", "É", "e\u{301}", "e*", "*\u{301}", "\u{17f}*", "ß", "*SS", "a*\u{200d}*b", "a\u{200d}b"]).prop_map(str::to_owned),
    ]
}

fn patterns() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop::collection::vec(segment(), 1..4).prop_map(|segments| segments.join("/")),
        0..5,
    )
}

fn extensions() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(select(vec!["a", ".B", "b", "é", "tsk", "a/b"]).prop_map(str::to_owned), 0..2)
}

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        6 => "[ab]{1,3}",
        2 => "[ab]{0,1}[.][abBé]{0,1}",
        1 => select(vec![".git", ".Git.", ".minds", ".Minds", "x.tsk", "y.TSK", "é", "É.É", "x.t\u{17f}\u{212a}", "A", "Ab", "BB", "e\u{301}", "E\u{301}b", "S", "\u{17f}S", "ß", "ss", "a\u{200d}b", "a\u{200d}\u{200d}B"]).prop_map(str::to_owned),
    ];
    prop::collection::vec(name, 0..6).prop_map(|names| names.join("/"))
}

/// The lists of one operation as written: deny, deny extensions, allow, allow extensions.
type Written = (Vec<String>, Vec<String>, Vec<String>, Vec<String>);

fn lists((deny, deny_extensions, allow, allow_extensions): &Written) -> Lists {
    let patterns = |list: &[String]| {
        EntryList::from_entries(list.iter().map(|entry| Pattern::parse(entry).map_err(|_| entry.as_str())))
    };
    let extensions = |list: &[String]| {
        EntryList::from_entries(list.iter().map(|entry| Extension::parse(entry).map_err(|_| entry.as_str())))
    };
    Lists {
        deny: patterns(deny),
        deny_extensions: extensions(deny_extensions),
        allow: patterns(allow),
        allow_extensions: extensions(allow_extensions),
    }
}

/// A literal implementation of the crate documentation, without optimization. Works on the written strings only.
mod oracle {
    use super::{Access, Reason, Written};

    pub(super) fn decide(access: Access, lists: &Written, path: &str) -> (Reason, Option<String>) {
        let (deny, deny_extensions, allow, allow_extensions) = lists;
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
        if names.iter().any(|name| fold(name).ends_with(".tsk")) {
            return (Reason::Reserved, None);
        }
        if access == Access::Write && names.first().is_some_and(|name| fold(name) == ".minds") {
            return (Reason::Reserved, None);
        }
        if access == Access::Write && names.iter().any(|name| fold(name).trim_end_matches('.') == ".git") {
            return (Reason::Reserved, None);
        }
        let bad_extension = |entry: &&String| entry.contains('/');
        let bad = deny.iter().find(|entry| segments(entry).is_none());
        let bad = bad.or_else(|| deny_extensions.iter().find(bad_extension));
        let bad = bad.or_else(|| allow.iter().find(|entry| segments(entry).is_none()));
        if let Some(bad) = bad.or_else(|| allow_extensions.iter().find(bad_extension)) {
            return (Reason::InvalidPolicy, Some(bad.clone()));
        }
        let covering =
            |list: &[String]| list.iter().find(|entry| covers(&segments(entry).unwrap(), &names)).cloned();
        let extension = names.last().and_then(|name| {
            let dot = name.rfind('.').filter(|dot| *dot > 0 && dot + 1 < name.len())?;
            Some(fold(&name[dot + 1..]))
        });
        let listed = |list: &[String]| {
            list.iter().find(|entry| Some(fold(entry.trim_start_matches('.'))) == extension).cloned()
        };
        let allowing = covering(allow);
        // Deny lists match exactly, or after the entry and the path are folded.
        let folded: Vec<String> = names.iter().map(|name| fold(name)).collect();
        let folded: Vec<&str> = folded.iter().map(String::as_str).collect();
        let covers_folded = |entry: &&String| {
            let parts: Vec<String> = segments(entry).unwrap().iter().map(|part| fold(part)).collect();
            covers(&parts, &folded)
        };
        if let Some(entry) = covering(deny).or_else(|| deny.iter().find(covers_folded).cloned()) {
            (Reason::Denied, Some(entry))
        } else if let Some(entry) = listed(deny_extensions) {
            (Reason::ExtensionDenied, Some(entry))
        } else if !allow.is_empty() && allowing.is_none() {
            (Reason::NotInAllowList, None)
        } else if !allow_extensions.is_empty() && extension.is_some() && listed(allow_extensions).is_none() {
            (Reason::ExtensionNotAllowed, None)
        } else if allow.is_empty() {
            (Reason::AllowedByDefault, None)
        } else {
            (Reason::Allowed, allowing)
        }
    }

    /// Folds the characters that occur in these tests.
    fn fold(text: &str) -> String {
        let text = text.replace('\u{200d}', "").to_lowercase();
        let text = text.replace("e\u{301}", "é").replace('ß', "ss");
        text.replace('\u{17f}', "s").replace('\u{212a}', "k")
    }

    /// The segments of a pattern; `None` if it is invalid.
    fn segments(pattern: &str) -> Option<Vec<String>> {
        let parts: Vec<String> =
            pattern.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect();
        let is_bad = |part: &String| part == ".." || part != "**" && part.contains("**");
        (!pattern.trim().is_empty() && !parts.iter().any(is_bad)).then_some(parts)
    }

    fn covers(parts: &[String], names: &[&str]) -> bool {
        match parts {
            [] => true,
            [any, rest @ ..] if any == "**" => (0..=names.len()).any(|skip| covers(rest, &names[skip..])),
            [part, rest @ ..] => match names {
                [name, below @ ..] => glob(part, name) && covers(rest, below),
                [] => false,
            },
        }
    }

    fn glob(glob: &str, text: &str) -> bool {
        match glob.chars().next() {
            None => text.is_empty(),
            Some('*') => {
                let lengths = text.char_indices().map(|(at, _)| at).chain([text.len()]);
                lengths.into_iter().any(|skip| self::glob(&glob[1..], &text[skip..]))
            }
            Some(c) => text.strip_prefix(c).is_some_and(|rest| self::glob(&glob[c.len_utf8()..], rest)),
        }
    }
}

fn globset(patterns: &[Pattern]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let text = pattern.to_string();
        for glob in [text.clone(), format!("{text}/**")] {
            set.add(GlobBuilder::new(&glob).literal_separator(true).build().unwrap());
        }
    }
    set.build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Every decision, with its reason and its entry, is as documented.
    #[test]
    fn a_policy_decides_as_documented(
        read in (patterns(), extensions(), patterns(), extensions()),
        write in (patterns(), extensions(), patterns(), extensions()),
        paths in prop::collection::vec(path(), 1..8),
    ) {
        let policy = Policy::new(lists(&read), lists(&write));
        for text in paths {
            let Ok(path) = WorkspacePath::normalize(&text) else { continue };
            for (access, written) in [(Access::Read, &read), (Access::Write, &write)] {
                let decision = policy.check(access, &path);
                let entry = decision.entry().and_then(|entry| entry.text.map(str::to_owned));
                prop_assert_eq!((decision.reason(), entry), oracle::decide(access, written, path.as_str()), "{}", path);
            }
        }
    }

    /// A pattern that matches a path may begin with the first segment of the path.
    #[test]
    fn the_first_segment_excludes_no_path_of_the_scope(patterns in patterns(), path in path()) {
        let path = WorkspacePath::normalize(&path).unwrap();
        let Some(first) = path.segments().next() else { return Ok(()) };
        for pattern in patterns.iter().filter_map(|text| Pattern::parse(text).ok()) {
            prop_assert!(pattern.may_begin_with(first) || !pattern.matches(&path), "{} {}", pattern, path);
        }
    }

    /// For patterns without characters that are operators in `globset`, `globset` covers the same paths.
    #[test]
    fn patterns_cover_what_globset_covers(
        deny in prop::collection::vec(prop::collection::vec("[ab*]{1,3}", 1..5).prop_map(|segments| segments.join("/")), 0..5),
        allow in prop::collection::vec(prop::collection::vec("[ab*]{1,3}", 1..5).prop_map(|segments| segments.join("/")), 0..5),
        paths in prop::collection::vec("[ab]{1,3}(/[ab]{1,3}){0,5}", 1..8),
    ) {
        // `globset` writes the whole workspace differently.
        let is_part = |pattern: &Pattern| pattern.to_string() != ".";
        let read = |list: &[String]| {
            list.iter().filter_map(|text| Pattern::parse(text).ok()).filter(is_part).collect::<Vec<_>>()
        };
        let (deny, allow) = (read(&deny), read(&allow));
        let (denied, allowed) = (globset(&deny), globset(&allow));
        let is_open = allow.is_empty();
        let lists = Lists { deny: EntryList::Given(deny), allow: EntryList::Given(allow), ..Lists::default() };
        let policy = Policy::new(lists, Lists::default());
        for path in paths {
            let expected = !denied.is_match(&path) && (is_open || allowed.is_match(&path));
            let path = WorkspacePath::parse(&path).unwrap();
            prop_assert_eq!(policy.check(Access::Read, &path).is_allowed(), expected, "{}", path);
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Entries do not affect each other, regardless of how many words of states they fill.
    #[test]
    fn many_patterns_decide_like_each_alone(
        patterns in prop::collection::vec(prop::collection::vec(segment(), 1..12).prop_map(|segments| segments.join("/")), 100..200),
        allowed in any::<Index>(),
        path in path(),
    ) {
        let patterns: Vec<Pattern> = patterns.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        let path = WorkspacePath::normalize(&path).unwrap();
        if ReservedArea::find(Access::Read, &path).is_some() {
            return Ok(());
        }
        let (deny, allow) = patterns.split_at(allowed.index(patterns.len()));
        let covers = |list: &[Pattern]| list.iter().any(|pattern| pattern.matches(&path));
        let denies = deny.iter().any(|pattern| pattern.matches_folded(&path));
        let expected = !denies && (allow.is_empty() || covers(allow));
        let lists = Lists { deny: EntryList::Given(deny.to_vec()), allow: EntryList::Given(allow.to_vec()), ..Lists::default() };
        // A second policy with the same lists reuses the compiled automaton.
        let mut compiler = Compiler::default();
        let policy = compiler.compile(lists.clone(), lists.clone());
        prop_assert_eq!(policy.check(Access::Read, &path).is_allowed(), expected);
        prop_assert_eq!(compiler.compile(lists.clone(), lists).check(Access::Read, &path).is_allowed(), expected);
        prop_assert_eq!(compiler.compiled_count(), 1);
    }

    /// Any two strings lead to a decision or an error.
    #[test]
    fn any_pattern_and_path_can_be_decided(pattern in "\\PC{0,80}|[*/a.]{0,512}", path in "\\PC{0,80}|[*/a.\\\\]{0,200}") {
        let (Ok(pattern), Ok(path)) = (Pattern::parse(&pattern), WorkspacePath::normalize(&path)) else { return Ok(()) };
        let expected = pattern.matches_folded(&path);
        prop_assert!(expected || !pattern.matches(&path));
        let lists = Lists { deny: EntryList::Given(vec![pattern]), ..Lists::default() };
        let policy = Policy::new(lists, Lists::default());
        let reason = policy.check(Access::Read, &path).reason();
        prop_assert!(reason == Reason::Reserved || (reason == Reason::Denied) == expected);
    }
}

//! Patterns in which `*` is any number of characters, with `/`, and `?` is one character.

use super::{
    Allow, Deny, Directories, collapse_stars, entries, expand_home, is_entry, replace_characters,
    rests_below_workspace,
};

/// The number of entries that one pattern may become; with more, it becomes a shorter pattern that denies more.
const MAX_ENTRIES: usize = 16;

/// Translates a pattern that denies, relative to the workspace or absolute.
pub(crate) fn deny_crossing(pattern: &str, directories: Directories<'_>) -> Deny {
    if pattern.starts_with('~') || pattern.starts_with("$HOME") {
        return match expand_home(pattern, directories) {
            Some(absolute) => deny_absolute(&absolute, directories),
            None => {
                deny_relative(&format!("*{}", pattern.trim_start_matches("$HOME").trim_start_matches('~')))
            }
        };
    }
    if pattern.starts_with('/') {
        // It may also be meant from the top of the workspace.
        return merge(deny_relative(pattern), deny_absolute(pattern, directories));
    }
    deny_relative(pattern)
}

fn merge(first: Deny, second: Deny) -> Deny {
    match (first, second) {
        (Deny::Everything, _) | (_, Deny::Everything) => Deny::Everything,
        (Deny::Nothing, other) | (other, Deny::Nothing) => other,
        (Deny::Entries(mut first), Deny::Entries(second)) => {
            first.extend(second);
            Deny::Entries(first)
        }
    }
}

fn deny_absolute(pattern: &str, directories: Directories<'_>) -> Deny {
    let plain = collapse_stars(&replace_characters(pattern, |c| matches!(c, '?' | '\\')));
    // Up to the first `*`, names are compared; from there on, anything can match.
    let (literal, rest) = plain.split_once('*').unwrap_or((&plain, ""));
    let has_star = plain.contains('*');
    let workspace = directories.workspace;
    if !has_star {
        let segments: Vec<&str> = plain.split('/').filter(|name| !name.is_empty()).collect();
        let rests = rests_below_workspace(&segments, workspace);
        let denials = rests.iter().map(|rest| deny_relative_or_all(&rest.join("/")));
        return denials.fold(Deny::Nothing, merge);
    }
    let below = format!("{workspace}/");
    if let Some(rest_of_literal) = literal.strip_prefix(below.as_str()) {
        return deny_relative(&format!("{rest_of_literal}*{rest}"));
    }
    if below.to_lowercase().starts_with(&literal.to_lowercase()) {
        // `*` may match the rest of the path of the workspace, or more.
        return if rest.trim_matches('*').is_empty() {
            Deny::Everything
        } else {
            deny_relative(&format!("*{rest}"))
        };
    }
    Deny::Nothing
}

fn deny_relative_or_all(pattern: &str) -> Deny {
    if pattern.is_empty() { Deny::Everything } else { deny_relative(pattern) }
}

fn deny_relative(pattern: &str) -> Deny {
    let plain = collapse_stars(&replace_characters(pattern, |c| matches!(c, '?' | '\\')));
    if plain == "*" {
        return Deny::Everything;
    }
    // In opencode, a pattern that ends in ` *` also matches without it.
    if let Some(short) = plain.strip_suffix(" *") {
        return merge(deny_segments(short), deny_segments(&plain));
    }
    deny_segments(&plain)
}

fn deny_segments(plain: &str) -> Deny {
    let segments: Vec<&str> = plain.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    if segments.is_empty() || segments.contains(&"..") {
        // Paths have no such segments.
        return if plain.contains('*') { Deny::Everything } else { Deny::Nothing };
    }
    let mut found = vec![String::new()];
    for (at, segment) in segments.iter().enumerate() {
        let is_last = at + 1 == segments.len();
        let forms = forms_of_segment(segment, is_last);
        if found.len() * forms.len() > MAX_ENTRIES {
            // What begins like this segment is denied, whatever follows.
            let start = segment.split('*').next().unwrap_or_default();
            append(&mut found, &[format!("{start}*")]);
            break;
        }
        append(&mut found, &forms);
    }
    entries(found.into_iter().map(|entry| shorten(&entry)).collect())
}

fn append(found: &mut Vec<String>, forms: &[String]) {
    let join =
        |start: &str, form: &String| if start.is_empty() { form.clone() } else { format!("{start}/{form}") };
    *found = found.iter().flat_map(|start| forms.iter().map(move |form| join(start, form))).collect();
}

/// Returns an entry without `**` at its end, which has no meaning, and without repeated `**`.
fn shorten(entry: &str) -> String {
    let mut entry = entry.to_owned();
    while entry.contains("**/**") {
        entry = entry.replace("**/**", "**");
    }
    while let Some(short) = entry.strip_suffix("/**") {
        entry = short.to_owned();
    }
    entry
}

/// Returns the entries for a segment of a pattern: each `*` matches in one name, or over several.
fn forms_of_segment(segment: &str, is_last: bool) -> Vec<String> {
    if segment == "*" {
        return vec!["**".to_owned()];
    }
    let starts = segment.starts_with('*');
    let ends = segment.ends_with('*');
    let inner: Vec<&str> = segment.trim_matches('*').split('*').collect();
    let mut forms = vec![String::new()];
    for (at, piece) in inner.iter().enumerate() {
        let separators: &[&str] = if at == 0 { &[""] } else { &["*", "*/**/*"] };
        forms = forms
            .iter()
            .flat_map(|start| separators.iter().map(move |separator| format!("{start}{separator}{piece}")))
            .take(MAX_ENTRIES + 1)
            .collect();
    }
    let complete = |form: String| {
        let start = if starts { "**/*" } else { "" };
        let end = if !ends {
            ""
        } else if is_last {
            "*"
        } else {
            "*/**"
        };
        format!("{start}{form}{end}")
    };
    forms.into_iter().map(complete).collect()
}

/// Translates a pattern that allows, relative to the workspace.
pub(crate) fn allow_crossing(pattern: &str) -> Allow {
    let plain = collapse_stars(pattern);
    if plain == "*" {
        return Allow::Everything;
    }
    if plain.contains(['?', '\\']) || plain.starts_with('~') || plain.starts_with("$HOME") {
        return Allow::Nothing;
    }
    let segments: Vec<&str> = plain.split('/').collect();
    if segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
        return Allow::Nothing;
    }
    let last = segments.len() - 1;
    let form = |(at, segment): (usize, &&str)| {
        if *segment == "*" {
            return if at == last { "*".to_owned() } else { "*/**".to_owned() };
        }
        let start = if segment.starts_with('*') { "**/" } else { "" };
        let end = if segment.ends_with('*') && at != last { "/**" } else { "" };
        format!("{start}{segment}{end}")
    };
    let entry = segments.iter().enumerate().map(form).collect::<Vec<_>>().join("/");
    if !is_entry(&entry) {
        return Allow::Nothing;
    }
    if plain.ends_with('*') {
        return Allow::Entry(entry);
    }
    let deny = format!("{entry}/*");
    if is_entry(&deny) { Allow::PathOnly { allow: entry, deny } } else { Allow::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Directories<'_> = Directories { workspace: "/home/me/project", home: Some("/home/me") };

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let expected = match expected {
            ["everything"] => Deny::Everything,
            [] => Deny::Nothing,
            expected => Deny::Entries(expected.iter().map(|&entry| entry.to_owned()).collect()),
        };
        assert_eq!(deny_crossing(pattern, AT), expected, "{pattern}");
    }

    #[test]
    fn a_star_crosses_directories() {
        check("secrets/*", &["secrets"]);
        check("secrets", &["secrets"]);
        check("*.env", &["**/*.env"]);
        check("**/secrets/**", &["**/secrets"]);
        check("src/*.gen.ts", &["src/**/*.gen.ts"]);
        check("src/a*b", &["src/a*b", "src/a*/**/*b"]);
        check("a*/x", &["a*/**/x"]);
        check("*", &["everything"]);
        check("a *", &["a", "a *"]);
        check("../x", &[]);
        check("~/.ssh/*", &[]);
        check("~/*", &["everything"]);
        check("/home/me/project/keys/*", &["home/me/project/keys", "keys"]);
    }

    #[test]
    fn allowances_cover_at_most_what_the_pattern_matches() {
        let path_only = |path: &str| Allow::PathOnly { allow: path.into(), deny: format!("{path}/*") };
        for (pattern, expected) in [
            ("src/*", Allow::Entry("src/*".into())),
            ("docs/draft-*", Allow::Entry("docs/draft-*".into())),
            ("*", Allow::Everything),
            ("README.md", path_only("README.md")),
            ("*.md", path_only("**/*.md")),
            ("a/*/b", path_only("a/*/**/b")),
            ("a?", Allow::Nothing),
            ("./a", Allow::Nothing),
            ("/a", Allow::Nothing),
            ("~/a", Allow::Nothing),
        ] {
            assert_eq!(allow_crossing(pattern), expected, "{pattern}");
        }
    }
}

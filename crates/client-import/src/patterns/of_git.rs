//! Patterns as in `.gitignore`.

use super::{
    Allow, Deny, Directories, collapse_stars, entries, expand_home, is_entry, replace_characters,
    rests_below_workspace,
};

/// Translates a pattern that denies. A pattern without a leading `/` matches at any depth; one that begins with `//` or `~`
/// is absolute.
pub(crate) fn deny_of_git(pattern: &str, directories: Directories<'_>) -> Deny {
    if pattern.starts_with('~') {
        return match expand_home(pattern, directories) {
            Some(absolute) => deny_absolute(&absolute, directories),
            // The home may contain the workspace, and be anywhere.
            None => deny_of_git(pattern.trim_start_matches(['~', '/']), directories),
        };
    }
    if let Some(absolute) = pattern.strip_prefix("//") {
        return deny_absolute(absolute, directories);
    }
    let is_anchored = pattern.starts_with('/');
    let plain = literal_characters(pattern);
    let mut segments = segments(&plain);
    if segments.contains(&"..") {
        return Deny::Nothing;
    }
    // `src/*` and `src/**` are everything below `src`.
    while segments.last().is_some_and(|last| matches!(*last, "*" | "**")) {
        segments.pop();
    }
    if segments.is_empty() {
        return Deny::Everything;
    }
    let any = if is_anchored || segments.first() == Some(&"**") { "" } else { "**/" };
    entries(vec![format!("{any}{}", segments.join("/"))])
}

fn deny_absolute(pattern: &str, directories: Directories<'_>) -> Deny {
    let plain = literal_characters(pattern);
    let mut found = Vec::new();
    for rest in rests_below_workspace(&segments(&plain), directories.workspace) {
        let rest = rest.join("/");
        match deny_of_git(&format!("/{}", rest.trim_start_matches('/')), directories) {
            Deny::Everything => return Deny::Everything,
            Deny::Nothing => {}
            Deny::Entries(mut more) => found.append(&mut more),
        }
    }
    if found.is_empty() { Deny::Nothing } else { Deny::Entries(found) }
}

/// Translates a pattern that allows, which matches from the top of the workspace.
pub(crate) fn allow_of_git(pattern: &str, directories: Directories<'_>) -> Allow {
    let expanded = expand_home(pattern, directories);
    let absolute = expanded.as_deref().or_else(|| pattern.strip_prefix("//").map(|_| pattern));
    if let Some(absolute) = absolute {
        if absolute.contains(['?', '[', '\\', '*']) && !absolute.ends_with("/**") {
            return Allow::Nothing;
        }
        let segments: Vec<&str> = absolute.split('/').filter(|segment| !segment.is_empty()).collect();
        let names: Vec<&str> = directories.workspace.split('/').filter(|name| !name.is_empty()).collect();
        // Only a directory in the workspace, with the exact names, is allowed by an entry.
        return match segments.strip_prefix(names.as_slice()) {
            Some(rest) if !rest.is_empty() => allow_of_git(&format!("/{}", rest.join("/")), directories),
            _ => Allow::Nothing,
        };
    }
    if pattern.contains(['?', '[', '\\']) || pattern.starts_with(['~', '!']) {
        return Allow::Nothing;
    }
    let plain = pattern.strip_prefix("./").unwrap_or(pattern);
    let plain = plain.strip_prefix('/').unwrap_or(plain);
    if matches!(plain, "*" | "**") {
        return Allow::Everything;
    }
    let plain = plain.strip_suffix('/').unwrap_or(plain);
    let is_plain =
        |segment: &str| !matches!(segment, "" | "." | "..") && (segment == "**" || !segment.contains("**"));
    if !plain.split('/').all(is_plain) {
        return Allow::Nothing;
    }
    // `src/**` and `src/**/**` are what is below `src`, without `src` itself.
    let entry = match plain.trim_end_matches("/**") {
        directory if directory == plain || directory == "**" => directory.to_owned(),
        directory => format!("{directory}/*"),
    };
    if is_entry(&entry) && entry != "**" { Allow::Entry(entry) } else { Allow::Nothing }
}

fn segments(plain: &str) -> Vec<&str> {
    plain.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect()
}

/// Returns a pattern in which only `*` is special: one character, a set of characters and an escaped operator become `*`.
fn literal_characters(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = after;
        match c {
            '\\' => {
                let escaped = after.chars().next();
                rest = after.get(escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
                match escaped {
                    Some('/') => plain.push('/'),
                    Some(c @ ('[' | ']' | '{' | '}' | '(' | ')' | ' ' | '!' | '#')) => plain.push(c),
                    _ => plain.push('*'),
                }
            }
            '?' => plain.push('*'),
            '[' => match after.get(1..).and_then(|inner| inner.find(']')).map(|at| at + 1) {
                Some(end) if !after.get(..end).unwrap_or_default().contains('/') => {
                    plain.push('*');
                    rest = after.get(end + 1..).unwrap_or_default();
                }
                _ => plain.push('*'),
            },
            c => plain.push(c),
        }
    }
    let plain = replace_characters(&plain, |c| c == '\\');
    let segment = |segment: &str| {
        if segment.chars().all(|c| c == '*') && segment.len() > 1 {
            "**".to_owned()
        } else {
            collapse_stars(segment)
        }
    };
    plain.split('/').map(segment).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Directories<'_> = Directories { workspace: "/home/me/project", home: Some("/home/me") };

    #[track_caller]
    fn check_deny(pattern: &str, expected: &[&str]) {
        let expected = match expected {
            ["everything"] => Deny::Everything,
            [] => Deny::Nothing,
            expected => Deny::Entries(expected.iter().map(|&entry| entry.to_owned()).collect()),
        };
        assert_eq!(deny_of_git(pattern, AT), expected, "{pattern}");
    }

    #[test]
    fn denials_cover_at_least_what_the_pattern_matches() {
        check_deny("/secrets/**", &["secrets"]);
        check_deny("/secrets", &["secrets"]);
        check_deny("secrets/**", &["**/secrets"]);
        check_deny("**/.env", &["**/.env"]);
        check_deny("*.pem", &["**/*.pem"]);
        check_deny("./.env.*", &["**/.env.*"]);
        check_deny("/a?b/[xy]z", &["a*b/*z"]);
        check_deny("/br\\[1\\]", &["br[1]"]);
        check_deny("*", &["everything"]);
        check_deny("/**", &["everything"]);
        check_deny("../x", &[]);
        check_deny("//etc/**", &[]);
        check_deny("//home/me/project/keys", &["keys"]);
        check_deny("//home/me", &["everything"]);
        check_deny("//home/**/.env", &["**/.env"]);
        check_deny("~/project/x", &["x"]);
        check_deny("~/.ssh/**", &[]);
    }

    #[track_caller]
    fn check_allow(pattern: &str, expected: Option<&str>) {
        let found = match allow_of_git(pattern, AT) {
            Allow::Entry(entry) => Some(entry),
            Allow::Everything => Some("everything".to_owned()),
            _ => None,
        };
        assert_eq!(found.as_deref(), expected, "{pattern}");
    }

    #[test]
    fn allowances_cover_at_most_what_the_pattern_matches() {
        check_allow("/src", Some("src"));
        check_allow("/src/**", Some("src/*"));
        check_allow("/src/**/**", Some("src/*"));
        check_allow("/*/**/**", Some("*/*"));
        check_allow("/**/**", None);
        check_allow("src/*", Some("src/*"));
        check_allow("/docs/draft-*", Some("docs/draft-*"));
        check_allow("**/test", Some("**/test"));
        check_allow("/**", Some("everything"));
        check_allow("/a?b", None);
        check_allow("/a[b]", None);
        check_allow("../x", None);
        check_allow("/a/../b", None);
        check_allow("//home/me/project/src/**", Some("src/*"));
        check_allow("//home/me/**", None);
        check_allow("~/x", None);
    }
}

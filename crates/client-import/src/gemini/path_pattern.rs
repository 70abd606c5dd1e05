//! Patterns of policies: regular expressions for the arguments of a tool, as far as they are about one path.

use minds_vfs::portable::fold;

use crate::patterns::{Allow, Deny, Directories, allow_of_git, deny_crossing};

/// What precedes the path in the arguments.
const HEADS: [&str; 7] = [
    "_path\":\"",
    "\"(file_path|dir_path)\":\"",
    "\"(dir_path|file_path)\":\"",
    "(file_path|dir_path)\":\"",
    "\"file_path\":\"",
    "\"dir_path\":\"",
    "file_path\":\"",
];
/// The number of them that are about the paths of all tools.
const GENERAL_HEADS: usize = 4;
/// Spellings of paths that a relative path without `.` and `..` does not have.
const UNUSUAL: [&str; 7] =
    [r#"[^"]*/\.\.?[/"]"#, r#"\.\.?[/"]"#, r#"[^"]*//"#, r#"[^"]*\\"#, r#"[^"]*/""#, "/", "~"];

/// What a pattern is about.
pub(super) enum Spelling {
    /// Ways to write a path that a team does not have.
    Unusual,
    /// A path.
    Path(PathPattern),
    /// Anything.
    Unknown,
}

/// A pattern for a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PathPattern {
    parts: Vec<Part>,
    end: End,
    /// Whether it is about the paths of all tools.
    is_general: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A character. A letter that may have any case is in lower case: an entry that denies ignores the case, and one that allows
    /// has only this.
    Exact(char),
    /// Any characters of a name.
    Name,
    /// Any characters.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The path, and what is below it.
    Scope,
    /// The path only.
    Path,
    /// Every path that begins so.
    Open,
}

impl PathPattern {
    pub(super) fn parse(pattern: &str) -> Spelling {
        let found = HEADS.iter().enumerate().find_map(|(at, head)| Some((at, pattern.strip_prefix(head)?)));
        let Some((at, rest)) = found else { return Spelling::Unknown };
        if UNUSUAL.contains(&rest) {
            return Spelling::Unusual;
        }
        let (path, end) = match (rest.strip_suffix("[/\"]"), rest.strip_suffix('"')) {
            (Some(path), _) => (path, End::Scope),
            (None, Some(path)) => (path, End::Path),
            (None, None) => (rest, End::Open),
        };
        match parts(path) {
            Some(parts) => Spelling::Path(Self { parts, end, is_general: at < GENERAL_HEADS }),
            None => Spelling::Unknown,
        }
    }

    /// Returns entries that deny at least what the pattern matches.
    pub(super) fn deny(&self, directories: Directories<'_>) -> Deny {
        let mut text = self.write("*", "*");
        if self.end == End::Open {
            text.push('*');
        }
        deny_crossing(&text, directories)
    }

    /// Returns whether every team denies what the pattern matches: task packages, and writing to `.minds`.
    pub(super) fn is_reserved(&self, is_writing: bool) -> bool {
        let text = self.write("*", "*");
        self.end == End::Scope && (text == "*.tsk" || is_writing && text == ".minds")
    }

    /// Returns an entry that allows at most what the pattern matches.
    pub(super) fn allow(&self, directories: Directories<'_>) -> Allow {
        if !self.is_general || self.has_any_inside_a_name() {
            return Allow::Nothing;
        }
        if self.parts.is_empty() {
            return if self.end == End::Open { Allow::Everything } else { Allow::Nothing };
        }
        let text = self.write("*", "*/**");
        match self.end {
            End::Path => Allow::Nothing,
            End::Scope => allow_of_git(&format!("/{text}"), directories),
            End::Open if text.ends_with('/') => allow_of_git(&format!("/{text}**"), directories),
            End::Open if text.ends_with('*') => allow_of_git(&format!("/{text}"), directories),
            End::Open => allow_of_git(&format!("/{text}*"), directories),
        }
    }

    /// Returns whether any characters are not a whole number of names.
    fn has_any_inside_a_name(&self) -> bool {
        let is_edge = |part: Option<&Part>| matches!(part, None | Some(Part::Exact('/')));
        let is_inside = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| self.parts.get(before));
            !is_edge(before) || !is_edge(self.parts.get(at + 1))
        };
        self.parts.iter().enumerate().any(|(at, part)| *part == Part::Any && is_inside(at))
    }

    fn write(&self, name: &str, any: &str) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Exact(character) => text.push(*character),
                Part::Name => text.push_str(name),
                Part::Any => text.push_str(any),
            }
        }
        text
    }
}

/// Returns the parts of a pattern; none if it has operators of another kind.
fn parts(pattern: &str) -> Option<Vec<Part>> {
    let mut found = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let any_name = ["[^\"/]*", "[^/\"]*"].iter().find_map(|form| rest.strip_prefix(form));
        if let Some(after) = any_name {
            found.push(Part::Name);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("[^\"]*").or_else(|| rest.strip_prefix(".*")) {
            found.push(Part::Any);
            rest = after;
        } else if let Some(inside) = rest.strip_prefix('[') {
            let (letters, after) = inside.split_once(']')?;
            found.push(Part::Exact(parse_cases(letters)?));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('\\') {
            let escaped =
                after.chars().next().filter(|c| c.is_ascii_punctuation() && !"\"\\".contains(*c))?;
            found.push(Part::Exact(escaped));
            rest = after.get(escaped.len_utf8()..)?;
        } else if ".+*?()[]{}^$|\"".contains(first) {
            return None;
        } else {
            found.push(Part::Exact(first));
            rest = rest.get(first.len_utf8()..)?;
        }
        // A repetition of a single character is not known.
        if rest.starts_with(['*', '+', '?', '{']) {
            return None;
        }
    }
    Some(found)
}

/// Returns the letter whose cases are the characters of a class, in lower case.
fn parse_cases(letters: &str) -> Option<char> {
    let lower = |letter: char| {
        let folded = fold(letter.encode_utf8(&mut [0; 4]));
        let mut letters = folded.chars();
        letters.next().filter(|_| letters.next().is_none())
    };
    let first = letters.chars().next().and_then(lower).filter(|letter| letter.is_alphabetic())?;
    letters.chars().all(|letter| lower(letter) == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTORIES: Directories<'_> = Directories { workspace: "/work", home: None };

    #[track_caller]
    fn path(pattern: &str) -> PathPattern {
        match PathPattern::parse(pattern) {
            Spelling::Path(path) => path,
            Spelling::Unusual | Spelling::Unknown => panic!("{pattern}"),
        }
    }

    #[test]
    fn patterns_become_entries() {
        for (pattern, allow, deny) in [
            (r#"_path":"src[/"]"#, Allow::Entry("src".into()), &["src"][..]),
            (r#"_path":"src/gen[/"]"#, Allow::Entry("src/gen".into()), &["src/gen"]),
            (r#"_path":"docs/draft-[^"/]*[/"]"#, Allow::Entry("docs/draft-*".into()), &[]),
            (r#"_path":"src/"#, Allow::Entry("src/*".into()), &[]),
            (r#"_path":"a"#, Allow::Entry("a*".into()), &[]),
            (r#"_path":"[^"]*/"#, Allow::Entry("*/*".into()), &[]),
            (r#"_path":"a\.md""#, Allow::Nothing, &["a.md"]),
            (r#"_path":"[sS]rc[/"]"#, Allow::Entry("src".into()), &["src"]),
            (r#"_path":""#, Allow::Everything, &[]),
            (r#""file_path":"src[/"]"#, Allow::Nothing, &["src"]),
        ] {
            let path = path(pattern);
            assert_eq!(path.allow(DIRECTORIES), allow, "{pattern}");
            if let (Deny::Entries(found), false) = (path.deny(DIRECTORIES), deny.is_empty()) {
                for entry in deny {
                    assert!(found.iter().any(|found| found == entry), "{pattern}: {found:?}");
                }
            }
        }
        for pattern in [
            "secrets",
            r#"_path":"a+"#,
            r#"_path":"(a|b)"#,
            r#"_path":"[ab]"#,
            r#"_path":"[ßs]"#,
            r#"_path":"a.b"#,
        ] {
            assert!(matches!(PathPattern::parse(pattern), Spelling::Unknown), "{pattern}");
        }
    }
}

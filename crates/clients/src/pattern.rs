//! Patterns of paths in the data of clients.

/// Returns whether a path matches a pattern: `**` stands for any number of segments, `*` for any characters in one.
///
/// The patterns are part of the program and have few `**`, so that comparing is fast for every path.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    segments(&pattern, &path)
}

fn segments(pattern: &[&str], path: &[&str]) -> bool {
    match pattern {
        [] => path.is_empty(),
        ["**", rest @ ..] => {
            (0..=path.len()).any(|skip| segments(rest, path.get(skip..).unwrap_or_default()))
        }
        [first, rest @ ..] => match path {
            [name, below @ ..] => segment(first, name) && segments(rest, below),
            [] => false,
        },
    }
}

/// Returns whether one segment matches: at most one `*`.
fn segment(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_whole_paths() {
        for (pattern, path, expected) in [
            ("**/.claude/agents/**/*.md", ".claude/agents/a.md", true),
            ("**/.claude/agents/**/*.md", "x/.claude/agents/b/c.md", true),
            ("**/.claude/agents/**/*.md", ".claude/agents/a.txt", false),
            ("**/.claude/agents/**/*.md", ".claude/agents.md", false),
            ("**/CLAUDE.md", "CLAUDE.md", true),
            ("**/CLAUDE.md", "a/CLAUDE.md", true),
            ("opencode.json", "a/opencode.json", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}

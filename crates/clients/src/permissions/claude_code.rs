//! Claude Code: `permissions` of a settings file at the root of the workspace.
//!
//! As tried with version 2.1.330: deny wins, then ask, then allow; paths are compared without regard to letter case.

use super::wildcard::{Token, matches};
use super::{Effect, Operation};

/// The permissions of a settings file, and the mode for what they do not decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaudeCodePermissions {
    /// Whether what no rule allows is refused (`dontAsk`) instead of asked.
    pub denies_by_default: bool,
    /// The rules that allow.
    pub allow: Vec<String>,
    /// The rules that ask.
    pub ask: Vec<String>,
    /// The rules that deny.
    pub deny: Vec<String>,
}

impl ClaudeCodePermissions {
    /// Returns what the client decides about a path, which is relative to the workspace and has no `.` or `..`.
    pub fn decide(&self, operation: Operation, path: &str) -> Effect {
        match operation {
            Operation::Read => self.decide_call("Read", path),
            // The wider answer, since the agent chooses the tool.
            Operation::Write => self.decide_call("Edit", path).min(self.decide_call("Write", path)),
        }
    }

    /// Returns what the client decides about a call of `Read`, `Edit` or `Write`.
    pub fn decide_call(&self, tool: &str, path: &str) -> Effect {
        let applies = |rules: &[String], list| rules.iter().any(|rule| covers(rule, tool, path, list));
        if applies(&self.deny, List::Deny) {
            Effect::Deny
        } else if applies(&self.ask, List::Ask) {
            Effect::Ask
        } else if applies(&self.allow, List::Allow) {
            Effect::Allow
        } else if tool == "Read" {
            // Reading in the workspace needs no rule.
            Effect::Allow
        } else if self.denies_by_default {
            Effect::Deny
        } else {
            Effect::Ask
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Allow,
    Ask,
    Deny,
}

/// Returns whether a rule applies to a call.
fn covers(rule: &str, called: &str, path: &str, list: List) -> bool {
    let Some((tool, rest)) = rule.split_once('(') else {
        // Without `Read` every write fails, and a bare `Edit` is not about `Write`.
        return rule == called || rule == "Read" && list == List::Deny;
    };
    let Some(specifier) = rest.strip_suffix(')') else { return false };
    let applies = match called {
        "Read" => tool == "Read",
        // `Write(path)` is never asked; a denial of reading is one of writing too.
        _ => tool == "Edit" || tool == "Read" && list == List::Deny,
    };
    // The client ignores spaces at the end of a path in a rule. A name that ends in spaces is denied all the same.
    let trimmed = specifier.trim_end_matches(' ');
    let is_covered =
        |text: &str| Specifier::parse(text, list).is_some_and(|specifier| specifier.covers(path));
    applies && (is_covered(trimmed) || list != List::Allow && trimmed != specifier && is_covered(specifier))
}

/// The path of a rule: a path that it matches, and everything below.
struct Specifier {
    segments: Vec<Segment>,
}

enum Segment {
    /// `**`
    Any,
    Name(Vec<Token>),
}

impl Specifier {
    /// Parses a path; none if it matches nothing in the workspace.
    fn parse(text: &str, list: List) -> Option<Self> {
        let is_void = matches!(text, "" | "." | "./" | "/")
            || text.starts_with(['!', '~'])
            || text.starts_with("//")
            || text.split('/').any(|segment| segment == "..");
        if is_void {
            return None;
        }
        let (is_anchored, rest) = match (text.strip_prefix('/'), text.strip_prefix("./")) {
            (Some(rest), _) => (true, rest),
            (None, rest) => {
                let rest = rest.unwrap_or(text).trim_end_matches('/');
                // A name alone is searched at any depth, and so is `NAME/**`, except by a rule that allows.
                let name = if list == List::Allow { rest } else { rest.trim_end_matches("/**") };
                (name.contains('/'), rest)
            }
        };
        let mut segments: Vec<Segment> = Vec::new();
        if !is_anchored {
            segments.push(Segment::Any);
        }
        for name in rest.split('/').filter(|name| !name.is_empty()) {
            segments.push(if name == "**" { Segment::Any } else { Segment::Name(tokens(name)) });
        }
        // `src/**` covers `src` too.
        while segments.len() > 1 && matches!(segments.last(), Some(Segment::Any)) {
            segments.pop();
        }
        Some(Self { segments })
    }

    fn covers(&self, path: &str) -> bool {
        let folded = path.to_lowercase();
        let names: Vec<Vec<char>> = folded.split('/').map(|name| name.chars().collect()).collect();
        reaches(&self.segments, &names)
    }
}

/// Returns whether segments match the first names of a path.
fn reaches(segments: &[Segment], names: &[Vec<char>]) -> bool {
    match (segments.split_first(), names.split_first()) {
        (None, _) => true,
        (Some((Segment::Any, rest)), _) => {
            (0..=names.len()).any(|skip| reaches(rest, names.get(skip..).unwrap_or_default()))
        }
        (Some((Segment::Name(tokens), rest)), Some((name, below))) => {
            matches(tokens, name, |_| true) && reaches(rest, below)
        }
        (Some(_), None) => false,
    }
}

/// Reads a name with the operators of the client.
fn tokens(name: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = name.chars().flat_map(char::to_lowercase).peekable();
    while let Some(character) = rest.next() {
        tokens.push(match character {
            '*' => Token::Run,
            '?' => Token::One,
            '\\' => match rest.next() {
                Some('?') | None => Token::Never,
                Some(escaped) => Token::Character(escaped),
            },
            '[' => {
                let inner: Vec<char> = rest.by_ref().take_while(|c| *c != ']').collect();
                Token::Class(ranges(&inner))
            }
            other => Token::Character(other),
        });
    }
    tokens
}

fn ranges(inner: &[char]) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    let mut rest = inner;
    loop {
        rest = match rest {
            [first, '-', last, more @ ..] => {
                ranges.push((*first, *last));
                more
            }
            [only, more @ ..] => {
                ranges.push((*only, *only));
                more
            }
            [] => return ranges,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, rule: &str, path: &str, expected: bool) {
        let rules = vec![rule.to_owned()];
        let (permissions, effect, operation) = match list {
            "deny" => {
                (ClaudeCodePermissions { deny: rules, ..Default::default() }, Effect::Deny, Operation::Read)
            }
            _ => (
                ClaudeCodePermissions { allow: rules, denies_by_default: true, ..Default::default() },
                Effect::Allow,
                Operation::Write,
            ),
        };
        assert_eq!(permissions.decide(operation, path) == effect, expected, "{list} {rule} {path}");
    }

    /// What was tried with the client.
    #[test]
    fn rules_match_as_in_the_client() {
        for rule in ["Read(/src)", "Read(/src/)", "Read(/src/*)", "Read(/src/**)"] {
            check("deny", rule, "src/a.txt", true);
            check("deny", rule, "src-old/a.txt", false);
        }
        check("deny", "Read(src)", "x/src/a", true);
        check("allow", "Edit(src)", "x/src/a", true);
        check("allow", "Edit(./src)", "x/src/a", true);
        check("allow", "Edit(src/**)", "x/src/a", false);
        check("allow", "Edit(src)", "src/a", true);
        check("deny", "Read(**/x)", "a/b/x", true);
        check("deny", "Read(/**/x)", "x/y", true);
        for rule in ["Read(.)", "Read(./)", "Read(/)", "Read(../ws/x)", "Read(!x)", "Read( x)", "Read(//x)"] {
            check("deny", rule, "x", false);
        }
        check("deny", "Read(/SRC/**)", "src/a", true);
        check("allow", "Edit(/src/**)", "SRC/n.txt", true);
        check("deny", r"Read(/br\[1\])", "br[1]/a", true);
        check("deny", r"Read(/q\?r)", "q?r/a", false);
        check("deny", "Read(/q?r)", "qxr/a", true);
        check("deny", "Read(/[a-c]x)", "bx", true);
        check("deny", "Read(/**)", "any", true);
        check("deny", "Read(*)", "any/where", true);
        check("allow", "Write(/src)", "src/a", false);
        check("allow", "Edit", "src/a", true);
        check("allow", "Edit(/docs/draft-*)", "docs/draft-1/x.md", true);
        check("allow", "Edit(/docs/draft-*)", "docs/draft.md", false);
    }

    #[test]
    fn a_denial_of_reading_is_one_of_writing_and_a_bare_edit_leaves_write() {
        let deny = |rule: &str| ClaudeCodePermissions { deny: vec![rule.to_owned()], ..Default::default() };
        assert_eq!(deny("Read(/a)").decide(Operation::Write, "a/b"), Effect::Deny);
        assert_eq!(deny("Read").decide(Operation::Write, "a/b"), Effect::Deny);
        assert_eq!(deny("Edit").decide(Operation::Write, "a/b"), Effect::Ask);
        assert_eq!(deny("Write(/a)").decide(Operation::Write, "a/b"), Effect::Ask);
    }
}

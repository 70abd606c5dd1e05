//! opencode: `permission` of an agent, in the order of its keys.
//!
//! As tried with version 1.18.33: the last match wins, `*` crosses separators, and the value is compared as a whole.

use super::wildcard::{Token, matches};
use super::{Effect, Operation};

/// The rules of an agent in the order in which the client applies them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpencodePermissions {
    /// The permission, the pattern of its value, and the effect.
    pub rules: Vec<(String, String, Effect)>,
}

impl OpencodePermissions {
    /// Reads the map `permission`: each permission with an effect, or with effects by pattern.
    ///
    /// JavaScript puts keys that are whole numbers first, so their rules come first here too.
    pub fn new<'m>(permissions: impl IntoIterator<Item = (&'m str, Vec<(&'m str, Effect)>)>) -> Self {
        let mut rules = Vec::new();
        for (permission, patterns) in order(permissions.into_iter().collect()) {
            let patterns = order(patterns).into_iter();
            rules.extend(
                patterns.map(|(pattern, effect)| (permission.to_owned(), pattern.to_owned(), effect)),
            );
        }
        Self { rules }
    }

    /// Returns what the client decides about a path, which is relative to the repository and has no `.` or `..`.
    pub fn decide(&self, operation: Operation, path: &str) -> Effect {
        let permission = match operation {
            Operation::Read => "read",
            Operation::Write => "edit",
        };
        self.decide_value(permission, path)
    }

    /// Returns what the client decides about the value of a permission, such as the name of an agent.
    pub fn decide_value(&self, permission: &str, value: &str) -> Effect {
        let found = self
            .rules
            .iter()
            .rev()
            .find(|(key, pattern, _)| covers(key, permission) && covers(pattern, value));
        found.map_or(Effect::Ask, |(_, _, effect)| *effect)
    }
}

/// Puts the keys that are whole numbers first, in ascending order.
fn order<T>(entries: Vec<(&str, T)>) -> Vec<(&str, T)> {
    let (mut numbers, names): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(key, _)| index(key).is_some());
    numbers.sort_by_key(|(key, _)| index(key));
    numbers.into_iter().chain(names).collect()
}

/// Returns the array index that a key is, if it is one.
fn index(key: &str) -> Option<u32> {
    key.parse().ok().filter(|number: &u32| *number < u32::MAX && number.to_string() == key)
}

fn covers(pattern: &str, value: &str) -> bool {
    let value: Vec<char> = value.chars().collect();
    let is_matching = |pattern: &str| {
        let token = |character| match character {
            '*' => Token::Run,
            '?' => Token::One,
            other => Token::Character(other),
        };
        let tokens: Vec<Token> = pattern.chars().map(token).collect();
        matches(&tokens, &value, |_| true)
    };
    // The home directory is not in the workspace.
    let is_home = pattern.starts_with('~') || pattern.starts_with("$HOME");
    !is_home && (is_matching(pattern) || pattern.strip_suffix(" *").is_some_and(is_matching))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(patterns: &[(&str, Effect)], path: &str, expected: Effect) {
        let permissions =
            OpencodePermissions::new([("*", vec![("*", Effect::Deny)]), ("read", patterns.to_vec())]);
        assert_eq!(permissions.decide(Operation::Read, path), expected, "{patterns:?} {path}");
    }

    /// What was tried with the client.
    #[test]
    fn the_last_match_wins_and_stars_cross_separators() {
        use Effect::{Allow, Deny};
        check(&[("*", Allow), ("secrets/*", Deny)], "secrets/a/b", Deny);
        check(&[("secrets/*", Deny), ("*", Allow)], "secrets/a", Allow);
        check(&[("src", Allow)], "src/a", Deny);
        check(&[("**/src/**", Allow)], "src/a", Deny);
        check(&[("q?r", Allow)], "qxr", Allow);
        check(&[("src *", Allow)], "src", Allow);
        // A key of digits comes before all other keys.
        check(&[("*", Allow), ("2024", Deny)], "2024", Allow);
        check(&[("*", Allow), ("?024", Deny)], "2024", Deny);
        check(&[], "src", Deny);
    }
}

use minds_diagnostics::{Diagnostic, Span, rule};

use super::{Check, shorten, version_note};
use crate::family::ClientFile;
use crate::shape::{Shape, Type};
use crate::tree::{Entry, Item, Value};

rule! {
    pub(crate) static RULE {
        code: "client/overridden-deny",
        summary: "a permission that denies is overridden by one that allows the same",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "overridden_deny.md",
    }
}

/// The number of rules that are compared with each other.
const MAX_RULES: usize = 500;

/// A rule of permissions of opencode, of which the last that matches wins.
struct Rule<'i> {
    permission: &'i str,
    pattern: &'i str,
    action: &'i str,
    key_span: Span,
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    if let Some(data) = &file.content.data {
        visit(check, file, data, &file.known.shape);
    }
}

/// Checks all permissions in a mapping.
fn visit(check: &mut Check<'_>, file: &ClientFile, item: &Item, shape: &Shape) {
    if shape.types.contains(&Type::Permission) {
        return check_rules(check, file, &rules(item));
    }
    for entry in item.entries() {
        if let Some(below) = shape.keys.get(&entry.key).or(shape.each_value.as_deref()) {
            visit(check, file, &entry.item, below);
        }
    }
}

fn check_rules(check: &mut Check<'_>, file: &ClientFile, rules: &[Rule<'_>]) {
    for (at, deny) in rules.iter().enumerate().filter(|(_, rule)| rule.action == "deny") {
        let later = rules.get(at + 1..).unwrap_or_default();
        let winner = later.iter().find(|later| {
            later.action != "deny"
                && matches(later.permission, deny.permission)
                && matches(later.pattern, deny.pattern)
        });
        let Some(winner) = winner else { continue };
        // What is decided again by a later rule is not decided by this one.
        let is_denied_again = later.iter().any(|later| {
            later.action == "deny"
                && matches(later.permission, deny.permission)
                && matches(later.pattern, deny.pattern)
        });
        if is_denied_again {
            continue;
        }
        check.report(&RULE, file, deny.key_span, |label| {
            let is_moved = winner.key_span.start() < deny.key_span.start();
            let found = Diagnostic::new(
                &RULE,
                format!(
                    "denying `{}` has no effect: a later rule sets `{}`",
                    shorten(deny.pattern),
                    winner.action
                ),
            )
            .primary(label)
            .secondary(file.source.label(winner.key_span).message("this rule wins"))
            .note("opencode takes the last rule that matches, whatever it says")
            .note(version_note(file));
            if is_moved {
                return found
                    .note("keys that are whole numbers come first, wherever they are written")
                    .help("write the number with a pattern, such as `2024*`");
            }
            found.help("move the rules that deny to the end")
        });
    }
}

/// Returns the rules of permissions in the order in which they are evaluated.
fn rules(item: &Item) -> Vec<Rule<'_>> {
    let mut found = Vec::new();
    for entry in in_order(item) {
        match &entry.item.value {
            Value::String(action) => {
                found.push(Rule { permission: &entry.key, pattern: "*", action, key_span: entry.key_span });
            }
            Value::Mapping(_) => {
                for inner in in_order(&entry.item) {
                    if let Some(action) = inner.item.text() {
                        found.push(Rule {
                            permission: &entry.key,
                            pattern: &inner.key,
                            action,
                            key_span: inner.key_span,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    found.truncate(MAX_RULES);
    found
}

/// Returns the entries in the order of JavaScript: whole numbers first, by value.
fn in_order(item: &Item) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = item.entries().iter().collect();
    entries.sort_by_key(|entry| index(&entry.key).map_or((1, 0), |index| (0, index)));
    entries
}

fn index(key: &str) -> Option<u32> {
    let is_canonical = key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
    is_canonical.then(|| key.parse().ok()).flatten()
}

/// Returns whether a pattern matches everything that another one matches: `*` is any characters, `?` one. The `*` of the
/// other pattern is only matched by `*`.
pub(super) fn matches(pattern: &str, other: &str) -> bool {
    let (pattern, other): (Vec<char>, Vec<char>) = (pattern.chars().collect(), other.chars().collect());
    let (mut at, mut in_other) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_other < other.len() {
        let is_one = match (pattern.get(at), other.get(in_other)) {
            (Some('?'), Some(c)) => *c != '*',
            (Some(a), Some(b)) => a == b && *a != '*',
            _ => false,
        };
        if is_one {
            at += 1;
            in_other += 1;
        } else if pattern.get(at) == Some(&'*') {
            star = Some((at, in_other));
            at += 1;
        } else if let Some((star_at, matched)) = star {
            at = star_at + 1;
            in_other = matched + 1;
            star = Some((star_at, matched + 1));
        } else {
            return false;
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_covers_another_one() {
        for (pattern, other, expected) in [
            ("*", "secrets/*", true),
            ("secrets/*", "*", false),
            ("src/*", "src/gen/*", true),
            ("a?", "a*", false),
            ("a?", "ab", true),
            ("git *", "git push *", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, other), expected, "{pattern} {other}");
        }
    }
}

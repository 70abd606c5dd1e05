//! Rules of the policies of Gemini CLI.

use minds_diagnostics::{Diagnostic, Severity, Span, find_nearest};

use super::{Check, dead_permission, overridden_deny, shadowed_permission, shorten, version_note};
use crate::family::ClientFile;
use crate::kind::Kind;
use crate::tree::{Item, Value};

/// The number of rules that are compared with each other.
const MAX_RULES: usize = 500;
const DECISIONS: [&str; 3] = ["allow", "deny", "ask_user"];
/// The priorities that a rule can have.
const PRIORITIES: std::ops::RangeInclusive<i64> = 0..=999;
const PRIORITY_HELP: &str = "write a number from 0 to 999";
/// The maximum length of a pattern in UTF-16 code units.
const MAX_PATTERN: usize = 2048;
/// The keys that limit to which calls a rule applies, besides the tool and the command.
const CONDITIONS: [&str; 8] = [
    "subagent",
    "mcpName",
    "argsPattern",
    "commandRegex",
    "modes",
    "interactive",
    "toolAnnotations",
    "allowRedirection",
];
/// The directory of policies that is not read in a workspace.
const FOLDER: &str = "policies";

struct PolicyRule<'f> {
    item: &'f Item,
    tools: Vec<(&'f str, Span)>,
    commands: Vec<&'f str>,
    decision: &'f str,
    decision_span: Span,
    priority: i64,
}

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    for file in family.of("gemini", Kind::Policy) {
        let rules = rules(file);
        check_folder(check, file, &rules);
        let is_used = check_form(check, file, &rules);
        let mut used: Vec<_> = rules.into_iter().filter(|rule| check_rule(check, file, rule)).collect();
        used.truncate(MAX_RULES);
        if is_used {
            check_overridden(check, file, &used);
        }
    }
}

fn rules(file: &ClientFile) -> Vec<PolicyRule<'_>> {
    let items = file.get("rule").map(Item::items).unwrap_or_default();
    items.iter().filter(|item| matches!(item.value, Value::Mapping(_))).map(rule).collect()
}

fn rule(item: &Item) -> PolicyRule<'_> {
    let decision = item.get("decision");
    PolicyRule {
        item,
        tools: strings(item.get("toolName")),
        commands: strings(item.get("commandPrefix")).into_iter().map(|(text, _)| text).collect(),
        decision: decision.and_then(Item::text).unwrap_or_default(),
        decision_span: decision.map_or(item.span, |decision| decision.span),
        priority: match item.get("priority").map(|priority| &priority.value) {
            Some(Value::Integer(priority)) => *priority,
            _ => 0,
        },
    }
}

/// Returns a string, or the strings of a list.
fn strings(item: Option<&Item>) -> Vec<(&str, Span)> {
    let Some(item) = item else { return Vec::new() };
    match item.text() {
        Some(text) => vec![(text, item.span)],
        None => item.items().iter().filter_map(|item| Some((item.text()?, item.span))).collect(),
    }
}

/// Reports a file in the directory that Gemini CLI reads only in the home, unless the settings name it.
fn check_folder(check: &mut Check<'_>, file: &ClientFile, rules: &[PolicyRule<'_>]) {
    let mut parts = file.path.as_str().rsplitn(3, '/');
    let (Some(name), Some(FOLDER), Some(folder), Some(first)) =
        (parts.next(), parts.next(), parts.next(), rules.first())
    else {
        return;
    };
    let is_named = check.family.of("gemini", Kind::Settings).any(|settings| {
        let is_own = settings.path.as_str().strip_suffix("/settings.json") == Some(folder);
        let paths = settings.get("policyPaths").map(Item::items).unwrap_or_default();
        let names = |path: &str| {
            let path = path.trim_end_matches('/');
            !path.starts_with('~') && (path.ends_with(FOLDER) || path.ends_with(name))
        };
        is_own && paths.iter().filter_map(Item::text).any(names)
    });
    if is_named {
        return;
    }
    let denies = rules.iter().any(|rule| rule.decision == "deny");
    report(
        check,
        file,
        first.decision_span,
        denies,
        "the rules of this file have no effect: Gemini CLI does not read the directory in a workspace"
            .to_owned(),
        format!(
            "add \"~/.gemini/policies\" and \".gemini/policies/{name}\" to `policyPaths` in `.gemini/settings.json`"
        ),
    );
}

/// Reports rules because of which the whole file is not used; returns whether it is used.
fn check_form(check: &mut Check<'_>, file: &ClientFile, rules: &[PolicyRule<'_>]) -> bool {
    const REQUIRED: [(&str, &str); 3] = [
        ("toolName", "add the tool, or `\"*\"` for all tools"),
        ("decision", "write `decision = \"allow\"`, `\"deny\"` or `\"ask_user\"`"),
        ("priority", PRIORITY_HELP),
    ];
    let denies = rules.iter().any(|rule| rule.decision == "deny");
    let mut is_used = true;
    for rule in rules {
        let mut refuse = |span: Span, why: &str, help: &str| {
            let message = format!("Gemini CLI uses no rule of this file: {why}");
            report(check, file, span, denies, message, help.to_owned());
            is_used = false;
        };
        for (key, help) in REQUIRED.iter().filter(|(key, _)| rule.item.get(key).is_none()) {
            refuse(rule.item.span, &format!("a rule has no `{key}`"), help);
        }
        if let Some(priority) = rule.item.get("priority")
            && !PRIORITIES.contains(&rule.priority)
        {
            refuse(priority.span, "the priority is not a number from 0 to 999", PRIORITY_HELP);
        }
        // Another value is reported where the types of all keys are checked.
        is_used &= DECISIONS.contains(&rule.decision);
    }
    is_used
}

/// Reports why a rule is dropped or does not match; returns whether it is used.
fn check_rule(check: &mut Check<'_>, file: &ClientFile, rule: &PolicyRule<'_>) -> bool {
    let denies = rule.decision == "deny";
    let known = file.client.tools.as_ref();
    for (tool, span) in &rule.tools {
        let Some(known) = known.filter(|known| !known.accepts(tool) && !tool.contains('*')) else { continue };
        let nearest = || find_nearest(tool, known.names.iter().map(String::as_str), 1).first().copied();
        // Unknown names that are not similar may be tools of a later version.
        if let Some(meant) = known.translate(tool).or_else(nearest) {
            let message = format!("the rule does not match `{}`: there is no such tool", shorten(tool));
            report(check, file, *span, denies, message, format!("did you mean `{meant}`?"));
        }
    }
    for key in ["argsPattern", "commandRegex"] {
        let Some(item) = rule.item.get(key) else { continue };
        let Some((why, help)) = item.text().and_then(pattern_flaw) else { continue };
        report(check, file, item.span, denies, format!("the rule is dropped: {why}"), help.to_owned());
        return false;
    }
    true
}

/// Returns why Gemini CLI drops a rule with a pattern, and what to do.
fn pattern_flaw(pattern: &str) -> Option<(&'static str, &'static str)> {
    if pattern.encode_utf16().count() > MAX_PATTERN {
        return Some(("the pattern is longer than 2048 characters", "write several rules"));
    }
    // The groups that are open, each with whether something in it is repeated.
    let mut open: Vec<bool> = Vec::new();
    let mut closed = false;
    let mut in_class = false;
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let is_repetition = !in_class && matches!(character, '*' | '+' | '?' | '{');
        if is_repetition && closed {
            return Some((
                "the pattern repeats a group that contains a repetition",
                "write it without repeating a group",
            ));
        }
        closed = false;
        match character {
            '\\' => {
                characters.next();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => open.push(false),
            ')' if !in_class => match open.pop() {
                Some(repeats) => {
                    closed = repeats;
                    if let Some(outer) = open.last_mut() {
                        *outer |= repeats;
                    }
                }
                None => {
                    return Some((
                        "the pattern closes a group that is not open",
                        "write `\\\\)` for a parenthesis",
                    ));
                }
            },
            _ if is_repetition => {
                if let Some(group) = open.last_mut() {
                    *group = true;
                }
            }
            _ => {}
        }
    }
    if in_class || !open.is_empty() {
        return Some(("the pattern does not close a group or a class", "add what closes it"));
    }
    None
}

/// Reports rules that one with a higher priority, or an earlier one with the same, decides in another way.
fn check_overridden(check: &mut Check<'_>, file: &ClientFile, rules: &[PolicyRule<'_>]) {
    for (at, rule) in rules.iter().enumerate() {
        // Of rules with the same priority, the first one wins.
        let wins = |(other_at, other): &(usize, &PolicyRule<'_>)| {
            other.decision != rule.decision
                && (other.priority, at) > (rule.priority, *other_at)
                && covers(other, rule)
        };
        let Some((_, winner)) = rules.iter().enumerate().find(wins) else { continue };
        let reason =
            if winner.priority > rule.priority { "one with a higher priority" } else { "an earlier one" };
        let code = if rule.decision == "deny" { &overridden_deny::RULE } else { &shadowed_permission::RULE };
        check.report(code, file, rule.decision_span, |label| {
            let message = format!(
                "the rule with `{}` has no effect: {reason} decides `{}`",
                shorten(rule.decision),
                shorten(winner.decision)
            );
            Diagnostic::new(code, message)
                .primary(label)
                .secondary(file.source.label(winner.decision_span).message("this rule wins"))
                .note(format!(
                    "its priority is {}, and that of this rule is {}",
                    winner.priority, rule.priority
                ))
                .note(version_note(file))
                .help("change the priorities, or remove one of the rules")
        });
    }
}

/// Returns whether a rule applies to every call to which another one applies. If in doubt, it does not.
fn covers(rule: &PolicyRule<'_>, other: &PolicyRule<'_>) -> bool {
    let covers_tools = rule.tools.is_empty()
        || rule.tools.iter().any(|(tool, _)| *tool == "*")
        || !other.tools.is_empty()
            && other.tools.iter().all(|(tool, _)| rule.tools.iter().any(|(own, _)| own == tool));
    let covers_commands = rule.commands.is_empty()
        || !other.commands.is_empty() && other.commands.iter().all(|command| rule.commands.contains(command));
    let is_same = |key: &&str| match (rule.item.get(key), other.item.get(key)) {
        (None, _) => true,
        (Some(own), Some(other)) => own.text().is_some() && own.text() == other.text(),
        (Some(_), None) => false,
    };
    covers_tools && covers_commands && CONDITIONS.iter().all(is_same)
}

fn report(check: &mut Check<'_>, file: &ClientFile, span: Span, denies: bool, message: String, help: String) {
    check.report(&dead_permission::RULE, file, span, |label| {
        let found = Diagnostic::new(&dead_permission::RULE, message)
            .primary(label)
            .note(version_note(file))
            .help(help);
        if denies { found.severity(Severity::Error) } else { found }
    });
}

#[cfg(test)]
mod tests {
    use super::pattern_flaw;

    #[test]
    fn patterns_are_dropped_as_the_client_does() {
        for (pattern, is_dropped) in [
            ("_path\":\"src[/\"]", false),
            ("[^\"]*\\.\\.?[/\"]", false),
            ("(a|b)c", false),
            ("(a|b)+", false),
            ("(a*)+", true),
            ("((a+))*", true),
            ("(a[*]b)+", false),
            ("(a\\*b)?", false),
            ("(?:a)?", true),
            ("(?:a)", false),
            ("(a", true),
            ("a)", true),
            ("[a", true),
        ] {
            assert_eq!(pattern_flaw(pattern).is_some(), is_dropped, "{pattern}");
        }
        assert!(pattern_flaw(&"a".repeat(2049)).is_some());
    }
}

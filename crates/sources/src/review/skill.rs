//! `SKILL.md` against the Agent Skills specification (<https://agentskills.io/specification>), and which
//! programs reject it.

use minds_diagnostics::{Rule, Severity};
use minds_document::{Node, Value};

use super::yaml_front_matter::{FrontMatterProblem, YamlFrontMatter};
use super::{Review, ReviewedItem, rules, span};
use crate::ItemKind;
use crate::rules::escape;

/// Keys of single programs, which other programs ignore.
const KEYS_OF_PROGRAMS: [&str; 11] = [
    "agent",
    "argument-hint",
    "context",
    "disable-model-invocation",
    "hooks",
    "model",
    "paths",
    "requires",
    "user-invocable",
    "version",
    "when_to_use",
];
/// What no name may contain.
const RESERVED: [&str; 2] = ["anthropic", "claude"];
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1_024;
const MAX_COMPATIBILITY: usize = 500;

/// The programs that reject a skill.
const VALIDATOR: &str = "the validator of the Agent Skills specification (`skills-ref`)";
const EVERYONE: &str = "the validator of the Agent Skills specification (`skills-ref`), OpenCode and Claude's skill upload reject it";
const LENGTHS: &str = "the validator of the Agent Skills specification (`skills-ref`), OpenCode, Codex and Claude's skill upload reject it";

pub(super) fn check(review: &mut Review<'_>, subject: &ReviewedItem<'_>, head: Option<&YamlFrontMatter>) {
    if subject.item().kind != ItemKind::Skill {
        return;
    }
    let Some(head) = head else { return };
    if let Err(problem) = &head.result {
        return report_missing_front_matter(review, head, problem);
    }
    let mut check = Check { review, head };
    check.check_name(subject);
    check.check_description();
    check.check_other_keys();
}

fn report_missing_front_matter(
    review: &mut Review<'_>,
    head: &YamlFrontMatter,
    problem: &FrontMatterProblem,
) {
    let (place, why) = match problem {
        FrontMatterProblem::Absent => (span(0, 0), "it does not begin with `---`".to_owned()),
        FrontMatterProblem::Open(fence) => (*fence, "it is not closed by another `---`".to_owned()),
        FrontMatterProblem::Broken(found) => {
            let label = found.as_ref().and_then(|found| found.primary.as_ref());
            let why = found.as_ref().map_or("it is not a mapping", |found| found.message.as_str());
            (label.map_or(span(0, 0), |label| label.span), why.to_owned())
        }
    };
    let message = || format!("the skill has no valid YAML front matter: {why}");
    review.report(&rules::INVALID_HEAD, &head.source, place, message, |found| {
        found.note(LENGTHS).help("begin the file with `---`, `name: …`, `description: …`, `---`")
    });
}

struct Check<'c, 'r> {
    review: &'c mut Review<'r>,
    head: &'c YamlFrontMatter,
}

impl Check<'_, '_> {
    fn report(
        &mut self,
        rule: &'static Rule,
        node: Option<Node<'_>>,
        message: String,
        help: String,
        who: &'static str,
    ) {
        let place = node.map_or(span(0, 0), Node::span);
        self.review.report(rule, &self.head.source, place, || message, |found| found.note(who).help(help));
    }

    fn check_name(&mut self, subject: &ReviewedItem<'_>) {
        let node = self.head.get("name");
        let folder = subject.place.declared.file_name().filter(|folder| is_name(folder));
        let help = match folder {
            Some(folder) => format!("write `name: {folder}`"),
            None => "rename the folder, and write its name: `a` to `z`, `0` to `9`, single `-` in between"
                .to_owned(),
        };
        let Some(name) = node.and_then(text) else {
            let message = "the skill has no `name`, or it is not a string".to_owned();
            return self.report(&rules::INVALID_NAME, node, message, help, EVERYONE);
        };
        let problem = if name.is_empty() || name.chars().count() > MAX_NAME {
            Some((format!("it must have 1 to {MAX_NAME} characters"), LENGTHS))
        } else if !name.chars().all(is_name_character) {
            Some(("it may only have `a` to `z`, `0` to `9` and `-`".to_owned(), EVERYONE))
        } else if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
            Some(("it must not begin or end with `-`, or contain `--`".to_owned(), EVERYONE))
        } else if RESERVED.iter().any(|reserved| name.contains(reserved)) {
            Some(("`claude` and `anthropic` are reserved".to_owned(), "Claude's skill upload rejects it"))
        } else if subject.place.declared.file_name() != Some(name) {
            let folder = subject.place.declared.to_string();
            let who = "the validator of the Agent Skills specification (`skills-ref`), OpenCode and VS Code reject it";
            Some((format!("it must be the name of its folder, `{folder}`"), who))
        } else {
            None
        };
        if let Some((problem, who)) = problem {
            self.report(
                &rules::INVALID_NAME,
                node,
                format!("invalid skill name `{}`: {problem}", escape(name)),
                help,
                who,
            );
        }
    }

    fn check_description(&mut self) {
        let node = self.head.get("description");
        let Some(description) =
            node.and_then(text).map(str::trim).filter(|description| !description.is_empty())
        else {
            let message = "the skill has no `description`, which agents need to select it".to_owned();
            let help = "add `description:` with a sentence that says when to use the skill".to_owned();
            return self.report(&rules::INVALID_DESCRIPTION, node, message, help, LENGTHS);
        };
        let length = description.chars().count();
        if length > MAX_DESCRIPTION {
            let message =
                format!("the description has {length} characters; the maximum is {MAX_DESCRIPTION}");
            let help = format!("shorten it to {MAX_DESCRIPTION} characters");
            self.report(&rules::INVALID_DESCRIPTION, node, message, help, LENGTHS);
        } else if description.contains(['<', '>']) {
            let message = "the description has `<` or `>`, which could be parsed as a tag".to_owned();
            let help = "write it without `<` and `>`".to_owned();
            self.report(&rules::INVALID_DESCRIPTION, node, message, help, "Claude's skill upload rejects it");
        }
    }

    fn check_other_keys(&mut self) {
        let head = self.head;
        let Ok(document) = &head.result else { return };
        for entry in document.root().entries() {
            let (key, value) = (entry.key, entry.value);
            let expected = match key {
                // They have rules of their own.
                "name" | "description" => None,
                "compatibility" => match text(value) {
                    Some(text) if (1..=MAX_COMPATIBILITY).contains(&text.chars().count()) => None,
                    _ => Some(format!("a string of 1 to {MAX_COMPATIBILITY} characters")),
                },
                "license" | "allowed-tools" => text(value).is_none().then(|| "a string".to_owned()),
                "metadata" => {
                    let is_flat = matches!(value.value(), Value::Mapping)
                        && value.entries().all(|entry| text(entry.value).is_some());
                    (!is_flat).then(|| "a mapping from strings to strings".to_owned())
                }
                _ => {
                    self.report_unknown_key(key, entry.key_node);
                    None
                }
            };
            if let Some(expected) = expected {
                let message = format!("`{key}` does not conform to the specification: it must be {expected}");
                self.report(
                    &rules::INVALID_VALUE,
                    Some(value),
                    message,
                    format!("write {expected}"),
                    "strict implementations of the specification reject it",
                );
            }
        }
    }

    fn report_unknown_key(&mut self, key: &str, node: Node<'_>) {
        let is_of_programs = KEYS_OF_PROGRAMS.contains(&key);
        let key = escape(key);
        let message = if is_of_programs {
            format!("`{key}` is a key of some programs and not in the specification")
        } else {
            format!("`{key}` is not a key of the specification")
        };
        self.review.report(
            &rules::UNKNOWN_KEY,
            &self.head.source,
            node.span(),
            || message,
            |found| {
                let found = found.note(format!("{VALIDATOR} rejects it; agents ignore it"));
                if is_of_programs {
                    return found
                        .severity(Severity::Info)
                        .help("remove it unless one of these programs needs it");
                }
                found.help("move it below `metadata`, or correct it")
            },
        );
    }
}

/// Returns whether a skill can have this name.
fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.chars().all(is_name_character)
        && !(name.starts_with('-') || name.ends_with('-') || name.contains("--"))
        && !RESERVED.iter().any(|reserved| name.contains(reserved))
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}

fn text(node: Node<'_>) -> Option<&str> {
    match node.value() {
        Value::String(text) => Some(text),
        _ => None,
    }
}

//! The policies of Gemini CLI: rules about tool calls, of which the one with the highest priority wins.

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Item, Value};
use minds_diagnostics::{Label, Span};

use super::path_pattern::{PathPattern, Spelling};
use crate::access::{Access, Limits};
use crate::context::Context;
use crate::findings::{place, shorten};
use crate::patterns::{Allow, Deny};

/// The tools that read and write a path.
const READING: [&str; 2] = ["read_file", "list_directory"];
const WRITING: [&str; 2] = ["write_file", "replace"];
/// The keys that select calls by something that a team does not have.
const CONDITIONS: [&str; 7] = [
    "mcpName",
    "commandPrefix",
    "commandRegex",
    "modes",
    "interactive",
    "toolAnnotations",
    "allowRedirection",
];

/// The priorities that a rule can have.
const PRIORITIES: std::ops::RangeInclusive<i64> = 0..=999;

/// The rules of all files, the one that wins first.
#[derive(Default)]
pub(super) struct Policy {
    rules: Vec<PolicyRule>,
    /// The places about which something was reported.
    reported: BTreeSet<(String, Span)>,
}

struct PolicyRule {
    /// The tools; none for all.
    tools: Vec<String>,
    agent: Option<String>,
    pattern: Option<String>,
    is_allowed: bool,
    is_conditional: bool,
    priority: i64,
    at: Label,
}

impl Policy {
    /// Adds the rules of a file.
    pub(super) fn add(&mut self, file: &ClientFile) {
        for item in file.get("rule").map(Item::items).unwrap_or_default() {
            if matches!(item.value, Value::Mapping(_)) {
                self.rules.push(PolicyRule::read(file, item));
            }
        }
        // Of rules with the same priority, the stricter one is taken.
        self.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.priority), rule.is_allowed));
    }

    /// Returns what an agent may read and write. What no rule is about is allowed.
    pub(super) fn access(&mut self, cx: &mut Context<'_>, agent: &str) -> Access {
        Access { read: self.limits(cx, agent, &READING), write: self.limits(cx, agent, &WRITING) }
    }

    /// Returns whether a rule may deny calls of a tool, whatever its arguments are.
    pub(super) fn may_deny(&self, agent: &str, tool: &str) -> bool {
        for rule in self.rules.iter().filter(|rule| rule.is_about(agent) && rule.has_tool(tool)) {
            if !rule.is_allowed {
                return true;
            }
            if rule.pattern.is_none() && !rule.is_conditional {
                return false;
            }
        }
        false
    }

    fn limits(&mut self, cx: &mut Context<'_>, agent: &str, tools: &[&str]) -> Limits {
        let mut limits = Limits::default();
        let mut allowed = Vec::new();
        let mut notes: Vec<(Label, String)> = Vec::new();
        let is_writing = tools == WRITING;
        let mut is_closed = false;
        for rule in self.rules.iter().filter(|rule| rule.is_about(agent)) {
            let count = tools.iter().filter(|tool| rule.has_tool(tool)).count();
            if count == 0 {
                continue;
            }
            let pattern = rule.pattern.as_deref();
            if !rule.is_allowed {
                let denial = match pattern.map(PathPattern::parse) {
                    None => Deny::Everything,
                    Some(Spelling::Unusual) => Deny::Nothing,
                    Some(Spelling::Path(path)) if path.is_reserved(is_writing) => Deny::Nothing,
                    Some(Spelling::Path(path)) => path.deny(cx.directories),
                    Some(Spelling::Unknown) => {
                        let pattern = shorten(pattern.unwrap_or_default());
                        let message =
                            format!("everything is denied: the pattern `{pattern}` is not understood");
                        notes.push((rule.at.clone(), message));
                        Deny::Everything
                    }
                };
                if denial == Deny::Everything {
                    is_closed = true;
                    break;
                }
                limits.add_denial(&denial);
                continue;
            }
            let is_usable = count == tools.len() && !rule.is_conditional;
            match pattern.map_or(Allow::Everything, |pattern| allowance(cx, pattern)) {
                Allow::Everything if is_usable => break,
                Allow::Entry(entry) if is_usable => allowed.push(entry),
                _ => notes.push((
                    rule.at.clone(),
                    "the rule cannot be written as an entry of an access list, so it is left out".to_owned(),
                )),
            }
        }
        if is_closed {
            limits.allow_only(allowed);
        }
        for (at, message) in notes {
            if self.reported.insert((at.source.name().to_owned(), at.span)) {
                let help = "add the paths that are meant to the access lists of the members";
                cx.findings.report_narrower(&at, message, help);
            }
        }
        limits
    }
}

impl PolicyRule {
    fn read(file: &ClientFile, item: &Item) -> Self {
        let text = |key: &str| item.get(key).and_then(Item::text).map(str::to_owned);
        let tools = item.get("toolName").map(|tools| match tools.text() {
            Some(tool) => vec![tool.to_owned()],
            None => tools.items().iter().filter_map(Item::text).map(str::to_owned).collect(),
        });
        let decision = item.get("decision");
        // A team never asks.
        let is_allowed = decision.and_then(Item::text) == Some("allow");
        let priority = match item.get("priority").map(|priority| &priority.value) {
            Some(Value::Integer(priority)) => {
                Some(*priority).filter(|priority| PRIORITIES.contains(priority))
            }
            _ => None,
        };
        let is_conditional = CONDITIONS.iter().any(|key| item.get(key).is_some());
        Self {
            tools: tools.unwrap_or_default(),
            agent: text("subagent"),
            pattern: text("argsPattern"),
            is_allowed,
            // The client may drop a rule without a valid priority: nothing is allowed by it.
            is_conditional: is_conditional || priority.is_none(),
            priority: priority.unwrap_or(i64::MAX),
            at: place(file, decision.map_or(item.span, |decision| decision.span)),
        }
    }

    fn is_about(&self, agent: &str) -> bool {
        self.agent.as_deref().is_none_or(|name| name == agent)
    }

    fn has_tool(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|name| name == "*" || name == tool)
    }
}

fn allowance(cx: &Context<'_>, pattern: &str) -> Allow {
    match PathPattern::parse(pattern) {
        Spelling::Path(path) => path.allow(cx.directories),
        Spelling::Unusual | Spelling::Unknown => Allow::Nothing,
    }
}

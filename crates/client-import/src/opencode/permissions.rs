//! Permissions of opencode: the last rule that matches wins.
//!
//! A team has no order: an entry that denies wins. So what a rule denies is denied, also where a later rule allows it. What
//! opencode asks about is denied if a file says so, because a team never asks.

use std::collections::BTreeSet;

use minds_clients::{ClientFile, Entry, Item, Value};
use minds_core::catalog::{Abilities, Ability};
use minds_diagnostics::Label;

use crate::abilities;
use crate::access::{Access, Limits};
use crate::context::Context;
use crate::fields::{is_false, is_true};
use crate::findings::{place, shorten};
use crate::patterns::{Allow, Deny, allow_crossing, deny_crossing};
use crate::team::ImportedServer;
use crate::tools::mangle;

/// A rule.
#[derive(Clone, Debug)]
pub(super) struct PermissionRule<'i> {
    permission: &'i str,
    pattern: &'i str,
    allows: bool,
    asks: bool,
    place: Label,
}

/// Reads rules: a word for everything, a mapping from permissions to words or patterns, or a list of version 2.
pub(super) fn read_rules<'i>(file: &ClientFile, item: Option<&'i Item>) -> Vec<PermissionRule<'i>> {
    let Some(item) = item else { return Vec::new() };
    let rule = |permission: &'i str, pattern: &'i str, action: Option<&str>, at: Label| PermissionRule {
        permission,
        pattern,
        // A word that is not known is not one that allows.
        allows: action == Some("allow"),
        asks: action == Some("ask"),
        place: at,
    };
    let mut found = Vec::new();
    match &item.value {
        Value::String(action) => found.push(rule("*", "*", Some(action), place(file, item.span))),
        Value::List(items) => {
            for item in items {
                let text = |key: &str| item.get(key).and_then(Item::text);
                let permission = match text("action").unwrap_or("*") {
                    "shell" => "bash",
                    "subagent" => "task",
                    action => action,
                };
                let pattern = text("resource").unwrap_or("*");
                found.push(rule(permission, pattern, text("effect"), place(file, item.span)));
            }
        }
        _ => {
            for entry in in_order(item) {
                if let Value::Mapping(_) = entry.item.value {
                    for inner in in_order(&entry.item) {
                        found.push(rule(
                            &entry.key,
                            &inner.key,
                            inner.item.text(),
                            place(file, inner.key_span),
                        ));
                    }
                } else {
                    found.push(rule(&entry.key, "*", entry.item.text(), place(file, entry.key_span)));
                }
            }
        }
    }
    found
}

/// Reads the older mapping from tools to whether they are on.
pub(super) fn read_switches<'i>(file: &ClientFile, item: Option<&'i Item>) -> Vec<PermissionRule<'i>> {
    let entries = item.map(Item::entries).unwrap_or_default();
    let known = entries.iter().filter(|entry| is_true(&entry.item) || is_false(&entry.item));
    let rule = |entry: &'i Entry| PermissionRule {
        // One permission governs all tools that write.
        permission: if matches!(entry.key.as_str(), "write" | "patch" | "multiedit") {
            "edit"
        } else {
            &entry.key
        },
        pattern: "*",
        allows: is_true(&entry.item),
        asks: false,
        place: place(file, entry.key_span),
    };
    known.map(rule).collect()
}

/// Returns the entries in the order of JavaScript: whole numbers first.
fn in_order(item: &Item) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = item.entries().iter().collect();
    let index = |key: &str| -> Option<u32> {
        let is_index = key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
        is_index.then(|| key.parse().ok()).flatten()
    };
    entries.sort_by_key(|entry| index(&entry.key).map_or((1, 0), |index| (0, index)));
    entries
}

/// What the rules of an agent decide.
#[derive(Debug, Default)]
pub(super) struct Decision {
    pub(super) abilities: Abilities,
    pub(super) access: Access,
    /// The place of the rule that allows the shell, if a rule does.
    pub(super) shell: Option<Label>,
    /// The place of a rule that limits commands.
    pub(super) shell_limit: Option<Label>,
    pub(super) is_shell_denied: bool,
    /// The rules about tools of servers: the pattern of names, and whether it allows.
    servers: Vec<(String, bool)>,
}

impl Decision {
    /// Evaluates the rules of all files that are about an agent, in order. How the keys of several files are merged depends
    /// on their order: with `is_merged`, rules that deny win.
    pub(super) fn of(
        cx: &mut Context<'_>,
        lists: Vec<Vec<PermissionRule<'_>>>,
        is_merged: bool,
        agent: &str,
    ) -> Self {
        let mut rules: Vec<PermissionRule<'_>> = lists.into_iter().flatten().collect();
        if is_merged {
            rules.sort_by_key(|rule| !rule.allows);
        }
        let mut decision = Self::default();
        for (name, _) in &cx.client.team.abilities {
            decision.decide(cx, name, &rules, agent);
        }
        // Both permissions are needed for the tools that list.
        for name in ["list", "glob"] {
            if last_whole_rule(&rules, name) == Some(false) {
                decision.abilities.remove(&Ability::List);
            }
        }
        decision.servers = rules
            .iter()
            .map(|rule| (rule.permission.to_owned(), rule.allows && rule.pattern == "*"))
            .collect();
        decision
    }

    fn decide(&mut self, cx: &mut Context<'_>, permission: &str, rules: &[PermissionRule<'_>], agent: &str) {
        let own: Vec<&PermissionRule<'_>> =
            rules.iter().filter(|rule| matches(rule.permission, permission)).collect();
        let found = abilities::find(cx.client, permission).unwrap_or_default();
        // What precedes a rule for everything has no effect.
        let is_whole =
            |rule: &&&PermissionRule<'_>| rule.pattern.chars().all(|c| c == '*') && !rule.pattern.is_empty();
        let base = own.iter().rposition(|rule| is_whole(&rule));
        let allows = base.and_then(|at| own.get(at)).is_none_or(|rule| rule.allows);
        let later = own.get(base.map_or(0, |at| at + 1)..).unwrap_or_default();
        if let Some(rule) = base.and_then(|at| own.get(at)).filter(|rule| rule.asks) {
            report_asked(cx, rule, agent);
        }
        match permission {
            "read" | "edit" => {
                let limits = path_limits(cx, later, allows, agent);
                let is_open = !limits.is_closed;
                if is_open {
                    self.abilities.extend(found);
                }
                if permission == "read" {
                    self.access.read = limits;
                    if base.is_none() && is_open {
                        for pattern in &cx.client.team.asks_to_read {
                            self.access.read.add_denial(&deny_crossing(pattern, cx.directories));
                        }
                    }
                } else {
                    self.access.write = limits;
                }
            }
            "bash" => {
                self.is_shell_denied = !allows && !later.iter().any(|rule| rule.allows);
                self.shell =
                    base.and_then(|at| own.get(at)).filter(|rule| rule.allows).map(|rule| rule.place.clone());
                self.shell_limit = later.first().map(|rule| rule.place.clone());
                if !allows && let Some(rule) = later.iter().find(|rule| rule.allows) {
                    self.shell_limit = Some(rule.place.clone());
                }
            }
            _ => {
                // The pattern of a search is not a path, so a member without the whole tool does not have it.
                if let Some(rule) = later.iter().find(|rule| !rule.allows || !allows) {
                    cx.findings.report_narrower(
                        &rule.place,
                        format!(
                            "`{}` does not have `{permission}`: only some uses are allowed",
                            shorten(agent)
                        ),
                        "add the tool to the member if it may use it for all that it may read",
                    );
                } else if allows {
                    self.abilities.extend(found);
                }
            }
        }
    }

    /// Returns the names of servers of which not all tools are allowed.
    pub(super) fn denied_servers(&self, servers: &[ImportedServer]) -> BTreeSet<String> {
        let is_denied = |server: &&ImportedServer| {
            let prefix = format!("{}_", mangle(&server.name));
            let mut is_allowed = true;
            for (pattern, allows) in &self.servers {
                let covers_all = pattern.strip_suffix('*').is_some_and(|start| {
                    prefix.starts_with(start) && !start.contains(['*', '?']) || start.is_empty()
                });
                if covers_all {
                    is_allowed = *allows;
                } else if !allows && may_match_prefix(pattern, &prefix) {
                    is_allowed = false;
                }
            }
            !is_allowed
        };
        servers.iter().filter(is_denied).map(|server| server.name.clone()).collect()
    }
}

/// Returns what the last rule for all uses of a permission says, if there is one.
fn last_whole_rule(rules: &[PermissionRule<'_>], permission: &str) -> Option<bool> {
    let rule = rules.iter().rev().find(|rule| matches(rule.permission, permission) && rule.pattern == "*");
    rule.map(|rule| rule.allows)
}

fn report_asked(cx: &mut Context<'_>, rule: &PermissionRule<'_>, agent: &str) {
    cx.findings.report_narrower(
        &rule.place,
        format!(
            "`{}` of `{}` is denied: opencode asks for it, and a team never asks",
            shorten(rule.permission),
            shorten(agent)
        ),
        "give it to the member if it may do it without asking",
    );
}

/// Returns the limits for paths: the rules after the last one for everything, and whether that one allows.
fn path_limits(cx: &mut Context<'_>, rules: &[&PermissionRule<'_>], allows: bool, agent: &str) -> Limits {
    let mut limits = Limits::default();
    let mut allowed = Vec::new();
    let mut path_only = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let is_replaced = rules.iter().skip(at + 1).any(|later| later.pattern == rule.pattern);
        if is_replaced {
            continue;
        }
        if !rule.allows {
            let denial = deny_crossing(rule.pattern, cx.directories);
            if rule.asks && denial != Deny::Nothing {
                report_asked(cx, rule, agent);
            }
            limits.add_denial(&denial);
            continue;
        }
        if rules.iter().take(at).any(|earlier| !earlier.allows && may_overlap(earlier.pattern, rule.pattern))
        {
            cx.findings.report_narrower(
                &rule.place,
                format!(
                    "`{}` stays denied where an earlier rule denies it: in a team, an entry that denies wins",
                    shorten(rule.pattern)
                ),
                "list the other directories in the list that denies",
            );
        }
        if allows {
            continue;
        }
        match allow_crossing(rule.pattern) {
            Allow::Entry(entry) => allowed.push(entry),
            Allow::PathOnly { allow, deny } => {
                allowed.push(allow.clone());
                path_only.push((allow, deny));
            }
            Allow::Everything => {}
            Allow::Nothing => cx.findings.report_narrower(
                &rule.place,
                format!(
                    "`{}` cannot be written as an entry that allows, so it is left out",
                    shorten(rule.pattern)
                ),
                "add the directories of the workspace that are meant to the list that allows",
            ),
        }
    }
    if allows {
        return limits;
    }
    for (allow, deny) in path_only {
        // `src` with `src/*` is the directory and what is below it.
        if !allowed.contains(&format!("{allow}/*")) {
            limits.add_denial(&Deny::Entries(vec![deny]));
        }
    }
    limits.allow_only(allowed);
    limits
}

/// Returns whether two patterns may match the same path: their literal beginnings do not differ.
fn may_overlap(first: &str, second: &str) -> bool {
    let start = |pattern: &str| pattern.split(['*', '?']).next().unwrap_or_default().to_owned();
    let (first_start, second_start) = (start(first), start(second));
    let is_prefix = first_start.starts_with(&second_start) || second_start.starts_with(&first_start);
    // A literal path must match the other pattern.
    if !second.contains(['*', '?']) {
        return is_prefix && matches(first, second);
    }
    if !first.contains(['*', '?']) {
        return is_prefix && matches(second, first);
    }
    is_prefix
}

/// Returns whether a pattern may match a name with this prefix.
fn may_match_prefix(pattern: &str, prefix: &str) -> bool {
    let start = pattern.split(['*', '?']).next().unwrap_or_default();
    prefix.starts_with(start) || start.starts_with(prefix)
}

/// Returns whether a pattern matches a string: `*` is any characters, `?` one.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut in_text) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_text));
                at += 1;
            }
            Some(c) if *c == '?' || text.get(in_text) == Some(c) => {
                at += 1;
                in_text += 1;
            }
            _ => match star {
                Some((star_at, matched)) => {
                    at = star_at + 1;
                    in_text = matched + 1;
                    star = Some((star_at, matched + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|c| *c == '*')
}

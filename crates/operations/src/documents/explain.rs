//! `minds explain`

use minds_diagnostics::{JsonDocument, Origin, Rule, Severity, rule_page};
use schemars::JsonSchema;
use serde::Serialize;

/// The rules, or one rule with its page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RulesDocument {
    /// The rules by code.
    rules: Vec<RuleEntry>,
}

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleEntry {
    /// The stable code.
    code: &'static str,
    /// What reports its findings: a check or rendering of files, or a running program.
    origin: Origin,
    /// The page in Markdown, if one rule was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'static str>,
    /// The severity of its findings.
    severity: Severity,
    /// The version that introduced it.
    since: &'static str,
    /// What a finding means.
    summary: &'static str,
    /// The URL of the page.
    url: String,
}

impl RulesDocument {
    /// Returns the document of one rule, with its page.
    pub fn of_rule(rule: &Rule) -> Self {
        Self { rules: vec![RuleEntry { page: Some(rule.page), ..RuleEntry::without_page(rule) }] }
    }

    /// Returns the document of several rules.
    pub fn list<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Self {
        Self { rules: rules.into_iter().map(RuleEntry::without_page).collect() }
    }
}

impl RuleEntry {
    fn without_page(rule: &Rule) -> Self {
        Self {
            code: rule.code,
            origin: rule.origin,
            page: None,
            severity: rule.default_severity,
            since: rule.since,
            summary: rule.summary,
            url: rule_page(rule.code),
        }
    }
}

impl JsonDocument for RulesDocument {
    const NAME: &'static str = "rules";
}

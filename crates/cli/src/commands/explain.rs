//! `minds explain`

use std::fmt::Write as _;
use std::process::ExitCode;

use minds_diagnostics::{Rule, Severity, rule_page};
use minds_workspace::rules;
use serde::Serialize;
use serde_json::json;

use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Explain a finding, with a bad and a good example
///
/// Without CODE, lists all codes with a summary.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds explain team/unknown-member   Explain one code
  minds explain                       List all codes")]
pub(crate) struct ExplainArgs {
    /// The code of a finding, such as `team/unknown-member`
    #[arg(value_name = "CODE")]
    code: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

/// A rule in a JSON document.
#[derive(Serialize)]
struct RuleDocument {
    code: &'static str,
    severity: Severity,
    since: &'static str,
    summary: &'static str,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'static str>,
}

impl RuleDocument {
    fn new(rule: &Rule, has_page: bool) -> Self {
        Self {
            code: rule.code,
            severity: rule.default_severity,
            since: rule.since,
            summary: rule.summary,
            url: rule_page(rule.code),
            page: has_page.then_some(rule.page),
        }
    }
}

pub(crate) fn run(args: &ExplainArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if let Some(code) = &args.code {
        let rule = minds_operations::explain(code)?;
        if args.format.chosen(out) == Format::Json {
            out.json(&json!({"rules": [RuleDocument::new(rule, true)]}));
            return Ok(ExitCode::SUCCESS);
        }
        out.data(&format!("{} ({}, since {})\n\n", rule.code, rule.default_severity, rule.since));
        out.data(rule.page.trim_end());
        out.data("\n");
        return Ok(ExitCode::SUCCESS);
    }
    if args.format.chosen(out) == Format::Json {
        let rules: Vec<_> = rules().into_iter().map(|rule| RuleDocument::new(rule, false)).collect();
        out.json(&json!({"rules": rules}));
        return Ok(ExitCode::SUCCESS);
    }
    let width = rules().iter().map(|rule| rule.code.len()).max().unwrap_or_default();
    let mut list = String::new();
    for rule in rules() {
        // Writing to a string cannot fail.
        let _ =
            writeln!(list, "{:width$}  {:7}  {}", rule.code, rule.default_severity.to_string(), rule.summary);
    }
    out.data(&list);
    Ok(ExitCode::SUCCESS)
}

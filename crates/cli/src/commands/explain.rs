//! `minds explain`

use std::fmt::Write as _;
use std::process::ExitCode;

use minds_diagnostics::Origin;
use minds_operations::documents::RulesDocument;
use minds_workspace::rules;

use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

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

pub(crate) fn run(args: &ExplainArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if let Some(code) = &args.code {
        let rule = minds_operations::explain(code)?;
        if args.format.chosen(out) == Format::Json {
            out.document(&RulesDocument::of_rule(rule));
            return Ok(ExitCode::SUCCESS);
        }
        let severity = rule.default_severity;
        let origin = if rule.origin == Origin::RunTime { ", at run time" } else { "" };
        out.data(&format!("{} ({severity}{origin}, since {})\n\n", rule.code, rule.since));
        out.data(rule.page.trim_end());
        out.data("\n");
        return Ok(ExitCode::SUCCESS);
    }
    if args.format.chosen(out) == Format::Json {
        out.document(&RulesDocument::list(rules()));
        return Ok(ExitCode::SUCCESS);
    }
    let width = rules().iter().map(|rule| rule.code.len()).max().unwrap_or_default();
    let mut list = String::new();
    for rule in rules() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            list,
            "{:width$}  {:7}  {}",
            rule.code,
            rule.default_severity.to_string(),
            rule.full_summary()
        );
    }
    out.data(&list);
    Ok(ExitCode::SUCCESS)
}

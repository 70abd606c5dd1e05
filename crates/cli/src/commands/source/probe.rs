//! `minds source probe`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::source::{self, NO_SOURCE};
use minds_sources::{ProbeFilter, ProbeRow};
use serde_json::json;

use super::flags::{FormatFlags, KindName, YesFlag};
use super::outcome::told;
use crate::output::{Failure, Output};

/// How many characters of a description are shown.
const MAX_CHARACTERS: usize = 60;
/// How many digits of a hash are shown.
const MAX_DIGITS: usize = 8;

/// Show what the registered sources offer
///
/// QUERY is looked for in names and descriptions, whatever the letter case. What is installed is marked with `*`.
///
/// As JSON the answer has `items` in order of kind and name. A source that cannot be read is reported on standard error, and
/// the items of the others are shown; the exit code is 1 then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds probe                        Show everything
  minds probe review --kind skill    Show the skills that are about reviews
  minds probe --source acme/agents --json")]
pub(crate) struct ProbeArgs {
    /// A text that the name or the description has
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    /// Show items of this kind only
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindName>,
    /// Show items of this source only: its name, the end of it, or a pattern
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Taken for those who are used to it: the answer is always a list
    #[arg(short = 'n', long, hide = true)]
    no_tui: bool,
    #[command(flatten)]
    pub(super) format: FormatFlags,
    #[command(flatten)]
    yes: YesFlag,
}

pub(super) fn run(directory: &Path, args: &ProbeArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let filter = ProbeFilter {
        query: args.query.clone(),
        kind: args.kind.map(Into::into),
        source: args.source.clone(),
    };
    let probed = source::probe(directory, &filter)?;
    if args.format.wants_json(out) {
        out.json(&json!({"items": probed.rows}));
    } else {
        out.data(&human(&probed.rows));
        if probed.rows.is_empty() {
            Output::remark(match probed.sources {
                0 => NO_SOURCE,
                _ => "no item that is offered matches",
            });
        }
    }
    Ok(told(&probed.failures))
}

/// Returns the items in lines that are safe for a terminal.
fn human(rows: &[ProbeRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let mark = if row.installed { '*' } else { ' ' };
        let unknown = if row.unmanaged { "-" } else { "unreadable" };
        let hash = row.hash.as_deref().and_then(|hash| hash.strip_prefix("sha256:")).unwrap_or(unknown);
        let hash: String = hash.chars().take(MAX_DIGITS).collect();
        let source = if row.unmanaged { "(unmanaged)".into() } else { printable(&row.source) };
        let key = format!("{}:{}", row.kind, row.name);
        let about = row.description.as_deref().map(summary).unwrap_or_default();
        let line = format!("{mark} {key}  {hash}  {source}  {about}");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
        for need in &row.dependencies {
            let _ = writeln!(text, "    needs {}", printable(need));
        }
    }
    text
}

/// Returns the beginning of a description, on one line.
pub(super) fn summary(description: &str) -> String {
    let words: Vec<&str> = description.split_whitespace().collect();
    let line = words.join(" ");
    let mut short: String = line.chars().take(MAX_CHARACTERS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    printable(&short).into_owned()
}

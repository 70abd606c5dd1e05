//! `minds source search`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_installer::{NO_SOURCE, OfferedItemsDocument};
use minds_inventory::{ProbeFilter, ProbeRow};

use super::flags::{FormatFlags, KindName, YesFlag};
use super::outcome::report_unreadable_sources;
use minds_output::{Failure, Output};

/// The maximum length of a displayed description, in characters.
const MAX_CHARACTERS: usize = 60;
/// The number of hash digits that are displayed.
const MAX_DIGITS: usize = 8;

/// Search the items that sources offer
///
/// QUERY is searched for in names and descriptions, ignoring letter case; without it, all items are listed. Installed
/// items are marked with `*`.
///
/// In JSON, `items` is sorted by kind and name. A source that cannot be read is reported on stderr, the items of the
/// other sources are listed, and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source search                      List all items
  minds source search review --kind skill  Search skills for `review`
  minds source search --source acme/agents --json")]
pub(crate) struct ProbeArgs {
    /// Text in the name or description
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    /// List only items of this kind
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindName>,
    /// List only items of this source: its name, the end of its name, or a pattern
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Accepted for compatibility; the output is always a list
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
    let probed = minds_installer::probe(directory, &filter)?;
    if args.format.wants_json(out) {
        out.document(&OfferedItemsDocument { items: &probed.rows });
    } else {
        out.data(&human(&probed.rows));
        if probed.rows.is_empty() {
            Output::remark(match probed.sources {
                0 => NO_SOURCE,
                _ => "no item matches",
            });
        }
    }
    Ok(report_unreadable_sources(&probed.failures))
}

/// Renders the items as lines that are safe to print on a terminal.
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
            let _ = writeln!(text, "    needs {}", printable(&need.to_string()));
        }
    }
    text
}

/// Shortens a description to one line of at most [`MAX_CHARACTERS`] characters.
pub(super) fn summary(description: &str) -> String {
    let words: Vec<&str> = description.split_whitespace().collect();
    let line = words.join(" ");
    let mut short: String = line.chars().take(MAX_CHARACTERS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    printable(&short).into_owned()
}

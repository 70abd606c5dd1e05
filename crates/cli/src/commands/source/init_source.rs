//! `minds init-source`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::source::{self, InitSource};
use minds_sources::ItemMentions;
use serde_json::{Value, json};

use super::flags::{FormatFlags, YesFlag};
use crate::output::{Failure, Output};

/// Write a first `mind.toml`, and show what a source offers
///
/// PATH is the folder of the source. Lists what it offers, and which of its items speak of others: needed ones by their
/// references in braces, and names that stand alone, which are no longer right once a prefix is put before all names.
/// A `mind.toml` that is there is never changed.
///
/// With --template, names that stand alone in Markdown files become references, `{{ns:NAME}}`; all files are written, or
/// none. Look at the changes first with --dry-run: a name may also be a plain word.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds init-source                       Write a first `mind.toml` here
  minds init-source --template --dry-run  Show which names would become references")]
pub(crate) struct InitSourceArgs {
    /// The folder of the source
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Make references of names of items that stand alone
    #[arg(long)]
    template: bool,
    /// Print what would be written as a unified diff, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    pub(super) format: FormatFlags,
    #[command(flatten)]
    yes: YesFlag,
}

pub(super) fn run(directory: &Path, args: &InitSourceArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let done = source::init_source(directory, &args.path, args.template, !args.dry_run)?;
    if args.format.wants_json(out) {
        out.json(&document(&done, args.dry_run));
        return Ok(ExitCode::SUCCESS);
    }
    out.data(&human(&done, args.dry_run));
    if args.dry_run {
        Output::remark(&format!("nothing was written; {} to write", done.written.len()));
    } else if done.has_manifest && done.written.is_empty() {
        Output::remark("`mind.toml` is there already; nothing was written");
    }
    Ok(ExitCode::SUCCESS)
}

fn human(done: &InitSource, dry_run: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for item in &done.items {
        let _ = writeln!(text, "{}", printable(&item.item.to_string()));
        for need in &item.needs {
            let _ = writeln!(text, "  needs {}", printable(&need.to_string()));
        }
        for mention in &item.mentions {
            let place = format!("{}:{}", mention.path, mention.line);
            let _ = writeln!(text, "  {}: `{}` stands alone", printable(&place), printable(&mention.name));
        }
    }
    if done.items.is_empty() {
        text.push_str("the source offers nothing yet\n");
    }
    if dry_run {
        text.push_str(&done.diff);
    } else {
        for file in &done.written {
            let _ = writeln!(text, "wrote {}", printable(file));
        }
    }
    text
}

fn document(done: &InitSource, dry_run: bool) -> Value {
    let item = |item: &ItemMentions| {
        let needs: Vec<String> = item.needs.iter().map(ToString::to_string).collect();
        let mentions: Vec<Value> = item
            .mentions
            .iter()
            .map(|mention| json!({ "file": mention.path.as_str(), "line": mention.line, "name": mention.name }))
            .collect();
        json!({ "kind": item.item.kind.name(), "name": item.item.name.as_str(), "needs": needs, "mentions": mentions })
    };
    json!({
        "action": "init-source",
        "outcome": if dry_run { "dry-run" } else if done.written.is_empty() { "no-op" } else { "written" },
        "written": done.written,
        "items": done.items.iter().map(item).collect::<Vec<Value>>(),
    })
}

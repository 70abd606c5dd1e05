//! `minds source list`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_installer::{DependenciesDocument, NO_SOURCE, RecallReport, RecallRequest, SourceItemsDocument};
use minds_inventory::{InstalledItem, RecallSource, RegisteredSource, Registry};
use minds_sources::Pin;

use super::flags::{FormatFlags, KindName, YesFlag};
use super::outcome::{report_unreadable_sources, short};
use super::probe::summary;
use minds_output::{Failure, Output};

/// List sources with their items, and show what is installed
///
/// Items are listed below their source with a mark: `+` installed and up to date, `^` an update is available, `-` not
/// installed, `!` installed but no longer offered, `?` installed from a source that cannot be read. Files in agent homes
/// that minds did not install are listed last.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source list                        List all sources and their items
  minds source list skill:review           Show the details of a skill
  minds source list --sources --json       Print URLs and commits")]
pub(crate) struct RecallArgs {
    /// Show the details of this installed item
    #[arg(value_name = "ITEM", conflicts_with_all = ["sources", "kind", "source"])]
    item: Option<String>,
    /// List sources without their items
    #[arg(long, conflicts_with_all = ["kind", "source", "tree"])]
    sources: bool,
    /// List only items of this kind
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindName>,
    /// List only items of this source: its name, the end of its name, or a pattern
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Show the dependencies of all installed items, or of ITEM
    #[arg(long)]
    tree: bool,
    #[command(flatten)]
    pub(super) format: FormatFlags,
    #[command(flatten)]
    yes: YesFlag,
}

pub(super) fn run(directory: &Path, args: &RecallArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let json = args.format.wants_json(out);
    if let Some(item) = args.item.as_ref().filter(|_| !args.tree) {
        let item = minds_installer::recall_item(directory, item)?;
        if json {
            out.document(&item.document());
        } else {
            out.data(&details(&item));
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.sources {
        let registry = minds_installer::recall_sources(directory)?;
        if json {
            out.document(&registry.document());
        } else {
            out.data(&sources(&registry));
            print_hint_without_sources(registry.sources.len());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let request = RecallRequest {
        item: args.item.clone(),
        kind: args.kind.map(Into::into),
        source: args.source.clone(),
    };
    if args.tree {
        let found = minds_installer::recall_tree(directory, &request)?;
        if json {
            out.document(&DependenciesDocument { tree: &found.trees });
        } else {
            for line in &found.lines {
                out.data(&format!("{}\n", printable(line)));
            }
            if found.lines.is_empty() && found.failures.is_empty() {
                Output::remark("no item is installed; `minds source install ITEM` installs one");
            }
        }
        return Ok(report_unreadable_sources(&found.failures));
    }
    let recalled = minds_installer::recall(directory, &request)?;
    if json {
        out.document(&SourceItemsDocument { sources: &recalled.sources });
    } else {
        out.data(&human(&recalled));
        if recalled.failures.is_empty() {
            print_hint_without_sources(recalled.sources.len());
        }
    }
    Ok(report_unreadable_sources(&recalled.failures))
}

/// Prints how to add the first source.
fn print_hint_without_sources(sources: usize) {
    if sources == 0 {
        Output::remark(NO_SOURCE);
    }
}

fn human(recalled: &RecallReport) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for source in &recalled.sources {
        let _ = writeln!(text, "{}", source_line(source));
        for item in &source.items {
            let about = item.description.as_deref().map(summary).unwrap_or_default();
            let line = format!("  {} {}  {about}", item.state.symbol(), item.key);
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    if !recalled.unmanaged.is_empty() {
        text.push_str("unmanaged: not installed by minds\n");
        recalled.unmanaged.iter().for_each(|place| {
            let _ = writeln!(text, "  {}", printable(place));
        });
    }
    text
}

fn source_line(source: &RecallSource) -> String {
    let mut more = short(source.commit.as_deref()).to_owned();
    match source.alias.as_deref() {
        None => {}
        Some("") => more.push_str(", without a prefix"),
        Some(alias) => {
            let _ = write!(more, ", as {}", printable(alias));
        }
    }
    match source.pending_hooks {
        0 => {}
        1 => more.push_str(", 1 hook did not run"),
        hooks => {
            let _ = write!(more, ", {hooks} hooks did not run");
        }
    }
    let about = source.description.as_deref().map(summary).unwrap_or_default();
    let about = if source.error.is_some() { "cannot be read".to_owned() } else { about };
    format!("* {}  ({more})  {about}", printable(source.name.as_str())).trim_end().to_owned()
}

fn sources(registry: &Registry) -> String {
    let line = |source: &RegisteredSource| {
        let pin = match (&source.pin, source.pin.revision()) {
            (Pin::DefaultBranch, _) if source.is_linked() => "linked".to_owned(),
            (pin, None) => pin.kind().to_string(),
            (pin, Some(revision)) => format!("{} {revision}", pin.kind()),
        };
        let (name, url) = (source.identity.to_string(), source.url().to_owned());
        let commit = short(source.commit.as_deref());
        format!("* {}  ({commit}, {})  {}\n", printable(&name), printable(&pin), printable(&url))
    };
    registry.sources.iter().map(line).collect()
}

/// Renders the stored details of an item as lines that are safe to print on a terminal.
fn details(item: &InstalledItem) -> String {
    let mut text = format!("{}\n", item.key);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:7} {}", printable(value));
    };
    if let Some(description) = &item.description {
        line("about", description);
    }
    line("source", item.source.as_str());
    line("commit", item.commit.as_deref().unwrap_or("-"));
    line("hash", &item.hash.to_string());
    line("store", item.store_path().as_str());
    item.placed.keys().for_each(|at| line("link", at.as_str()));
    item.dependencies.iter().for_each(|need| line("needs", &need.to_string()));
    text
}

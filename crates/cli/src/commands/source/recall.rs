//! `minds source recall`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::source::{self, NO_SOURCE, RecallRequest, Recalled};
use minds_sources::{InstalledItem, Pin, RecallSource, Registered, Registry, Tree};
use serde::Serialize;
use serde_json::json;

use super::flags::{FormatFlags, KindName, YesFlag};
use super::outcome::{short, told};
use super::probe::summary;
use crate::output::{Failure, Output};

/// Show what is installed, and what could be
///
/// Items stand below their source: `+` is installed as it is offered, `^` is installed and its source has something newer,
/// `-` is not installed, `!` is installed and not offered any more, `?` is installed from a source that cannot be read.
/// What lies in agent homes and was not installed by minds stands at the end.
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "status",
    after_help = "\
Examples:
  minds recall                     Show all sources and their items
  minds recall skill:review        Show where a skill comes from and where it lies
  minds recall --sources --json    Show where sources are read from, and at which commit"
)]
pub(crate) struct RecallArgs {
    /// An installed item
    #[arg(value_name = "ITEM", conflicts_with_all = ["sources", "kind", "source"])]
    item: Option<String>,
    /// Show the sources without their items
    #[arg(long, conflicts_with_all = ["kind", "source", "tree"])]
    sources: bool,
    /// Show items of this kind only
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindName>,
    /// Show items of this source only: its name, the end of it, or a pattern
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Show what the installed items need, or what ITEM does
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
        let item = source::recall_item(directory, item)?;
        if json {
            out.json(&item.to_json());
        } else {
            out.data(&details(&item));
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.sources {
        let registry = source::recall_sources(directory)?;
        if json {
            out.json(&json!({"sources": registry.to_json()}));
        } else {
            out.data(&sources(&registry));
            hint(registry.sources.len());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let request = RecallRequest {
        item: args.item.clone(),
        kind: args.kind.map(Into::into),
        source: args.source.clone(),
    };
    if args.tree {
        let (tree, lines, failures) = source::recall_tree(directory, &request)?;
        if json {
            out.json(&TreeDocument { tree: &tree });
        } else {
            for line in &lines {
                out.data(&format!("{}\n", printable(line)));
            }
            if lines.is_empty() && failures.is_empty() {
                Output::remark("nothing is installed; `minds learn ITEM` installs what is offered");
            }
        }
        return Ok(told(&failures));
    }
    let recalled = source::recall(directory, &request)?;
    if json {
        out.json(&json!({"sources": recalled.sources}));
    } else {
        out.data(&human(&recalled));
        if recalled.failures.is_empty() {
            hint(recalled.sources.len());
        }
    }
    Ok(told(&recalled.failures))
}

/// What items need, as a document.
#[derive(Serialize)]
struct TreeDocument<'a> {
    tree: &'a Tree,
}

/// Says how to begin where there is nothing yet.
fn hint(sources: usize) {
    if sources == 0 {
        Output::remark(NO_SOURCE);
    }
}

fn human(recalled: &Recalled) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for source in &recalled.sources {
        let _ = writeln!(text, "{}", head(source));
        for item in &source.items {
            let about = item.description.as_deref().map(summary).unwrap_or_default();
            let line = format!("  {} {}  {about}", item.state.sign(), item.key);
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

fn head(source: &RecallSource) -> String {
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
        1 => more.push_str(", a hook did not run"),
        hooks => {
            let _ = write!(more, ", {hooks} hooks did not run");
        }
    }
    let about = source.description.as_deref().map(summary).unwrap_or_default();
    let about = if source.error.is_some() { "cannot be read".to_owned() } else { about };
    format!("* {}  ({more})  {about}", printable(source.name.as_str())).trim_end().to_owned()
}

fn sources(registry: &Registry) -> String {
    let line = |source: &Registered| {
        let pin = match (&source.pin, source.pin.revision()) {
            (Pin::DefaultBranch, _) if source.is_linked() => "linked".to_owned(),
            (pin, None) => pin.kind().to_owned(),
            (pin, Some(revision)) => format!("{} {revision}", pin.kind()),
        };
        let (name, url) = (source.identity.to_string(), source.url().to_owned());
        let commit = short(source.commit.as_deref());
        format!("* {}  ({commit}, {})  {}\n", printable(&name), printable(&pin), printable(&url))
    };
    registry.sources.iter().map(line).collect()
}

/// Returns all that is remembered of an item, in lines that are safe for a terminal.
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
    line("store", item.stored_at().as_str());
    item.placed.keys().for_each(|at| line("link", at.as_str()));
    item.dependencies.iter().for_each(|need| line("needs", &need.to_string()));
    text
}

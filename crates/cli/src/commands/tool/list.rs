//! `minds tool list`

use std::fmt::Write as _;
use std::process::ExitCode;

use minds_system::terminal_width;
use minds_toolset::{ToolDescriptor, Toolbox};
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};
use crate::paint::{Style, paint};

/// List the tools, with what they take and give
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds tool list                        See what there is
  minds tool list --toolset team-mgmt    See what a manager of the team can do
  minds tool list --format json | jq -r '.tools[].name'
                                         Let a program read them")]
pub(super) struct ListArgs {
    /// Only those of this toolset
    #[arg(long, value_name = "TOOLSET")]
    toolset: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

/// The width where there is no terminal, and the widest that is easily read.
const WIDTHS: (usize, usize) = (80, 100);
/// How wide a column of text is at least; where it would be narrower, the text stands below the name.
const NARROWEST: usize = 30;

pub(super) fn run(args: &ListArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let toolbox = Toolbox::new();
    let tools = match &args.toolset {
        None => toolbox.list(),
        Some(toolset) => toolbox.toolset(toolset),
    };
    if let (Some(toolset), true) = (&args.toolset, tools.is_empty()) {
        let near = minds_diagnostics::did_you_mean(toolset, toolbox.toolsets());
        let known = || format!("there are {}", toolbox.toolsets().join(", "));
        let help = near.unwrap_or_else(known);
        return Err(Failure::usage(format!("there is no toolset `{toolset}` with tools here; {help}")));
    }
    if args.format.chosen(out) == Format::Json {
        out.json(&json!({"tools": tools}));
        return Ok(ExitCode::SUCCESS);
    }
    let width = terminal_width().unwrap_or(WIDTHS.0).min(WIDTHS.1);
    out.painted(&table(&tools, width, out.is_coloured()));
    Ok(ExitCode::SUCCESS)
}

/// Returns the tools below their toolsets, each with the first sentence of what it is for.
fn table(tools: &[ToolDescriptor], width: usize, is_coloured: bool) -> String {
    let mut toolsets: Vec<&str> = Vec::new();
    for tool in tools {
        if !toolsets.contains(&tool.toolset) {
            toolsets.push(tool.toolset);
        }
    }
    let names = tools.iter().map(|tool| tool.name.width()).max().unwrap_or_default();
    // Two columns before the name, two behind it.
    let beside = width.saturating_sub(names + 4);
    let mut table = String::new();
    for toolset in toolsets {
        if !table.is_empty() {
            table.push('\n');
        }
        table.push_str(&paint(toolset, Style::Bold, is_coloured));
        table.push('\n');
        for tool in tools.iter().filter(|tool| tool.toolset == toolset) {
            let text = tool.description.split_once(". ").map_or(tool.description, |(first, _)| first);
            let text = text.trim_end_matches('.');
            let name = paint(tool.name, Style::Cyan, is_coloured);
            let is_below = beside < NARROWEST;
            let (indent, width) = if is_below { (6, width.saturating_sub(6)) } else { (names + 4, beside) };
            let padding = if is_below { 0 } else { names.saturating_sub(tool.name.width()) };
            let between = if is_below { format!("\n{:indent$}", "") } else { format!("{:padding$}  ", "") };
            let text = wrapped(text, width).join(&format!("\n{:indent$}", ""));
            // Writing to a string cannot fail.
            let _ = writeln!(table, "  {name}{between}{text}");
        }
    }
    table
}

/// Returns a text in lines that are no wider than `width`, where its words are not.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let tools = Toolbox::new().list();
        for width in [40, 60, 80, 100] {
            let table = table(&tools, width, false);
            let widest = table.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap();
            assert!(widest <= width, "{widest} in {width}:\n{table}");
            for tool in &tools {
                assert!(table.contains(&format!("  {}", tool.name)), "{}", tool.name);
            }
        }
    }

    #[test]
    fn words_are_not_parted() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 3), ["one", "two", "three"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}

//! `minds tool list`

use std::fmt::Write as _;
use std::process::ExitCode;

use minds_process::terminal_width;
use minds_toolset::{ToolDescriptor, Toolbox, ToolsDocument};
use unicode_width::UnicodeWidthStr as _;

use minds_output::format::{Format, FormatArgs};
use minds_output::paint::{Style, paint};
use minds_output::{Failure, Output};

/// List the tools with their descriptions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds tool list                        List all tools
  minds tool list --toolset team-mgmt    List the tools for managing the team
  minds tool list --format json | jq -r '.tools[].name'
                                         Print the names of all tools")]
pub(super) struct ListArgs {
    /// List only the tools of this toolset
    #[arg(long, value_name = "TOOLSET")]
    toolset: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

/// The width if the output is not a terminal, in columns.
const DEFAULT_WIDTH: usize = 80;
/// Longer lines would be hard to read, in columns.
const MAX_WIDTH: usize = 100;
/// If the column of descriptions would be narrower, descriptions are placed below the names, in columns.
const MIN_WIDTH: usize = 30;

pub(super) fn run(args: &ListArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let toolbox = Toolbox::new();
    let tools = match &args.toolset {
        None => toolbox.list(),
        Some(toolset) => toolbox.toolset(toolset),
    };
    if let (Some(toolset), true) = (&args.toolset, tools.is_empty()) {
        let toolsets = toolbox.toolsets();
        let near = minds_diagnostics::did_you_mean(toolset, toolsets.iter().map(AsRef::as_ref));
        let known = || format!("toolsets: {}", toolsets.join(", "));
        let help = near.unwrap_or_else(known);
        return Err(Failure::usage(format!("no such toolset: `{toolset}`; {help}")));
    }
    if args.format.chosen(out) == Format::Json {
        out.document(&ToolsDocument { tools: &tools });
        return Ok(ExitCode::SUCCESS);
    }
    let width = terminal_width().unwrap_or(DEFAULT_WIDTH).min(MAX_WIDTH);
    out.push_styled(&table(&tools, width, out.is_colored()));
    Ok(ExitCode::SUCCESS)
}

/// Renders the tools grouped by toolset, each with the first sentence of its description.
fn table(tools: &[ToolDescriptor], width: usize, is_colored: bool) -> String {
    let mut toolsets: Vec<&str> = Vec::new();
    for tool in tools {
        if !toolsets.contains(&tool.toolset.as_ref()) {
            toolsets.push(&tool.toolset);
        }
    }
    let names = tools.iter().map(|tool| tool.name.width()).max().unwrap_or_default();
    // Two columns of indentation, and two between name and description.
    let beside = width.saturating_sub(names + 4);
    let mut table = String::new();
    for toolset in toolsets {
        if !table.is_empty() {
            table.push('\n');
        }
        table.push_str(&paint(toolset, Style::Bold, is_colored));
        table.push('\n');
        for tool in tools.iter().filter(|tool| tool.toolset == toolset) {
            let text =
                tool.description.split_once(". ").map_or(tool.description.as_ref(), |(first, _)| first);
            let text = text.trim_end_matches('.');
            let name = paint(&tool.name, Style::Cyan, is_colored);
            let is_below = beside < MIN_WIDTH;
            let (indent, width) = if is_below { (6, width.saturating_sub(6)) } else { (names + 4, beside) };
            let padding = if is_below { 0 } else { names.saturating_sub(tool.name.width()) };
            let between = if is_below { format!("\n{:indent$}", "") } else { format!("{:padding$}  ", "") };
            let text = wrap(text, width).join(&format!("\n{:indent$}", ""));
            // Writing to a string cannot fail.
            let _ = writeln!(table, "  {name}{between}{text}");
        }
    }
    table
}

/// Wraps text into lines of at most `width` columns. Longer words are not split.
fn wrap(text: &str, width: usize) -> Vec<String> {
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
    fn words_are_not_split() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one two three", 3), ["one", "two", "three"]);
        assert_eq!(wrap("", 3), [""]);
    }
}

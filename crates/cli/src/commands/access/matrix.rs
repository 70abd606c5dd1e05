//! `minds access matrix`

use std::cell::RefCell;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::documents::AccessMatrixDocument;
use minds_process::terminal_width;
use minds_workspace::access::{Cell, Matrix, MatrixFilter, Reason, Right};
use unicode_width::UnicodeWidthStr as _;

use super::Op;
use crate::commands::allow_nothing_to_do;
use crate::commands::check::WIDTH;
use minds_output::Progress;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Show the access rights of all members to all directories
///
/// The rows are the workspace itself and the directories and patterns in the entries of all lists. A row with `*` shows the
/// rights to a path that it matches.
///
/// Exits with 0, also if there is no team, and with 2 if the member does not exist, or if the matrix is too large to
/// compute; use `--member`, `--path` and `--op` to select a part of it then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds access matrix             Show the table
  minds access matrix --member coder --path src --op write
                                  Show where one member may write in `src`
  minds access matrix --format json | jq '.directories[].directory'
                                  Print the directories")]
pub(super) struct MatrixArgs {
    /// Show only this member; can be repeated
    #[arg(long = "member", value_name = "MEMBER")]
    members: Vec<String>,
    /// Show only this path of the workspace and the directories in it; can be repeated
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,
    /// Show only this operation
    #[arg(long, value_enum, value_name = "OP")]
    op: Option<Op>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(directory: &Path, args: &MatrixArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let team = minds_operations::team_access(directory);
    // A member that is given must exist, which it cannot without a team.
    let team = if args.members.is_empty() { allow_nothing_to_do(team, out)? } else { Some(team?) };
    let Some(team) = team else {
        if args.format.chosen(out) == Format::Json {
            out.document(&AccessMatrixDocument::new(None, &|| ()));
        }
        return Ok(ExitCode::SUCCESS);
    };
    super::warn_about_errors(&team);
    let mut filter = MatrixFilter {
        members: args.members.clone(),
        access: args.op.map(Into::into),
        ..MatrixFilter::default()
    };
    for path in &args.paths {
        filter.add_path(path).map_err(|error| Failure::usage(format!("--path: {error}")))?;
    }
    for id in &args.members {
        minds_operations::member_access(&team, id)?;
    }
    let matrix = team.matrix(&filter).map_err(|error| {
        Failure::usage(format!("{error}; select a part of it with `--member`, `--path` or `--op`"))
    })?;
    match args.format.chosen(out) {
        Format::Human => out.data(&human(&matrix, terminal_width().unwrap_or(WIDTH))),
        Format::Json => {
            let progress = RefCell::new(progress(&matrix, matrix.directories().len()));
            out.document(&AccessMatrixDocument::new(Some(&matrix), &|| progress.borrow_mut().advance()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

const LEGEND: &str = "\
r read, w write, - neither; ~ some paths inside are decided differently
! a list cannot be read and denies access; `.minds` is never written by general tools
";

/// The space between columns.
const GAP: usize = 2;

/// A matrix with at least this number of cells takes long enough for a progress bar.
const MIN_CELLS_FOR_PROGRESS: usize = 100_000;

/// Returns a bar for the rows of a matrix.
fn progress(matrix: &Matrix, rows: usize) -> Progress {
    let cells = matrix.directories().len().saturating_mul(matrix.members().len());
    Progress::new("computing the matrix", rows, cells >= MIN_CELLS_FOR_PROGRESS)
}

/// Renders the table. A table wider than `width` columns is split into several tables, each with some members and all
/// directories.
fn human(matrix: &Matrix, width: usize) -> String {
    let names: Vec<String> = matrix.directories().map(|name| printable(name).into_owned()).collect();
    let first = names.iter().map(|name| name.width()).max().unwrap_or_default();
    let members: Vec<String> = matrix.members().iter().map(|id| printable(id).into_owned()).collect();
    let tables = split(&members, first, width);
    let mut progress = progress(matrix, names.len() * tables.len());
    let mut text = String::new();
    for table in tables {
        let columns = || members.iter().take(table.end).skip(table.start);
        line(&mut text, "", first, columns().map(|member| (member.as_str(), column(member))));
        for (row, name) in matrix.rows_of(table.clone()).zip(&names) {
            progress.advance();
            let rights: Vec<String> = row.cells.iter().copied().map(rights).collect();
            let cells = columns().zip(&rights).map(|(member, rights)| (rights.as_str(), column(member)));
            line(&mut text, name, first, cells);
        }
        text.push('\n');
    }
    text.push_str(LEGEND);
    text
}

/// Splits the members into tables of at most `width` columns, each with at least one member.
fn split(members: &[String], first: usize, width: usize) -> Vec<Range<usize>> {
    let mut tables: Vec<Range<usize>> = Vec::new();
    let mut used = first;
    for (index, member) in members.iter().enumerate() {
        let needed = GAP + column(member);
        match tables.last_mut() {
            Some(table) if used + needed <= width => {
                table.end = index + 1;
                used += needed;
            }
            _ => {
                tables.push(index..index + 1);
                used = first + needed;
            }
        }
    }
    tables
}

/// Returns the width of the column of a member. Its widest cell is `rw~!`.
fn column(member: &str) -> usize {
    member.width().max(4)
}

fn line<'a>(text: &mut String, name: &str, first: usize, cells: impl Iterator<Item = (&'a str, usize)>) {
    let start = text.len();
    let _ = write!(text, "{name}{:1$}", "", first.saturating_sub(name.width()));
    for (cell, width) in cells {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:GAP$}{cell}{:2$}", "", "", width.saturating_sub(cell.width()));
    }
    let end = text.get(start..).unwrap_or_default().trim_end().len();
    text.truncate(start + end);
    text.push('\n');
}

fn rights(cell: Cell) -> String {
    let allowed = |right: Option<Right>| right.is_some_and(|right| right.allowed);
    let mut text = match (allowed(cell.read), allowed(cell.write)) {
        (true, true) => "rw",
        (true, false) => "r",
        (false, true) => "w",
        (false, false) => "-",
    }
    .to_owned();
    let mut rights = [cell.read, cell.write].into_iter().flatten();
    if rights.clone().any(|right| right.partial) {
        text.push('~');
    }
    if rights.any(|right| right.reason == Reason::InvalidPolicy) {
        text.push('!');
    }
    text
}

//! `minds check`

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use minds_diagnostics::{Diagnostic, Report, emit};
use minds_operations::documents::FixDocument;
use minds_operations::{CheckOutcome, CheckRequest, FixRequest, UnsavedText, Watch};
use minds_process::{standard_input, terminal_width};

use minds_output::format::{AnswerFormat, FormatArgs};
use minds_output::{Failure, Output};

/// Check all files and report problems
///
/// Reads the configuration of workspaces, and writes only with `--fix`. The workspace of PATH is the nearest directory at or
/// above it, within the repository, that contains `.minds/`, `.team/team-compose.yaml`, `.ateam/` or `mind.toml`, or else
/// a task package in `tasks/`. If PATH is a directory in a repository, all workspaces in it are checked too, except those
/// that `.gitignore`, `.ignore` or `.git/info/exclude` exclude, and those of other repositories. The files of several
/// workspaces are named relative to the current directory. A compose root in another directory is selected with --root, as PATH, or by the variable
/// `TEAMCTL_ROOT`, which takes precedence over `.team/`, but not over a workspace with `.minds/`, `.ateam/` or `mind.toml`.
///
/// Files that clients of agents read (Claude Code, Codex, Gemini CLI, opencode, Cursor, Copilot, VS Code) are checked in every
/// directory of the workspace, or of the repository if there is no workspace.
///
/// A comment `# minds: allow(CODE) reason` at the end of a line, or on the line above, suppresses the finding on that line.
///
/// Exits with 0 if there are no errors, with 1 if there are errors, and with 2 if PATH does not exist.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:
  minds check                          Check the workspace of the current directory, and those in it
  minds check apps/web apps/api        Check two workspaces
  minds check .minds/team.yaml         Report only problems of this file
  minds check tasks/ship-it.tsk        Check one task package, in any directory
  minds check --all                    Check all task packages of the workspace
  minds check --diff                   Show what --fix would change
  minds check --fix                    Apply all safe fixes
  minds check --watch                  Check again on every change
  minds check --env                    Report environment variables that are not set
  minds check --strict                 Also fail on warnings, for example in CI
  minds check --format json | jq -r '.diagnostics[].code'
                                       Print the codes of all findings
  minds check --stdin-filename .minds/team.yaml < draft.yaml
                                       Check text that is not saved yet")]
pub(crate) struct CheckArgs {
    /// Report only problems of these directories, files or task packages
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Check only the compose root DIR, a directory with a `team-compose.yaml`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["paths", "all", "stdin_filename"])]
    root: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs<Format>,
    /// Also exit with 1 on warnings; the setting `strict = true` of `[check]` in `.minds/minds.toml` does the same
    #[arg(long)]
    strict: bool,
    /// Also report environment variables that the files refer to and that are not set; their values are not read
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    env: bool,
    /// Check all task packages of the workspace that `.gitignore`, `.ignore` and `.git/info/exclude` do not exclude, not only
    /// those in the task home, at the top level, and in PATH
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    all: bool,
    /// Apply all safe fixes; keeps the style and all comments, except suppressions without effect
    #[arg(long)]
    fix: bool,
    /// Show what --fix would change as a unified diff, and exit with 1 if there are changes
    #[arg(long, conflicts_with = "fix")]
    diff: bool,
    /// Allow a compose root to refer to files outside the repository; findings do not quote their contents
    #[arg(long)]
    allow_outside: bool,
    /// Check again on every change, until interrupted
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    watch: bool,
    /// Check stdin as the contents of the file NAME, and report only problems of that file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["paths", "all", "fix", "diff", "watch"])]
    stdin_filename: Option<PathBuf>,
}

/// The output format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text with excerpts of the files
    Human,
    /// One line per finding: `file:line:column: severity[code]: message`
    Concise,
    /// One JSON document
    Json,
    /// One SARIF 2.1.0 log, for code scanning
    Sarif,
    /// GitHub workflow commands, for annotations
    Github,
}

impl AnswerFormat for Format {
    const DEFAULT: Self = Self::Human;
    const JSON: Self = Self::Json;
}

/// The width of excerpts if the output is not a terminal, in columns.
pub(crate) const WIDTH: usize = 100;

pub(crate) fn run(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if args.watch {
        return watch(directory, args, out);
    }
    if args.diff || args.fix {
        return fix(directory, args, out);
    }
    let host = args.env.then(minds_operations::this_host);
    let root = if args.all { None } else { compose_root(directory, args)? };
    let text = match &args.stdin_filename {
        Some(name) => Some((name, standard_input().map_err(minds_operations::OperationError::from)?)),
        None => None,
    };
    let outcome = minds_operations::check(&CheckRequest {
        base: directory,
        paths: &args.paths,
        root: root.as_deref(),
        text: text.as_ref().map(|(name, bytes)| UnsavedText { name, bytes }),
        host: host.as_ref(),
        everywhere: args.all,
        allows_outside: args.allow_outside,
    })?;
    let code = print(&outcome, args, out);
    // The process ends here; freeing every value separately would only take time.
    std::mem::forget(outcome);
    Ok(code)
}

/// Returns the compose root of `--root` or of the environment, to check only that one.
fn compose_root(directory: &Path, args: &CheckArgs) -> Result<Option<PathBuf>, Failure> {
    match &args.root {
        Some(root) => Ok(Some(root.clone())),
        None if args.paths.is_empty() => Ok(minds_operations::root_of_environment(directory)?),
        None => Ok(None),
    }
}

fn fix(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let root = compose_root(directory, args)?;
    let outcome = minds_operations::fix(&FixRequest {
        base: directory,
        paths: &args.paths,
        root: root.as_deref(),
        allows_outside: args.allow_outside,
        write: args.fix,
    })?;
    if args.diff {
        match args.format.chosen(out) {
            Format::Human => out.data(&outcome.diff),
            Format::Json => out.document(&FixDocument::from(&outcome)),
            Format::Concise | Format::Sarif | Format::Github => {
                let message = "`--diff` prints a unified diff, or one JSON document with `--json`";
                return Err(Failure::usage(message.to_owned()));
            }
        }
        let problems = if outcome.fixed == 1 { "problem" } else { "problems" };
        Output::remark(&format!("--fix would fix {} {problems}", outcome.fixed));
        return Ok(if outcome.diff.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) });
    }
    let code = print(&outcome.check, args, out);
    if outcome.fixed > 0 {
        let problems = if outcome.fixed == 1 { "problem" } else { "problems" };
        Output::remark(&format!("fixed {} {problems} in {}", outcome.fixed, outcome.files.join(", ")));
    }
    Ok(code)
}

/// Prints the findings now and after each change. On a terminal each report begins on a cleared screen.
fn watch(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if matches!(args.format.chosen(out), Format::Json | Format::Sarif) {
        let message = "`--watch` prints several reports, but this format is a single document";
        return Err(Failure::usage(message.to_owned()));
    }
    let host = args.env.then(minds_operations::this_host);
    let root = if args.all { None } else { compose_root(directory, args)? };
    let mut watch = Watch::new(CheckRequest {
        paths: &args.paths,
        root: root.as_deref(),
        host: host.as_ref(),
        everywhere: args.all,
        allows_outside: args.allow_outside,
        ..CheckRequest::new(directory)
    });
    let is_screen = std::io::stdout().is_terminal() && args.format.chosen(out) == Format::Human;
    loop {
        let outcome = watch.wait()?;
        if is_screen {
            out.clear_screen();
        }
        print(&outcome, args, out);
        if is_screen {
            out.data("waiting for changes; stop with Ctrl-C\n");
        }
        // If the reader closed the pipe, further reports are not needed.
        if !out.flush() {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

fn print(outcome: &CheckOutcome, args: &CheckArgs, out: &mut Output) -> ExitCode {
    if let Some(reason) = &outcome.nothing {
        Output::remark(reason);
    }
    let report = &outcome.report;
    match args.format.chosen(out) {
        Format::Human if outcome.nothing.is_some() && report.diagnostics.is_empty() => {}
        Format::Human => {
            let width = terminal_width().unwrap_or(WIDTH);
            let color = out.is_colored();
            out.push_styled(&emit::human(report, emit::Human { color, width }));
            if let Some(finding) = worst_finding(report) {
                out.data(&format!("for details, run `minds explain {}`\n", finding.rule.code));
            }
        }
        Format::Concise => out.data(&emit::concise(report)),
        Format::Json => out.data(&emit::json(report)),
        Format::Sarif => {
            let rules = minds_workspace::rules();
            out.data(&emit::sarif(report, emit::Tool { version: env!("CARGO_PKG_VERSION"), rules: &rules }));
        }
        Format::Github => out.data(&emit::github(report)),
    }
    if report.summary().is_clean(args.strict || outcome.strict) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}

/// Returns the first of the most severe findings.
fn worst_finding(report: &Report) -> Option<&Diagnostic> {
    // `max_by_key` returns the last of several equal items, so the order is reversed.
    report.diagnostics.iter().rev().max_by_key(|finding| finding.severity)
}

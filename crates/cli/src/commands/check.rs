//! `minds check`

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use minds_diagnostics::{Diagnostic, Report, emit};
use minds_operations::{CheckOutcome, CheckRequest, Watch};
use minds_system::{standard_input, terminal_width};
use serde_json::json;

use crate::format::{AnswerFormat, FormatArgs};
use crate::output::{Failure, Output};

/// Check the workspace and report every problem
///
/// Reads the configuration of the workspace, and writes only with `--fix`. The workspace is the nearest directory at or
/// above PATH that holds `.minds/`, `.team/team-compose.yaml`, `.ateam/` or `mind.toml`, within the repository; where there
/// is none, one that holds a task package in `tasks/`. A compose root that lies elsewhere is named by --root, as PATH, or by
/// the variable `TEAMCTL_ROOT`, which comes before a `.team/` and behind a workspace with `.minds/`, `.ateam/` or `mind.toml`.
///
/// A comment `# minds: allow(CODE) reason` at the end of a line, or alone above it, allows what is found there.
///
/// Exits with 0 if no error was found, with 1 if there are errors, and with 2 if there is no such PATH.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:
  minds check                          Check the workspace that you are in
  minds check .minds/team.yaml         Print only what is found in this file
  minds check tasks/ship-it.tsk        Check one task package, wherever it lies
  minds check --all                    Check task packages everywhere
  minds check --diff                   Show what --fix would change
  minds check --fix                    Mend what needs no decision
  minds check --watch                  Check again on every change
  minds check --env                    See whether all keys are set where you are
  minds check --strict                 Fail on warnings too, as in CI
  minds check --format json | jq -r '.diagnostics[].code'
                                       Let a program read the findings
  minds check --stdin-filename .minds/team.yaml < draft.yaml
                                       Check a text that is not saved yet")]
pub(crate) struct CheckArgs {
    /// Directories of the workspace, or files and task packages: then only what is found in these is printed
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Check the compose root DIR alone: a directory that holds `team-compose.yaml`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["paths", "all", "stdin_filename"])]
    root: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs<Format>,
    /// Exit with 1 on warnings too; `strict = true` below `[check]` in `.minds/minds.toml` does the same
    #[arg(long)]
    strict: bool,
    /// Report variables that the files name and that are not set here; no value is read
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    env: bool,
    /// Check task packages anywhere in the workspace, except where `.gitignore`, `.ignore` or `.git/info/exclude` leave them
    /// out; else those in the task home, at the top, and those that are named
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    all: bool,
    /// Apply every fix that needs no decision; style stays, and so do comments, except those that allow nothing
    #[arg(long)]
    fix: bool,
    /// Show what --fix would change as a unified diff, and exit with 1 if that is anything
    #[arg(long, conflicts_with = "fix")]
    diff: bool,
    /// Let the files of a compose root name files outside the repository; findings quote nothing of them
    #[arg(long)]
    allow_outside: bool,
    /// Check again on every change, until interrupted
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    watch: bool,
    /// Check standard input as if it stood at NAME, and print only what is found there
    #[arg(long, value_name = "NAME", conflicts_with_all = ["paths", "all", "fix", "diff", "watch"])]
    stdin_filename: Option<PathBuf>,
}

/// How to print findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the lines that they are about
    Human,
    /// One line each: `file:line:column: severity[code]: message`
    Concise,
    /// One JSON document
    Json,
    /// One SARIF 2.1.0 log, for code scanning
    Sarif,
    /// Workflow commands, for annotations on GitHub
    Github,
}

impl AnswerFormat for Format {
    const DEFAULT: Self = Self::Human;
    const JSON: Self = Self::Json;
}

/// The width of excerpts where there is no terminal.
pub(crate) const WIDTH: usize = 100;

pub(crate) fn run(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if args.watch {
        return watch(directory, args, out);
    }
    if args.diff || args.fix {
        return mend(directory, args, out);
    }
    let host = args.env.then(minds_operations::this_host);
    let root = if args.all { None } else { compose_root(directory, args)? };
    let request =
        CheckRequest { host: host.as_ref(), everywhere: args.all, ..request(args, root.as_deref()) };
    let outcome = match &args.stdin_filename {
        Some(name) => {
            let text = standard_input().map_err(minds_operations::OperationError::from)?;
            minds_operations::check_text_requested(directory, name, text, &request)?
        }
        None => minds_operations::check_requested(directory, &request)?,
    };
    let code = print(&outcome, args, out);
    // The process ends here, which gives all memory back at once.
    std::mem::forget(outcome);
    Ok(code)
}

/// Returns the compose root that is checked alone, if one is named.
fn compose_root(directory: &Path, args: &CheckArgs) -> Result<Option<PathBuf>, Failure> {
    match &args.root {
        Some(root) => Ok(Some(root.clone())),
        None if args.paths.is_empty() => Ok(minds_operations::root_of_environment(directory)?),
        None => Ok(None),
    }
}

/// Returns what is checked.
fn request<'a>(args: &'a CheckArgs, root: Option<&'a Path>) -> CheckRequest<'a> {
    let allows_outside = args.allow_outside;
    CheckRequest { paths: &args.paths, root, allows_outside, ..CheckRequest::default() }
}

fn mend(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let root = compose_root(directory, args)?;
    let outcome = minds_operations::fix_requested(directory, &request(args, root.as_deref()), args.fix)?;
    if args.diff {
        match args.format.chosen(out) {
            Format::Human => out.data(&outcome.diff),
            Format::Json => out.json(&json!({
                "fixed": outcome.fixed,
                "files": outcome.files,
                "diff": outcome.diff,
            })),
            Format::Concise | Format::Sarif | Format::Github => {
                let message = "`--diff` prints a unified diff, or one JSON document with `--json`";
                return Err(Failure::usage(message.to_owned()));
            }
        }
        let problems = if outcome.fixed == 1 { "problem" } else { "problems" };
        Output::remark(&format!("--fix would mend {} {problems}", outcome.fixed));
        return Ok(if outcome.diff.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) });
    }
    let code = print(&outcome.check, args, out);
    if outcome.fixed > 0 {
        let problems = if outcome.fixed == 1 { "problem" } else { "problems" };
        Output::remark(&format!("mended {} {problems} in {}", outcome.fixed, outcome.files.join(", ")));
    }
    Ok(code)
}

/// Prints the findings, and again after each change. On a terminal every round gets the screen for itself.
fn watch(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if matches!(args.format.chosen(out), Format::Json | Format::Sarif) {
        let message = "`--watch` prints one report after another, and this format is one document";
        return Err(Failure::usage(message.to_owned()));
    }
    let host = args.env.then(minds_operations::this_host);
    let root = if args.all { None } else { compose_root(directory, args)? };
    let mut watch = Watch::new(directory, &args.paths).on(host).everywhere(args.all).at_root(root);
    watch = watch.allowing_outside(args.allow_outside);
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
        // Whoever reads may stop reading; then there is nobody to check for.
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
            let color = out.is_coloured();
            out.painted(&emit::human(report, emit::Human { color, width }));
            if let Some(worst) = worst(report) {
                out.data(&format!("`minds explain {}` says more about a code\n", worst.rule.code));
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

/// Returns the first of the most severe findings, about which people most likely want to read more.
fn worst(report: &Report) -> Option<&Diagnostic> {
    let found = report.diagnostics.iter();
    // The last of several that are equal, so they are turned around.
    found.rev().max_by_key(|found| found.severity)
}

//! `minds access check`

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use minds_diagnostics::emit::printable;
use minds_diagnostics::to_json_line;
use minds_fs::MAX_FILE_BYTES;
use minds_operations::WorkspaceRoots;
use minds_operations::documents::{AccessCheckDocument, AccessSummary, PathDecision};
use minds_process::{Line, standard_input_lines};
use minds_workspace::access::{Access, AccessDecision, EntryView, MemberAccess, Reason};
use unicode_width::UnicodeWidthStr as _;

use super::Op;
use super::decision_text::{render_reason, verdict};
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Check whether a member may read or write paths
///
/// PATHs are relative to the workspace, regardless of the current directory, and do not need to exist. They are normalized:
/// `./a`, `a//b` and `a/../b` are resolved without reading the file system, and the empty path is the workspace itself. An
/// absolute path inside the workspace is judged by its relative form; any other, and a path that escapes the workspace, is
/// denied.
///
/// Exits with 0 if all paths are allowed, with 1 if any path is denied, and with 2 if the member or the team does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds access check --member coder --op write src/main.rs docs
  git -c core.quotePath=off ls-files | minds access check --member coder --op read -
                                  Check every file of a repository")]
pub(super) struct CheckArgs {
    /// The id of the member
    #[arg(long, value_name = "MEMBER")]
    member: String,
    /// The operation
    #[arg(long, value_enum, value_name = "OP")]
    op: Op,
    #[command(flatten)]
    format: FormatArgs,
    /// Paths relative to the workspace; `-` reads them from stdin, one per line
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
}

/// Paths wider than this number of columns do not widen the column of paths.
const MAX_WIDTH: usize = 40;

pub(super) fn run(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let team = minds_operations::team_access(directory)?;
    let member = minds_operations::member_access(&team, &args.member)?;
    let roots = WorkspaceRoots::find(directory)?;
    super::warn_about_errors(&team);
    let access = args.op.into();
    let is_stream = args.paths.iter().any(|path| path == "-");
    let longest = args.paths.iter().map(|path| path.width()).filter(|width| *width <= MAX_WIDTH).max();
    let width = if is_stream { MAX_WIDTH } else { longest.unwrap_or_default() };
    let mut answers = Answers {
        member,
        roots,
        access,
        format: args.format.chosen(out),
        width,
        allowed: 0,
        denied: 0,
        reasons: BTreeMap::new(),
    };
    answers.begin(out);
    for path in &args.paths {
        if path != "-" {
            answers.add(path, out);
        } else if !answers.add_standard_input(out)? {
            // stdout is closed.
            break;
        }
    }
    answers.end(out);
    Ok(super::exit_code(answers.denied == 0))
}

/// Separates the parts of a document in front of the paths and after them. In a JSON string the quotes would be escaped.
const PATHS: &str = "\"paths\":[";

/// Prints decisions one after the other.
struct Answers<'t> {
    member: MemberAccess<'t>,
    roots: WorkspaceRoots,
    access: Access,
    format: Format,
    width: usize,
    allowed: usize,
    denied: usize,
    /// Rendered reasons. The member owns its entries, so their addresses identify them.
    reasons: BTreeMap<(Reason, Option<*const EntryView>, bool), String>,
}

impl Answers<'_> {
    /// Prints the document up to the first path. Paths are printed one after the other, because stdin can have any number.
    fn begin(&self, out: &mut Output) {
        if self.format == Format::Json {
            let document = self.frame();
            out.data(document.split_once(PATHS).map_or("", |(start, _)| start));
            out.data(PATHS);
        }
    }

    fn end(&self, out: &mut Output) {
        if self.format == Format::Json {
            let document = self.frame();
            out.data(document.split_once(PATHS).map_or("", |(_, end)| end));
        }
    }

    /// Returns the document without paths.
    fn frame(&self) -> String {
        let summary = AccessSummary { allowed: self.allowed, denied: self.denied };
        let (member, op) = (&self.member.id, self.access);
        to_json_line(&AccessCheckDocument { member, op, paths: Vec::new(), summary })
    }

    /// Checks each line of stdin. Returns whether stdout is still open.
    fn add_standard_input(&mut self, out: &mut Output) -> Result<bool, Failure> {
        let limit = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
        let mut lines = standard_input_lines(limit);
        loop {
            if !out.flush_if_needed(!lines.is_ready())? {
                return Ok(false);
            }
            let line = lines.next_line().map_err(minds_operations::OperationError::from)?;
            match line {
                None => return Ok(true),
                Some(Line::TooLong) => self.print("…", &AccessDecision::invalid_path(), out),
                Some(Line::Bytes(bytes)) => {
                    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
                    match std::str::from_utf8(bytes) {
                        Ok("") => {}
                        Ok(path) => self.add(path, out),
                        Err(_) => {
                            self.print(&String::from_utf8_lossy(bytes), &AccessDecision::invalid_path(), out);
                        }
                    }
                }
            }
        }
    }

    fn add(&mut self, path: &str, out: &mut Output) {
        let decision = self.member.decide(self.access, &self.roots.relative(path));
        self.print(path, &decision, out);
    }

    fn print(&mut self, path: &str, decision: &AccessDecision, out: &mut Output) {
        let is_first = self.allowed + self.denied == 0;
        let allowed = decision.reason.is_allowed();
        *(if allowed { &mut self.allowed } else { &mut self.denied }) += 1;
        match self.format {
            Format::Human => {
                let name = printable(if path.is_empty() { "." } else { path });
                let padding = self.width.saturating_sub(name.width());
                let entry = decision.entry.as_ref().map(Arc::as_ptr);
                let key = (decision.reason, entry, decision.is_by_folding);
                let reason = self.reasons.entry(key).or_insert_with(|| render_reason(self.access, decision));
                let text = out.text();
                text.push_str(verdict(allowed));
                text.push_str("  ");
                text.push_str(&name);
                text.extend(std::iter::repeat_n(' ', padding + 2));
                text.push_str(reason);
                text.push('\n');
            }
            Format::Json => {
                if !is_first {
                    out.data(",");
                }
                out.json_value(&PathDecision::new(path, decision));
            }
        }
    }
}

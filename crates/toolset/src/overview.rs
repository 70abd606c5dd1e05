//! What a manager of the team needs before its first call: the findings, the files, and the short reference.

use std::fmt::Write as _;

use minds_core::{LLM_FILE, MCP_FILE, SETTINGS_FILE, TEAM_FILE};
use minds_diagnostics::emit::visible;
use minds_diagnostics::{Diagnostic, Report};
use minds_edit::LineEndings;
use minds_vfs::{ContentHash, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};
use minds_workspace::without_secrets;

use crate::ToolContext;
use crate::manual::{Language, manual};
use crate::problems::{format_finding, plural};

/// The files whose text is shown, the most important first.
const CONFIG_FILES: [&str; 4] = [TEAM_FILE, LLM_FILE, MCP_FILE, SETTINGS_FILE];
/// The maximum size of the text of all shown files, in bytes.
const MAX_TEXT: usize = 8 * 1024;
/// The maximum number of listed files.
const MAX_FILES: usize = 60;
/// The maximum number of listed findings.
const MAX_FINDINGS: usize = 8;
/// The maximum length of a line about a finding, in characters.
const MAX_FINDING: usize = 400;

/// Returns the files of the team, the findings in them, the text of the small ones, and the fields that they may have, in
/// Markdown.
///
/// It is at most about 20 KiB long; secrets are redacted, and invisible characters are escaped.
pub fn team_overview(context: &ToolContext, language: Language) -> String {
    let snapshot = context.root().snapshot(&minds_workspace::team_scope());
    let checked = minds_workspace::check(&snapshot);
    let files = checked.files;
    let report = Report { diagnostics: checked.diagnostics, ..Report::default() };
    let mut text = "# The team\n\nThis is what `team_mgmt_validate`, `team_mgmt_list_dir` and `team_mgmt_read_file` answered at the \
                    start of the session: there is no need to call them before a change. Every change is validated, \
                    and its answer states whether the team is valid.\n\n"
        .to_owned();
    text += &findings(&report, checked.strict, files.iter().any(|file| file == TEAM_FILE));
    text += &list(&snapshot, &files);
    text += &numbered_files(&snapshot);
    text.push('\n');
    text += &manual(context).reference(language);
    visible(&text).into_owned()
}

fn findings(report: &Report, is_strict: bool, has_team: bool) -> String {
    if !has_team {
        return format!("There is no `{TEAM_FILE}` yet: `team_mgmt_create_new_file` creates it.\n");
    }
    let summary = report.summary();
    let is = if summary.is_clean(is_strict) { "valid" } else { "not valid" };
    let found = &report.diagnostics;
    if found.is_empty() {
        return format!("The team is {is}, without findings.\n");
    }
    let mut text = format!("The team is {is}, with {}:\n\n", plural(found.len(), "finding"));
    for diagnostic in found.iter().take(MAX_FINDINGS) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {}", line(diagnostic));
    }
    if found.len() > MAX_FINDINGS {
        let _ = writeln!(text, "- and {} more: `team_mgmt_validate`", found.len() - MAX_FINDINGS);
    }
    text
}

/// Returns a finding in one line.
fn line(found: &Diagnostic) -> String {
    let help = found.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    let line = format_finding(found) + &help;
    match line.char_indices().nth(MAX_FINDING) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Lists the files with their number of lines.
fn list(snapshot: &Snapshot, files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = files
        .iter()
        .take(MAX_FILES)
        .map(|file| match text_of(snapshot, file) {
            Some(text) => format!("`{file}` ({})", plural(text.lines().count(), "line")),
            None => format!("`{file}`"),
        })
        .collect();
    if files.len() > MAX_FILES {
        names.push(format!("{} more", files.len() - MAX_FILES));
    }
    format!("\nAll {} of the team: {}.\n", plural(files.len(), "file"), names.join(", "))
}

/// Returns the numbered lines of the files that fit, with what a change needs.
fn numbered_files(snapshot: &Snapshot) -> String {
    let (mut shown, mut left) = (String::new(), MAX_TEXT);
    for file in CONFIG_FILES {
        let Some(text) = text_of(snapshot, file) else { continue };
        if text.len() > left {
            let _ = write!(
                shown,
                "\n`{file}` is too long to be shown here: read it with `team_mgmt_read_file`.\n"
            );
            continue;
        }
        left -= text.len();
        let covered = without_secrets(file, text);
        let known = if covered == text {
            format!("`{}`", ContentHash::of(text.as_bytes()))
        } else {
            "secrets covered".to_owned()
        };
        let endings =
            LineEndings::of(text).map(|endings| format!(", line endings {endings}")).unwrap_or_default();
        let _ = write!(shown, "\n`{file}` ({known}{endings}), with line numbers:\n\n```yaml\n");
        for (index, line) in covered.lines().enumerate() {
            let _ = writeln!(shown, "{:>3}| {line}", index + 1);
        }
        shown += "```\n";
    }
    shown
}

fn text_of<'s>(snapshot: &'s Snapshot, file: &str) -> Option<&'s str> {
    let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse(file).ok()?);
    match snapshot.get(&location)? {
        SnapshotEntry::File { bytes, .. } => bytes.text().ok(),
        _ => None,
    }
}

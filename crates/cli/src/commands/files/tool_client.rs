//! Calls of tools by the commands for files.

use std::path::Path;

use minds_operations::OperationError;
use minds_process::{standard_input, user_name};
use minds_toolset::{Answer, Area, Caller, Code, ToolContext, Toolbox};
use serde_json::Value;

use super::Arguments;
use minds_output::Failure;

/// The tools of a workspace, called by one caller.
#[derive(Debug)]
pub(super) struct ToolClient<'a> {
    toolbox: Toolbox,
    context: ToolContext,
    caller: Caller,
    member: Option<&'a str>,
}

impl<'a> ToolClient<'a> {
    pub(super) fn open(directory: &Path, member: Option<&'a str>) -> Result<Self, Failure> {
        let caller = match member {
            Some(id) => Caller::member(id),
            None => Caller::operator(user_name()),
        };
        Ok(Self { toolbox: Toolbox::new(), context: ToolContext::find(directory)?, caller, member })
    }

    /// Calls a tool by its full name.
    pub(super) fn call(&self, tool: &str, values: Arguments) -> Answer {
        self.toolbox.call(&self.context, tool, &Value::Object(values.0), &self.caller)
    }

    /// Calls a tool for a path, in the variant for `.minds/` or for other files.
    pub(super) fn call_at(&self, path: &str, tool: &str, mut values: Arguments) -> Answer {
        let (area, path) = Area::of(path);
        values.add("path", Some(path));
        self.call(&area.tool(tool), values)
    }

    /// Overwrites a file, either in its current version or in the version with the hash `sha256`.
    pub(super) fn overwrite(
        &self,
        path: &str,
        content: String,
        sha256: Option<&str>,
        content_format: Option<&str>,
    ) -> Answer {
        let mut first_line = Arguments::new();
        first_line.add("max_lines", Some(1));
        let read = self.call_at(path, "read_file", first_line);
        let Ok(current) = &read.result else { return read };
        let mut values = Arguments::new();
        values
            .add("known_old_total_lines", current.fields.get("total_lines").cloned())
            .add("known_old_total_bytes", current.fields.get("size_bytes").cloned())
            .add(
                "known_old_sha256",
                sha256.map(Value::from).or_else(|| current.fields.get("sha256").cloned()),
            )
            .add("content", Some(content))
            .add("content_format", content_format);
        self.call_at(path, "overwrite_entire_file", values)
    }

    /// Applies a planned change. Its id does not tell whether the file is in `.minds/`, so both variants of the tool are
    /// tried until one has the change; a refusal changes nothing.
    pub(super) fn apply(&self, id: &str) -> Answer {
        let apply_in = |area: Area| {
            let mut values = Arguments::new();
            values.add("hunk_id", Some(id));
            self.call(&area.tool("apply_file_modification"), values)
        };
        let answer = apply_in(Area::Minds);
        if detail(&answer) == MAX_DETAIL {
            return answer;
        }
        let other = apply_in(Area::Workspace);
        if detail(&other) > detail(&answer) { other } else { answer }
    }

    /// Moves a file, or a directory if it is one.
    pub(super) fn relocate(&self, from: &str, to: &str) -> Answer {
        let (area, from) = Area::of(from);
        // The tools for `.minds/` check the target path themselves.
        let (_, to) = Area::of(to);
        let relocate = |tool: &str| {
            let mut values = Arguments::new();
            values.add("from", Some(from.as_str())).add("to", Some(to.as_str()));
            self.call(&area.tool(tool), values)
        };
        let answer = relocate("move_file");
        if is_refused_with(&answer, Code::FromNotFile) { relocate("move_dir") } else { answer }
    }

    /// Removes a file, or a directory if it is one.
    pub(super) fn remove(&self, path: &str, is_recursive: bool) -> Answer {
        let answer = self.call_at(path, "rm_file", Arguments::new());
        if !is_refused_with(&answer, Code::NOT_A_FILE) {
            return answer;
        }
        let mut values = Arguments::new();
        values.add("recursive", Some(is_recursive));
        let removed = self.call_at(path, "rm_dir", values);
        // For something that is neither a file nor a directory, the first refusal describes it.
        if is_refused_with(&removed, Code::NotADir) { answer } else { removed }
    }

    /// Returns a template for commands that the same caller can run next in the same directory.
    pub(super) fn next_command(&self, directory: &Path) -> NextCommand {
        let at = if directory == Path::new(".") {
            String::new()
        } else {
            format!(" -C {}", shell_quote(&directory.display().to_string()))
        };
        let by = self.member.map(|member| format!(" --as {}", shell_quote(member))).unwrap_or_default();
        NextCommand { prefix: format!("minds{at} files"), suffix: by }
    }
}

/// The parts of a suggested command in front of and after the subcommand.
#[derive(Debug)]
pub(super) struct NextCommand {
    pub(super) prefix: String,
    pub(super) suffix: String,
}

/// Quotes a word for a shell.
fn shell_quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn is_refused_with(answer: &Answer, code: Code) -> bool {
    answer.result.as_ref().is_err_and(|refusal| refusal.code == code)
}

/// The knowledge of an answer about a change that was applied, or could not be applied any more.
const MAX_DETAIL: u8 = 3;

/// Ranks how much an answer tells about a planned change: a missing tool tells less than an unknown change, and that
/// tells less than a change of another owner.
fn detail(answer: &Answer) -> u8 {
    match answer.result.as_ref().err().map(|refusal| refusal.code) {
        Some(Code::ToolNotGranted) => 0,
        Some(Code::HunkNotFound) => 1,
        Some(Code::WrongOwner | Code::WrongMode) => 2,
        _ => MAX_DETAIL,
    }
}

/// Returns the content argument, or the text of stdin for `-`.
pub(super) fn read_content(content: &str) -> Result<String, Failure> {
    if content != "-" {
        return Ok(content.to_owned());
    }
    let bytes = standard_input().map_err(OperationError::from)?;
    String::from_utf8(bytes).map_err(|_| Failure::usage("stdin is not valid UTF-8".to_owned()))
}

//! Where the commands about files call tools.

use std::path::Path;

use minds_operations::OperationError;
use minds_system::{standard_input, user_name};
use minds_toolset::{Answer, Area, Caller, Code, ToolContext, Toolbox};
use serde_json::Value;

use super::Arguments;
use crate::output::Failure;

/// A workspace, its tools, and who calls them.
#[derive(Debug)]
pub(super) struct Desk<'a> {
    toolbox: Toolbox,
    context: ToolContext,
    caller: Caller,
    member: Option<&'a str>,
}

impl<'a> Desk<'a> {
    pub(super) fn open(directory: &Path, member: Option<&'a str>) -> Result<Self, Failure> {
        let caller = match member {
            Some(id) => Caller::member(id),
            None => Caller::operator(user_name()),
        };
        Ok(Self { toolbox: Toolbox::new(), context: ToolContext::find(directory)?, caller, member })
    }

    /// Calls a tool by its whole name.
    pub(super) fn call(&self, tool: &str, values: Arguments) -> Answer {
        self.toolbox.call(&self.context, tool, Value::Object(values.0), &self.caller)
    }

    /// Calls the tool of the area in which a path lies, about this path.
    pub(super) fn at(&self, path: &str, tool: &str, mut values: Arguments) -> Answer {
        let (area, path) = Area::of(path);
        values.add("path", Some(path));
        self.call(&area.tool(tool), values)
    }

    /// Overwrites a file as it is now, or as it was when it had a hash.
    pub(super) fn overwrite(
        &self,
        path: &str,
        content: String,
        sha256: Option<&str>,
        content_format: Option<&str>,
    ) -> Answer {
        let mut one = Arguments::new();
        one.add("max_lines", Some(1));
        let read = self.at(path, "read_file", one);
        let Ok(known) = &read.result else { return read };
        let mut values = Arguments::new();
        values
            .add("known_old_total_lines", known.fields.get("total_lines").cloned())
            .add("known_old_total_bytes", known.fields.get("size_bytes").cloned())
            .add("known_old_sha256", sha256.map(Value::from).or_else(|| known.fields.get("sha256").cloned()))
            .add("content", Some(content))
            .add("content_format", content_format);
        self.at(path, "overwrite_entire_file", values)
    }

    /// Applies a planned change. Its id does not say where it lies, so one area is asked after the other, as long as none
    /// knows of it; a refusal changes nothing.
    pub(super) fn apply(&self, id: &str) -> Answer {
        let ask = |area: Area| {
            let mut values = Arguments::new();
            values.add("hunk_id", Some(id));
            self.call(&area.tool("apply_file_modification"), values)
        };
        let answer = ask(Area::Minds);
        if knowledge(&answer) == MAX_KNOWLEDGE {
            return answer;
        }
        let other = ask(Area::Workspace);
        if knowledge(&other) > knowledge(&answer) { other } else { answer }
    }

    /// Moves a file, or a directory if it is one.
    pub(super) fn relocate(&self, from: &str, to: &str) -> Answer {
        let (area, from) = Area::of(from);
        // The tools of `.minds` want their paths as they are; where the other end lies they judge themselves.
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
        let answer = self.at(path, "rm_file", Arguments::new());
        if !is_refused_with(&answer, Code::NotAFile) {
            return answer;
        }
        let mut values = Arguments::new();
        values.add("recursive", Some(is_recursive));
        let removed = self.at(path, "rm_dir", values);
        // Neither a file nor a directory: what the first one said is about what is there.
        if is_refused_with(&removed, Code::NotADir) { answer } else { removed }
    }

    /// Returns how a command about files begins that is run by the same caller in the same place.
    pub(super) fn again(&self, directory: &Path) -> Again {
        let at = if directory == Path::new(".") {
            String::new()
        } else {
            format!(" -C {}", quoted(&directory.display().to_string()))
        };
        let by = self.member.map(|member| format!(" --as {}", quoted(member))).unwrap_or_default();
        Again { before: format!("minds{at} files"), behind: by }
    }
}

/// What stands around a command that is shown to be run next.
#[derive(Debug)]
pub(super) struct Again {
    pub(super) before: String,
    pub(super) behind: String,
}

/// Returns a word as a shell takes it.
fn quoted(word: &str) -> String {
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

/// What an answer knows of a planned change that was done, or could not be done any more.
const MAX_KNOWLEDGE: u8 = 3;

/// Returns how much an answer knows of a planned change: that a tool is missing says less than that nothing is planned,
/// and that less than whose it is.
fn knowledge(answer: &Answer) -> u8 {
    match answer.result.as_ref().err().map(|refusal| refusal.code) {
        Some(Code::ToolNotGranted) => 0,
        Some(Code::HunkNotFound) => 1,
        Some(Code::WrongOwner | Code::WrongMode) => 2,
        _ => MAX_KNOWLEDGE,
    }
}

/// Returns a content that was given as an argument, or the one of standard input for `-`.
pub(super) fn text(given: &str) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let bytes = standard_input().map_err(OperationError::from)?;
    String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is no text in UTF-8".to_owned()))
}

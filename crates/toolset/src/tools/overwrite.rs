//! Replacing the content of a file.

use minds_access_control::Access;
use minds_edit::{count_lines, ensure_final_newline};
use minds_fs::{FileErrorKind, ReadFile};
use minds_vfs::{ContentHash, Expected};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::create::WrittenFile;
use super::read::MAX_BYTES;
use super::then_validate::ThenValidate;
use super::{CHANGES, TEAM_MGMT};
use crate::answer::{Fields, Refusal};
use crate::call::Call;
use crate::file_refusal::quote;
use crate::input::{Choice, Count};
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_OVERWRITE_ENTIRE_FILE: Tool = Tool {
    name: "team_mgmt_overwrite_entire_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Replace the whole text of a file below `.minds/`. It must be unchanged since you \
         read it: `known_old_sha256` comes from `team_mgmt_read_file`. STATS_MISMATCH: it has changed; \
         read it again and merge. SUSPICIOUS_DIFF: the content looks like a diff; pass the text itself, or \
         set `content_format: diff`. FILE_NOT_FOUND: create it. For small changes use the preview tools. \
         The answer lists new findings.",
    annotations: Annotations::CHANGES,
    body: Body::of::<ThenValidate<Overwrite>>(),
};

pub(super) static OVERWRITE_ENTIRE_FILE: Tool = Tool {
    name: "overwrite_entire_file",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Replace the whole text of a file of the workspace. It must be unchanged since you \
         read it: `known_old_sha256` comes from `read_file`. `.minds/**` is refused. STATS_MISMATCH: it \
         has changed; read it again and merge. SUSPICIOUS_DIFF: the content looks like a diff; pass the \
         text itself, or set `content_format: diff`. ACCESS_DENIED: your lists deny it. For small changes \
         use the preview tools.",
    body: Body::of::<Overwrite>(),
    ..TEAM_MGMT_OVERWRITE_ENTIRE_FILE
};

struct Overwrite;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the file
    path: String,
    /// `sha256` of the file as you read it
    known_old_sha256: String,
    /// compared if given
    known_old_total_lines: Option<Count>,
    /// compared if given
    known_old_total_bytes: Option<Count>,
    /// the whole new text
    content: String,
    /// default: text
    #[serde(default)]
    content_format: Choice<ContentFormat>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ContentFormat {
    #[default]
    Text,
    Markdown,
    Json,
    Diff,
    Patch,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(flatten)]
    file: WrittenFile,
    content_format: ContentFormat,
}

impl Function for Overwrite {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let path = call.path_below("path", &arguments.path)?;
        let known = KnownContent::read(&arguments)?;
        let place = call.place(&path)?;
        // The comparison with the known hash reveals whether the content is known, so reading must be allowed.
        call.check_access(Access::Read, &path)?;
        call.check_access(Access::Read, place.real())?;
        let read = || -> Result<ReadFile, Refusal> {
            let file = place.open().and_then(|file| file.read(MAX_BYTES));
            file.map_err(|error| call.file_refusal(&error, &path))
        };
        let old = read()?;
        known.expect(&old.bytes, path.as_str())?;
        let content_format = arguments.content_format.0.unwrap_or_default();
        let is_declared = matches!(content_format, ContentFormat::Diff | ContentFormat::Patch);
        if !is_declared && looks_like_a_diff(&arguments.content) {
            let message = "`content` looks like a diff, but would become the whole file";
            let next =
                "pass the whole new text; if the file is meant to contain a diff, set `content_format: diff`";
            return Err(Refusal::new(Code::SuspiciousDiff, message).next(next));
        }
        let (content, is_ended) = ensure_final_newline(&arguments.content);
        let expected = Expected::Content(ContentHash::of(&old.bytes));
        match place.replace(content.as_bytes(), old.mode, expected) {
            Ok(()) => {}
            Err(error) if error.kind() == FileErrorKind::Changed => {
                known.expect(&read()?.bytes, path.as_str())?;
                return Err(call.file_refusal(&error, &path));
            }
            Err(error) => return Err(call.file_refusal(&error, &path)),
        }
        let file = WrittenFile::new(&path, &content, is_ended);
        let summary = format!("`{path}` now has {}", plural(file.new_total_lines, "line"));
        Ok(Outcome::new(summary, Output { file, content_format }))
    }
}

/// What the caller knows about the old content. Only the hash distinguishes contents of the same size.
struct KnownContent {
    hash: ContentHash,
    lines: Option<u64>,
    bytes: Option<u64>,
}

impl KnownContent {
    fn read(arguments: &Arguments) -> Result<Self, Refusal> {
        let text = arguments.known_old_sha256.trim().to_ascii_lowercase();
        let digits = text.strip_prefix("sha256:").unwrap_or(&text);
        let hash = format!("sha256:{digits}").parse().map_err(|error| {
            let message = format!("`known_old_sha256` is not a valid hash: {error}");
            Refusal::new(Code::InvalidArgs, message).next("read the file, and pass its `sha256`")
        })?;
        let number = |count: Option<Count>| count.map(|count| count.0);
        let (lines, bytes) =
            (number(arguments.known_old_total_lines), number(arguments.known_old_total_bytes));
        Ok(Self { hash, lines, bytes })
    }

    fn expect(&self, bytes: &[u8], path: &str) -> Result<(), Refusal> {
        let (hash, lines) = (ContentHash::of(bytes), count_lines(bytes));
        let is = |known: Option<u64>, actual: usize| known.is_none_or(|known| known == actual as u64);
        if self.hash == hash && is(self.lines, lines) && is(self.bytes, bytes.len()) {
            return Ok(());
        }
        let details = Fields::new()
            .with("actual_total_lines", lines)
            .with("actual_total_bytes", bytes.len())
            .with("actual_sha256", hash.to_string());
        let message = format!("{} has changed since you read it", quote(path));
        Err(Refusal::new(Code::StatsMismatch, message)
            .next("read it again, and apply your change to the current text")
            .details(details))
    }
}

/// Returns whether `text` contains lines that only diffs have.
fn looks_like_a_diff(text: &str) -> bool {
    let is_hunk = |line: &str| {
        line.strip_prefix("@@").is_some_and(|rest| rest.contains("@@"))
            || line.starts_with("diff --git ")
            || line.starts_with("*** Begin Patch")
    };
    let has = |start: &str| text.lines().any(|line| line.starts_with(start));
    text.lines().any(is_hunk) || has("--- ") && has("+++ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_are_recognized() {
        for text in [
            "--- a/x\n+++ b/x\n",
            "a\ndiff --git a/x b/x\n",
            "*** Begin Patch\n",
            "@@ -1,2 +1,2 @@\n",
            "@@ -1 +1 @@ fn main()\n",
        ] {
            assert!(looks_like_a_diff(text), "{text:?}");
        }
        for text in ["", "---\ntitle: x\n---\n", "--- a\n", "+++ a\n", "@@ one\n", " @@ -1 +1 @@\n", "diff\n"]
        {
            assert!(!looks_like_a_diff(text), "{text:?}");
        }
    }
}

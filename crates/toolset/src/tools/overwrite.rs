//! Replacing the content of a file.

use minds_access_control::Access;
use minds_document::{ContentHash, Expected};
use minds_system::{FileErrorKind, ReadFile};

use super::create::written_file_fields;
use super::read::MAX_BYTES;
use super::validate::{NEW_PROBLEMS, OLDER_PROBLEMS, with_validation};
use super::{CHANGES, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::file_refusal::quote;
use crate::lines;
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_OVERWRITE_ENTIRE_FILE: Tool = Tool {
    name: "team_mgmt_overwrite_entire_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Replace the whole text of a file below `.minds/`. It must be unchanged since you \
         read it: `known_old_sha256` comes from `team_mgmt_read_file`. STATS_MISMATCH: it has changed; \
         read it again and merge. SUSPICIOUS_DIFF: the content looks like a diff; pass the text itself, or \
         set `content_format: diff`. FILE_NOT_FOUND: create it. For small changes use the preview tools. \
         The answer says what validation newly finds.",
    arguments: ARGUMENTS,
    output: MINDS_OUTPUT,
    annotations: Annotations::CHANGES,
    run,
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
    output: OUTPUT,
    ..TEAM_MGMT_OVERWRITE_ENTIRE_FILE
};

const ARGUMENTS: &[Argument] = &[
    Argument::required("path", Kind::Text, "the file"),
    Argument::required("known_old_sha256", Kind::Text, "`sha256` of the file as you read it"),
    Argument::optional("known_old_total_lines", Kind::Count, "compared if given"),
    Argument::optional("known_old_total_bytes", Kind::Count, "compared if given"),
    Argument::required("content", Kind::Text, "the whole new text"),
    Argument::optional(
        "content_format",
        Kind::OneOf(&["text", "markdown", "json", "diff", "patch"]),
        "default: text",
    ),
];

const OUTPUT: &[OutputField] = &[
    OutputField { name: "path", kind: "string" },
    OutputField { name: "new_total_lines", kind: "integer" },
    OutputField { name: "new_total_bytes", kind: "integer" },
    OutputField { name: "sha256", kind: "string" },
    OutputField { name: "normalized_trailing_newline_added", kind: "boolean" },
    OutputField { name: "content_format", kind: "string" },
];

/// With the fields of the validation.
const MINDS_OUTPUT: &[OutputField] = &[
    OutputField { name: "path", kind: "string" },
    OutputField { name: "new_total_lines", kind: "integer" },
    OutputField { name: "new_total_bytes", kind: "integer" },
    OutputField { name: "sha256", kind: "string" },
    OutputField { name: "normalized_trailing_newline_added", kind: "boolean" },
    OutputField { name: "content_format", kind: "string" },
    NEW_PROBLEMS,
    OLDER_PROBLEMS,
];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    with_validation(call, write)
}

fn write(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path_below("path")?;
    let known = KnownContent::read(call)?;
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
    let format = call.arguments.word("content_format");
    let text = call.arguments.text("content").unwrap_or_default();
    if !matches!(format, Some("diff" | "patch")) && looks_like_a_diff(text) {
        let message = "`content` looks like a diff, but would become the whole file";
        let next =
            "pass the whole new text; if the file is meant to contain a diff, set `content_format: diff`";
        return Err(Refusal::new(Code::SuspiciousDiff, message).next(next));
    }
    let (content, is_ended) = lines::ensure_final_newline(text);
    let expected = Expected::Content(ContentHash::of(&old.bytes));
    match place.replace(content.as_bytes(), old.mode, expected) {
        Ok(()) => {}
        Err(error) if error.kind() == FileErrorKind::Changed => {
            known.expect(&read()?.bytes, path.as_str())?;
            return Err(call.file_refusal(&error, &path));
        }
        Err(error) => return Err(call.file_refusal(&error, &path)),
    }
    let total = lines::count(content.as_bytes());
    let fields =
        written_file_fields(&path, &content, is_ended).with("content_format", format.unwrap_or("text"));
    Ok(Tool::done(format!("`{path}` now has {total} lines"), fields))
}

/// What the caller knows about the old content. Only the hash distinguishes contents of the same size.
struct KnownContent {
    hash: ContentHash,
    lines: Option<u64>,
    bytes: Option<u64>,
}

impl KnownContent {
    fn read(call: &Call<'_>) -> Result<Self, Refusal> {
        let text = call.arguments.text("known_old_sha256").unwrap_or_default().trim().to_ascii_lowercase();
        let digits = text.strip_prefix("sha256:").unwrap_or(&text);
        let hash = format!("sha256:{digits}").parse().map_err(|error| {
            let message = format!("`known_old_sha256` is not a valid hash: {error}");
            Refusal::new(Code::InvalidArgs, message).next("read the file, and pass its `sha256`")
        })?;
        let count = |name| call.arguments.count(name);
        Ok(Self { hash, lines: count("known_old_total_lines"), bytes: count("known_old_total_bytes") })
    }

    fn expect(&self, bytes: &[u8], path: &str) -> Result<(), Refusal> {
        let (hash, lines) = (ContentHash::of(bytes), lines::count(bytes));
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

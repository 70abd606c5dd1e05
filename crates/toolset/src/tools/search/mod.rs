//! Searching the text of files.

mod find;
mod walk;

use std::fmt::Write as _;

use minds_access_control::Pattern;
use serde_json::{Value, json};

use self::find::Needle;
use self::walk::{Searched, search};
use super::{READS, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::file_refusal::{quote, truncate};
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

/// The maximum number of matches.
const MAX_MATCH_LINES: usize = 200;
/// The maximum size of the matches as JSON, in bytes, so that the whole answer stays below 64 KiB.
const MAX_BYTES: usize = 60 * 1024;
/// The maximum length of the text to search for, in bytes.
const MAX_NEEDLE_BYTES: usize = 1_000;

pub(super) static TEAM_MGMT_SEARCH_TEXT: Tool = Tool {
    name: "team_mgmt_search_text",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Find the lines of files below `.minds/` that contain a literal text: `matches` with \
         path, line, column and text, ordered by path, at most 200. Links are not followed; `skipped` \
         counts what was not searched. `truncated`: there are more; `next` says how to narrow the search. \
         FILE_NOT_FOUND: list the parent directory. INVALID_PATH: write `.minds/…`.",
    arguments: &[
        TEXT,
        Argument::optional("path", Kind::Text, "a directory or a file; default `.minds`"),
        Argument::optional("glob", Kind::Text, "file names, such as `persona.md`; with `/`, whole paths"),
        CASE_SENSITIVE,
        MAX_MATCHES,
    ],
    ..SEARCH_TEXT
};

const TEXT: Argument = Argument::required("text", Kind::Text, "part of one line");
const CASE_SENSITIVE: Argument = Argument::optional("case_sensitive", Kind::Flag, "default true");
const MAX_MATCHES: Argument = Argument::optional("max_matches", Kind::Count, "0 for the default, 200");

pub(super) static SEARCH_TEXT: Tool = Tool {
    name: "search_text",
    toolsets: READS,
    area: Area::Workspace,
    description: "Find the lines of files that contain a literal text: `matches` with path, line, \
         column and text, ordered by path, at most 200. Only files that you may read are searched, without \
         task packages, `.git` and links. `skipped` counts the rest. `truncated`: there are more; `next` \
         says how to narrow the search. ACCESS_DENIED: your lists deny this path. FILE_NOT_FOUND: list the \
         parent directory.",
    arguments: &[
        TEXT,
        Argument::optional("path", Kind::Text, "a directory or a file; default: the whole workspace"),
        Argument::optional(
            "glob",
            Kind::Text,
            "file names, such as `*.rs`; with `/`, whole paths: `src/**/*.rs`",
        ),
        CASE_SENSITIVE,
        MAX_MATCHES,
    ],
    output: OUTPUT,
    annotations: Annotations::READS,
    run,
};

const OUTPUT: &[OutputField] = &[
    OutputField { name: "path", kind: "string" },
    OutputField { name: "matches", kind: "array" },
    OutputField { name: "files_searched", kind: "integer" },
    OutputField { name: "skipped", kind: "object" },
    OutputField { name: "truncated", kind: "boolean" },
    OutputField { name: "truncated_by", kind: "string" },
    OutputField { name: "next", kind: "string" },
];

/// A line that contains the text.
struct Match {
    path: String,
    line: usize,
    column: usize,
    text: String,
}

/// The matches so far, and the remaining limits.
struct Matches {
    values: Vec<Value>,
    max: usize,
    bytes_left: usize,
}

impl Matches {
    /// Adds a match; fails with the name of the exceeded limit.
    fn add(&mut self, found: &Match) -> Result<(), &'static str> {
        if self.values.len() >= self.max {
            return Err("matches");
        }
        let value = json!({
            "path": found.path, "line": found.line, "column": found.column, "text": found.text,
        });
        let size = value.to_string().len() + 1;
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or("bytes of the answer")?;
        self.values.push(value);
        Ok(())
    }
}

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path_or_top("path")?;
    let needle = needle(call)?;
    let glob = call.arguments.word("glob").map(glob).transpose()?;
    let max = call.arguments.count("max_matches").filter(|max| *max > 0);
    let max = max.map_or(MAX_MATCH_LINES, |max| {
        usize::try_from(max).map_or(MAX_MATCH_LINES, |max| max.min(MAX_MATCH_LINES))
    });
    let mut matches = Matches { values: Vec::new(), max, bytes_left: MAX_BYTES };
    let Searched { files, skipped, ended_by } = search(call, &path, glob.as_ref(), |path, text| {
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let line = line.strip_suffix('\n').unwrap_or(line);
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Some((column, text)) = needle.find(line) {
                matches.add(&Match { path: path.as_str().to_owned(), line: index + 1, column, text })?;
            }
        }
        Ok(())
    })?;
    let count = matches.values.len();
    let mut summary = match count {
        1 => "1 line".to_owned(),
        _ => format!("{count} lines"),
    };
    let _ = write!(
        summary,
        " with {}; {files} {} searched",
        quote(&needle.text),
        if files == 1 { "file" } else { "files" }
    );
    let left_out = skipped.summary();
    if !left_out.is_empty() {
        let _ = write!(summary, "; not searched: {left_out}");
    }
    if let Some(ended_by) = ended_by {
        let _ = write!(summary, "; incomplete: too many {ended_by}");
    }
    let next = "narrow the search with `path` or `glob`";
    let fields = Fields::new()
        .with("path", path.to_string())
        .with("matches", matches.values)
        .with("files_searched", files)
        .with("skipped", skipped.to_json())
        .with("truncated", ended_by.is_some())
        .with_some("truncated_by", ended_by)
        .with_some("next", ended_by.map(|_| next));
    Ok(Tool::done(summary, fields))
}

fn needle(call: &Call<'_>) -> Result<Needle, Refusal> {
    let text = call.arguments.text("text").unwrap_or_default();
    let problem = match text {
        "" => "is empty",
        _ if text.contains(['\n', '\r']) => "contains a line break, but only single lines are searched",
        _ if text.len() > MAX_NEEDLE_BYTES => "is too long",
        _ => return Ok(Needle::new(text, call.arguments.flag("case_sensitive", true))),
    };
    let next = format!("pass part of one line, at most {MAX_NEEDLE_BYTES} bytes");
    Err(Refusal::new(Code::InvalidArgs, format!("`text` {problem}")).next(next))
}

/// A filter for files.
struct Glob {
    pattern: Pattern,
    /// Whether it applies to whole paths instead of file names.
    is_path: bool,
}

fn glob(text: &str) -> Result<Glob, Refusal> {
    let pattern = Pattern::parse(text).map_err(|error| {
        let message = format!("`glob` is not a valid pattern: {}", truncate(&error.kind().to_string()));
        Refusal::new(Code::InvalidArgs, message).next("pass a pattern such as `*.rs` or `src/**/*.rs`")
    })?;
    Ok(Glob { pattern, is_path: text.contains('/') })
}

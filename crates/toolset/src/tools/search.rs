//! Searching the text of files.

use std::fmt::Write as _;

use minds_access_control::{Access, Reason};
use minds_fs::Kind;
use minds_search::{Glob, Limit, MAX_ENTRIES, Needle, ReadAccess, SearchResult, SkippedEntries};
use minds_vfs::WorkspacePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{READS, TEAM_MGMT};
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote, truncate};
use crate::input::Count;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
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
         counts what was not searched. `truncated`: there are more; `next` suggests how to narrow the search. \
         FILE_NOT_FOUND: list the parent directory. INVALID_PATH: write `.minds/…`.",
    body: Body::of::<SearchMinds>(),
    ..SEARCH_TEXT
};

pub(super) static SEARCH_TEXT: Tool = Tool {
    name: "search_text",
    toolsets: READS,
    area: Area::Workspace,
    description: "Find the lines of files that contain a literal text: `matches` with path, line, \
         column and text, ordered by path, at most 200. Only files that you may read are searched, without \
         task packages, `.git` and links. `skipped` counts the rest. `truncated`: there are more; `next` \
         suggests how to narrow the search. ACCESS_DENIED: your lists deny this path. FILE_NOT_FOUND: list the \
         parent directory.",
    annotations: Annotations::READS,
    body: Body::of::<Search>(),
};

struct Search;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// part of one line
    text: String,
    /// a directory or a file; default: the whole workspace
    path: Option<String>,
    /// file names, such as `*.rs`; with `/`, whole paths: `src/**/*.rs`
    glob: Option<String>,
    /// default true
    case_sensitive: Option<bool>,
    /// 0 for the default, 200
    max_matches: Option<Count>,
}

struct SearchMinds;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MindsArguments {
    /// part of one line
    text: String,
    /// a directory or a file; default `.minds`
    path: Option<String>,
    /// file names, such as `persona.md`; with `/`, whole paths
    glob: Option<String>,
    /// default true
    case_sensitive: Option<bool>,
    /// 0 for the default, 200
    max_matches: Option<Count>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    path: String,
    matches: Vec<Match>,
    files_searched: usize,
    /// The number of entries that were not searched, by reason.
    skipped: SkippedEntries,
    truncated: bool,
    /// The limit that ended the search.
    truncated_by: Option<Limit>,
    next: Option<&'static str>,
}

impl Function for Search {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        find(call, &arguments)
    }
}

impl Function for SearchMinds {
    type Arguments = MindsArguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: MindsArguments) -> Result<Outcome<Output>, Refusal> {
        let MindsArguments { text, path, glob, case_sensitive, max_matches } = arguments;
        find(call, &Arguments { text, path, glob, case_sensitive, max_matches })
    }
}

/// A line that contains the text.
#[derive(Serialize, JsonSchema)]
struct Match {
    path: String,
    line: usize,
    column: usize,
    text: String,
}

/// The matches so far, and the remaining limits.
struct Matches {
    values: Vec<Match>,
    max: usize,
    bytes_left: usize,
}

impl Matches {
    /// Adds a match; fails with the exceeded limit.
    fn add(&mut self, found: Match) -> Result<(), Limit> {
        if self.values.len() >= self.max {
            return Err(Limit::Matches);
        }
        let size = serde_json::to_string(&found).map_or(0, |text| text.len()) + 1;
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or(Limit::AnswerBytes)?;
        self.values.push(found);
        Ok(())
    }
}

fn find(call: &Call<'_>, arguments: &Arguments) -> Result<Outcome<Output>, Refusal> {
    let path = call.path_or_top("path", arguments.path.as_deref())?;
    let needle = needle(arguments)?;
    let glob = arguments.glob.as_deref().filter(|text| !text.is_empty()).map(parse_glob).transpose()?;
    let max = arguments
        .max_matches
        .and_then(Count::positive)
        .map_or(MAX_MATCH_LINES, |max| max.min(MAX_MATCH_LINES));
    let mut matches = Matches { values: Vec::new(), max, bytes_left: MAX_BYTES };
    let SearchResult { files, skipped, ended_by } = search(call, &path, glob.as_ref(), |path, text| {
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let line = line.strip_suffix('\n').unwrap_or(line);
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Some((column, text)) = needle.find(line) {
                matches.add(Match { path: path.as_str().to_owned(), line: index + 1, column, text })?;
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
        quote(needle.text()),
        if files == 1 { "file" } else { "files" }
    );
    let left_out = skipped.summary();
    if !left_out.is_empty() {
        let _ = write!(summary, "; not searched: {left_out}");
    }
    if let Some(ended_by) = ended_by {
        let _ = write!(summary, "; incomplete: too many {ended_by}");
    }
    let output = Output {
        path: path.to_string(),
        matches: matches.values,
        files_searched: files,
        skipped,
        truncated: ended_by.is_some(),
        truncated_by: ended_by,
        next: ended_by.map(|_| "narrow the search with `path` or `glob`"),
    };
    Ok(Outcome::new(summary, output))
}

fn needle(arguments: &Arguments) -> Result<Needle, Refusal> {
    let text = arguments.text.as_str();
    let problem = match text {
        "" => "is empty",
        _ if text.contains(['\n', '\r']) => "contains a line break, but only single lines are searched",
        _ if text.len() > MAX_NEEDLE_BYTES => "is too long",
        _ => return Ok(Needle::new(text, arguments.case_sensitive.unwrap_or(true))),
    };
    let next = format!("pass part of one line, at most {MAX_NEEDLE_BYTES} bytes");
    Err(Refusal::new(Code::InvalidArgs, format!("`text` {problem}")).next(next))
}

fn parse_glob(text: &str) -> Result<Glob, Refusal> {
    Glob::parse(text).map_err(|error| {
        let message = format!("`glob` is not a valid pattern: {}", truncate(&error.kind().to_string()));
        Refusal::new(Code::InvalidArgs, message).next("pass a pattern such as `*.rs` or `src/**/*.rs`")
    })
}

/// Calls `on_file` with all text files at or below a path, ordered by path.
///
/// # Errors
///
/// Refuses a path that does not exist, or that the lists of the caller deny.
fn search(
    call: &Call<'_>,
    path: &WorkspacePath,
    glob: Option<&Glob>,
    on_file: impl FnMut(&WorkspacePath, &str) -> Result<(), Limit>,
) -> Result<SearchResult, Refusal> {
    if call.is_closed(path) {
        call.check_access(Access::Read, path)?;
    }
    let Some(found) = call.metadata(path)? else {
        call.check_access(Access::Read, path)?;
        return Err(call.missing(ExpectedKind::File, path));
    };
    if call.is_closed(&found.real) {
        call.check_access(Access::Read, &found.real)?;
    }
    let search = minds_search::Search::new(call.context.root(), call, glob, path.clone(), found.real.clone());
    if found.kind == Kind::Directory {
        // An error at the start is a refusal; further down it is only counted.
        let listing = call.context.root().no_follow().list(&found.real, MAX_ENTRIES);
        listing.map_err(|error| call.file_refusal_for(&error, ExpectedKind::Directory, path))?;
        return Ok(search.directory(on_file));
    }
    call.check_access(Access::Read, path)?;
    let file = call.view().open(path).map_err(|error| call.file_refusal(&error, path))?;
    call.check_access(Access::Read, file.real())?;
    Ok(search.file(file, on_file))
}

impl ReadAccess for Call<'_> {
    fn is_closed(&self, path: &WorkspacePath) -> bool {
        if self.tool.area == Area::Minds {
            // Access lists do not apply there.
            return !Call::permits(self, Access::Read, path);
        }
        let reason = self.permissions.policy().check(Access::Read, path).reason();
        matches!(
            reason,
            Reason::InvalidPath | Reason::Outside | Reason::Reserved | Reason::InvalidPolicy | Reason::Denied
        )
    }

    fn permits(&self, path: &WorkspacePath) -> bool {
        Call::permits(self, Access::Read, path)
    }
}

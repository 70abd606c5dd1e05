//! Access decisions for programs: one line of JSON in, one line of JSON out.
//!
//! ```
//! use minds_workspace::decide::Decider;
//!
//! let mut decider = Decider::default();
//! let mut answer = |line: &str| {
//!     let mut answer = String::new();
//!     decider.answer(line.as_bytes(), &mut answer);
//!     answer
//! };
//! assert_eq!(answer(r#"{"dirs":{"write_dirs":["src"]}}"#), "{\"policy\":\"ok\",\"problems\":[]}\n");
//! assert_eq!(
//!     answer(r#"{"op":"write","path":"src/a"}"#),
//!     "{\"allowed\":true,\"reason\":\"allowed\",\"pattern\":\"src\"}\n"
//! );
//! ```

mod dirs;
mod line;

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_access_control::{Access, Pattern, Policy, Reason};
use minds_diagnostics::emit::escaped_json;
use minds_vfs::WorkspacePath;
use serde::Serialize;

use self::dirs::{Dirs, Problem};
use self::line::Question;

/// The maximum number and total size in bytes of cached `dirs` values, because batches repeat them.
const MAX_CACHED: usize = 256;
const MAX_CACHED_BYTES: usize = 1 << 20;

/// Answers lines one after the other.
#[derive(Debug, Default)]
pub struct Decider {
    current: Current,
    cached: BTreeMap<Box<str>, Arc<Dirs>>,
    cached_bytes: usize,
}

/// The policy for lines without `dirs`.
#[derive(Debug, Default)]
enum Current {
    /// No line has set one.
    #[default]
    Unset,
    /// The last line with only `dirs` was invalid. A previous policy must not be used instead.
    Invalid,
    Set(Arc<Dirs>),
}

#[derive(Serialize)]
struct PolicyAnswer<'a> {
    policy: PolicyState,
    problems: &'a [Problem],
}

/// Whether all lists could be read.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum PolicyState {
    Ok,
    Invalid,
}

#[derive(Serialize)]
struct DecisionAnswer<'a> {
    allowed: bool,
    reason: Reason,
    pattern: Option<&'a str>,
    /// Present if the entry denies only because letter case and normalization are ignored.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_folding: bool,
}

#[derive(Serialize)]
struct MatchAnswer {
    r#match: bool,
}

#[derive(Serialize)]
struct ErrorAnswer<'a> {
    error: Error,
    message: &'a str,
}

/// Why a line has no decision.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::enum_variant_names, reason = "the names are part of the answer")]
enum Error {
    InvalidLine,
    InvalidPattern,
    InvalidPath,
}

impl Decider {
    /// Returns a decider that uses a policy for lines without `dirs`, until a line sets them.
    pub fn with_policy(policy: Policy) -> Self {
        let dirs = Dirs { policy, problems: Vec::new() };
        Self { current: Current::Set(Arc::new(dirs)), ..Self::default() }
    }

    /// Appends the answer to a line and a line break. A line that consists of white space has no answer.
    ///
    /// All other bytes have an answer: invalid lines are answered with `invalid-line`.
    pub fn answer(&mut self, line: &[u8], out: &mut String) {
        let Ok(text) = std::str::from_utf8(line) else {
            return write_error(out, Error::InvalidLine, "the line is not valid UTF-8");
        };
        if text.trim_ascii().is_empty() {
            return;
        }
        match line::read(text) {
            Ok(Question::Set(dirs)) => match self.parse_dirs(dirs) {
                Ok(dirs) => {
                    let is_readable = dirs.problems.is_empty();
                    let policy = if is_readable { PolicyState::Ok } else { PolicyState::Invalid };
                    write(out, &PolicyAnswer { policy, problems: &dirs.problems });
                    self.current = Current::Set(dirs);
                }
                Err(message) => {
                    self.current = Current::Invalid;
                    write_error(out, Error::InvalidLine, &message);
                }
            },
            Ok(Question::Decide { dirs: Some(dirs), access, path }) => match self.parse_dirs(dirs) {
                Ok(dirs) => decide(&dirs, access, &path, out),
                Err(message) => write_error(out, Error::InvalidLine, &message),
            },
            Ok(Question::Decide { dirs: None, access, path }) => match &self.current {
                Current::Set(dirs) => decide(dirs, access, &path, out),
                Current::Unset => {
                    write_error(
                        out,
                        Error::InvalidLine,
                        "the line has no `dirs`, and no previous line has set them",
                    );
                }
                Current::Invalid => {
                    let message =
                        "the line has no `dirs`, and the last line that should set them was invalid";
                    write_error(out, Error::InvalidLine, message);
                }
            },
            Ok(Question::Match { pattern, path }) => matches(&pattern, &path, out),
            Err(message) => write_error(out, Error::InvalidLine, &message),
        }
    }

    /// Appends the answer to a line that exceeds the maximum length.
    pub fn answer_too_long(out: &mut String) {
        write_error(out, Error::InvalidLine, "the line is longer than 16 MiB");
    }

    /// Parses a value of `dirs`, or returns it from the cache.
    fn parse_dirs(&mut self, text: &str) -> Result<Arc<Dirs>, String> {
        if let Some(dirs) = self.cached.get(text) {
            return Ok(Arc::clone(dirs));
        }
        let dirs = Arc::new(Dirs::read(text)?);
        if text.len() <= MAX_CACHED_BYTES {
            if self.cached.len() >= MAX_CACHED || self.cached_bytes + text.len() > MAX_CACHED_BYTES {
                self.cached.clear();
                self.cached_bytes = 0;
            }
            self.cached_bytes += text.len();
            self.cached.insert(text.into(), Arc::clone(&dirs));
        }
        Ok(dirs)
    }
}

fn decide(dirs: &Dirs, access: Access, path: &str, out: &mut String) {
    match WorkspacePath::normalize(path) {
        Ok(path) => {
            let decision = dirs.policy.check(access, &path);
            let entry = decision.entry();
            let pattern = entry.and_then(|entry| entry.text);
            let by_folding = entry.is_some_and(|entry| entry.is_by_folding);
            let (allowed, reason) = (decision.is_allowed(), decision.reason());
            write(out, &DecisionAnswer { allowed, reason, pattern, by_folding });
        }
        Err(error) => {
            let reason = Reason::from(error.kind());
            write(out, &DecisionAnswer { allowed: false, reason, pattern: None, by_folding: false });
        }
    }
}

fn matches(pattern: &str, path: &str, out: &mut String) {
    let pattern = match Pattern::parse(pattern) {
        Ok(pattern) => pattern,
        Err(error) => return write_error(out, Error::InvalidPattern, &error.to_string()),
    };
    match WorkspacePath::normalize(path) {
        Ok(path) => write(out, &MatchAnswer { r#match: pattern.matches(&path) }),
        Err(error) => write_error(out, Error::InvalidPath, &error.to_string()),
    }
}

fn write_error(out: &mut String, error: Error, message: &str) {
    write(out, &ErrorAnswer { error, message });
}

fn write(out: &mut String, answer: &impl Serialize) {
    // The answers only contain strings, booleans and lists of them, so serialization cannot fail.
    out.push_str(&escaped_json(serde_json::to_string(answer).unwrap_or_default()));
    out.push('\n');
}

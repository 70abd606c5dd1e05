//! Decisions for programs: a line of JSON in, a line of JSON out.
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

use minds_access_control::{Access, Pattern, Reason};
use minds_diagnostics::emit::escaped_json;
use minds_paths::WorkspacePath;
use serde::Serialize;

use self::dirs::{Dirs, Problem};
use self::line::Question;

/// How many texts of `dirs` are remembered, and how long they may be together: a batch repeats them.
const REMEMBERED: usize = 256;
const REMEMBERED_BYTES: usize = 1 << 20;

/// Answers lines, one after the other.
#[derive(Debug, Default)]
pub struct Decider {
    current: Current,
    remembered: BTreeMap<Box<str>, Arc<Dirs>>,
    remembered_bytes: usize,
}

/// The policy of lines that have none.
#[derive(Debug, Default)]
enum Current {
    /// No line has set one.
    #[default]
    Nothing,
    /// The last line that was to set one could not be read. An older policy must not stand in for it.
    Lost,
    Set(Arc<Dirs>),
}

#[derive(Serialize)]
struct PolicyAnswer<'a> {
    policy: &'static str,
    problems: &'a [Problem],
}

#[derive(Serialize)]
struct Decided<'a> {
    allowed: bool,
    reason: &'static str,
    pattern: Option<&'a str>,
    /// Present where the entry denies only because letter case and normalisation do not count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_folding: bool,
}

#[derive(Serialize)]
struct Matched {
    r#match: bool,
}

#[derive(Serialize)]
struct Refused<'a> {
    error: &'static str,
    message: &'a str,
}

impl Decider {
    /// Adds the answer to a line, and a line break. A line of nothing but white space has no answer.
    ///
    /// Any bytes have one otherwise: what is no question gets `invalid-line`.
    pub fn answer(&mut self, line: &[u8], out: &mut String) {
        let Ok(text) = std::str::from_utf8(line) else {
            return refuse(out, "invalid-line", "the line is not UTF-8");
        };
        if text.trim_ascii().is_empty() {
            return;
        }
        match line::read(text) {
            Ok(Question::Set(dirs)) => match self.dirs(dirs) {
                Ok(dirs) => {
                    let policy = if dirs.problems.is_empty() { "ok" } else { "invalid" };
                    write(out, &PolicyAnswer { policy, problems: &dirs.problems });
                    self.current = Current::Set(dirs);
                }
                Err(message) => {
                    self.current = Current::Lost;
                    refuse(out, "invalid-line", &message);
                }
            },
            Ok(Question::Decide { dirs: Some(dirs), access, path }) => match self.dirs(dirs) {
                Ok(dirs) => decide(&dirs, access, &path, out),
                Err(message) => refuse(out, "invalid-line", &message),
            },
            Ok(Question::Decide { dirs: None, access, path }) => match &self.current {
                Current::Set(dirs) => decide(dirs, access, &path, out),
                Current::Nothing => {
                    refuse(out, "invalid-line", "the line has no `dirs`, and no line before set any");
                }
                Current::Lost => {
                    let message = "the line has no `dirs`, and the last line that was to set any was invalid";
                    refuse(out, "invalid-line", message);
                }
            },
            Ok(Question::Match { pattern, path }) => matches(&pattern, &path, out),
            Err(message) => refuse(out, "invalid-line", &message),
        }
    }

    /// Adds the answer to a line that is longer than anything that is read.
    pub fn refuse_long(out: &mut String) {
        refuse(out, "invalid-line", "the line is longer than 16 MiB");
    }

    /// Returns what a text of `dirs` says.
    fn dirs(&mut self, text: &str) -> Result<Arc<Dirs>, String> {
        if let Some(dirs) = self.remembered.get(text) {
            return Ok(Arc::clone(dirs));
        }
        let dirs = Arc::new(Dirs::read(text)?);
        if text.len() <= REMEMBERED_BYTES {
            if self.remembered.len() >= REMEMBERED || self.remembered_bytes + text.len() > REMEMBERED_BYTES {
                self.remembered.clear();
                self.remembered_bytes = 0;
            }
            self.remembered_bytes += text.len();
            self.remembered.insert(text.into(), Arc::clone(&dirs));
        }
        Ok(dirs)
    }
}

fn decide(dirs: &Dirs, access: Access, path: &str, out: &mut String) {
    match WorkspacePath::normalize(path) {
        Ok(path) => {
            let decision = dirs.policy.check(access, &path);
            let entry = decision.entry();
            let pattern = entry.and_then(|entry| entry.written);
            let by_folding = entry.is_some_and(|entry| entry.is_by_folding);
            let (allowed, reason) = (decision.is_allowed(), decision.reason().code());
            write(out, &Decided { allowed, reason, pattern, by_folding });
        }
        Err(error) => {
            let reason = Reason::from(error.kind()).code();
            write(out, &Decided { allowed: false, reason, pattern: None, by_folding: false });
        }
    }
}

fn matches(pattern: &str, path: &str, out: &mut String) {
    let pattern = match Pattern::parse(pattern) {
        Ok(pattern) => pattern,
        Err(error) => return refuse(out, "invalid-pattern", &error.to_string()),
    };
    match WorkspacePath::normalize(path) {
        Ok(path) => write(out, &Matched { r#match: pattern.matches(&path) }),
        Err(error) => refuse(out, "invalid-path", &error.to_string()),
    }
}

fn refuse(out: &mut String, error: &'static str, message: &str) {
    write(out, &Refused { error, message });
}

fn write(out: &mut String, answer: &impl Serialize) {
    // The answers hold only strings, booleans and lists of them, so serialization cannot fail.
    out.push_str(&escaped_json(serde_json::to_string(answer).unwrap_or_default()));
    out.push('\n');
}

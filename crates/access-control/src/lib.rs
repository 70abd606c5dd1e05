#![doc = include_str!("../README.md")]
//!
//! # How access is decided
//!
//! Reading and writing are independent of each other; each has four lists ([`Lists`]). In a directory list each entry is
//! a [`Pattern`], in an extension list an [`Extension`]. The first of these reasons that applies decides ([`Reason`]):
//!
//! | reason | applies if |
//! |---|---|
//! | `invalid-path` | the string is not a valid path: it contains a backslash, a control character or a bidirectional formatting character |
//! | `outside` | the path is absolute, or `..` escapes the workspace at any point of the path |
//! | `reserved` | a segment ends in `.tsk`; or the operation writes at or below `.minds` or a `.git` ([`ReservedArea`]) |
//! | `invalid-policy` | one of the four lists is unreadable |
//! | `denied` | a pattern of the deny list covers the path |
//! | `extension-denied` | the extension of the file is in the deny list of extensions |
//! | `not-in-allow-list` | there is an allow list, and none of its patterns covers the path |
//! | `extension-not-allowed` | there is an allow list of extensions, the file has an extension, and it is not in the list |
//! | `allowed` | a pattern of the allow list covers the path |
//! | `allowed-by-default` | there is no allow list |
//!
//! So deny takes precedence over allow, regardless of position and length. An empty list is equivalent to no list.
//! Reserved names are reserved in any letter case, and no entry can give access to them.
//!
//! Paths are normalized lexically before the decision ([`WorkspacePath::normalize`](minds_vfs::WorkspacePath::normalize)):
//! `./a` is `a`, `a//b` is `a/b` and `a/../b` is `b`. Symbolic links are not resolved here: the code that opens a file
//! must also check its real path.
//!
//! The time of a decision depends only on the length of the path and the number of entries; see `docs/performance.md`.
//!
//! # Patterns
//!
//! A pattern selects a scope: the path that it matches **and everything below it**. `src` covers `src` and `src/lib.rs`,
//! but not `src-old`. Patterns are relative to the workspace and compared segment by segment.
//!
//! | in a pattern | meaning |
//! |---|---|
//! | `*` within a segment | any number of characters of one segment: `docs/draft-*` |
//! | `**` as a segment | any number of segments, including none: `**/secret` covers `secret` and `a/b/secret` |
//! | anything else | itself |
//!
//! `./x`, `x/`, `/x`, `x/**` and `x/**/**` are equivalent to `x`: empty segments, `.` and a final `**` are ignored.
//!
//! Some patterns are valid but probably not what the author intended; [`Pattern::remarks`] returns the following:
//!
//! - `\` is read as `/` ([`Remark::Backslash`]);
//! - `?`, `[`, `]`, `{`, `}` and `!` are literal characters, not operators ([`Remark::Literal`]);
//! - `.`, `./`, `/`, `**` cover the whole workspace and `*` every entry below it ([`Remark::WholeWorkspace`]).
//!
//! A pattern is invalid ([`PatternError`]) if it is blank, contains a segment `..`, a control character, a bidirectional
//! formatting character or a `**` that is not a whole segment, or is longer than 512 bytes or 32 segments.
//!
//! # Letter case
//!
//! Some file systems treat `Secret` and `secret` as one name, and the composed and the decomposed `é`. Therefore an entry
//! of a *deny* list also matches a path after both are folded: normalized to Unicode form C and case-folded
//! ([`fold`](minds_vfs::portable::fold)), on every system. An entry of an *allow* list matches exactly. Extensions are
//! folded in both kinds of lists, for compatibility with the program that introduced these lists.
//!
//! # Extensions
//!
//! The extension of a file is the text after the last dot of its name. An entry may be written with or without leading
//! dots and in any letter case: `.TS` and `ts` are equivalent. An entry is invalid if it is blank or contains a separator
//! or an invisible character. An entry that contains a dot or `*`, or begins or ends with white space, is valid but never
//! matches: `archive.tar.gz` has the extension `gz`, and there are no wildcards.
//!
//! # Lists
//!
//! A list is *absent*, *given* or *unreadable* ([`EntryList`]). An unreadable list denies everything that it applies to; it
//! is never treated as an empty list.
//!
//! ```
//! use minds_access_control::{EntryList, Pattern, Remark};
//!
//! let pattern = Pattern::parse(r"docs\drafts/**")?;
//! assert_eq!(pattern.to_string(), "docs/drafts");
//! assert_eq!(pattern.remarks(), [Remark::Backslash { at: 4 }]);
//! assert!(Pattern::parse("docs")?.covers(&pattern));
//!
//! assert!(Pattern::parse("../secrets").is_err());
//! assert!(EntryList::from_entries([Ok(pattern), Err("..")]).is_unreadable());
//! # Ok::<(), minds_access_control::PatternError>(())
//! ```

mod access;
mod automaton;
mod decision;
mod entry_list;
mod extension;
mod glob;
mod glob_set;
mod multi_star;
mod name_table;
mod pattern;
mod policy;
mod redundancy;
mod reserved_area;

pub use access::{Access, ListKey, ListKind};
pub use decision::{DecidingEntry, Decision, Reason};
pub use entry_list::EntryList;
pub use extension::{Extension, ExtensionError};
pub use glob::matches as matches_glob;
pub use pattern::{
    MAX_PATTERN_BYTES, MAX_PATTERN_SEGMENTS, Pattern, PatternError, PatternErrorKind, Remark, Segment,
};
pub use policy::{Compiler, Lists, Policy, PolicyBuilder};
pub use redundancy::{Redundancy, RedundantEntry, all_are_effective, find_redundant};
pub use reserved_area::ReservedArea;

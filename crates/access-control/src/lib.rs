//! Which directories a member of an agent team may read and write.
//!
//! A [`Policy`] answers one question: may this member read or write this path? It never touches a file system, and what
//! it answers carries the entry that decided.
//!
//! ```
//! use minds_access_control::{Access, Policy};
//! use minds_paths::WorkspacePath;
//!
//! let policy = Policy::builder().allow(Access::Write, "src")?.deny(Access::Write, "src/gen")?.build();
//! let path = WorkspacePath::normalize("src/gen/api.rs")?;
//!
//! let decision = policy.check(Access::Write, &path);
//! assert!(!decision.is_allowed());
//! assert_eq!(decision.to_string(), "denied by `src/gen`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An access list of a team file holds *entries*. In a directory list each entry is a [`Pattern`], in an extension list
//! an [`Extension`]. This page is the manual of both, and of how they decide.
//!
//! # How it is decided
//!
//! Reading and writing are independent of each other; each has four lists ([`Lists`]). The first of these that applies
//! decides ([`Reason`]):
//!
//! | reason | applies if |
//! |---|---|
//! | `invalid-path` | the text is no path: it has a backslash, a control character or one that changes the direction of text |
//! | `outside` | the path is absolute, or `..` leads out of the workspace, if only on the way |
//! | `reserved` | a segment ends in `.tsk`; or something at or below `.minds` or a `.git` is to be written ([`Reserved`]) |
//! | `invalid-policy` | one of the four lists is unreadable |
//! | `denied` | a pattern of the deny list covers the path |
//! | `extension-denied` | the extension of the file is in the deny list of extensions |
//! | `not-in-allow-list` | there is an allow list, and none of its patterns covers the path |
//! | `extension-not-allowed` | there is an allow list of extensions, the file has an extension, and it is not in the list |
//! | `allowed` | a pattern of the allow list covers the path |
//! | `allowed-by-default` | there is no allow list |
//!
//! So deny wins over allow, whatever its position or length. A list without entries is the same as none. What is
//! reserved is reserved in any letter case, and no entry opens it.
//!
//! Paths are normalised before they are judged ([`WorkspacePath::normalize`](minds_paths::WorkspacePath::normalize)), by
//! their names alone: `./a`, `a//b` and `a/../b` are what they lead to. Links are the concern of whoever opens the file,
//! who asks about the real path as well.
//!
//! Deciding takes time in the length of the path and the number of entries, whatever they are; see
//! `docs/performance.md`.
//!
//! # Patterns
//!
//! A pattern names a scope: the path that it matches **and everything below**. `src` covers `src` and `src/lib.rs`, but
//! not `src-old`. Patterns are relative to the workspace and compared segment by segment.
//!
//! # Letter case
//!
//! Some file systems take `Secret` and `secret` for one name, and the composed and the decomposed `é`. So an entry of a
//! *deny* list also matches a path once both are folded: normalised to Unicode form C and case-folded
//! ([`fold`](minds_paths::portable::fold)), on every system. An entry of an *allow* list matches exactly. Extensions are
//! folded in both, as the program did that first had these lists.
//!
//! | in a pattern | means |
//! |---|---|
//! | `*` within a segment | any characters of one segment, none included: `docs/draft-*` |
//! | `**` as a whole segment | any number of whole segments, none included: `**/secret` covers `secret` and `a/b/secret` |
//! | anything else | itself |
//!
//! `./x`, `x/`, `/x`, `x/**` and `x/**/**` mean `x`: empty segments, `.` and a final `**` add nothing.
//!
//! Some patterns are valid, and yet probably not what was meant; [`Pattern::remarks`] tells:
//!
//! - `\` reads as `/` ([`Remark::Backslash`]);
//! - `?`, `[`, `]`, `{`, `}` and `!` are literal characters, not operators ([`Remark::Literal`]);
//! - `.`, `./`, `/`, `**` cover the whole workspace and `*` every entry below it ([`Remark::WholeWorkspace`]).
//!
//! A pattern cannot be read ([`PatternError`]) if it is blank, has a segment `..`, a control character or one that
//! changes the direction of text, a `**` that shares a segment with other characters, or more than 512 bytes or 32
//! segments.
//!
//! # Extensions
//!
//! The extension of a file is the text behind the last dot of its name. An entry may be written with or without leading
//! dots and in any letter case: `.TS` and `ts` mean the same. An entry cannot be read if nothing is left, or if it holds
//! a separator or a character that cannot be seen. One with a dot or `*` inside, or white space at its ends, is valid and never matches:
//! `archive.tar.gz` has the extension `gz`, and there are no wildcards.
//!
//! # Lists
//!
//! A list is *absent*, *given* or *unreadable* ([`EntryList`]). An unreadable list denies: nothing turns it into an empty
//! one.
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
mod globs;
mod machine;
mod names;
mod pattern;
mod policy;
mod redundancy;
mod reserved;

pub use access::{Access, ListKind};
pub use decision::{DecidingEntry, Decision, Reason};
pub use entry_list::EntryList;
pub use extension::{Extension, ExtensionError};
pub use pattern::{MAX_PATTERN_BYTES, MAX_PATTERN_SEGMENTS, Pattern, PatternError, PatternErrorKind, Remark};
pub use policy::{Compiler, Lists, Policy, PolicyBuilder};
pub use redundancy::{Redundancy, RedundantEntry, each_decides, redundant};
pub use reserved::Reserved;

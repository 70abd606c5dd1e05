//! Which directories a member of an agent team may read and write: the entries.
//!
//! An access list of a team file holds *entries*. In a directory list each entry is a [`Pattern`], in an extension list
//! an [`Extension`]. This page is the manual of both.
//!
//! # Patterns
//!
//! A pattern names a scope: the path that it matches **and everything below**. `src` covers `src` and `src/lib.rs`, but
//! not `src-old`. Patterns are relative to the workspace and compared segment by segment, in the same letter case.
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
//! assert!(matches!(EntryList::from_entries([Ok(pattern), Err(())]), EntryList::Unreadable));
//! # Ok::<(), minds_access_control::PatternError>(())
//! ```

mod entry_list;
mod extension;
mod pattern;

pub use entry_list::EntryList;
pub use extension::{Extension, ExtensionError};
pub use pattern::{MAX_PATTERN_BYTES, MAX_PATTERN_SEGMENTS, Pattern, PatternError, PatternErrorKind, Remark};

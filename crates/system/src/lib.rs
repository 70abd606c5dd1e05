//! The only crate that touches files, the environment and the terminal.
//!
//! A [`Root`] is an open directory: whoever has it may read and write below it, and nothing outside can be reached,
//! whatever links and `..` say. There are two ways to look at it: [`Root::scoped`] follows no symbolic link,
//! [`Root::resolving`] those that stay inside. Both have the same verbs, named after what they do to one file:
//!
//! ```
//! use minds_document::{ContentHash, Expected, FileMode};
//! use minds_paths::{MountId, WorkspacePath};
//! use minds_system::{FileErrorKind, Root};
//!
//! let folder = tempfile::tempdir()?;
//! let root = Root::open(folder.path(), MountId::WORKSPACE)?;
//! let notes = WorkspacePath::parse("notes.md")?;
//!
//! // It is on disk when this returns, and nobody ever sees half of it.
//! root.scoped().create(&notes, b"one", FileMode::Regular)?;
//!
//! // Whoever was quicker is not overwritten.
//! let old = root.scoped().read(&notes, 1 << 20)?;
//! let expected = Expected::Content(ContentHash::of(&old.bytes));
//! root.scoped().replace(&notes, b"two", old.mode, expected)?;
//! let late = root.scoped().replace(&notes, b"three", old.mode, expected).unwrap_err();
//! assert_eq!(late.kind(), FileErrorKind::Changed);
//!
//! // What is judged is what is read, wherever the link leads by then.
//! std::os::unix::fs::symlink("notes.md", folder.path().join("link"))?;
//! let file = root.resolving().open(&WorkspacePath::parse("link")?)?;
//! assert_eq!(file.real(), &notes);
//! assert_eq!(file.read(1 << 20)?.bytes, b"two");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Verbs that change something are [`Place::create`], [`Place::replace`], [`Place::append`], [`Place::extend`],
//! [`Place::make_directory`], [`Place::rename`], [`Place::remove_file`], [`Place::remove_directory`] and [`Place::remove_tree`]; a [`Place`] is a name
//! in an open directory that tells its real path first. [`Place::lock`] is for those who agree on it.
//!
//! Many files at once are values: [`Root::snapshot`] reads them, and [`Root::apply`] makes a set of changes or none of
//! them, also if the process dies. Everything else of the project works on these values.
//!
//! Repositories of others are read by [`git`], items are installed by [`install`], and commands are run by [`process`].
//!
//! [`confine`] asks the kernel to keep a second wall around a server.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this is the crate that all others leave these to"
)]

mod ancestors;
mod apply;
mod area;
mod browser;
mod confine;
mod descriptors;
mod editor;
mod environment;
mod error;
mod files;
pub mod git;
pub mod install;
mod interrupts;
mod lines;
mod notice;
mod ownership;
mod private_file;
pub mod process;
mod random;
mod root;
mod snapshot;
mod state;
mod subtree;
mod survey;
mod sweep;
mod syscalls;
mod upward_search;

pub use ancestors::{Ancestor, ancestors_with, home_directory};
pub use apply::ApplyError;
pub use area::{Area, Target};
pub use browser::open_in_browser;
pub use confine::{Confinement, confine};
pub use descriptors::expect_descriptors;
pub use editor::{edit_file, editor};
pub use environment::{
    current_directory, pause, read_named_file, remove_named_file, standard_input, terminal_width, variable,
    variables,
};
pub use error::SystemError;
pub use files::{
    Entry, FileError, FileErrorKind, Holder, Listing, Lock, Metadata, OpenFile, Place, ReadFile, View,
    end_lock_waits, is_temporary,
};
pub use lines::{Line, Lines, standard_input_lines};
pub use notice::{DEFAULT_LOCK_TIMEOUT, Notice, configure, notify};
pub use ownership::{Caller, Distrust, Ownership, Role, Untrusted, find_untrusted};
pub use private_file::PrivateFile;
pub use random::random;
pub use root::Root;
pub use snapshot::MAX_FILE_BYTES;
pub use state::{directory_name, now, program_folder, state_folder, user_name};
#[cfg(feature = "faults")]
pub use syscalls::faults;
pub use syscalls::{Kind, Sharing, Stamp};
pub use upward_search::{UpwardSearch, find_upwards, is_directory, obstacle_to_directory, real_directory};

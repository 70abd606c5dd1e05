//! The only crate that touches files, the environment and the terminal.
//!
//! A [`Root`] is an open directory: whoever has it may read below it and, through [`Root::apply`], write below it, and
//! nothing outside can be reached, whatever links and `..` say. Everything else of the project works on the values that
//! come out of here and go into here.
#![expect(clippy::disallowed_methods, reason = "this is the crate that all others leave these to")]

mod apply;
mod below;
mod confine;
mod environment;
mod error;
mod files;
mod find;
mod root;
mod snapshot;
mod sweep;
mod syscalls;

pub use apply::ApplyError;
pub use confine::{Confinement, confine};
pub use environment::{current_directory, pause, standard_input, terminal_width, variables};
pub use error::SystemError;
pub use files::{Entry, FileError, FileErrorKind, Listing, Lock, Metadata, OpenFile, Place, ReadFile, View};
pub use find::{Found, find_upwards};
pub use root::Root;
pub use snapshot::MAX_FILE_BYTES;
#[cfg(feature = "faults")]
pub use syscalls::faults;
pub use syscalls::{Kind, Sharing};

//! What users and agents do with a workspace, one function for each thing.
//!
//! Every function loads through `minds-system`, computes in the pure crates, and returns data: what to print, and how,
//! is the concern of the frontends.

mod check;
mod error;
mod explain;
mod fix;
mod fmt;
mod init;
mod locate;
mod team;
mod watch;

pub use check::{CheckOutcome, check, check_text};
pub use error::OperationError;
pub use explain::explain;
pub use fix::{FixOutcome, fix};
pub use fmt::{FmtOutcome, fmt, fmt_text};
pub use init::{InitOutcome, init};
pub use locate::{Located, locate};
pub use team::{TeamOutcome, show_team};
pub use watch::Watch;

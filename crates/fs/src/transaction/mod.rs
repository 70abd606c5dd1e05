//! The engine that makes several steps or none, even if the process dies.
//!
//! Change sets, installations and changes of task packages are kinds of transactions. A kind has its own steps
//! ([`Steps`]) and its own record of them on disk ([`Record`]), and decides what is staged before they are made.
//! [`RecordedTransaction`] has what must be right in the same way for all: the order in which steps are made, undone,
//! synced and cleaned up, and the recovery of a transaction whose process died.

mod record;
mod record_file;
mod recorded_transaction;
mod steps;

pub use record::{Record, State};
pub(crate) use record_file::{RecordFile, RecordFormat, RecordState, unescape};
pub use recorded_transaction::{Failure, RecordedTransaction, Remainder};
pub(crate) use steps::is_external_change;
pub use steps::{Origin, StepFailure, Steps};

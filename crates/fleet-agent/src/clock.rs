//! The time, for the functions that take it as an argument.

use minds_fleet_protocol::{Now, Timestamp};

pub(crate) fn now() -> Now {
    Now { clock: minds_process::monotonic(), time: timestamp() }
}

pub(crate) fn timestamp() -> Timestamp {
    Timestamp::from_milliseconds(minds_process::now())
}

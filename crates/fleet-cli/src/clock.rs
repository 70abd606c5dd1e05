//! The time, and random ids.

use minds_fleet_protocol::{Caller, ErrorCode, Failure, Now, Timestamp};

/// Returns the time.
pub(crate) fn now() -> Now {
    Now { clock: minds_process::monotonic(), time: Timestamp::from_milliseconds(minds_process::now()) }
}

/// Returns a random number.
pub(crate) fn random() -> Result<u64, Failure> {
    let bytes = minds_process::random::<8>();
    let failed = |error: std::io::Error| Failure::new(ErrorCode::HandlerError, error.to_string());
    bytes.map(u64::from_be_bytes).map_err(failed)
}

/// Returns the name of this client, which is another one for each start of the program.
pub(crate) fn new_caller(kind: &str) -> Result<Caller, Failure> {
    let caller = Caller::parse(&format!("{kind}:s-{:016x}", random()?));
    caller.map_err(|error| Failure::new(ErrorCode::ArgsInvalid, error.to_string()))
}

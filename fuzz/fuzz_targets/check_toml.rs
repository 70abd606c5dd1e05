//! Any bytes as `minds.toml`: there is an answer, its places are true, every format can print it, and fixing it ends.
#![no_main]

#[path = "../bodies/check_toml.rs"]
mod body;
#[path = "../bodies/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| body::expect(bytes));

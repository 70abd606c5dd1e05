//! Any bytes as `mind.toml`: there is an answer, its places are true, and what is valid stays in its place.
#![no_main]

#[path = "../bodies/mind_toml.rs"]
mod body;
#[path = "../bodies/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| body::expect(bytes));

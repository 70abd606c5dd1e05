//! Any bytes as `team.yaml`, and what follows NUL bytes as `llm.yaml` and `mcp.yaml`: there is an
//! answer, its places are true, and every format can print it.
#![no_main]

#[path = "../bodies/check_yaml.rs"]
mod body;
#[path = "../bodies/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| body::expect(bytes));

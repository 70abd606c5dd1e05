//! Any bytes as `team.yaml`: the file is refused with a reason, or has a form that says the same, keeps every character
//! that is no white space, and is a form itself.
#![no_main]

#[path = "../bodies/fmt.rs"]
mod body;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| body::expect(bytes));

//! Any bytes as a Markdown text: head and body are the text, and every place of the head lies in it.
#![no_main]

#[path = "../bodies/front_matter.rs"]
mod body;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| body::expect(bytes));

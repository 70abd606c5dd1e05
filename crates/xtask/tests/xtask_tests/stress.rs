//! The short version of `cargo xtask stress`.
#![cfg(target_os = "linux")]

use xtask::stress::{Options, run};

#[test]
fn no_path_and_no_swap_escapes_a_root() {
    let result = run(&Options { paths: 1_500, swaps: 400, values: 3_000, spellings: 0, seed: 1 });
    assert_eq!(result, Ok(()));
}

#[test]
fn no_other_spelling_opens_a_denied_file() {
    let result = run(&Options { paths: 0, swaps: 0, values: 0, spellings: 120, seed: 1 });
    assert_eq!(result, Ok(()));
}

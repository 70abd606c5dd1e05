//! The short form of `cargo xtask stress`.
#![cfg(target_os = "linux")]

use xtask::stress::{Options, run};

#[test]
fn no_path_and_no_exchange_of_names_leads_out_of_a_root() {
    let result = run(&Options { paths: 1_500, swaps: 400, values: 3_000, seed: 1 });
    assert_eq!(result, Ok(()));
}

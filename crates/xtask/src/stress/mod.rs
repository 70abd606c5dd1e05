//! Attacks on the confined root (hostile paths, directories that are swapped with links), on the deny lists
//! of members (other spellings on a file system that ignores letter case), and on rendered files (values of
//! every kind).

mod alternating_root;
mod clients;
mod encoders;
mod escapes;
mod folding;
mod outside;
mod paths;
mod races;
mod services;
mod traps;
mod tree;
mod verbs;

use crate::numbers::parse_number;

/// The extent of the tests.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Options {
    /// The number of hostile paths for each operation in each mode; 0 skips this attack.
    #[arg(long, value_name = "N", default_value = "1_000_000", value_parser = parse_number)]
    pub paths: usize,
    /// The number of operations in each race; each operation has at least three races in each mode. 0 skips
    /// this attack.
    #[arg(long, value_name = "N", default_value = "100_000", value_parser = parse_number)]
    pub swaps: usize,
    /// The number of agents rendered with values of every kind, of services for each target, and of servers
    /// for each client. 0 skips this attack.
    #[arg(long, value_name = "N", default_value = "1_000_000", value_parser = parse_number)]
    pub values: usize,
    /// The number of other spellings of denied paths for every file tool; 0 skips this attack.
    #[arg(long, value_name = "N", default_value = "2_000", value_parser = parse_number)]
    pub spellings: usize,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Runs all attacks, and prints the results.
///
/// # Errors
///
/// Returns what escaped, or what was not tested.
pub fn run(options: &Options) -> Result<(), String> {
    if options.values > 0 {
        encoders::run(options)?;
        services::run(options)?;
        clients::run(options)?;
        println!();
    }
    if options.spellings > 0 {
        folding::run(options)?;
        println!();
    }
    if options.paths > 0 {
        escapes::run(options)?;
        println!();
    }
    if options.swaps > 0 { races::run(options) } else { Ok(()) }
}

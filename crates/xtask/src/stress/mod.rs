//! Attacks on the confined root (hostile paths, directories that become links meanwhile), on the deny lists of members (other
//! spellings on a file system that ignores letter case), and on rendered files (values of every kind).

mod arena;
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

use crate::numbers::number;

/// How much is tried.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Options {
    /// The number of hostile paths for each verb in each mode; with 0 none is tried.
    #[arg(long, value_name = "N", default_value = "1_000_000", value_parser = number)]
    pub paths: usize,
    /// The number of operations in each race; each verb has three races or four in each mode. With 0 there is none.
    #[arg(long, value_name = "N", default_value = "100_000", value_parser = number)]
    pub swaps: usize,
    /// The number of agents that are rendered with values of every kind, of services for each target, and of servers for each
    /// client. With 0 there is none.
    #[arg(long, value_name = "N", default_value = "1_000_000", value_parser = number)]
    pub values: usize,
    /// The number of other spellings of denied paths with which every file tool is called; 0 skips this attack.
    #[arg(long, value_name = "N", default_value = "2_000", value_parser = number)]
    pub spellings: usize,
    /// Where chance begins.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Attacks a root with all that there is, and prints what came of it.
///
/// # Errors
///
/// Says what got out, or what was not tried.
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

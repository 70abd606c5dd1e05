//! The jobs of agents: what they take in calls and bytes, with a scripted client instead of a model.

mod replay;

use std::path::PathBuf;

use serde_json::Value;

use crate::files::root;
use replay::{replay, report};

/// The average number of bytes, of instructions and answers together, that a job may take.
const MAX_AVERAGE: usize = 12 * 1024;

/// Replays the jobs of `fixtures/jobs/jobs.json`, prints what each took, and returns whether all came out as they should
/// within the limit. The command is `minds`, or built.
pub fn run(minds: Option<PathBuf>) -> bool {
    let minds = minds.unwrap_or_else(super::bench::build_debug);
    let document =
        std::fs::read_to_string(root().join("fixtures/jobs/jobs.json")).expect("the jobs can be read");
    let document: Value = serde_json::from_str(&document).expect("the jobs are valid JSON");
    let folder = root().join("target/jobs");
    let _ = std::fs::remove_dir_all(&folder);
    match replay(&minds, &folder, &document) {
        Ok(jobs) => {
            print!("{}", report(&jobs));
            let sum: usize = jobs.iter().map(replay::Replayed::bytes).sum();
            sum <= MAX_AVERAGE * jobs.len()
        }
        Err(reason) => {
            println!("jobs: {reason}");
            false
        }
    }
}

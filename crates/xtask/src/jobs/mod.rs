//! The jobs of agents: the calls and bytes that they take, with a scripted client or with a model.

mod record;
mod replay;

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::Value;

use crate::files::root;
use replay::{replay, report};

/// The maximum average number of bytes that a job takes: of instructions and answers for the scripted client, of answers
/// for a model.
const MAX_AVERAGE: usize = 12 * 1024;
/// The maximum number of calls of a model, in hundredths of the calls of the scripted client.
const MAX_CALLS_IN_HUNDREDTHS: usize = 130;

/// A step of a job that a model does.
#[derive(Debug, Subcommand)]
pub enum Step {
    /// Prepare a job in a new directory, and print what a model is given: the task, the instructions, the tools.
    Start {
        /// The number of the job in `fixtures/jobs/jobs.json`, from 0.
        job: usize,
        /// The directory of the job, which must not exist.
        directory: PathBuf,
    },
    /// Call a tool, and print the answer.
    Call {
        /// The directory of the job.
        directory: PathBuf,
        /// The name of the tool.
        tool: String,
        /// The arguments, a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// End a job with the answer of the model, and print whether the job is done.
    Finish {
        /// The directory of the job.
        directory: PathBuf,
        /// What the model answers to the task.
        answer: String,
    },
    /// Print the calls and bytes of all jobs in a folder; fail if one is not done, or if they take too much.
    Report {
        /// The folder with the directories of the jobs.
        folder: PathBuf,
    },
}

/// Replays the jobs of `fixtures/jobs/jobs.json`, or takes a step of a job that a model does; prints the result, and
/// returns whether it is within the limits. The command is `minds`, or built.
pub fn run(minds: Option<PathBuf>, step: Option<Step>) -> bool {
    let minds = move || minds.unwrap_or_else(super::bench::build_debug);
    let document =
        std::fs::read_to_string(root().join("fixtures/jobs/jobs.json")).expect("the jobs can be read");
    let document: Value = serde_json::from_str(&document).expect("the jobs are valid JSON");
    let result = match step {
        None => {
            let folder = root().join("target/jobs");
            let _ = std::fs::remove_dir_all(&folder);
            replay(&minds(), &folder, &document).map(|jobs| {
                let sum: usize = jobs.iter().map(replay::Replayed::bytes).sum();
                (report(&jobs), sum <= MAX_AVERAGE * jobs.len())
            })
        }
        Some(Step::Start { job, directory }) => {
            record::start(&minds(), &document, job, &directory).map(|page| (page, true))
        }
        Some(Step::Call { directory, tool, arguments }) => serde_json::from_str(&arguments)
            .map_err(|error| format!("the arguments are not valid JSON: {error}"))
            .and_then(|arguments| record::call(&minds(), &directory, &tool, &arguments))
            .map(|answer| (answer + "\n", true)),
        Some(Step::Finish { directory, answer }) => {
            record::finish(&minds(), &directory, &answer).map(|verdict| (verdict + "\n", true))
        }
        Some(Step::Report { folder }) => record::report(&folder, &document),
    };
    match result {
        Ok((text, is_within_limits)) => {
            print!("{text}");
            is_within_limits
        }
        Err(reason) => {
            println!("jobs: {reason}");
            false
        }
    }
}

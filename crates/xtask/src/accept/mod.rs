//! Acceptance checks at length: what the tests check in short runs, and what needs the rights of root.

mod checks;
mod split;

use std::process::Command;
use std::time::Instant;

use checks::{CHECKS, Check, Step};

/// What to check.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// The checks; all of them if none is named.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Print the checks, and what they run.
    #[arg(long)]
    list: bool,
    /// The profile of Cargo with which the programs are built.
    #[arg(long, value_name = "PROFILE", default_value = "accept")]
    profile: String,
}

/// Runs checks, and prints the result and the time of each.
///
/// # Errors
///
/// Returns the names of the checks that failed, or a name that no check has.
pub fn run(options: &Options) -> Result<(), String> {
    if let Some(unknown) = options.names.iter().find(|name| CHECKS.iter().all(|check| check.name != **name)) {
        let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        return Err(format!("no check has the name `{unknown}`; the checks are {}", names.join(", ")));
    }
    let is_wanted =
        |check: &&Check| options.names.is_empty() || options.names.iter().any(|name| *name == check.name);
    let mut failed = Vec::new();
    for check in CHECKS.iter().filter(is_wanted) {
        println!("{}: {}", check.name, check.summary);
        for step in check.steps {
            if options.list {
                println!("  {}", step.describe(&options.profile));
                continue;
            }
            let start = Instant::now();
            let result = perform(step, &options.profile);
            println!(
                "  {} ({:.1?}): {}",
                step.describe(&options.profile),
                start.elapsed(),
                if result.is_ok() { "ok" } else { "FAILED" }
            );
            if let Err(reason) = result {
                println!("  {reason}");
                failed.push(check.name);
            }
        }
    }
    failed.dedup();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

fn perform(step: &Step, profile: &str) -> Result<(), String> {
    match step {
        Step::Test { package, program, filter, variables } => {
            let mut command = cargo();
            command.args(["test", "--profile", profile, "--locked", "--quiet", "--package", package]);
            // Their tests need the laws and every transport.
            command.args(["--all-features", "--test", program, "--", "--nocapture", filter]);
            command.envs(variables.iter().copied());
            succeed(&mut command)
        }
        Step::Task(args) => {
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            succeed(Command::new(program).args(*args))
        }
        Step::Split => split::run(&build_fleet(profile)?),
    }
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Builds `minds-fleet`, and returns its path.
fn build_fleet(profile: &str) -> Result<std::path::PathBuf, String> {
    succeed(cargo().args([
        "build",
        "--profile",
        profile,
        "--locked",
        "--quiet",
        "--package",
        "minds-fleet-cli",
    ]))?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let target =
        program.parent().and_then(|folder| folder.parent()).ok_or("the program is in no target directory")?;
    // The profile `dev` has a folder of another name.
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target.join(folder).join("minds-fleet"))
}

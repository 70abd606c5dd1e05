//! `cargo xtask generate | check | editors | jobs | mcp | view | bench | stress | crash | peak-memory`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for the repository talks to a terminal"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{bench, editors, files, generated, jobs, mcp, view};
#[cfg(target_os = "linux")]
use xtask::{crash, stress};

/// Generates what is generated, and measures and attacks what is promised.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", version, max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write every generated file that is out of date.
    Generate,
    /// Fail if a generated file is out of date.
    Check,
    /// Compare what yaml-language-server says about samples with what is written down.
    Editors {
        /// Write down what it says.
        #[arg(long)]
        accept: bool,
    },
    /// Replay jobs of agents with a scripted client, and print the calls and bytes of each; or record how a model does them.
    Jobs {
        #[command(flatten)]
        driven: Driven,
        #[command(subcommand)]
        step: Option<jobs::Step>,
    },
    /// Drive the MCP server by the conformance suite of the protocol and by clients of others.
    Mcp(Driven),
    /// Drive the page of a task by a browser.
    View(Driven),
    /// Measure the command and the libraries, and print ratios.
    Bench {
        /// Measure only this.
        part: Option<bench::Part>,
    },
    /// Attack the confined root and what is rendered, and print what came of it.
    #[cfg(target_os = "linux")]
    Stress(stress::Options),
    /// Kill processes that change files and task packages and that install, and print where they died.
    #[cfg(target_os = "linux")]
    Crash {
        /// Kill only those.
        part: Option<crash::Part>,
        #[command(flatten)]
        options: crash::Options,
    },
    /// What `crash` starts.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    CrashVictim {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        machine: Vec<String>,
    },
    /// Run a program, and print how many bytes of memory it held at its peak.
    PeakMemory {
        program: String,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Driven {
    /// The `minds` command, if it need not be built.
    #[arg(long, value_name = "PROGRAM")]
    minds: Option<PathBuf>,
}

impl Driven {
    /// Returns the command that is named, as an absolute path.
    fn program(self) -> Option<PathBuf> {
        self.minds.map(|named| std::path::absolute(&named).unwrap_or(named))
    }
}

fn main() -> ExitCode {
    match Args::parse().command {
        Command::Generate => {
            for path in files::write(&generated()) {
                println!("wrote {path}");
            }
            ExitCode::SUCCESS
        }
        Command::Check => {
            let stale = files::stale(&generated());
            for path in &stale {
                eprintln!("{path} is out of date: run `cargo xtask generate`");
            }
            passed(stale.is_empty())
        }
        Command::Editors { accept } => passed(editors::run(accept)),
        Command::Jobs { driven, step } => passed(jobs::run(driven.program(), step)),
        Command::Mcp(driven) => passed(mcp::run(driven.program())),
        Command::View(driven) => passed(view::run(driven.program())),
        Command::Bench { part } => {
            bench::run(part);
            ExitCode::SUCCESS
        }
        #[cfg(target_os = "linux")]
        Command::Stress(options) => told(stress::run(&options)),
        #[cfg(target_os = "linux")]
        Command::Crash { part, options } => told(
            std::env::current_exe()
                .map_err(|error| error.to_string())
                .and_then(|program| crash::run(&options, part, &program)),
        ),
        #[cfg(target_os = "linux")]
        Command::CrashVictim { machine } => told(crash::run_victim(&machine)),
        Command::PeakMemory { program, args } => {
            let Some(bytes) = bench::peak_memory(&program, &args) else {
                eprintln!("this system does not say how much memory a process held");
                return ExitCode::FAILURE;
            };
            println!("{bytes}");
            ExitCode::SUCCESS
        }
    }
}

fn passed(all: bool) -> ExitCode {
    if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(target_os = "linux")]
fn told(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

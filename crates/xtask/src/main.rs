//! `cargo xtask generate | accept | acp | check | clients | editors | jobs | mcp | setup | view | bench | build-time | stress | crash | gateway | peak-memory`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for the repository talks to a terminal"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
#[cfg(target_os = "linux")]
use xtask::{accept, acp, clients, crash, gateway, stress};
use xtask::{bench, editors, files, generate_all, jobs, mcp, setup, view};

/// Generate files, and run benchmarks and stress tests.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", version, max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run acceptance checks at length, and print their results.
    #[cfg(target_os = "linux")]
    Accept(accept::Options),
    /// Test the engines of agents with a real opencode of npm, and `minds-fleet acp` with the client library of the protocol,
    /// driven offline by a scripted model.
    #[cfg(target_os = "linux")]
    Acp(acp::Options),
    /// Write every generated file that is out of date.
    Generate,
    /// Fail if a generated file is out of date.
    Check,
    /// Test the files that are rendered for clients with the real clients of npm, driven offline by a scripted model.
    #[cfg(target_os = "linux")]
    Clients(clients::Options),
    /// Compare the messages of yaml-language-server about samples with the expected ones.
    Editors {
        /// Record the messages as expected.
        #[arg(long)]
        accept: bool,
    },
    /// Replay jobs of agents with a scripted client, and print the calls and bytes of each; or record how a
    /// model does them.
    Jobs {
        #[command(flatten)]
        driven: Driven,
        #[command(subcommand)]
        step: Option<jobs::Step>,
    },
    /// Test the MCP server and the gateway with the conformance suite of the protocol, and with third-party clients and
    /// servers.
    Mcp(Driven),
    /// The client that the conformance suite starts.
    #[command(hide = true)]
    ClientCase(mcp::Case),
    /// Install the programs that tests start, where a package manager of Debian can: a server for the tests of Redis.
    Setup,
    /// Test the page of a task with a browser.
    View(Driven),
    /// Benchmark the command and the libraries, and print ratios.
    Bench {
        /// Run only this part.
        part: Option<bench::Part>,
        /// Measure this `minds` program instead of building it.
        #[arg(long, value_name = "PROGRAM")]
        minds: Option<PathBuf>,
        /// An older `minds`, whose start is compared with the current one.
        #[arg(long, value_name = "PROGRAM")]
        before: Option<PathBuf>,
    },
    /// Measure a first build and a run of all tests, of revisions of the repository.
    BuildTime {
        #[arg(required = true)]
        revisions: Vec<String>,
    },
    /// The server that `bench` starts.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    BenchServer(bench::BenchServer),
    /// Attack the confined root and rendered files, and print the results.
    #[cfg(target_os = "linux")]
    Stress(stress::Options),
    /// Kill processes that change files, change task packages and install items, and print where they were
    /// killed.
    #[cfg(target_os = "linux")]
    Crash {
        /// Run only this part.
        part: Option<crash::Part>,
        #[command(flatten)]
        options: crash::Options,
    },
    /// The process started by `crash`.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    CrashVictim {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        machine: Vec<String>,
    },
    /// Kill processes of the MCP gateway, end it, and edit its file at random, and print what was observed.
    #[cfg(target_os = "linux")]
    Gateway {
        /// Run only this part.
        part: Option<gateway::Part>,
        #[command(flatten)]
        options: gateway::Options,
    },
    /// The servers started by `gateway`.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    GatewayServer,
    /// Run a program, and print its peak memory in bytes.
    PeakMemory {
        program: String,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Driven {
    /// Use this `minds` program instead of building it.
    #[arg(long, value_name = "PROGRAM")]
    minds: Option<PathBuf>,
}

impl Driven {
    /// Returns the given program as an absolute path.
    fn program(self) -> Option<PathBuf> {
        self.minds.map(|program| std::path::absolute(&program).unwrap_or(program))
    }
}

/// Returns what this program does if it has the name of another one. Tests that need several programs of the workspace link
/// this one, because Cargo builds only the programs of their own package.
fn run_as_other_program() -> Option<ExitCode> {
    // Not the first argument: agents are started by another path of their program.
    let program = std::env::current_exe().ok()?;
    match program.file_name()?.to_str()? {
        "minds" => Some(minds_cli::run(std::env::args_os())),
        "minds-fleet" => Some(minds_fleet_cli::run(std::env::args_os())),
        _ => None,
    }
}

fn main() -> ExitCode {
    if let Some(code) = run_as_other_program() {
        return code;
    }
    match Args::parse().command {
        #[cfg(target_os = "linux")]
        Command::Accept(options) => report_result(accept::run(&options)),
        #[cfg(target_os = "linux")]
        Command::Acp(options) => acp::run(&options),
        Command::Generate => {
            for path in files::write(&generate_all()) {
                println!("wrote {path}");
            }
            ExitCode::SUCCESS
        }
        Command::Check => {
            let stale = files::stale(&generate_all());
            for path in &stale {
                eprintln!("{path} is out of date: run `cargo xtask generate`");
            }
            exit_code(stale.is_empty())
        }
        #[cfg(target_os = "linux")]
        Command::Clients(options) => exit_code(clients::run(&options)),
        Command::Editors { accept } => exit_code(editors::run(accept)),
        Command::Jobs { driven, step } => exit_code(jobs::run(driven.program(), step)),
        Command::Mcp(driven) => exit_code(mcp::run(driven.program())),
        Command::ClientCase(case) => report_result(case.run()),
        Command::Setup => exit_code(setup::run()),
        Command::View(driven) => exit_code(view::run(driven.program())),
        Command::Bench { part, minds, before } => {
            let [minds, before] = [minds, before]
                .map(|program| program.map(|program| std::path::absolute(&program).unwrap_or(program)));
            bench::run(part, minds.as_deref(), before.as_deref());
            ExitCode::SUCCESS
        }
        Command::BuildTime { revisions } => {
            bench::build_time(&revisions);
            ExitCode::SUCCESS
        }
        #[cfg(target_os = "linux")]
        Command::BenchServer(server) => report_result(server.run().map_err(|error| error.to_string())),
        #[cfg(target_os = "linux")]
        Command::Stress(options) => report_result(stress::run(&options)),
        #[cfg(target_os = "linux")]
        Command::Crash { part, options } => report_result(
            std::env::current_exe()
                .map_err(|error| error.to_string())
                .and_then(|program| crash::run(&options, part, &program)),
        ),
        #[cfg(target_os = "linux")]
        Command::CrashVictim { machine } => report_result(crash::run_victim(&machine)),
        #[cfg(target_os = "linux")]
        Command::Gateway { part, options } => report_result(
            std::env::current_exe()
                .map_err(|error| error.to_string())
                .and_then(|program| gateway::run(&options, part, &program)),
        ),
        #[cfg(target_os = "linux")]
        Command::GatewayServer => report_result(gateway::run_server()),
        Command::PeakMemory { program, args } => {
            let Some(bytes) = bench::peak_memory(&program, &args) else {
                eprintln!("this system does not report peak memory");
                return ExitCode::FAILURE;
            };
            println!("{bytes}");
            ExitCode::SUCCESS
        }
    }
}

fn exit_code(is_success: bool) -> ExitCode {
    if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report_result(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

//! `cargo xtask generate | check | editors | mcp | view | bench | stress | crash | peak-memory`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for the repository talks to a terminal"
)]

use std::env::args;
use std::path::PathBuf;
use std::process::ExitCode;

use xtask::{bench, editors, files, generated, mcp, view};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  generate   write every generated file that is out of date
  check      fail if a generated file is out of date
  editors    compare what yaml-language-server says about samples; `--accept` writes it down
  mcp [--minds PROGRAM]
             drive the MCP server by the conformance suite of the protocol and by clients of others; PROGRAM is the command
             if it need not be built
  view [--minds PROGRAM]
             drive the page of a task by a browser
  bench [compose | discovery | mcp | sources | task]
             measure the command and the libraries, or only compose roots, the discovery of sources, the MCP server, the
             verbs about sources or task packages, and print ratios
  stress [--paths N] [--swaps N] [--values N] [--seed N]
             attack the confined root and what is rendered, and print what came of it
  crash [files | task | source] [--kills N] [--each N] [--updates N] [--changes N] [--seed N]
             kill processes that change files and task packages and that install, or only some of them, and print where
             they died
  peak-memory PROGRAM [ARG…]
             run a program, and print how many bytes of memory it held at its peak";

fn main() -> ExitCode {
    match args().nth(1).as_deref() {
        Some("generate") => {
            for path in files::write(&generated()) {
                println!("wrote {path}");
            }
            ExitCode::SUCCESS
        }
        Some("check") => {
            let stale = files::stale(&generated());
            for path in &stale {
                eprintln!("{path} is out of date: run `cargo xtask generate`");
            }
            if stale.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some("editors") => {
            let accept = args().nth(2).as_deref() == Some("--accept");
            if editors::run(accept) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some("mcp") => {
            if mcp::run(minds()) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Some("view") => {
            if view::run(minds()) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Some("bench") => {
            bench::run(args().nth(2).as_deref());
            ExitCode::SUCCESS
        }
        #[cfg(target_os = "linux")]
        Some("stress") => {
            let all = xtask::stress::Options::default();
            let (paths, swaps) = (number("--paths", all.paths), number("--swaps", all.swaps));
            let values = number("--values", all.values);
            let options = xtask::stress::Options { paths, swaps, values, seed: number("--seed", all.seed) };
            told(xtask::stress::run(&options))
        }
        #[cfg(target_os = "linux")]
        Some("crash") => {
            let all = xtask::crash::Options::default();
            let (kills, each) = (number("--kills", all.kills), number("--each", all.each));
            let (updates, changes) = (number("--updates", all.updates), number("--changes", all.changes));
            let seed = number("--seed", all.seed);
            let options = xtask::crash::Options { kills, each, updates, changes, seed, ..all };
            let part = args().nth(2).filter(|part| !part.starts_with('-'));
            if part.as_ref().is_some_and(|part| !["files", "task", "source"].contains(&part.as_str())) {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
            let program = std::env::current_exe();
            told(
                program
                    .map_err(|error| error.to_string())
                    .and_then(|program| xtask::crash::run(&options, part.as_deref(), &program)),
            )
        }
        // What `crash` starts.
        #[cfg(target_os = "linux")]
        Some("crash-victim") => told(xtask::crash::run_victim(&args().skip(2).collect::<Vec<_>>())),
        Some("peak-memory") => {
            let mut command = args().skip(2);
            let Some(program) = command.next() else {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            };
            let Some(bytes) = bench::peak_memory(&program, &command.collect::<Vec<_>>()) else {
                eprintln!("this system does not say how much memory a process held");
                return ExitCode::FAILURE;
            };
            println!("{bytes}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Returns the command that is named, as an absolute path.
fn minds() -> Option<PathBuf> {
    let named = args().skip_while(|arg| arg != "--minds").nth(1)?;
    Some(std::path::absolute(&named).unwrap_or_else(|_| named.into()))
}

/// Returns the number behind an option.
fn number<N: std::str::FromStr>(option: &str, default: N) -> N {
    let given = args().skip_while(|arg| arg != option).nth(1);
    given.and_then(|text| text.replace('_', "").parse().ok()).unwrap_or(default)
}

fn told(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

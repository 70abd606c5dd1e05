//! A real opencode as the engine of an agent, and the client library of the Agent Client Protocol as the editor of one, both of
//! npm and offline: a scripted model on loopback says what to do, and the disk shows what was done.

mod claude;
mod editor;
mod engine;
mod member;
mod model;
mod place;
mod policy;
mod rows;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use crate::clients::Client;
use crate::files::root;
use crate::mcp::node::Node;

/// The client library of the protocol, of its maintainers.
const LIBRARY: (&str, &str) = ("@agentclientprotocol/sdk", "2.4.0");
const SCRIPT: &str = include_str!("client.mjs");
/// The exit code if the programs cannot be installed.
const NOT_INSTALLED: u8 = 2;

/// What is tested, and with which programs.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// The checks; all of them if none is named.
    #[arg(value_name = "CHECK")]
    names: Vec<String>,
    /// Skip everything if npm cannot install the programs.
    #[arg(long)]
    optional: bool,
    /// Use this `minds-fleet` program instead of building it.
    #[arg(long, value_name = "PROGRAM")]
    minds_fleet: Option<PathBuf>,
}

/// The programs of the checks.
struct Programs {
    fleet: PathBuf,
    opencode: Node,
    /// The script that is a client of the protocol.
    client: PathBuf,
}

/// A check: what it shows, or why it fails.
type Check = fn(&Programs) -> Result<String, String>;

/// Every check.
const CHECKS: [(&str, Check); 14] = [
    ("prompt", engine::prompt),
    ("permissions", policy::permissions),
    ("settings", policy::settings),
    ("ask", policy::ask),
    ("interrupt", engine::interrupt),
    ("hard-cancel", engine::hard_cancel),
    ("kill-agent", engine::kill_agent),
    ("kill-engine", engine::kill_engine),
    ("sandbox", policy::sandbox),
    ("whitelist", policy::whitelist),
    ("member", member::run),
    ("editor", editor::run),
    ("claude", claude::run),
    ("rows", rows::run),
];

/// Runs the checks, and prints a line for each.
pub fn run(options: &Options) -> ExitCode {
    let names: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = options.names.iter().find(|name| !names.contains(&name.as_str())) {
        println!("acp: no check has the name `{unknown}`; the checks are {}", names.join(", "));
        return ExitCode::from(NOT_INSTALLED);
    }
    let programs = match install(options) {
        Ok(programs) => programs,
        Err(reason) if options.optional => {
            println!("acp: skipped: {reason}");
            return ExitCode::SUCCESS;
        }
        Err(reason) => {
            println!("acp: not possible: {reason}; `--optional` skips this");
            return ExitCode::from(NOT_INSTALLED);
        }
    };
    let mut is_right = true;
    println!("acp: opencode {}, {} {}", Client::Opencode.version(), LIBRARY.0, LIBRARY.1);
    for (name, check) in CHECKS {
        if !options.names.is_empty() && options.names.iter().all(|wanted| wanted != name) {
            continue;
        }
        let start = Instant::now();
        let result = check(&programs);
        let time = start.elapsed().as_secs_f64();
        is_right &= result.is_ok();
        match result {
            Ok(text) => println!("acp: {name}: {text} ({time:.1} s)"),
            Err(text) => println!("acp: {name}: failed ({time:.1} s): {text}"),
        }
    }
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn install(options: &Options) -> Result<Programs, String> {
    let client = Client::Opencode;
    // The same folder as that of `cargo xtask clients`.
    let folder = root().join("target/clients").join(client.name());
    let opencode = Node::install(&folder, &[(client.package(), client.version())])?;
    let library = Node::install(&root().join("target/acp/client"), &[LIBRARY])?;
    let script = library.folder().join("client.mjs");
    std::fs::write(&script, SCRIPT).map_err(|error| error.to_string())?;
    let fleet = options.minds_fleet.clone().map(|path| std::path::absolute(&path).unwrap_or(path));
    let fleet = fleet.unwrap_or_else(|| {
        // It looks for this program beside itself.
        crate::bench::build_debug_program("minds-cli", "minds");
        crate::bench::build_debug_program("minds-fleet-cli", "minds-fleet")
    });
    Ok(Programs { fleet, opencode, client: script })
}

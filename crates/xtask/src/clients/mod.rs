//! Tests with the real clients of npm, offline: a scripted model on loopback makes tool calls, and what the client decides is
//! compared with the lists of the team, with the disk, and with what was recorded.

mod client;
mod confined;
mod disk;
mod hooks;
mod hostile;
pub(crate) mod model;
mod place;
mod recorded;
mod rendered;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::files::root;
use crate::mcp::node::Node;
use crate::numbers::parse_number;
pub use client::Client;

/// The number of attempts with hostile paths in a quick run.
const QUICK_ATTEMPTS: usize = 100;

/// What is tested.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Test only this client.
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<Client>,
    /// Record the decisions of the clients as expected.
    #[arg(long, conflicts_with = "quick")]
    pub accept: bool,
    /// Run what takes about a minute: Claude Code and opencode, 100 attempts, and the first session with permissions of each.
    #[arg(long)]
    pub quick: bool,
    /// Skip clients that npm cannot install.
    #[arg(long)]
    pub optional: bool,
    /// Run only this part.
    #[arg(long, value_enum)]
    pub part: Option<Part>,
    /// The number of attempts with hostile paths.
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_number)]
    pub attempts: usize,
    /// The number of generated teams.
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = parse_number)]
    pub teams: usize,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Use this `minds` program instead of building it.
    #[arg(long, value_name = "PROGRAM")]
    pub minds: Option<PathBuf>,
}

/// A part that can be run separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The hook, with hostile paths.
    Hook,
    /// Sessions with only the tools of `minds mcp`.
    Confined,
    /// The recorded decisions.
    Permissions,
    /// Rendered members.
    Rendered,
    /// Access lists of generated teams, compared with the models of the clients. Without this option, they are not compared here,
    /// and the tests of `minds-client-agents` compare some.
    Lists,
}

/// Runs all tests, and prints a line for each; returns whether all passed.
pub fn run(options: &Options) -> bool {
    if options.part == Some(Part::Lists) {
        return compare_lists(options.teams);
    }
    let clients = match options.client.as_slice() {
        [] if options.quick => vec![Client::ClaudeCode, Client::Opencode],
        [] => Client::ALL.to_vec(),
        wanted => wanted.to_vec(),
    };
    let minds = options.minds.clone().map(|minds| std::path::absolute(&minds).unwrap_or(minds));
    let minds = minds.unwrap_or_else(super::bench::build_debug);
    let mut is_right = true;
    for client in clients {
        // Each has a folder of its own, so that one can be tested without the packages of the others.
        let folder = root().join("target/clients").join(client.name());
        is_right &= match Node::install(&folder, &[(client.package(), client.version())]) {
            Ok(node) => Runner { node: &node, minds: &minds, options }.run(client),
            Err(reason) => {
                let result = if options.optional { "skipped" } else { "failed" };
                println!("clients: {} {}: {result}: {reason}", client.name(), client.version());
                options.optional
            }
        };
    }
    is_right
}

/// Runs the test that compares lists, optimized and with many teams.
fn compare_lists(teams: usize) -> bool {
    let arguments =
        ["test", "--release", "-p", "minds-client-agents", "clients_never_allow", "--", "--nocapture"];
    let status = Command::new("cargo")
        .args(arguments)
        .env("MINDS_TEAMS", teams.to_string())
        .current_dir(root())
        .status();
    status.is_ok_and(|status| status.success())
}

struct Runner<'r> {
    node: &'r Node,
    minds: &'r Path,
    options: &'r Options,
}

impl Runner<'_> {
    fn run(&self, client: Client) -> bool {
        let mut is_right = true;
        let mut print = |what: &str, test: &dyn Fn() -> Result<String, String>| {
            let start = Instant::now();
            let result = test();
            is_right &= result.is_ok();
            let name = format!("clients: {} {}: {what}", client.name(), client.version());
            let time = start.elapsed().as_secs_f64();
            match result {
                Ok(text) => println!("{name}: {text} ({time:.1} s)"),
                Err(text) => println!("{name}: failed ({time:.1} s): {text}"),
            }
        };
        let is_wanted = |part| self.options.part.is_none_or(|wanted| wanted == part);
        if client == Client::Opencode && is_wanted(Part::Hook) {
            let attempts = if self.options.quick { QUICK_ATTEMPTS } else { self.options.attempts };
            let seed = self.options.seed;
            print("hook", &|| hooks::run(self.node, self.minds, attempts, seed));
        }
        if matches!(client, Client::ClaudeCode | Client::Opencode) && is_wanted(Part::Confined) {
            print("confined", &|| confined::run(client, self.node, self.minds));
        }
        if is_wanted(Part::Permissions) {
            print("permissions", &|| recorded::run(client, self.node, self.minds, self.options));
        }
        if is_wanted(Part::Rendered) {
            print("rendered", &|| rendered::run(client, self.node, self.minds, self.options));
        }
        is_right
    }
}

//! The command compared with a Node program built from common libraries.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::teams::Team;
use super::{Contestant, check, measure};
use crate::files::root;

const SCRIPT: &str = include_str!("peer.cjs");
const YAML: &str = "2.9.1";
const AJV: &str = "8.20.0";

const SCHEMA: &str = "schemas/draft-07/team.schema.json";

/// The team, the number of its members, the number of alternating runs, and the target ratio.
const TEAMS: [(Team, usize, usize, f64); 5] = [
    (Team::OwnDirectories, 8, 41, 100.0),
    (Team::OwnDirectories, 1_000, 21, 50.0),
    (Team::OwnDirectories, 10_000, 7, 20.0),
    (Team::EqualLists, 1_000, 21, 50.0),
    (Team::EqualLists, 10_000, 7, 25.0),
];

/// Compares cold checks of teams of several sizes; prints one line if Node is not available.
pub(super) fn run(minds: &Path, folder: &Path) {
    let peer = match Peer::install(&folder.join("node")) {
        Ok(peer) => peer,
        Err(reason) => {
            println!("the comparison with Node is skipped: {reason}");
            return;
        }
    };
    peer.expect_to_validate(&folder.join("broken-team"));
    println!("whole processes against Node {} with yaml {YAML} and ajv {AJV}, {}", peer.version, SCHEMA);
    println!("medians of alternating runs, and the ratio of the minimums; `node -e 0` does nothing");
    println!(
        "lists             members     bytes   runs     minds    node -e 0    yaml + ajv   ratio   of min   goal"
    );
    for (team, members, rounds, goal) in TEAMS {
        let (workspace, bytes) = team.write(members, folder);
        let mut nothing = Command::new("node");
        nothing.args(["-e", "0"]);
        let [minds, nothing, node] = measure(
            [
                Contestant::new("minds", check(minds, &workspace)),
                Contestant::new("node -e 0", nothing),
                Contestant::new("yaml + ajv", peer.check(&workspace.join(".minds/team.yaml"))),
            ],
            rounds,
        );
        println!(
            "{:16} {members:>8} {bytes:>9} {rounds:>6} {:>6.2} ms {:>9.2} ms {:>10.2} ms {:>5.0} x {:>6.0} x {goal:>4.0} x",
            team.title(),
            minds.median * 1e3,
            nothing.median * 1e3,
            node.median * 1e3,
            node.median / minds.median,
            node.minimum / minds.minimum,
        );
    }
}

/// A Node program with its libraries.
struct Peer {
    version: String,
    script: PathBuf,
}

impl Peer {
    /// Writes the program, and installs its libraries in exactly these versions.
    fn install(folder: &Path) -> Result<Self, String> {
        let version = output("node", &["--version"], Path::new("."))?.trim().to_owned();
        std::fs::create_dir_all(folder).expect("the folder can be made");
        let script = folder.join("peer.cjs");
        std::fs::write(&script, SCRIPT).expect("the file can be written");
        let package = serde_json::json!({
            "private": true,
            "dependencies": { "ajv": AJV, "yaml": YAML },
        });
        std::fs::write(folder.join("package.json"), format!("{package:#}\n"))
            .expect("the file can be written");
        output("npm", &["install", "--no-audit", "--no-fund", "--loglevel", "error"], folder)?;
        Ok(Self { version, script })
    }

    /// Returns the command that checks a team.
    fn check(&self, team: &Path) -> Command {
        let mut command = Command::new("node");
        command.arg(&self.script).arg(root().join(SCHEMA)).arg(team);
        command
    }

    /// Checks that the program finds errors: otherwise the comparison would be meaningless.
    fn expect_to_validate(&self, folder: &Path) {
        std::fs::create_dir_all(folder).expect("the folder can be made");
        let team = folder.join("team.yaml");
        for wrong in ["toolset: [ws_read]", "streaming: [1]", "write_dirs: {src: docs}"] {
            std::fs::write(&team, format!("members:\n  coder:\n    {wrong}\n"))
                .expect("the file can be written");
            let status = self.check(&team).stdout(Stdio::null()).status().expect("node starts");
            assert_eq!(status.code(), Some(1), "the schema reports `{wrong}`");
        }
    }
}

/// Returns the output of a program; fails with a message if it cannot be started or fails.
fn output(program: &str, args: &[&str], folder: &Path) -> Result<String, String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("`{program}` does not start: {}", error.kind()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().last().unwrap_or("no reason given");
    Err(format!("`{program} {}` failed: {last}", args.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_failing_program_is_reported() {
        let here = Path::new(".");
        assert_eq!(
            output("no-such-program", &["--version"], here).unwrap_err(),
            "`no-such-program` does not start: entity not found"
        );
        let error = output(env!("CARGO"), &["no-such-command"], here).unwrap_err();
        assert!(error.starts_with(&format!("`{} no-such-command` failed: ", env!("CARGO"))), "{error}");
    }
}

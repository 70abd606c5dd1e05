//! Checks the contents of one file, and of several files that refer to each other.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use minds::{Files, check, check_text};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    // The path determines the format.
    let report = check_text(".minds/team.yaml", "members: {coder: {tooolsets: [ws_read]}}\n")?;
    let single_file = format!("{report}errors: {}\n", report.summary().errors);

    let team = "default_responder: codr\nmember_defaults: {provider: codex, model: gpt-5.2}\n\
                members: {coder: {toolsets: [browser]}}\n";
    let server = "version: 1\nservers: {browser: {transport: stdio, command: browser-mcp}}\n";
    let files = Files::new().with(".minds/team.yaml", team)?.with(".minds/mcp.yaml", server)?;
    let report = check(&files);
    Ok(format!("{single_file}checked {}\n{report}", report.files.join(", ")))
}

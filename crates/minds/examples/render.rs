//! Renders launch files, a service and the file of an MCP client in memory.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::fmt::Write as _;

use minds::{Client, Files, RenderOptions, Target, render};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    let project = "version: 2\nproject: {id: shop, name: Shop, cwd: ..}\nmanagers: {lead: {}}\n";
    let files = Files::new()
        .with("team-compose.yaml", "version: 2\nprojects: [{file: shop.yaml}]\n")?
        .with("shop.yaml", project)?;
    let targets = [Target::Artifacts, Target::SystemdUser, Target::Mcp(Client::ClaudeCode)];
    let options = RenderOptions { root: "/srv/shop/.team", ..RenderOptions::default() };
    let rendering = render(&files, &targets, &options)?;
    let mut out = rendering.report.to_string();
    for artifact in rendering.artifacts {
        writeln!(out, "== {} ({})\n{}", artifact.path, artifact.target, String::from_utf8(artifact.bytes)?)?;
    }
    Ok(out)
}

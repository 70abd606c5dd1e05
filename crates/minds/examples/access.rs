//! Decides what a member of a team may write, with the reason.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::fmt::Write as _;

use minds::{Access, Files, Team};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    let file = "members: {coder: {write_dirs: [src], no_write_dirs: [src/gen]}}\n";
    let team = Team::load(&Files::new().with(".minds/team.yaml", file)?)?;
    let mut out = String::new();
    for path in ["src/lib.rs", "src/gen/api.rs", "docs/index.md", ".minds/team.yaml", "../other"] {
        writeln!(out, "{path}: {}", team.may("coder", Access::Write, path)?)?;
    }
    let decision = team.may("coder", Access::Read, "docs/index.md")?;
    writeln!(out, "read docs/index.md: {} ({})", decision.is_allowed(), decision.reason)?;
    if let Err(error) = team.may("codr", Access::Read, "docs/index.md") {
        writeln!(out, "{error}")?;
    }
    Ok(out)
}

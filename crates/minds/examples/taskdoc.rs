//! Assembles the text that an agent receives about a task.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use minds::{Language, task_text};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    let progress = "The tests pass.\n".repeat(100);
    let sections = [
        ("goals", "Ship it.\n"),
        ("constraints", "Do not change the API.\n"),
        ("bearinmind/grants", "You may use the staging server.\n"),
        ("progress", progress.as_str()),
    ];
    // The goals and constraints are always complete; the progress is shortened first.
    let task = task_text(sections, Language::English, 400)?;
    let cut: Vec<String> = task.cut.iter().map(|cut| cut.section.to_string()).collect();
    Ok(format!("{task}\n--\n{} bytes; shortened: {}\n", task.text.len(), cut.join(", ")))
}

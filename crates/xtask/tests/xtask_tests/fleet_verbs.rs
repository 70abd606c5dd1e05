//! `minds fleet --help` lists the verbs of `minds-fleet` without running it.

/// Returns the verbs of a program, each with its summary.
fn verbs(program: &clap::Command) -> Vec<(String, String)> {
    let listed = program.get_subcommands().filter(|verb| !verb.is_hide_set());
    let summary = |verb: &clap::Command| verb.get_about().map(ToString::to_string).unwrap_or_default();
    listed.map(|verb| (verb.get_name().to_owned(), summary(verb))).collect()
}

#[test]
fn the_help_lists_the_verbs_of_the_other_program() {
    let program = minds_cli::command();
    let fleet = program.find_subcommand("fleet").expect("the command exists");
    let help = fleet.get_after_help().expect("it has an end").to_string();
    let (_, list) = help.split_once("Commands of the program `minds-fleet`:\n").expect("a list");
    let (list, _) = list.split_once("\n\n").expect("it ends");
    let listed: Vec<(String, String)> = list
        .lines()
        .map(|line| line.trim_start().split_once(' ').expect("a verb and its summary"))
        .map(|(verb, summary)| (verb.to_owned(), summary.trim_start().to_owned()))
        .collect();
    assert_eq!(listed, verbs(&minds_fleet_cli::command()));
    // Otherwise one of them could not be reached.
    let built_in = verbs(fleet);
    assert!(built_in.iter().all(|(verb, _)| listed.iter().all(|(other, _)| other != verb)), "{built_in:?}");
}

//! The variables that a command receives.

use std::ffi::OsString;

use minds_exec::{BUS_VARIABLES, COMMAND_VARIABLES, environment};
use proptest::prelude::*;

use crate::place::{Place, run};

fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[track_caller]
fn check(exec_env: &[&str], extra: &[(&str, &str)], inherits: bool, expected: &[(&str, &str)]) {
    let current = variables(&[
        ("PATH", "/bin"),
        ("HOME", "/home/ada"),
        ("EDITOR", "vi"),
        ("CI", ""),
        ("KEY", "sk-0123456789"),
        ("COPY", "Bearer sk-0123456789"),
        ("ATEAM_REDIS_URL", "redis://:password@host"),
        ("MINDS_MCP_TOKEN", "t"),
    ]);
    let result = environment(&current, &names(exec_env), &variables(extra), inherits, &names(&["KEY"]));
    assert_eq!(result, variables(expected));
}

#[test]
fn a_command_receives_the_short_list_and_what_is_configured() {
    let base = [("HOME", "/home/ada"), ("PATH", "/bin")];
    check(&[], &[], false, &base);
    check(&["CI", "UNSET"], &[], false, &[("CI", ""), ("HOME", "/home/ada"), ("PATH", "/bin")]);
    check(
        &[],
        &[("A", "1"), ("PATH", "/x"), ("A", "2")],
        false,
        &[("A", "2"), ("HOME", "/home/ada"), ("PATH", "/x")],
    );
    check(&[], &[], true, &[("CI", ""), ("EDITOR", "vi"), ("HOME", "/home/ada"), ("PATH", "/bin")]);
}

#[test]
fn keys_and_variables_of_the_bus_are_never_passed() {
    let base = [("HOME", "/home/ada"), ("PATH", "/bin")];
    check(&["KEY", "COPY", "ATEAM_REDIS_URL", "MINDS_MCP_TOKEN"], &[], false, &base);
    check(&[], &[("KEY", "x"), ("ATEAM_BOOTSTRAP_TOKEN", "x"), ("MINDS_MCP_TOKEN", "x")], false, &base);
}

#[test]
fn a_variable_that_no_program_can_receive_is_left_out() {
    let base = [("HOME", "/home/ada"), ("PATH", "/bin")];
    check(&[], &[("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0y")], false, &base);
}

#[test]
fn a_command_sees_no_other_variable() {
    let place = Place::new();
    let mut command = place.command("exec env");
    command.environment = variables(&[("A", "1"), ("LD_PRELOAD", ""), ("B", "two\nlines")]);
    let done = run(&command);
    let temporary = command.temporary_folder.unwrap();
    let mut expected = vec!["A=1".to_owned(), "B=two".to_owned(), "LD_PRELOAD=".to_owned()];
    expected.extend([format!("TMPDIR={}", temporary.display()), "lines".to_owned()]);
    let mut lines: Vec<String> = done.stdout.lines().map(str::to_owned).collect();
    // The shell adds its own.
    lines.retain(|line| !["PWD=", "SHLVL=", "_=", "OLDPWD"].iter().any(|own| line.starts_with(own)));
    lines.sort();
    expected.sort();
    assert_eq!(lines, expected);
}

/// A command without a sandbox can read it.
#[test]
fn the_supervisor_has_no_environment() {
    let mut command = Place::new().command("wc -c < /proc/$PPID/environ");
    command.cwd = "/".into();
    (command.sandbox, command.temporary_folder) = (None, None);
    assert_eq!(run(&command).stdout.trim(), "0");
}

proptest! {
    /// Whatever is set and asked for, no name and no value of a secret is passed, and nothing that is not asked for.
    #[test]
    fn no_secret_is_passed(
        current in prop::collection::vec(("[A-C]{1,2}|PATH|ATEAM_REDIS_URL", "[xy]{0,3}|secret-of-a-key"), 0..12),
        exec_env in prop::collection::vec("[A-C]{1,2}|ATEAM_REDIS_URL", 0..4),
        inherits: bool,
        secret in "[A-C]{1,2}",
    ) {
        let current: Vec<(OsString, OsString)> =
            current.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let result = environment(&current, &exec_env, &[], inherits, std::slice::from_ref(&secret));
        for (name, value) in &result {
            let name = name.to_str().unwrap();
            prop_assert!(name != secret && !BUS_VARIABLES.contains(&name));
            prop_assert!(inherits || COMMAND_VARIABLES.contains(&name) || exec_env.iter().any(|one| one == name));
            let is_of_secret = |(of, own): &(OsString, OsString)| {
                (of == secret.as_str() || of == "ATEAM_REDIS_URL") && own == value && own.len() >= 8
            };
            prop_assert!(!current.iter().any(is_of_secret));
        }
    }
}

//! Help and version.

use crate::support::World;

#[test]
fn help_fits_80_columns_and_has_an_example() {
    let world = World::empty();
    let program = minds_fleet_cli::command();
    let listed = program.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs: Vec<&str> = listed.map(clap::Command::get_name).collect();
    assert_eq!(
        verbs,
        [
            "up",
            "down",
            "stop",
            "ps",
            "who",
            "send",
            "tail",
            "interrupt",
            "cancel",
            "queue",
            "retry",
            "drop",
            "token",
            "agent",
            "acp",
            "models",
            "tools",
            "doctor"
        ]
    );
    for verb in std::iter::once(None).chain(verbs.into_iter().map(Some)) {
        for flag in ["-h", "--help"] {
            let args: Vec<&str> = verb.into_iter().chain([flag]).collect();
            let help = world.succeed(&args);
            assert!(help.contains("\nExamples:\n"), "{args:?} has no example");
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{args:?}: {line}");
            }
        }
    }
}

#[test]
fn the_version_is_printed() {
    let expected = format!("minds-fleet {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(World::empty().succeed(&["--version"]), expected);
}

#[test]
fn without_a_verb_the_help_is_an_error() {
    let ran = World::empty().run(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: minds-fleet"), "{}", ran.stderr);
}

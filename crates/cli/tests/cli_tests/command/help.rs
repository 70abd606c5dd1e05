//! Help, completions and man pages.

use super::{exits, folder, minds, stdout};

#[test]
fn help_fits_the_screen_and_has_an_example() {
    fn walk(command: &clap::Command, path: &[&str], found: &mut Vec<Vec<String>>) {
        found.push(path.iter().map(|part| (*part).to_owned()).collect());
        for subcommand in command.get_subcommands() {
            walk(subcommand, &[path, &[subcommand.get_name()]].concat(), found);
        }
    }
    let folder = folder(&[]);
    let mut paths = Vec::new();
    walk(&minds_cli::command(), &[], &mut paths);
    assert!(paths.len() >= 8, "{paths:?}");
    for path in paths {
        for flag in ["-h", "--help"] {
            let args: Vec<&str> = path.iter().map(String::as_str).chain([flag]).collect();
            let output = minds(folder.path(), &args);
            exits(&output, 0);
            let help = stdout(&output);
            assert!(help.contains("\nExamples:\n"), "{args:?} has no example");
            for line in help.lines() {
                assert!(line.chars().count() <= 100, "{args:?}: {line}");
            }
        }
    }
}

#[test]
fn the_help_of_the_program_lists_each_command_once_and_no_inherited_verb() {
    let folder = folder(&[]);
    let help = stdout(&minds(folder.path(), &["--help"]));
    assert!(help.lines().count() <= 59, "{help}");
    assert_eq!(stdout(&minds(folder.path(), &["-h"])), help);
    let (commands, _) = help.split_once("\nOptions:\n").expect("the options follow the commands");
    let mut listed: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ").and_then(|line| line.split_whitespace().next()))
        .collect();
    listed.sort_unstable();
    let program = minds_cli::command();
    let mut visible: Vec<&str> = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(clap::Command::get_name)
        .collect();
    visible.sort_unstable();
    assert_eq!(listed, visible);
    for verb in ["meld", "unmeld", "learn", "forget", "probe", "recall", "introspect", "dump", "init-source"]
    {
        assert!(!listed.contains(&verb), "{verb}");
        exits(&minds(folder.path(), &[verb, "--help"]), 0);
        exits(&minds(folder.path(), &["source", verb, "--help"]), 0);
    }
}

#[test]
fn completions_and_manual() {
    let folder = folder(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = minds(folder.path(), &["completions", shell]);
        exits(&output, 0);
        let script = stdout(&output);
        assert!(script.contains("minds"), "{shell}");
        assert!(!script.contains("minds__subcmd__meld") && !script.contains("'minds;meld'"), "{shell}");
    }
    // The verbs of sources are completed after `source` alone, and their options there.
    let bash = stdout(&minds(folder.path(), &["completions", "bash"]));
    let options = |state: &str| {
        let (_, rest) =
            bash.split_once(&format!("\n        {state})\n")).unwrap_or_else(|| panic!("{state}"));
        let (_, rest) = rest.split_once("opts=\"").unwrap();
        rest.split('"').next().unwrap().split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let top = options("minds");
    for hidden in ["meld", "learn", "sync", "--yes", "--json", "--ascii"] {
        assert!(!top.iter().any(|option| option == hidden), "{hidden}: {top:?}");
    }
    assert!(
        top.iter().any(|option| option == "source") && top.iter().any(|option| option == "--quiet"),
        "{top:?}"
    );
    let verbs = options("minds__subcmd__source");
    assert!(
        verbs.iter().any(|option| option == "add") && verbs.iter().any(|option| option == "meld"),
        "{verbs:?}"
    );
    let add = options("minds__subcmd__source__subcmd__add");
    assert!(
        add.iter().any(|option| option == "--yes") && add.iter().any(|option| option == "--json"),
        "{add:?}"
    );
    assert!(stdout(&minds(folder.path(), &["man"])).contains(".TH minds 1"));
    assert!(stdout(&minds(folder.path(), &["man", "team", "show"])).contains("MEMBER"));
    exits(&minds(folder.path(), &["man", "nothing"]), 2);
}

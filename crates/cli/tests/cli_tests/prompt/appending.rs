//! Concurrent appends, and appends to missing files.

use std::fs;
use std::process::Stdio;

use crate::prompt::{OVERLAY, Place};
use crate::support::exit_and_output;

#[test]
fn lines_of_many_are_all_added() {
    let place = Place::new();
    let before = place.overlay();
    let lines: Vec<String> = (0..40).map(|number| format!("line {number}")).collect();
    let start = |args: &[&str]| {
        let mut command = place.command(args, "false");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
    };
    let mut children: Vec<_> = lines.iter().map(|line| start(&["prompt", "append", line])).collect();
    children.extend((0..5).map(|_| start(&["prompt", "toolbox"])));
    for child in children {
        let (code, _, stderr) = exit_and_output(&child.wait_with_output().expect("the command ends"));
        assert_eq!((code, stderr.as_str()), (0, ""));
    }
    let overlay = place.overlay();
    let mut added: Vec<&str> = overlay.strip_prefix(&before).expect("the rest stays").lines().collect();
    let mut expected: Vec<&str> = lines.iter().map(String::as_str).collect();
    added.sort_unstable();
    expected.sort_unstable();
    assert_eq!(added, expected);
    let others = fs::read_dir(place.app().join(OVERLAY).parent().unwrap()).unwrap().count();
    assert_eq!(others, 3, "locks are gone");
}

#[test]
fn a_missing_directory_is_created_with_the_overlay() {
    let place = Place::new();
    let agent = place.app().join(".ateam/agents/zeus/agent.yaml");
    let text = fs::read_to_string(&agent).unwrap().replace("system_overlay.md", "notes/of/ours.md");
    fs::write(&agent, text).unwrap();
    let (code, stdout, stderr) = place.minds(&["prompt", "append", "Be brief."]);
    assert_eq!(
        (code, stdout.as_str(), stderr.as_str()),
        (0, "wrote .ateam/agents/zeus/notes/of/ours.md\n", "")
    );
    let file = agent.with_file_name("notes/of/ours.md");
    assert_eq!(fs::read_to_string(&file).unwrap(), "Be brief.\n");
    assert_eq!(place.minds(&["prompt", "append", "Be kind."]).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "Be brief.\nBe kind.\n");
    // A file in place of the directory is kept.
    fs::remove_dir_all(agent.with_file_name("notes")).unwrap();
    fs::write(agent.with_file_name("notes"), "mine").unwrap();
    let (code, _, stderr) = place.minds(&["prompt", "append", "Be brief."]);
    assert!(code == 2 && stderr.contains("not a directory"), "{stderr}");
    assert_eq!(fs::read_to_string(agent.with_file_name("notes")).unwrap(), "mine");
}

#[test]
fn a_removed_overlay_is_not_a_prompt() {
    let place = Place::new();
    fs::remove_file(place.app().join(OVERLAY)).unwrap();
    let (code, stdout, stderr) = place.minds(&["prompt", "show"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert_eq!(
        stderr,
        format!("error[config.invalid]: the overlay of the prompt, `{OVERLAY}`, does not exist\n")
    );
    // Nothing was edited, so there is no copy.
    let (code, stdout, _) = place.edited_by("true", &["prompt", "edit"]);
    assert_eq!((code, stdout), (0, format!("unchanged {OVERLAY}\n")));
    assert_eq!(
        place.run_with_input(&["prompt", "edit", "--from", "-"], "").1,
        format!("unchanged {OVERLAY}\n")
    );
    assert!(!place.app().join(OVERLAY).exists());
    assert_eq!(place.minds(&["prompt", "append", "x"]).0, 0);
    assert_eq!(place.overlay(), "x\n");
    assert_eq!(place.minds(&["prompt", "show"]).0, 0);
}

#[test]
fn an_agent_in_the_older_format_gets_a_help_about_prompts() {
    let place = Place::new();
    let older = "agents:\n  - {id: dup, model: gpt-5-nano, tools: [fs.read]}\n";
    fs::write(place.app().join(".ateam/agents.yaml"), older).unwrap();
    for (args, part) in [(&["prompt", "show"][..], "base"), (&["prompt", "append", "x"], "overlay")] {
        let (code, _, stderr) = place.minds(&[args, &["--agent", "dup"]].concat());
        let advice = format!("move `dup` from `agents.yaml` to `agents/dup/agent.yaml`, and add `{part}: ");
        assert!(code == 2 && stderr.contains(&advice), "{stderr}");
    }
}

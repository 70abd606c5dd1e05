//! The prompts of agents: show, append, edit and refresh.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;

use super::support::{command, exit_and_output};
use super::{Place, read};

#[test]
fn a_line_is_added_outside_of_blocks() {
    let place = Place::with_fleet();
    let before = place.overlay();
    let (code, stdout, stderr) = place.minds(&["prompt", "append", "Be terse.", "--agent", "zeus"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(stdout, "wrote .ateam/agents/zeus/system_overlay.md\n");
    assert_eq!(place.overlay(), format!("{before}Be terse.\n"));
    for (line, code, message) in [
        ("", "refused", "the line is blank"),
        ("a\nb", "refused", "a line must not contain line breaks or control characters"),
        (
            "<!-- ateam-protect:end:toolbox -->",
            "prompt.protected_violation",
            "the line looks like a marker of a protected block, which cannot be appended",
        ),
    ] {
        let (exit, _, stderr) = place.minds(&["prompt", "append", line, "--agent", "zeus"]);
        assert_eq!((exit, stderr), (1, format!("error[{code}]: {message}; nothing was written\n")));
    }
    assert_eq!(place.overlay(), format!("{before}Be terse.\n"));
}

/// List items begin like options, but a misspelled option is not accepted as a line.
#[test]
fn a_line_may_begin_with_a_dash() {
    let place = Place::with_fleet();
    let before = place.overlay();
    for args in [
        &["prompt", "append", "- Be terse.", "--agent", "zeus"][..],
        &["prompt", "append", "--agent=zeus", "---"],
        &["prompt", "append", "--agent", "zeus", "--", "--force"],
        &["prompt", "append", "--", "-v"],
    ] {
        assert_eq!(place.minds(args).0, 0, "{args:?}");
    }
    let after = format!("{before}- Be terse.\n---\n--force\n-v\n");
    assert_eq!(place.overlay(), after);
    for args in [
        &["prompt", "append", "--agnt", "zeus"][..],
        &["prompt", "append", "--agnt=zeus"],
        &["prompt", "append", "x", "--agnt", "zeus"],
        &["prompt", "append", "-v"],
        &["prompt", "append", "--agent", "zeus"],
        &["prompt", "append"],
        &["prompt", "append", "x", "--", "y"],
    ] {
        let (code, _, stderr) = place.minds(args);
        assert_eq!(
            (code, stderr.contains("Usage") || stderr.contains("--help")),
            (2, true),
            "{args:?} {stderr}"
        );
    }
    assert_eq!(place.overlay(), after);
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_text() {
    let place = Place::with_fleet();
    let overlay = place.overlay();
    assert!(overlay.starts_with("<!-- ateam-protect:start:toolbox -->"));
    let prompt = place.minds(&["prompt", "show"]);
    place.write("work/app/.ateam/agents/zeus/system_overlay.md", &format!("\u{feff}{overlay}"));
    let (code, stdout, _) = place.minds(&["check"]);
    assert_eq!(code, 0, "{stdout}");
    assert_eq!(place.minds(&["prompt", "show"]), prompt);
    assert_eq!(place.minds(&["prompt", "append", "x"]).0, 0);
    assert_eq!(place.minds(&["prompt", "toolbox", "--check"]).0, 0);
    assert_eq!(place.overlay(), format!("\u{feff}{overlay}x\n"));
}

#[test]
fn an_agent_next_to_an_unreadable_entry_is_not_changed() {
    for (hidden, why) in [
        (".ateam/agents/zeus", "`agent.yaml` cannot be read"),
        (".ateam/agents", "not all agents of the workspace can be read, and one of them may be `zeus`"),
    ] {
        let place = Place::with_fleet();
        let lower = place.home().join("work/.ateam");
        fs::rename(place.app().join(".ateam"), &lower).unwrap();
        let link = place.app().join(hidden);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let overlay = lower.join("agents/zeus/system_overlay.md");
        let before = fs::read_to_string(&overlay).unwrap();
        for args in [&["prompt", "show"][..], &["prompt", "append", "x"], &["prompt", "toolbox"]] {
            let (code, stdout, stderr) = place.minds(&[args, &["--agent", "zeus"]].concat());
            assert_eq!((code, stdout.as_str()), (2, ""), "{hidden} {args:?}");
            assert!(stderr.contains(why), "{stderr}");
        }
        assert_eq!(fs::read_to_string(&overlay).unwrap(), before);
    }
}

#[test]
fn an_edit_keeps_protected_blocks() {
    let place = Place::with_fleet();
    let before = place.overlay();
    let from = |text: &str| {
        let mut command = command(&place.app(), &["prompt", "edit", "--from", "-", "--agent", "zeus"]);
        let mut child = command
            .env("HOME", place.home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        exit_and_output(&child.wait_with_output().unwrap())
    };
    let (code, _, stderr) = from(&before.replace("fs.read", "fs.everything"));
    assert_eq!(code, 1);
    assert_eq!(
        stderr,
        "error[prompt.protected_violation]: stdin:4: the protected block `toolbox` was changed; nothing was written\n"
    );
    let (code, _, stderr) = from("all gone\n");
    assert_eq!(code, 1);
    assert!(stderr.contains("error[prompt.protected_violation]: .ateam/agents/zeus/system_overlay.md:1: the protected block `toolbox` was removed"), "{stderr}");
    assert_eq!(place.overlay(), before);
    let after = format!("  - first\n\n{before}");
    assert_eq!(from(&after).0, 0);
    assert_eq!(place.overlay(), after);
    assert_eq!(from(&after).1, "unchanged .ateam/agents/zeus/system_overlay.md\n");
    let file = place.write("new.md", &before);
    let (code, ..) = place.minds(&["prompt", "edit", "--from", file.to_str().unwrap(), "--agent", "zeus"]);
    assert_eq!((code, place.overlay()), (0, before));
}

#[test]
fn an_editor_may_be_used() {
    let place = Place::with_fleet();
    let before = place.overlay();
    let edit = ["prompt", "edit", "--agent", "zeus"];
    let (code, _, stderr) = place.minds_with(&edit, "sh -c 'printf \"From the editor.\\n\" >> \"$1\"' -");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let after = format!("{before}From the editor.\n");
    assert_eq!(place.overlay(), after);
    // Edited text that cannot be saved is kept.
    let (code, _, stderr) = place.minds_with(&edit, "sh -c 'printf \"mine\\n\" > \"$1\"' -");
    assert_eq!((code, place.overlay()), (1, after.clone()));
    let kept = PathBuf::from(stderr.split('`').find(|part| part.starts_with('/')).unwrap());
    assert_eq!(read(&kept), "mine\n");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_dir_all(kept.parent().unwrap()).unwrap();
    let (code, _, stderr) = place.minds_with(&edit, "false");
    assert_eq!((code, stderr.as_str()), (2, "error[system]: the editor failed; nothing was written\n"));
    // Another process is faster.
    let overlay = place.app().join(".ateam/agents/zeus/system_overlay.md");
    let race = format!("sh -c 'echo mine >> \"$1\"; echo theirs >> {}' -", overlay.display());
    let (code, _, stderr) = place.minds_with(&edit, &race);
    assert_eq!((code, place.overlay()), (2, format!("{after}theirs\n")));
    let kept = PathBuf::from(stderr.split('`').find(|part| part.starts_with('/')).unwrap());
    assert!(read(&kept).ends_with("mine\n"), "{stderr}");
    fs::remove_dir_all(kept.parent().unwrap()).unwrap();
}

#[test]
fn the_block_of_tools_is_updated() {
    let place = Place::with_fleet();
    let agent = place.app().join(".ateam/agents/zeus/agent.yaml");
    fs::write(&agent, read(&agent).replace("[os.exec, ", "[")).unwrap();
    let check = ["prompt", "toolbox", "--check", "--agent", "zeus"];
    let (code, stdout, stderr) = place.minds(&check);
    assert_eq!(
        (code, stderr.as_str()),
        (1, "minds: the block of tools in `.ateam/agents/zeus/system_overlay.md` is not up to date\n")
    );
    assert!(stdout.contains("-- **os.exec**"), "{stdout}");
    assert!(place.overlay().contains("os.exec"));
    assert_eq!(
        place.minds(&["prompt", "toolbox", "--agent", "zeus"]).1,
        "wrote .ateam/agents/zeus/system_overlay.md\n"
    );
    assert!(!place.overlay().contains("os.exec"));
    assert_eq!(place.minds(&check), (0, String::new(), String::new()));
    assert_eq!(
        place.minds(&["prompt", "toolbox", "--agent", "zeus"]).1,
        "unchanged .ateam/agents/zeus/system_overlay.md\n"
    );
}

#[test]
fn missing_base_is_an_error() {
    let place = Place::with_fleet();
    fs::remove_file(place.app().join(".ateam/agents/zeus/system_base.md")).unwrap();
    let (code, stdout, stderr) = place.minds(&["prompt", "show", "--agent", "zeus"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert_eq!(
        stderr,
        "error[config.invalid]: the base of the prompt, `.ateam/agents/zeus/system_base.md`, does not exist\n"
    );
}

#[test]
fn without_a_name_the_default_or_the_only_agent_is_used() {
    let place = Place::with_fleet();
    let prompt = place.minds(&["prompt", "show", "--agent", "zeus"]);
    assert_eq!(prompt.0, 0);
    assert_eq!(place.minds(&["prompt", "show"]), prompt);
    let agents = place.app().join(".ateam/agents");
    fs::create_dir(agents.join("ares")).unwrap();
    fs::write(
        agents.join("ares/agent.yaml"),
        "name: ares\nmodel: gpt-5-nano\nprompt: {base: system_base.md}\n",
    )
    .unwrap();
    fs::write(agents.join("ares/system_base.md"), "You are Ares.\n").unwrap();
    let (code, stdout, stderr) = place.minds(&["prompt", "show"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert_eq!(
        stderr,
        "error[config.invalid]: there are several agents: `ares`, `zeus`; pass one with `--agent`, or name it \
         in `.ateam/defaults/agent`\n"
    );
    fs::create_dir(place.app().join(".ateam/defaults")).unwrap();
    let default = place.app().join(".ateam/defaults/agent");
    fs::write(&default, " ares\n").unwrap();
    assert!(place.minds(&["prompt", "show"]).1.starts_with("You are Ares."));
    assert_eq!(place.minds(&["prompt", "show", "--agent", "zeus"]), prompt);
    fs::write(&default, "zeuss\n").unwrap();
    let stderr = place.minds(&["prompt", "append", "x"]).2;
    assert!(stderr.contains("no agent `zeuss`") && stderr.contains("`zeus`"), "{stderr}");
    fs::write(&default, "\n").unwrap();
    let (code, _, stderr) = place.minds(&["prompt", "toolbox"]);
    assert_eq!(
        (code, stderr.contains("`.ateam/defaults/agent` does not name an agent")),
        (2, true),
        "{stderr}"
    );
}

//! The tools in the generated block.

use std::fs;

use crate::prompt::{OVERLAY, Place};

const UNKNOWN: &str = "not all tool lists can be read";

/// An unreadable list withholds every tool, so the tools of the agent are unknown.
#[test]
fn a_list_that_cannot_be_read_leaves_the_block_alone() {
    let agent = "name: zeus\nmodel: gpt-5-nano\nprompt: {base: system_base.md, overlay: system_overlay.md}\n";
    for (path, text) in [
        ("app/.ateam/tools.yaml", "a: [\n".to_owned()),
        ("app/.ateam/tools.yaml", "tools: {deny: 5}\n".to_owned()),
        ("app/.ateam/agents/zeus/agent.yaml", format!("{agent}tools: {{deny: [5]}}\n")),
        ("app/.ateam/agents/zeus/agent.yaml", format!("{agent}tools: {{allow: [fs.read, 5]}}\n")),
        (".ateam/tools.yaml", "- 5\n".to_owned()),
        // A layer that is not a directory: its contents are unknown.
        (".ateam", "no directory\n".to_owned()),
    ] {
        let place = Place::new();
        Place::write(&place.outer(), path, &text);
        let before = place.overlay();
        for args in [&["prompt", "toolbox"][..], &["prompt", "toolbox", "--check"]] {
            let (code, stdout, stderr) = place.minds(&[args, &["--agent", "zeus"]].concat());
            assert_eq!((code, stdout.as_str()), (2, ""), "{path}: {text}: {stderr}");
            assert!(stderr.contains(UNKNOWN) && stderr.contains("run `minds check`"), "{stderr}");
        }
        assert_eq!(place.overlay(), before, "{path}: {text}");
        // The known tools are shown, with a warning that tools may be missing.
        let (code, stdout, stderr) = place.minds(&["prompt", "show", "--agent", "zeus"]);
        assert!(code == 1 && stdout.contains("### Toolbox"), "{path}: {text}: {stdout}{stderr}");
        assert!(stderr.contains(UNKNOWN) && stderr.contains("run `minds check`"), "{stderr}");
        assert_eq!(place.minds(&["prompt", "append", "x", "--agent", "zeus"]).0, 0);
    }
}

/// A tool that is denied by name is known to be denied.
#[test]
fn an_unreadable_list_without_effect_does_not_prevent_writing_the_block() {
    let place = Place::new();
    let all = "[agents.list, agents.spawn, fs.list, fs.read, fs.stat, fs.write, kb.copy_from, kb.ingest, kb.search, \
               os.exec, 5]";
    Place::write(&place.app(), ".ateam/tools.yaml", &format!("tools: {{deny: {all}}}\n"));
    let (code, stdout, stderr) = place.minds(&["prompt", "toolbox"]);
    assert_eq!((code, stdout, stderr), (0, format!("wrote {OVERLAY}\n"), String::new()));
    assert!(!place.overlay().contains("**fs.read**"));
}

#[test]
fn a_block_that_would_make_a_prompt_too_large_is_not_written() {
    let place = Place::new();
    let large = "a".repeat((1 << 20) - 100) + "\n";
    fs::write(place.app().join(OVERLAY), &large).unwrap();
    for args in [&["prompt", "toolbox"][..], &["prompt", "toolbox", "--check"]] {
        let (code, stdout, stderr) = place.minds(args);
        let message =
            format!("error[refused]: {OVERLAY}: a prompt must not exceed 1 MiB; nothing was written\n");
        assert_eq!((code, stdout.as_str(), stderr), (1, "", message));
    }
    assert!(place.overlay() == large);
    assert_eq!(place.minds(&["prompt", "show"]).0, 0);
}

/// Findings name the base, the overlay and the line.
#[test]
fn errors_have_a_place() {
    let place = Place::new();
    let before = place.overlay();
    let end = "<!-- ateam-protect:end:rules -->";
    let broken = format!("error[prompt.protected_violation]: {OVERLAY}:2: ");
    fs::write(place.app().join(OVERLAY), format!("a\n{end}\n")).unwrap();
    for args in [&["prompt", "toolbox"][..], &["prompt", "append", "x"]] {
        let (code, _, stderr) = place.minds(args);
        assert!(code == 1 && stderr.starts_with(&broken), "{stderr}");
    }
    let (code, _, stderr) = place.minds(&["prompt", "append", end]);
    let line = "error[prompt.protected_violation]: the line looks like a marker of a protected block, which cannot be \
                appended; nothing was written\n";
    assert_eq!((code, stderr.as_str()), (1, line));
    // The base has the block.
    fs::write(place.app().join(OVERLAY), "a\n").unwrap();
    let base = ".ateam/agents/zeus/system_base.md";
    fs::write(place.app().join(base), format!("{before}{end}\n")).unwrap();
    let (code, _, stderr) = place.minds(&["prompt", "toolbox"]);
    let expected = format!("error[prompt.protected_violation]: {base}:{}: ", before.lines().count() + 1);
    assert!(code == 1 && stderr.starts_with(&expected), "{stderr}");
    // New and existing violations.
    fs::write(place.app().join(OVERLAY), format!("a\n<!-- ateam-protect:start:rules -->\n{end}\n")).unwrap();
    let file = Place::write(&place.home(), "new.md", &format!("{end}\n"));
    let edit = ["prompt", "edit", "--from"];
    let (code, _, stderr) = place.minds(&[&edit[..], &[file.to_str().unwrap()]].concat());
    let expected = format!("error[prompt.protected_violation]: {}:1: ", file.display());
    assert!(code == 1 && stderr.starts_with(&expected), "{stderr}");
    let (code, _, stderr) = place.run_with_input(&[&edit[..], &["-"]].concat(), &format!("a\n{end}\n"));
    assert!(code == 1 && stderr.starts_with("error[prompt.protected_violation]: stdin:2: "), "{stderr}");
    let (code, _, stderr) = place.run_with_input(&[&edit[..], &["-"]].concat(), "a\n");
    assert!(code == 1 && stderr.starts_with(&broken) && stderr.contains("`rules` was removed"), "{stderr}");
}

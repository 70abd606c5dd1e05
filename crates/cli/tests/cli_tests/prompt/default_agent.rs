//! The default agent.

use std::fs;
use std::os::unix::fs::symlink;

use crate::prompt::{OVERLAY, Place};

const COMMANDS: &[&[&str]] = &[&["prompt", "show"], &["prompt", "append", "x"], &["prompt", "toolbox"]];

/// A workspace with the agent `zeus`, below a layer with the default agent `hera`.
fn two_layers() -> Place {
    let place = Place::new();
    let hera = place.outer().join(".ateam/agents/hera");
    fs::create_dir_all(&hera).unwrap();
    for file in fs::read_dir(place.app().join(".ateam/agents/zeus")).unwrap().flatten() {
        let text = fs::read_to_string(file.path()).unwrap().replace("name: zeus", "name: hera");
        fs::write(hera.join(file.file_name()), text).unwrap();
    }
    Place::write(&place.outer(), ".ateam/defaults/agent", "hera\n");
    place
}

/// Asserts that each command without an agent is refused for the expected reason, and changes nothing.
#[track_caller]
fn check(place: &Place, why: &str) {
    let before = place.overlay();
    for args in COMMANDS {
        let (code, stdout, stderr) = place.minds(args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{why}: {args:?}: {stderr}");
        assert!(stderr.contains(why) && stderr.contains("`--agent`"), "{why}: {args:?}: {stderr}");
    }
    assert_eq!(place.overlay(), before, "{why}");
}

#[test]
fn an_unreadable_layer_may_define_the_default_agent() {
    let place = two_layers();
    let (layer, real) = (place.outer().join(".ateam"), place.outer().join("real"));
    assert_eq!(
        place.minds(&["prompt", "append", "x"]).1,
        format!("wrote ancestor-1:{}\n", OVERLAY.replace("zeus", "hera"))
    );
    fs::rename(&layer, &real).unwrap();
    let why = "`ancestor-1:.ateam` cannot be read";
    fs::write(&layer, "").unwrap();
    check(&place, why);
    assert_eq!(place.minds(&["check"]).0, 1);
    fs::remove_file(&layer).unwrap();
    symlink("nowhere", &layer).unwrap();
    check(&place, why);
    fs::remove_file(&layer).unwrap();
    // An agent that is given can be used.
    fs::write(&layer, "").unwrap();
    assert_eq!(place.minds(&["prompt", "append", "x", "--agent", "zeus"]).0, 0);
    let (code, _, stderr) = place.minds(&["prompt", "append", "x", "--agent", "hera"]);
    assert!(code == 2 && stderr.contains("one of them may be `hera`"), "{stderr}");
    // The nearest layer takes precedence over an unreadable outer one.
    Place::write(&place.app(), ".ateam/defaults/agent", "zeus");
    assert_eq!(place.minds(&["prompt", "append", "x"]).0, 0);
}

#[test]
fn a_name_that_cannot_be_read_selects_no_agent() {
    let place = two_layers();
    let file = place.outer().join(".ateam/defaults/agent");
    let why = "`ancestor-1:.ateam/defaults/agent` cannot be read";
    fs::write(&file, [0xff]).unwrap();
    check(&place, why);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    check(&place, why);
    fs::remove_dir(&file).unwrap();
    symlink("/etc/hostname", &file).unwrap();
    check(&place, why);
    fs::remove_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file.parent().unwrap(), "").unwrap();
    check(&place, "`ancestor-1:.ateam/defaults` cannot be read");
}

#[test]
fn agents_that_cannot_be_read_are_agents() {
    let place = Place::new();
    let agents = place.app().join(".ateam/agents");
    fs::rename(&agents, place.app().join("moved")).unwrap();
    symlink("../moved", &agents).unwrap();
    check(&place, "not all agents of the workspace can be read");
    let (code, _, stderr) = place.minds(&["fleet", "show"]);
    assert!(code == 1 && !stderr.contains("no agent"), "{stderr}");
    // The only known agent may not be the only one.
    fs::remove_file(&agents).unwrap();
    fs::rename(place.app().join("moved"), &agents).unwrap();
    fs::create_dir(place.outer().join(".ateam")).unwrap();
    symlink("/", place.outer().join(".ateam/agents")).unwrap();
    check(&place, "not all agents of `ancestor-1` can be read");
}

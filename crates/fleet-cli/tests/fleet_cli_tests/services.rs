//! Agents under service managers: the commands of the files that `minds render` writes.

use std::path::Path;
use std::process::{Command, Stdio};

use minds_operations::{RenderRequest, render};
use minds_render::Target;

use crate::support::World;

/// Returns the value of a key in a unit.
fn value<'u>(unit: &'u str, key: &str) -> &'u str {
    unit.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).unwrap()
}

#[test]
fn the_command_of_a_unit_is_an_agent_without_a_terminal_that_ends_in_order() {
    let world = World::new(&["zeus"], &[r#"{"text":"from the service"}"#]);
    let workspace = world.workspace();
    let request =
        RenderRequest { targets: &[Target::SystemdUser], write: true, ..RenderRequest::new(&workspace) };
    assert_eq!(render(&request).unwrap().refused, None);
    let unit = workspace.join(".ateam/state/services/systemd-user/minds-shop-zeus.service");
    let unit = std::fs::read_to_string(unit).unwrap();
    // What the unit starts, in its directory and without the surroundings of a user.
    let mut service = Command::new("/bin/sh");
    let programs = Path::new(env!("CARGO_BIN_EXE_minds-fleet")).parent().unwrap().display();
    service.args(["-c", &format!("exec {}", value(&unit, "ExecStart"))]);
    service.current_dir(value(&unit, "WorkingDirectory")).env_clear();
    service
        .env("MINDS_HOME", world.home())
        .env("HOME", world.home())
        .env("PATH", format!("{programs}:/usr/bin:/bin"));
    service.env("MINDS_FLEET", crate::support::FLEET);
    service.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut service = service.spawn().unwrap();
    while world.document(&["ps"], 0)["agents"][0]["id"] != "shop/zeus" {
        assert!(service.try_wait().unwrap().is_none(), "the agent runs");
    }
    assert_eq!(world.succeed(&["send", "zeus", "--wait", "hello"]), "from the service\n");
    let id = service.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let ended = service.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(ended.stdout.is_empty(), "stdout is for data");
    // The lock is free.
    assert_eq!(world.document(&["up"], 0)["agents"][0]["result"], "started");
}

//! `minds mcp` is confined, its servers are not.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::harness::processes::{Family, Role};
use super::{World, pid};

const CANARY: &str = "MINDS_TEST_CANARY";
const WORKSPACE: &str = "MINDS_TEST_WORKSPACE";
const MARK: &str = "observed: ";

/// Returns whether a process has given up rights: a confinement is accepted only from such a process.
fn has_no_new_privileges(id: u32) -> bool {
    fs::read_to_string(format!("/proc/{id}/status")).unwrap().contains("NoNewPrivs:\t1\n")
}

/// Returns what a process has open.
fn open_files(process: &str) -> Vec<String> {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let files = descriptors.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    files.map(|file| file.display().to_string()).collect()
}

/// The separate process: serves like `minds mcp`, and then reads a file outside of the workspace on the same thread.
#[test]
fn a_process_that_serves_and_reads() {
    let Some(canary) = std::env::var_os(CANARY) else { return };
    let workspace = std::env::var_os(WORKSPACE).unwrap();
    let before = fs::read_to_string(&canary);
    let args = ["minds", "-C"].map(OsString::from).into_iter().chain([workspace.clone()]);
    let args = args.chain(["mcp", "--member", "coder", "--no-gateway"].map(OsString::from));
    minds_cli::run(args);
    let inside = fs::read_to_string(Path::new(&workspace).join("inside"));
    let after = fs::read_to_string(&canary).map_err(|error| error.kind());
    println!("{MARK}{} {} {after:?}", before.is_ok(), inside.is_ok());
}

/// Returns what the separate process observed; none on a kernel that does not confine.
fn observed() -> Option<String> {
    let world = World::with_servers();
    world.write("canary", "secret");
    world.write("ws/inside", "x");
    let command = world.command(&[]);
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "gateway::confinement::a_process_that_serves_and_reads", "--nocapture"])
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env(CANARY, world.path("canary"))
        .env(WORKSPACE, world.path("ws"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let (_, observed) = text.split_once(MARK).unwrap_or_else(|| panic!("{text}{stderr}"));
    (!stderr.contains("not confined")).then(|| observed.lines().next().unwrap().to_owned())
}

#[test]
fn the_server_for_clients_cannot_read_outside_of_the_workspace() {
    let expected = format!("true true {:?}", Err::<String, _>(ErrorKind::PermissionDenied));
    match observed() {
        Some(observed) => assert_eq!(observed, expected),
        None => println!("the kernel does not confine"),
    }
}

#[test]
fn its_servers_can() {
    let world = World::with_servers();
    world.write("canary", "secret");
    std::os::unix::fs::symlink(world.path("canary"), world.path("ws/link")).unwrap();
    let mut session = world.session(&["--member", "coder"]);
    let server = pid(&mut session, "open_file").try_into().unwrap();
    let path = world.path("canary");
    let result = session.call("open_file", json!({"do": "read", "path": path}));
    assert_eq!(result["structuredContent"]["content"], "secret");
    // The tools of `minds mcp` itself do not follow the link.
    for path in ["link", "../canary", world.path("canary").to_str().unwrap()] {
        let result = session.call("read_file", json!({"path": path}));
        assert_eq!(result["isError"], true, "{path}: {result}");
        assert!(!result.to_string().contains("secret"), "{path}: {result}");
    }
    let family = Family::of(session.pid().parse().unwrap(), &world.marker()).unwrap();
    if has_no_new_privileges(std::process::id()) {
        return;
    }
    assert!(has_no_new_privileges(family.mcp), "`minds mcp` is confined");
    assert!(![family.supervisor, family.worker, server].into_iter().any(has_no_new_privileges));
    // A server has nothing but its pipes, and what this program was started with.
    let given = open_files("self");
    let more: Vec<_> =
        open_files(&server.to_string()).into_iter().filter(|file| !given.contains(file)).collect();
    assert!(more.len() <= 3 && more.iter().all(|file| file.starts_with("pipe:")), "{more:?}");
    // The confined process starts nothing: the only child is the gateway, which was started before.
    let children: Vec<_> = world.processes().into_iter().filter(|one| one.parent == family.mcp).collect();
    assert_eq!(children.iter().map(|one| one.role).collect::<Vec<_>>(), [Role::Supervisor]);
}

//! Where values stand that cannot be written, and what placeholders stand for.

use minds_compose::ComposeFamily;
use minds_diagnostics::Problems;
use minds_document::{Snapshot, SnapshotEntry};
use minds_fleet::FleetFamily;
use minds_paths::{Location, MountId, WorkspacePath};
use minds_render::services::{Command, FleetSetting, Service, of_compose, of_fleet, render};
use minds_render::{RenderError, Setting, Target, artifacts};

const ROOT: &str = "/srv/shop/.team";

/// Returns the services of a compose root with one project.
fn services(compose: &str, project: &str, command: &[&str]) -> Vec<Service> {
    let path = |path: &str| WorkspacePath::parse(path).unwrap();
    let files = Snapshot::new()
        .with_file(path("team-compose.yaml"), format!("version: 2\nprojects: [{{file: p.yaml}}]\n{compose}"))
        .with_file(path("p.yaml"), format!("version: 2\n{project}"));
    let family = ComposeFamily::load(&files).value;
    let made = artifacts(&family, &Setting { root: ROOT, mcp_command: "team-mcp" }).unwrap();
    of_compose(&family, &made, ROOT, Some(&Command::parse(command).unwrap())).unwrap()
}

/// A tab is for no unit: each value with one is found where a file says it.
#[test]
fn a_value_is_found_where_a_file_says_it() {
    let services = services(
        "broker: {path: \"b\\t\"}\nsupervisor: {tmux_prefix: \"t\\t\"}\n",
        "project: {id: p, name: P, cwd: \"c\\t\"}\nmanagers:\n  a: {runtime: \"r\\t\", model: \"m\\t\", permission_mode: \
         \"x\\t\", role_prompt: \"o\\t\", display_name: \"d\\t\"}\n",
        &["/x"],
    );
    let mut problems = Problems::new();
    let made = render(&services, Target::Launchd, "minds-test", &mut problems).unwrap();
    assert!(made.is_empty());
    let mut problems = Problems::new();
    render(&services, Target::SystemdUser, "minds-test", &mut problems).unwrap();
    let found: Vec<(String, String)> = problems
        .into_sorted()
        .into_iter()
        .map(|found| (found.message, found.pointer.unwrap_or_default()))
        .collect();
    for (name, pointer) in [
        ("`cwd`", "/project/cwd"),
        ("`display_name`", "/managers/a/display_name"),
        ("the variable `RUNTIME`", "/managers/a/runtime"),
        ("the variable `MODEL`", "/managers/a/model"),
        ("the variable `PERMISSION_MODE`", "/managers/a/permission_mode"),
        ("the variable `SYSTEM_PROMPT_PATH`", "/managers/a/role_prompt"),
        ("the variable `CLAUDE_PROJECT_DIR`", "/project/cwd"),
        ("the variable `TEAMCTL_MAILBOX`", "/broker/path"),
        ("the variable `TMUX_SESSION`", "/supervisor/tmux_prefix"),
    ] {
        let is_there = found.iter().any(|(message, at)| message.starts_with(name) && at == pointer);
        assert!(is_there, "{name} {pointer}: {found:#?}");
    }
    assert_eq!(found.len(), 9, "{found:#?}");
}

/// Returns the services of a fleet whose transport has an address, and the codes of what is found.
fn fleet(tools: &str, word: &str, target: Target) -> (Vec<Service>, Vec<&'static str>) {
    let path = |path: &str| WorkspacePath::parse(path).unwrap();
    let files = Snapshot::new()
        .with_file(path(".ateam/project.yaml"), "name: shop\n")
        .with_file(path(".ateam/agents/zeus/agent.yaml"), "name: zeus\nmodel: m\n")
        .with_file(path(".ateam/tools.yaml"), tools);
    let family = FleetFamily::load(&files).value;
    let command = Command::parse(&["/usr/bin/ateam", word]).unwrap();
    let setting = FleetSetting { workspace: "/srv/shop", project: "shop", command: &command, target };
    let mut problems = Problems::new();
    let services = of_fleet(&family, &setting, &mut problems).unwrap();
    render(&services, target, "minds-test", &mut problems).unwrap();
    (services, problems.into_sorted().into_iter().map(|found| found.rule.code).collect())
}

#[test]
fn the_address_of_a_transport_is_handed_over_where_it_is_no_secret() {
    let tools = |url: &str| format!("mcp: {{transport: {{kind: redis, url: '{url}'}}}}\n");
    let plain = tools("redis://redis.example.org/0");
    let secret = tools("redis://:hunter22@redis.example.org/0");
    let said = |services: &[Service]| services.iter().flat_map(|service| service.environment.clone()).count();

    let (services, found) = fleet(&plain, "x", Target::SystemdUser);
    assert_eq!((said(&services), found), (1, vec![]));
    let inputs = [".ateam/agents/zeus/agent.yaml", ".ateam/project.yaml", ".ateam/tools.yaml"];
    assert_eq!(services[0].inputs, inputs);
    // What is built in is not said again.
    let (services, found) = fleet("{}\n", "x", Target::SystemdUser);
    assert_eq!((said(&services), found), (0, vec![]));
    assert_eq!(services[0].inputs, inputs[..2]);

    let (services, found) = fleet(&secret, "x", Target::SystemdUser);
    assert_eq!((services.len(), said(&services), found), (1, 0, vec!["service/left-out"]));
    let (services, found) = fleet(&secret, "{redis_url}", Target::SystemdUser);
    assert_eq!((services.len(), found), (0, vec!["service/unwritable-value"]));

    // A task has no environment: the command has to be told.
    assert_eq!(fleet(&plain, "x", Target::WindowsTask).1, ["service/left-out"]);
    assert!(fleet(&plain, "{redis_url}", Target::WindowsTask).1.is_empty());
}

#[test]
fn a_fleet_of_which_not_all_agents_are_known_is_not_rendered() {
    let mut files = Snapshot::new()
        .with_file(WorkspacePath::parse(".ateam/project.yaml").unwrap(), "name: shop\n")
        .with_file(WorkspacePath::parse(".ateam/agents/zeus/agent.yaml").unwrap(), "name: zeus\nmodel: m\n");
    let agents = Location::new(MountId::WORKSPACE, WorkspacePath::parse(".ateam/agents").unwrap());
    files.insert(agents, SnapshotEntry::Unreadable { reason: "it is closed".to_owned() });
    let family = FleetFamily::load(&files).value;
    let command = Command::parse(&["/usr/bin/ateam"]).unwrap();
    let setting =
        FleetSetting { workspace: "/srv/shop", project: "shop", command: &command, target: Target::Launchd };
    let refused = of_fleet(&family, &setting, &mut Problems::new());
    assert!(matches!(refused, Err(RenderError::Unreadable { .. })), "{refused:?}");
}

#[test]
fn placeholders_stand_for_what_they_are_called() {
    let words =
        ["/x", "{project}", "{agent}", "{root}", "{cwd}", "{env_file}", "a{agent}b{project}c", "{{agent}}"];
    let services = services("", "project: {id: p, name: P, cwd: ../web}\nworkers: {a: {}}\n", &words);
    let texts: Vec<&str> = services[0].command.iter().map(|word| word.text.as_str()).collect();
    let env = "/srv/shop/.team/state/envs/p-a.env";
    assert_eq!(texts, ["/x", "p", "a", ROOT, "/srv/shop/web", env, "aabpc", "{agent}"]);
    let names: Vec<&str> = services[0].command.iter().map(|word| word.name.as_str()).collect();
    assert_eq!(names[..2], ["the program", "argument 1 of the command"]);
    assert_eq!(services[0].directory.text, "/srv/shop/web");
    assert_eq!(services[0].inputs, ["p.yaml", "team-compose.yaml"]);
}

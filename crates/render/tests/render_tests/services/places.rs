//! Positions of unwritable values, and the values of placeholders.

use minds_compose::ComposeFamily;
use minds_diagnostics::Problems;
use minds_fleet::FleetFamily;
use minds_render::services::{Command, FleetSetting, Service, of_compose, of_fleet, render};
use minds_render::{RenderError, Setting, Target, artifacts};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

const ROOT: &str = "/srv/shop/.team";

/// Returns the services of a compose root with one project, without symbolic links.
fn services(compose: &str, project: &str, command: &[&str]) -> Vec<Service> {
    services_with(compose, project, Some(&Command::parse(command).unwrap()), &|_| None)
}

fn services_with(
    compose: &str,
    project: &str,
    command: Option<&Command>,
    real: &dyn Fn(&str) -> Option<String>,
) -> Vec<Service> {
    let path = |path: &str| WorkspacePath::parse(path).unwrap();
    let files = Snapshot::new()
        .with_file(path("team-compose.yaml"), format!("version: 2\nprojects: [{{file: p.yaml}}]\n{compose}"))
        .with_file(path("p.yaml"), format!("version: 2\n{project}"));
    let family = ComposeFamily::load(&files).value;
    let made = artifacts(&family, &Setting { root: ROOT, mcp_command: "team-mcp" }).unwrap();
    of_compose(&family, &made, ROOT, command, real).unwrap()
}

/// A unit cannot contain a tab: each value with a tab is reported at its source position.
#[test]
fn findings_point_to_the_value_in_its_file() {
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

/// The environment file contains the project directory relative to the root, and a command runs in the
/// project.
#[test]
fn a_command_gets_the_absolute_path_of_its_project() {
    let command = Command::parse(&["/opt/agent", "x y"]).unwrap();
    let made = |cwd: &str, command: Option<&Command>, target: Target| {
        let project = format!("project: {{id: p, name: P, cwd: '{cwd}'}}\nworkers: {{a: {{}}}}\n");
        let services = services_with("", &project, command, &|_| None);
        let mut problems = Problems::new();
        let made = render(&services, target, "minds-test", &mut problems).unwrap();
        assert!(problems.is_empty());
        String::from_utf8(made.last().unwrap().bytes.clone()).unwrap()
    };
    for (cwd, over) in [
        ("..", Some("/srv/shop")),
        ("web", Some("/srv/shop/.team/web")),
        (".", None),
        ("/opt/web", None),
        ("../my web", Some("/srv/shop/my web")),
    ] {
        let unit = made(cwd, Some(&command), Target::SystemdUser);
        let list = made(cwd, Some(&command), Target::Launchd);
        let containers = made(cwd, Some(&command), Target::Docker);
        let word = over.map(|over| {
            if over.contains(' ') {
                format!("\"CLAUDE_PROJECT_DIR={over}\"")
            } else {
                format!("CLAUDE_PROJECT_DIR={over}")
            }
        });
        let before = word.map_or(String::new(), |word| format!("/usr/bin/env {word} "));
        assert!(unit.contains(&format!("\nExecStart={before}/opt/agent \"x y\"\n")), "{cwd}: {unit}");
        assert!(!unit.contains("\nEnvironment="), "{cwd}: {unit}");
        let before = over.map_or(String::new(), |over| {
            format!("<string>/usr/bin/env</string>\n\t\t<string>CLAUDE_PROJECT_DIR={over}</string>\n\t\t")
        });
        let words = format!("p-a.env</string>\n\t\t{before}<string>/opt/agent</string>\n");
        assert!(list.contains(&words) && !list.contains("EnvironmentVariables"), "{cwd}: {list}");
        let line = over.map(|over| format!("      CLAUDE_PROJECT_DIR: '{over}'\n"));
        assert_eq!(containers.contains("CLAUDE_PROJECT_DIR"), over.is_some(), "{cwd}: {containers}");
        assert!(line.is_none_or(|line| containers.contains(&line)), "{cwd}: {containers}");
        // `teamctl` starts agents in the root, where the relative path is correct.
        let unit = made(cwd, None, Target::SystemdUser);
        assert!(unit.contains("\nExecStart=/srv/shop/.team/bin/agent-wrapper.sh p:a\n"), "{cwd}: {unit}");
    }
    let odd = Command::parse(&["/opt/a=b"]).unwrap();
    let services =
        services_with("", "project: {id: p, name: P, cwd: ..}\nworkers: {a: {}}\n", Some(&odd), &|_| None);
    for target in [Target::SystemdUser, Target::Launchd] {
        let mut problems = Problems::new();
        render(&services, target, "minds-test", &mut problems).unwrap();
        let found = problems.into_sorted();
        assert!(
            found.len() == 1 && found[0].message.ends_with("`env` would read it as a variable"),
            "{found:?}"
        );
    }
}

/// A `..` after a link is the parent of the target of the link.
#[test]
fn parent_segments_after_a_directory_follow_symbolic_links() {
    let real = |path: &str| {
        let known = [("/srv/shop/.team/../lnk/..", "/srv/else"), ("/data/lnk/..", "/srv/mail")];
        known.iter().find(|(written, _)| *written == path).map(|(_, real)| (*real).to_owned())
    };
    let of = |compose: &str, cwd: &str| {
        let project = format!("project: {{id: p, name: P, cwd: {cwd}}}\nworkers: {{a: {{}}}}\n");
        let mut services = services_with(compose, &project, None, &real);
        services.remove(0)
    };
    for (cwd, expected) in [
        ("../lnk/../proj", "/srv/else/proj"),
        ("../lnk/..", "/srv/else"),
        ("/data/lnk/../proj", "/srv/mail/proj"),
        // The directory does not exist.
        ("../gone/../proj", "/srv/shop/proj"),
        ("../proj", "/srv/shop/proj"),
    ] {
        let service = of("", cwd);
        let directories: Vec<&str> = service.directories.iter().map(|path| path.text.as_str()).collect();
        assert_eq!(directories[..2], [ROOT, expected], "{cwd}");
        // The link does not exist in a container, so a command that starts in the root gets the absolute path
        // too.
        let over: Vec<&str> = service.environment.iter().map(|(_, value)| value.text.as_str()).collect();
        assert_eq!(over, if cwd == "../proj" { vec![] } else { vec![expected] }, "{cwd}");
    }
    let service = of("broker: {path: /data/lnk/../box/mail.db}\n", "..");
    assert_eq!(service.directories[2].text, "/srv/mail/box");
}

/// On many file systems they are the same file, so both agents are reported.
#[test]
fn services_that_differ_only_in_case_are_reported_at_both_agents() {
    let project = "project: {id: p, name: P, cwd: ..}\nmanagers:\n  lead: {}\n  Lead: {}\n";
    for target in [Target::SystemdUser, Target::Docker] {
        let mut problems = Problems::new();
        let made = render(&services("", project, &["/x"]), target, "minds-test", &mut problems).unwrap();
        assert!(made.is_empty());
        let found = problems.into_sorted();
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0].rule.code, "service/unwritable-value");
        assert_eq!(found[0].pointer.as_deref(), Some("/managers/lead"));
        assert_eq!((found[0].primary.is_some(), found[0].secondary.len()), (true, 1));
    }
}

/// Returns the services of a fleet with a transport address, and the codes of the findings.
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
fn the_transport_address_is_passed_unless_it_is_a_secret() {
    let tools = |url: &str| format!("mcp: {{transport: {{kind: redis, url: '{url}'}}}}\n");
    let plain = tools("redis://redis.example.org/0");
    let secret = tools("redis://:hunter22@redis.example.org/0");
    let said = |services: &[Service]| services.iter().flat_map(|service| service.environment.clone()).count();

    let (services, found) = fleet(&plain, "x", Target::SystemdUser);
    assert_eq!((said(&services), found), (1, vec![]));
    let inputs = [".ateam/agents/zeus/agent.yaml", ".ateam/project.yaml", ".ateam/tools.yaml"];
    assert_eq!(services[0].inputs, inputs);
    // A built-in value is not written.
    let (services, found) = fleet("{}\n", "x", Target::SystemdUser);
    assert_eq!((said(&services), found), (0, vec![]));
    assert_eq!(services[0].inputs, inputs[..2]);

    let (services, found) = fleet(&secret, "x", Target::SystemdUser);
    assert_eq!((services.len(), said(&services), found), (1, 0, vec!["service/left-out"]));
    let (services, found) = fleet(&secret, "{redis_url}", Target::SystemdUser);
    assert_eq!((services.len(), found), (0, vec!["service/unwritable-value"]));

    // A task has no environment, so the address must be passed to the command.
    assert_eq!(fleet(&plain, "x", Target::WindowsTask).1, ["service/left-out"]);
    assert!(fleet(&plain, "{redis_url}", Target::WindowsTask).1.is_empty());
}

/// Agents on one machine need no server, but sockets of one container cannot be reached from another one.
#[test]
fn only_containers_of_a_local_fleet_need_a_server() {
    let local =
        "mcp: {transport: {kind: local, url: 'redis://:hunter22@redis.example.org/0', password: x1y2z3}}\n";
    for tools in ["{}\n", local] {
        let (services, found) = fleet(tools, "x", Target::SystemdUser);
        assert_eq!((services[0].environment.len(), services[0].needs_redis, found), (0, false, vec![]));
        let (services, found) = fleet(tools, "{redis_url}", Target::SystemdUser);
        assert_eq!((services.len(), found), (0, vec!["service/unwritable-value"]));
        let (services, found) = fleet(tools, "{redis_url}", Target::Docker);
        assert_eq!((services[0].needs_redis, found), (true, vec![]));
        assert_eq!(services[0].command.last().unwrap().text, "redis://redis:6379/0");
    }
}

/// Agents read their login from the files, and the Redis server for the containers does not support it.
#[test]
fn settings_that_the_container_redis_lacks_are_left_out() {
    let tools = |url: &str| {
        format!(
            "mcp: {{transport: {{kind: redis, url: '{url}', tls: true, username: bob, password: x1y2z3, ca_file: ca.pem}}}}\n"
        )
    };
    let own = tools("rediss://127.0.0.1:6379/0");
    assert_eq!(fleet(&own, "x", Target::Docker).1, ["service/left-out"; 4]);
    assert!(fleet(&own, "x", Target::SystemdUser).1.is_empty());
    assert!(fleet(&tools("rediss://redis.example.org/0"), "x", Target::Docker).1.is_empty());
    let plain = "mcp: {transport: {kind: redis, url: 'redis://127.0.0.1:6379/0', tls: false}}\n";
    assert!(fleet(plain, "x", Target::Docker).1.is_empty());
}

#[test]
fn a_fleet_with_unreadable_agents_is_not_rendered() {
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
fn placeholders_are_replaced_by_their_values() {
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

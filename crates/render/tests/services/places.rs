//! Where values stand that cannot be written, and what placeholders stand for.

use minds_compose::ComposeFamily;
use minds_diagnostics::Problems;
use minds_document::Snapshot;
use minds_paths::WorkspacePath;
use minds_render::services::{Command, Service, of_compose, render};
use minds_render::{Setting, Target, artifacts};

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

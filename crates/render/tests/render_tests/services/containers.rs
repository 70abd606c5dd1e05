//! Mounts of containers.

use minds_diagnostics::Problems;
use minds_render::services::{Service, Value, render};
use minds_render::{Artifact, Target};

fn service(name: &str, directories: &[&str]) -> Service {
    let mut service = Service::new(name, name, Value::new("the directory", "/srv"));
    service.command = vec![Value::new("the program", "/bin/x")];
    service.directories = directories.iter().map(|path| Value::new("a directory", *path)).collect();
    service
}

fn made(services: &[Service]) -> (Vec<Artifact>, Vec<String>) {
    let mut problems = Problems::new();
    let made = render(services, Target::Docker, "minds-test", &mut problems).unwrap();
    (made, problems.into_sorted().into_iter().map(|found| found.message).collect())
}

/// A directory inside a mounted directory is not mounted again, and no directory is mounted twice.
#[test]
fn directories_are_mounted_once() {
    for (directories, expected) in [
        (&["/srv", "/srv"][..], &["/srv"][..]),
        (&["/srv", "/srv/shop"], &["/srv"]),
        (&["/srv/shop", "/srv/"], &["/srv/"]),
        (&["/srv", "/srv/"], &["/srv"]),
        (&["/srv/shop", "/srv/shop-old"], &["/srv/shop", "/srv/shop-old"]),
        (&["/srv/shop-old", "/srv/shop"], &["/srv/shop-old", "/srv/shop"]),
    ] {
        let (made, found) = made(&[service("a", directories)]);
        assert_eq!(found, [] as [&str; 0]);
        let text = String::from_utf8(made[1].bytes.clone()).unwrap();
        let sources = text.lines().filter_map(|line| line.strip_prefix("        source: '"));
        let sources: Vec<&str> = sources.filter_map(|line| line.strip_suffix('\'')).collect();
        assert_eq!(sources, [expected, &["home"]].concat(), "{directories:?}");
    }
}

/// The home of agents is not a mounted directory or inside one; mounts inside the home are allowed.
#[test]
fn the_home_of_agents_is_not_a_mounted_directory() {
    for (directories, expected) in [
        (&["/srv"][..], "/home/agent"),
        (&["/home/agent/app"], "/home/agent"),
        (&["/home/agents"], "/home/agent"),
        (&["/home/agent"], "/home-of-agents-1"),
        (&["/home/agent/"], "/home-of-agents-1"),
        (&["/srv", "/home"], "/home-of-agents-1"),
        (&["/home", "/home-of-agents-1"], "/home-of-agents-2"),
    ] {
        let (made, found) = made(&[service("a", &[]), service("b", directories)]);
        assert_eq!(found, [] as [&str; 0], "{directories:?}");
        let [image, containers] = [&made[0], &made[1]].map(|made| String::from_utf8_lossy(&made.bytes));
        assert!(image.contains(&format!("\nENV HOME={expected}\n")), "{directories:?}: {image}");
        let volume = format!("source: 'home'\n        target: '{expected}'\n");
        assert_eq!(containers.matches(&volume).count(), 2, "{directories:?}: {containers}");
        let targets = containers.matches(&format!("target: '{expected}'\n")).count();
        assert_eq!(targets, 2, "{directories:?}: {containers}");
    }
}

/// The user of the base image may not have write permission.
#[test]
fn the_home_is_created_by_root_and_agents_run_as_their_user() {
    let (made, _) = made(&[service("a", &[])]);
    let image = String::from_utf8_lossy(&made[0].bytes);
    let words: Vec<&str> = image
        .lines()
        .filter(|line| line.starts_with("FROM") || line.starts_with("RUN") || line.starts_with("USER"))
        .map(|line| line.split(" -p").next().unwrap())
        .collect();
    let expected = ["FROM ${BASE_IMAGE}", "USER 0:0", "RUN mkdir", "USER ${AGENT_UID}:${AGENT_GID}"];
    assert_eq!(words, expected);
}

#[test]
fn the_inputs_of_all_containers_are_recorded_once() {
    let (mut one, mut other) = (service("a", &[]), service("b", &[]));
    one.inputs = vec!["b.yaml".to_owned(), "team-compose.yaml".to_owned()];
    other.inputs = vec!["a.yaml".to_owned(), "team-compose.yaml".to_owned()];
    for artifact in made(&[one, other]).0 {
        assert_eq!(artifact.inputs, ["a.yaml", "b.yaml", "team-compose.yaml"], "{}", artifact.path);
    }
}

#[test]
fn the_program_of_a_single_container_is_checked_too() {
    let mut other = service("b", &[]);
    other.command[0].text = "bin/x".to_owned();
    let (made, found) = made(&[service("a", &[]), other]);
    assert!(made.is_empty());
    assert_eq!(found, ["the program cannot be written for Docker: it is not an absolute path"]);
}

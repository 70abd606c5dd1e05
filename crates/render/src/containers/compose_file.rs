//! The compose file with the containers of the agents.

use std::fmt::Write as _;

use super::{REDIS_URL, yaml};
use crate::services::{Notes, Reason, Service, path};

/// The maximum length of a line of an environment file, in bytes.
const MAX_VARIABLE_BYTES: usize = 65_000;

/// The Redis server through which agents communicate. It is reachable only from these containers and never
/// evicts keys; agents wait until it is healthy.
const REDIS: &str = "  redis:
    image: \"redis:7\"
    command: [\"redis-server\", \"--appendonly\", \"yes\", \"--maxmemory-policy\", \"noeviction\"]
    healthcheck:
      test: [\"CMD\", \"redis-cli\", \"ping\"]
      interval: \"5s\"
      timeout: \"3s\"
      retries: 10
    restart: \"unless-stopped\"
    volumes: [\"redis:/data\"]
";

/// The environment variable with the address of that server.
const REDIS_VARIABLE: &str = "ATEAM_REDIS_URL";

/// Returns the compose file, or `None` and findings if a value cannot be written.
pub(super) fn render(
    services: &[Service],
    name: &str,
    home: &str,
    has_program: bool,
    notes: &mut Notes<'_>,
) -> Option<String> {
    let needs_redis = services.iter().any(|service| service.needs_redis);
    let image = yaml::scalar(name);
    let mut text = format!("# Written by `minds render`.\nname: {image}\nservices:\n");
    if needs_redis {
        text.push_str(REDIS);
    }
    let mut is_complete = true;
    for service in services {
        match render_container(service, &image, home, has_program, notes) {
            Some(container) => text.push_str(&container),
            None => is_complete = false,
        }
    }
    text.push_str("volumes:\n  home: {}\n");
    if needs_redis {
        text.push_str("  redis: {}\n");
    }
    is_complete.then_some(text)
}

fn render_container(
    service: &Service,
    image: &str,
    home: &str,
    has_program: bool,
    notes: &mut Notes<'_>,
) -> Option<String> {
    let mut text = format!(
        "  {}:\n    image: {image}\n    build:\n      context: \".\"\n      args:\n        BASE_IMAGE: {}\n        \
         AGENT_UID: {}\n        AGENT_GID: {}\n",
        yaml::scalar(&service.name),
        yaml::expandable("${BASE_IMAGE:-debian:bookworm-slim}"),
        yaml::expandable("${AGENT_UID:-1000}"),
        yaml::expandable("${AGENT_GID:-1000}"),
    );
    let words: Option<Vec<&str>> =
        service.command.iter().map(|word| notes.require(word, check_argument(&word.text))).collect();
    let directory = notes.require(&service.directory, path::absolute(&service.directory.text));
    let volumes = volumes(service, home, notes);
    let environment = environment(service, notes);
    let (words, directory, volumes, environment) = (words?, directory?, volumes?, environment?);
    let (program, arguments) = words.split_first()?;
    if !has_program {
        notes.require(service.command.first()?, path::program(program))?;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    entrypoint: {}", yaml::list([*program]));
    }
    let _ = writeln!(text, "    command: {}", yaml::list(arguments.iter().copied()));
    let _ = write!(text, "    working_dir: {}\n{environment}{volumes}", yaml::scalar(directory));
    if service.needs_redis {
        text.push_str("    depends_on:\n      redis:\n        condition: \"service_healthy\"\n");
    }
    // `init` reaps processes that tools leave running; an open stdin keeps agents that read it from ending.
    text.push_str("    init: true\n    stdin_open: true\n");
    text.push_str("    cap_drop: [\"ALL\"]\n    security_opt: [\"no-new-privileges:true\"]\n");
    let _ =
        write!(text, "    restart: \"on-failure\"\n    stop_grace_period: \"{}s\"\n", service.stop_seconds);
    Some(text)
}

/// Returns `text` if it can be an argument of a program.
fn check_argument(text: &str) -> Result<&str, Reason> {
    if text.contains('\0') { Err("it contains a NUL") } else { Ok(text) }
}

/// Returns the bind mounts. Each has the same path in the container, so paths in files stay valid. Paths
/// inside another mounted directory need no mount of their own. Files are mounted read-only.
fn volumes(service: &Service, home: &str, notes: &mut Notes<'_>) -> Option<String> {
    let mut text = String::from("    volumes:\n");
    let mut directories: Vec<&str> = Vec::new();
    for directory in &service.directories {
        directories.push(notes.require(directory, check_mount_path(&directory.text))?);
    }
    let is_inside = |path: &str, outer: &str| {
        let rest = path.strip_prefix(outer.trim_end_matches('/'));
        path != outer && rest.is_some_and(|rest| rest.starts_with('/'))
    };
    for (at, path) in directories.iter().enumerate() {
        let is_mounted = directories.iter().take(at).any(|other| other == path)
            || directories.iter().any(|outer| is_inside(path, outer));
        if !is_mounted {
            text.push_str(&bind_mount(path));
        }
    }
    for (at, file) in service.files.iter().enumerate() {
        let path = notes.require(file, check_mount_path(&file.text))?;
        let is_mounted = service.files.iter().take(at).any(|other| other.text == path)
            || directories.iter().any(|outer| is_inside(path, outer));
        if !is_mounted {
            let _ = writeln!(text, "{}        read_only: true", bind_mount(path));
        }
    }
    let _ = write!(
        text,
        "      - type: \"volume\"\n        source: \"home\"\n        target: {}\n",
        yaml::scalar(home)
    );
    Some(text)
}

/// Returns `path` if it can be mounted at the same path in a container.
fn check_mount_path(path: &str) -> Result<&str, Reason> {
    if path == "/" {
        return Err("it is the root directory, and a container has its own");
    }
    path::absolute(path)
}

fn bind_mount(path: &str) -> String {
    let path = yaml::scalar(path);
    format!("      - type: \"bind\"\n        source: {path}\n        target: {path}\n")
}

fn environment(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let mut text = String::new();
    if let Some(file) = &service.environment_file {
        let path = notes.require(&file.path, path::absolute(&file.path.text))?;
        for (key, value) in &file.variables {
            let is_long = key.len() + value.text.len() > MAX_VARIABLE_BYTES;
            let line = path::line(&value.text);
            notes.require(value, if is_long { Err("it is longer than 65,000 bytes") } else { line })?;
        }
        // Raw: values in the file are not quoted, so quotes and `$` must not be interpreted.
        let path = yaml::scalar(path);
        let _ = write!(text, "    env_file:\n      - path: {path}\n        format: \"raw\"\n");
    }
    let is_replaced = |key: &str| service.needs_redis && key == REDIS_VARIABLE;
    let mut variables = Vec::new();
    for (key, value) in service.environment.iter().filter(|(key, _)| !is_replaced(key)) {
        variables.push((*key, notes.require(value, check_argument(&value.text))?));
    }
    if service.needs_redis {
        variables.push((REDIS_VARIABLE, REDIS_URL));
    }
    if !variables.is_empty() {
        text.push_str("    environment:\n");
    }
    for (key, value) in variables {
        let _ = writeln!(text, "      {key}: {}", yaml::scalar(value));
    }
    Some(text)
}

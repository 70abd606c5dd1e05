//! The containers of agents.

use std::fmt::Write as _;

use super::{REDIS_URL, yaml};
use crate::services::{Notes, Reason, Service, path};

/// How long a line of a file of variables is at most, in bytes.
const MAX_VARIABLE_BYTES: usize = 65_000;

/// The server through which agents reach each other. Only the containers beside it reach it, it forgets no key to save
/// memory, and who needs it waits until it answers.
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

/// What the address of that server is called in the environment of agents.
const REDIS_VARIABLE: &str = "ATEAM_REDIS_URL";

/// Returns a compose file; none, and findings, if something cannot be written.
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
    let mut is_whole = true;
    for service in services {
        match container(service, &image, home, has_program, notes) {
            Some(container) => text.push_str(&container),
            None => is_whole = false,
        }
    }
    text.push_str("volumes:\n  home: {}\n");
    if needs_redis {
        text.push_str("  redis: {}\n");
    }
    is_whole.then_some(text)
}

fn container(
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
        yaml::with_variables("${BASE_IMAGE:-debian:bookworm-slim}"),
        yaml::with_variables("${AGENT_UID:-1000}"),
        yaml::with_variables("${AGENT_GID:-1000}"),
    );
    let words: Option<Vec<&str>> =
        service.command.iter().map(|word| notes.take(word, word_of(&word.text))).collect();
    let directory = notes.take(&service.directory, path::absolute(&service.directory.text));
    let volumes = volumes(service, home, notes);
    let environment = environment(service, notes);
    let (words, directory, volumes, environment) = (words?, directory?, volumes?, environment?);
    let (program, arguments) = words.split_first()?;
    if !has_program {
        notes.take(service.command.first()?, path::program(program))?;
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "    entrypoint: {}", yaml::list([*program]));
    }
    let _ = writeln!(text, "    command: {}", yaml::list(arguments.iter().copied()));
    let _ = write!(text, "    working_dir: {}\n{environment}{volumes}", yaml::scalar(directory));
    if service.needs_redis {
        text.push_str("    depends_on:\n      redis:\n        condition: \"service_healthy\"\n");
    }
    // Something has to end what tools leave behind, and an agent that asks at its input must not find the end of it.
    text.push_str("    init: true\n    stdin_open: true\n");
    text.push_str("    cap_drop: [\"ALL\"]\n    security_opt: [\"no-new-privileges:true\"]\n");
    let _ =
        write!(text, "    restart: \"on-failure\"\n    stop_grace_period: \"{}s\"\n", service.stop_seconds);
    Some(text)
}

/// Returns a text that can be an argument of a program at all.
fn word_of(text: &str) -> Result<&str, Reason> {
    if text.contains('\0') { Err("it has a NUL") } else { Ok(text) }
}

/// Returns the directories and files of the machine, each at the same path: what files say of paths is true in the container
/// too. What lies in another one is there with it; of files nothing is written.
fn volumes(service: &Service, home: &str, notes: &mut Notes<'_>) -> Option<String> {
    let mut text = String::from("    volumes:\n");
    let mut directories: Vec<&str> = Vec::new();
    for directory in &service.directories {
        directories.push(notes.take(directory, volume(&directory.text))?);
    }
    let is_inside = |path: &str, outer: &str| {
        let rest = path.strip_prefix(outer.trim_end_matches('/'));
        path != outer && rest.is_some_and(|rest| rest.starts_with('/'))
    };
    for (at, path) in directories.iter().enumerate() {
        let is_there = directories.iter().take(at).any(|other| other == path)
            || directories.iter().any(|outer| is_inside(path, outer));
        if !is_there {
            text.push_str(&bind(path));
        }
    }
    for (at, file) in service.files.iter().enumerate() {
        let path = notes.take(file, volume(&file.text))?;
        let is_there = service.files.iter().take(at).any(|other| other.text == path)
            || directories.iter().any(|outer| is_inside(path, outer));
        if !is_there {
            let _ = writeln!(text, "{}        read_only: true", bind(path));
        }
    }
    let _ = write!(
        text,
        "      - type: \"volume\"\n        source: \"home\"\n        target: {}\n",
        yaml::scalar(home)
    );
    Some(text)
}

/// Returns a path that can be in a container what it is outside.
fn volume(path: &str) -> Result<&str, Reason> {
    if path == "/" {
        return Err("it is the top of the file system, of which a container has its own");
    }
    path::absolute(path)
}

fn bind(path: &str) -> String {
    let path = yaml::scalar(path);
    format!("      - type: \"bind\"\n        source: {path}\n        target: {path}\n")
}

fn environment(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let mut text = String::new();
    if let Some(file) = &service.environment_file {
        let path = notes.take(&file.path, path::absolute(&file.path.text))?;
        for (key, value) in &file.variables {
            let is_long = key.len() + value.text.len() > MAX_VARIABLE_BYTES;
            let line = path::line(&value.text);
            notes.take(value, if is_long { Err("it is longer than 65,000 bytes") } else { line })?;
        }
        // Raw: nothing in the file is quoted, so nothing must be taken for a quote or a variable.
        let path = yaml::scalar(path);
        let _ = write!(text, "    env_file:\n      - path: {path}\n        format: \"raw\"\n");
    }
    let is_replaced = |key: &str| service.needs_redis && key == REDIS_VARIABLE;
    let mut variables = Vec::new();
    for (key, value) in service.environment.iter().filter(|(key, _)| !is_replaced(key)) {
        variables.push((*key, notes.take(value, word_of(&value.text))?));
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

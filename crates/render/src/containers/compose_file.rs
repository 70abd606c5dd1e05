//! The compose file with the containers of the agents.

use super::REDIS_URL;
use super::document::{
    Agent, Build, BuildArguments, ComposeFile, Container, Dependencies, Dependency, EnvironmentFile,
    HealthCheck, Literal, Mount, Redis, Volume,
};
use crate::services::{Notes, Reason, Service, path};

/// The maximum length of a line of an environment file, in bytes.
const MAX_VARIABLE_BYTES: usize = 65_000;

/// The environment variable with the address of the Redis server.
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
    let mut containers = Vec::new();
    let mut volumes = vec![("home", Volume {})];
    if needs_redis {
        containers.push(("redis", Container::Redis(Box::new(redis()))));
        volumes.push(("redis", Volume {}));
    }
    let mut is_complete = true;
    for service in services {
        match agent(service, name, home, has_program, notes) {
            Some(agent) => containers.push((&service.name, Container::Agent(Box::new(agent)))),
            None => is_complete = false,
        }
    }
    let file = ComposeFile { name: Literal(name), services: containers, volumes };
    if is_complete { file.to_text() } else { None }
}

/// Returns the Redis server. It is reachable only from these containers and never evicts keys; agents wait
/// until it is healthy.
fn redis() -> Redis {
    Redis {
        image: "redis:7",
        command: ["redis-server", "--appendonly", "yes", "--maxmemory-policy", "noeviction"],
        healthcheck: HealthCheck {
            test: ["CMD", "redis-cli", "ping"],
            interval: "5s",
            timeout: "3s",
            retries: 10,
        },
        restart: "unless-stopped",
        volumes: ["redis:/data"],
    }
}

fn agent<'a>(
    service: &'a Service,
    image: &'a str,
    home: &'a str,
    has_program: bool,
    notes: &mut Notes<'_>,
) -> Option<Agent<'a>> {
    let words: Option<Vec<&str>> =
        service.command.iter().map(|word| notes.require(word, check_argument(&word.text))).collect();
    let directory = notes.require(&service.directory, path::absolute(&service.directory.text));
    let volumes = mounts(service, home, notes);
    let env_file = environment_files(service, notes);
    let environment = environment(service, notes);
    let (words, directory, volumes) = (words?, directory?, volumes?);
    let (env_file, environment) = (env_file?, environment?);
    let (program, arguments) = words.split_first()?;
    let entrypoint = if has_program {
        None
    } else {
        notes.require(service.command.first()?, path::program(program))?;
        Some([Literal(program)])
    };
    let redis = Dependency { condition: "service_healthy" };
    Some(Agent {
        image: Literal(image),
        build: Build {
            context: ".",
            args: BuildArguments {
                base_image: "${BASE_IMAGE:-debian:bookworm-slim}",
                agent_uid: "${AGENT_UID:-1000}",
                agent_gid: "${AGENT_GID:-1000}",
            },
        },
        entrypoint,
        command: arguments.iter().map(|word| Literal(word)).collect(),
        working_dir: Literal(directory),
        env_file,
        environment,
        volumes,
        depends_on: service.needs_redis.then_some(Dependencies { redis }),
        // `init` reaps processes that tools leave running; an open stdin keeps agents that read it from ending.
        init: true,
        stdin_open: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        restart: "on-failure",
        stop_grace_period: format!("{}s", service.stop_seconds),
    })
}

/// Returns `text` if it can be an argument of a program.
fn check_argument(text: &str) -> Result<&str, Reason> {
    if text.contains('\0') { Err("it contains a NUL") } else { Ok(text) }
}

/// Returns the mounts. Each has the same path in the container, so paths in files stay valid. Paths inside
/// another mounted directory need no mount of their own. Files are mounted read-only.
fn mounts<'a>(service: &'a Service, home: &'a str, notes: &mut Notes<'_>) -> Option<Vec<Mount<'a>>> {
    let mut mounts = Vec::new();
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
            mounts.push(bind_mount(path, None));
        }
    }
    for (at, file) in service.files.iter().enumerate() {
        let path = notes.require(file, check_mount_path(&file.text))?;
        let is_mounted = service.files.iter().take(at).any(|other| other.text == path)
            || directories.iter().any(|outer| is_inside(path, outer));
        if !is_mounted {
            mounts.push(bind_mount(path, Some(true)));
        }
    }
    mounts.push(Mount { kind: "volume", source: Literal("home"), target: Literal(home), read_only: None });
    Some(mounts)
}

/// Returns `path` if it can be mounted at the same path in a container.
fn check_mount_path(path: &str) -> Result<&str, Reason> {
    if path == "/" {
        return Err("it is the root directory, and a container has its own");
    }
    path::absolute(path)
}

fn bind_mount(path: &str, read_only: Option<bool>) -> Mount<'_> {
    Mount { kind: "bind", source: Literal(path), target: Literal(path), read_only }
}

/// Returns the environment file, if the service has one.
fn environment_files<'a>(service: &'a Service, notes: &mut Notes<'_>) -> Option<Vec<EnvironmentFile<'a>>> {
    let Some(file) = &service.environment_file else { return Some(Vec::new()) };
    let path = notes.require(&file.path, path::absolute(&file.path.text))?;
    for (key, value) in &file.variables {
        let is_long = key.len() + value.text.len() > MAX_VARIABLE_BYTES;
        let line = path::line(&value.text);
        notes.require(value, if is_long { Err("it is longer than 65,000 bytes") } else { line })?;
    }
    // Raw: values in the file are not quoted, so quotes and `$` must not be interpreted.
    Some(vec![EnvironmentFile { path: Literal(path), format: "raw" }])
}

/// Returns the variables that the environment file does not set, or that override it.
fn environment<'a>(service: &'a Service, notes: &mut Notes<'_>) -> Option<Vec<(&'static str, Literal<'a>)>> {
    let is_replaced = |key: &str| service.needs_redis && key == REDIS_VARIABLE;
    let mut variables = Vec::new();
    for (key, value) in service.environment.iter().filter(|(key, _)| !is_replaced(key)) {
        variables.push((*key, Literal(notes.require(value, check_argument(&value.text))?)));
    }
    if service.needs_redis {
        variables.push((REDIS_VARIABLE, Literal(REDIS_URL)));
    }
    Some(variables)
}

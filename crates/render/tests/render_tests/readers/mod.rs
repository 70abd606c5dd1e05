//! Readers of services, written from their documentation and independent of the encoders, and services with
//! arbitrary values. Used by tests and by `cargo xtask stress`.

mod containers;
mod launchd;
mod systemd;
mod values;
mod windows;

use std::collections::BTreeMap;

use minds_diagnostics::Problems;
use minds_render::services::{Service, render};
use minds_render::{Artifact, Target};

pub(crate) use values::{Chance, service};

/// What a service manager would run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) command: Vec<String>,
    pub(crate) directory: String,
    pub(crate) variables: BTreeMap<String, String>,
    /// The description, if the target supports one.
    pub(crate) description: Option<String>,
}

/// Renders a service for a target and reads it back. Returns whether it was written; otherwise it was
/// refused.
///
/// # Errors
///
/// Returns the difference if the service was read differently.
pub(crate) fn round_trip(service: &Service, target: Target) -> Result<bool, String> {
    let mut problems = Problems::new();
    let made = render(std::slice::from_ref(service), target, "minds-test", &mut problems)
        .map_err(|error| error.to_string())?;
    if problems.has_errors() {
        return Ok(false);
    }
    if !problems.is_empty() && target != Target::WindowsTask {
        return Err("something was left out".to_owned());
    }
    let read = as_env_runs(read(&made, service, target)?)?;
    // Arguments cannot contain a NUL.
    let has_nul = |text: &String| text.contains('\0');
    if read.command.iter().chain(read.variables.values()).chain([&read.directory]).any(has_nul) {
        return Err("there is a NUL".to_owned());
    }
    let expected = expected_command(service, target, &read);
    if read == expected { Ok(true) } else { Err(format!("{read:?}\nwas read, but meant was\n{expected:?}")) }
}

/// Returns what `env` runs: each word with `=` in front of the program is a variable.
fn as_env_runs(mut read: Running) -> Result<Running, String> {
    if read.command.first().is_none_or(|program| program != "/usr/bin/env") {
        return Ok(read);
    }
    read.command.remove(0);
    while let Some((key, value)) = read.command.first().and_then(|word| word.split_once('=')) {
        read.variables.insert(key.to_owned(), value.to_owned());
        read.command.remove(0);
    }
    if read.command.is_empty() { Err("`env` has no program".to_owned()) } else { Ok(read) }
}

/// Reads the rendered files of one service.
fn read(made: &[Artifact], service: &Service, target: Target) -> Result<Running, String> {
    let text = |ending: &str| {
        let artifact = made.iter().find(|artifact| artifact.path.as_str().ends_with(ending));
        let artifact = artifact.ok_or_else(|| format!("there is no file `{ending}`"))?;
        String::from_utf8(artifact.bytes.clone()).map_err(|error| error.to_string())
    };
    let file = service.environment_file.as_ref().map(|file| {
        let lines = file.variables.iter().map(|(key, value)| format!("{key}={}\n", value.text));
        (file.path.text.as_str(), lines.collect::<String>())
    });
    let file = file.as_ref().map(|(path, text)| (*path, text.as_str()));
    match target {
        Target::SystemdUser | Target::Systemd => systemd::read(&text(".service")?, file),
        Target::Launchd => launchd::read(&text(".plist")?, file),
        Target::WindowsTask => windows::read(&text(".xml")?),
        _ => containers::read(&text("Dockerfile")?, &text("compose.yaml")?, &service.name, file),
    }
}

/// Returns the expected result, as far as the target supports it.
fn expected_command(service: &Service, target: Target, read: &Running) -> Running {
    let file = service.environment_file.iter().flat_map(|file| &file.variables);
    let file = file.map(|(key, value)| (key.clone(), value.text.clone()));
    let own = service.environment.iter().map(|(key, value)| ((*key).to_owned(), value.text.clone()));
    let has_environment = target != Target::WindowsTask;
    Running {
        command: service.command.iter().map(|word| word.text.clone()).collect(),
        directory: service.directory.text.clone(),
        variables: if has_environment { file.chain(own).collect() } else { BTreeMap::new() },
        description: read.description.as_ref().map(|_| service.description.text.clone()),
    }
}

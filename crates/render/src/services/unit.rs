//! systemd units, for users and for the machine.

use std::fmt::Write as _;

use super::service::{Notes, Service};
use super::systemd;

/// Returns the file name of a unit of a user.
pub(crate) fn user_file_name(service: &Service) -> String {
    format!("minds-{}.service", service.name)
}

/// Returns the file name of a unit of the system: a template with one instance per user.
pub(crate) fn template_file_name(service: &Service) -> String {
    format!("minds-{}@.service", service.name)
}

/// Returns the unit of a user, or `None` and findings if a value cannot be written.
pub(crate) fn render_user(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    render(service, false, notes)
}

/// Returns the unit of the system, or `None` and findings if a value cannot be written.
pub(crate) fn render_template(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    render(service, true, notes)
}

fn render(service: &Service, is_system_unit: bool, notes: &mut Notes<'_>) -> Option<String> {
    let description = notes.require(&service.description, systemd::description(&service.description.text));
    let directory = notes.require(&service.directory, systemd::directory(&service.directory.text));
    let command = command(service, notes);
    let environment = environment(service, notes);
    let (description, directory, command, environment) = (description?, directory?, command?, environment?);

    let mut unit = format!("# Written by `minds render`.\n[Unit]\nDescription={description}\n");
    if is_system_unit {
        // This target does not exist for user units.
        unit.push_str("Wants=network-online.target\nAfter=network-online.target\n");
    }
    unit.push_str("\n[Service]\nType=simple\n");
    if is_system_unit {
        // Without a user it would run as root; the instance name is the user.
        unit.push_str("User=%i\n");
    }
    // Writing to a string cannot fail.
    let _ = write!(unit, "WorkingDirectory={directory}\n{environment}ExecStart={command}\n");
    let _ = write!(unit, "Restart=on-failure\nRestartSec={}\n", service.restart_seconds);
    if !service.final_statuses.is_empty() {
        let statuses: Vec<String> = service.final_statuses.iter().map(ToString::to_string).collect();
        let _ = writeln!(unit, "RestartPreventExitStatus={}", statuses.join(" "));
    }
    // 0 would mean no timeout.
    let stop = service.stop_seconds.max(1);
    let _ = write!(unit, "KillMode=mixed\nTimeoutStopSec={stop}\nNoNewPrivileges=yes\n");
    let wanted_by = if is_system_unit { "multi-user.target" } else { "default.target" };
    let _ = write!(unit, "\n[Install]\nWantedBy={wanted_by}\n");
    Some(unit)
}

fn command(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let (program, arguments) = service.command.split_first()?;
    // Variables of the environment file take precedence over those of the unit.
    let before = service.environment_prefix();
    if !before.is_empty() && program.text.contains('=') {
        notes.refuse(program, "it contains `=`, so `env` would read it as a variable");
        return None;
    }
    let mut words: Vec<Option<String>> =
        before.iter().map(|word| notes.require(word, systemd::argument(&word.text))).collect();
    words.push(notes.require(program, systemd::program(&program.text)));
    words.extend(arguments.iter().map(|word| notes.require(word, systemd::argument(&word.text))));
    let line = words.into_iter().collect::<Option<Vec<String>>>()?.join(" ");
    if line.len() > systemd::MAX_LINE_BYTES {
        notes.refuse(program, "with its arguments it is longer than 1,000,000 bytes");
        return None;
    }
    Some(line)
}

fn environment(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let mut lines = Some(String::new());
    let mut add = |line: Option<String>| match (&mut lines, line) {
        (Some(lines), Some(line)) => lines.push_str(&line),
        _ => lines = None,
    };
    if let Some(file) = &service.environment_file {
        let path = notes.require(&file.path, systemd::environment_file(&file.path.text));
        add(path.map(|path| format!("EnvironmentFile={path}\n")));
        for (_, value) in &file.variables {
            add(notes.require(value, systemd::variable(&value.text)).map(|()| String::new()));
        }
    }
    for (key, value) in service.additional_environment() {
        let assignment = notes.require(value, systemd::assignment(key, &value.text));
        add(assignment.map(|assignment| format!("Environment={assignment}\n")));
    }
    lines
}

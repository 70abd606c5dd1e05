//! What keeps agents running: units of systemd, property lists of launchd, tasks of Windows, containers.
//!
//! A [`Service`] says what runs, whoever it comes from: [`of_compose`] makes one of each agent of a compose root,
//! [`of_fleet`] of each agent of a fleet. [`render`] writes them for a target. Each value is written by the rules of that
//! target, so that its reader takes it for what it is; one for which the target has no way is a finding at its place, and
//! nothing is written.
//!
//! ```
//! use minds_diagnostics::Problems;
//! use minds_render::Target;
//! use minds_render::services::{Command, Service, Value, render};
//!
//! let command = Command::parse(&["/usr/bin/agent", "--as", "{agent}", "100% of $5"])?;
//! let service = Service {
//!     command: command.fill(|_| "lead".to_owned()),
//!     ..Service::new("shop-lead", "shop:lead", Value::new("`cwd`", "/srv/my shop"))
//! };
//! let mut problems = Problems::new();
//! let made = render(&[service], Target::SystemdUser, "minds-shop", &mut problems)?;
//! let unit = String::from_utf8(made[0].bytes.clone())?;
//! assert_eq!(made[0].path.as_str(), "state/services/systemd-user/minds-shop-lead.service");
//! assert!(unit.contains("\nWorkingDirectory=/srv/my shop\n"));
//! assert!(unit.contains("\nExecStart=/usr/bin/agent --as lead \"100%% of $$5\"\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod command;
mod compose;
mod fleet;
mod launchd;
pub(crate) mod path;
pub mod rules;
mod service;
mod systemd;
mod unit;
mod windows;
mod xml;

use std::collections::BTreeMap;

use minds_diagnostics::Problems;
use minds_document::FileMode;
use minds_paths::WorkspacePath;

pub use self::command::{Command, CommandError, Placeholder};
pub use self::compose::of_compose;
pub use self::fleet::{FleetSetting, of_fleet};
pub use self::service::{EnvironmentFile, Place, Service, Value};
pub(crate) use self::service::{Notes, Reason};
use crate::artifact::{Artifact, RenderError};
use crate::containers;
use crate::target::Target;

/// How many characters the name of a service has at most: two ids and a dash.
const MAX_NAME_CHARACTERS: usize = 201;

/// Returns the files that keep services running by one target, sorted by path; what cannot be written is added to
/// `problems`, and then the files are not whole. Of services with the same name, in any letter case, nothing is made.
///
/// `name` tells these containers from others on the same machine: lower-case letters, digits and `-`. Targets that make no
/// services make nothing here.
///
/// # Errors
///
/// Fails if a name cannot be that of a file, or if all together are too large.
pub fn render(
    services: &[Service],
    target: Target,
    name: &str,
    problems: &mut Problems,
) -> Result<Vec<Artifact>, RenderError> {
    let mut notes = Notes { target, problems };
    let mut names = BTreeMap::new();
    let mut are_told_apart = true;
    for service in services {
        if !is_name(&service.name) {
            return Err(RenderError::UnsafeId { id: service.name.clone() });
        }
        let first: &Service = names.entry(service.name.to_ascii_lowercase()).or_insert(service);
        if !std::ptr::eq(first, service) {
            notes.refuse_name(service, first);
            are_told_apart = false;
        }
    }
    if !are_told_apart {
        return Ok(Vec::new());
    }
    for service in services {
        let environment = service.environment.iter().map(|(_, value)| value);
        let written = [&service.description, &service.directory].into_iter().chain(&service.command);
        written.chain(environment).for_each(|value| notes.look_for_secrets(value));
    }
    if target == Target::Docker {
        return Ok(containers::render(services, name, &mut notes).unwrap_or_default());
    }
    let (mut files, mut bytes) = (Vec::new(), 0);
    for service in services {
        let Some((file, text)) = file(service, target, &mut notes) else { continue };
        bytes += text.len();
        if bytes > RenderError::MAX_BYTES {
            return Err(RenderError::TooLarge);
        }
        let path = format!("state/services/{}/{file}", target.name());
        files.push(artifact(&path, text, FileMode::Regular, target, service.inputs.clone())?);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns the name and the text of the file of a service.
fn file(service: &Service, target: Target, notes: &mut Notes<'_>) -> Option<(String, String)> {
    match target {
        Target::SystemdUser | Target::Systemd => {
            Some((unit::file_name(service, target), unit::render(service, notes)?))
        }
        Target::Launchd => {
            Some((format!("{}.plist", launchd::label(service)), launchd::render(service, notes)?))
        }
        Target::WindowsTask => {
            Some((format!("minds-{}.xml", service.name), windows::render(service, notes)?))
        }
        Target::Artifacts | Target::Docker | Target::Mcp(_) => None,
    }
}

/// Returns whether a text can be a part of the names of files and units, and of labels and containers.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.')
        && text.len() <= MAX_NAME_CHARACTERS
        && text.chars().all(is_part)
}

pub(crate) fn artifact(
    path: &str,
    text: String,
    mode: FileMode,
    target: Target,
    inputs: Vec<String>,
) -> Result<Artifact, RenderError> {
    let bytes = text.into_bytes();
    let path = WorkspacePath::parse(path).map_err(|_| RenderError::UnsafeId { id: path.to_owned() })?;
    Ok(Artifact { path, bytes, mode, target, inputs })
}

/// Returns how much of a path only its system can resolve: up to the last `..` behind a name, which may be that of a link.
/// None if it has none.
fn behind_names(written: &str) -> Option<(&str, &str)> {
    let (mut at, mut end, mut has_name) = (0, None, false);
    for segment in written.split('/') {
        at += segment.len();
        match segment {
            ".." if has_name => end = Some(at),
            "" | "." | ".." => {}
            _ => has_name = true,
        }
        at += 1;
    }
    written.split_at_checked(end?)
}

/// Returns the path of `written` from the directory `root`: an absolute path stays, one of Windows too. Segments `.`
/// and `..` are resolved by their names.
fn resolved(root: &str, written: &str) -> String {
    let mut signs = written.chars();
    let has_drive =
        signs.next().is_some_and(|drive| drive.is_ascii_alphabetic()) && signs.next() == Some(':');
    if (has_drive && matches!(signs.next(), Some('/' | '\\'))) || written.starts_with("\\\\") {
        return written.to_owned();
    }
    let mut segments: Vec<&str> = if written.starts_with('/') { Vec::new() } else { split(root).collect() };
    for segment in split(written) {
        if segment == ".." {
            segments.pop();
        } else {
            segments.push(segment);
        }
    }
    let is_rooted = root.starts_with('/') || written.starts_with('/');
    format!("{}{}", if is_rooted { "/" } else { "" }, segments.join("/"))
}

fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !matches!(*segment, "" | "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_by_their_names() {
        for (written, expected) in [
            ("..", "/srv/shop"),
            (".", "/srv/shop/.team"),
            ("", "/srv/shop/.team"),
            ("../web//./x/..", "/srv/shop/web"),
            ("../../../../..", "/"),
            ("/opt/../x", "/x"),
            ("C:\\work\\shop", "C:\\work\\shop"),
            ("c:/work", "c:/work"),
            ("\\\\server\\share", "\\\\server\\share"),
            ("c:", "/srv/shop/.team/c:"),
        ] {
            assert_eq!(resolved("/srv/shop/.team", written), expected, "{written}");
        }
        assert_eq!(resolved("C:\\srv", "x"), "C:\\srv/x");
    }

    #[test]
    fn a_name_before_two_dots_may_be_a_link() {
        for (written, expected) in [
            ("..", None),
            ("../../x/./y", None),
            ("/../x", None),
            ("../lnk/../proj", Some(("../lnk/..", "/proj"))),
            ("/a/..", Some(("/a/..", ""))),
            ("a/../../b/../c", Some(("a/../../b/..", "/c"))),
            ("a//./..", Some(("a//./..", ""))),
        ] {
            assert_eq!(behind_names(written), expected, "{written}");
        }
    }

    #[test]
    fn names_are_parts_of_names() {
        for (name, expected) in [
            ("shop-lead", true),
            ("_a.b-c", true),
            ("", false),
            ("-a", false),
            ("a b", false),
            ("a/b", false),
        ] {
            assert_eq!(is_name(name), expected, "{name}");
        }
        assert!(!is_name(&"a".repeat(202)) && !is_name("a@b") && !is_name("é"));
    }
}

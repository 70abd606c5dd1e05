//! Services that run agents: systemd units, launchd property lists, Windows tasks, containers.
//!
//! A [`Service`] describes a program to run: [`of_compose`] returns one for each agent of a compose root,
//! [`of_fleet`] one for each agent of a fleet, and [`render`] renders services for a target. Each value is
//! escaped by the rules of that target. A value that the target cannot represent is reported at its source
//! position, and nothing is rendered.
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
pub(crate) mod launchd;
pub(crate) mod path;
pub mod rules;
mod service;
mod systemd;
pub(crate) mod unit;
pub(crate) mod windows;
mod xml;

use std::collections::BTreeMap;

use minds_diagnostics::Problems;
use minds_vfs::{ContentHash, FileMode, WorkspacePath};

pub use self::command::{Command, CommandError, Placeholder};
pub use self::compose::of_compose;
pub use self::fleet::{FleetSetting, of_fleet};
pub use self::service::{EnvironmentFile, Place, Service, Value};
pub(crate) use self::service::{Notes, Reason};
use crate::artifact::{Artifact, RenderError};
use crate::target::Target;

/// How services are encoded for a target. A function returns `None`, and findings, if a value cannot be written.
#[derive(Clone, Copy)]
pub(crate) enum Encoder {
    /// A file for each service: its name, and its content.
    Each(fn(&Service) -> String, fn(&Service, &mut Notes<'_>) -> Option<String>),
    /// The same files for all services. The name distinguishes their containers from other containers on the machine.
    All(EncodeAll),
}

/// Encodes all services together: the services, the name of their containers, the target, and the findings.
type EncodeAll = fn(&[Service], &str, Target, &mut Notes<'_>) -> Option<Vec<Artifact>>;

/// The maximum length of the name of a service: two ids and a dash.
const MAX_NAME_CHARACTERS: usize = 201;

/// Returns the files of services for one target, sorted by path. Values that cannot be written are reported
/// to `problems`; the result is then incomplete. If two names differ only in letter case, nothing is
/// rendered.
///
/// `name` distinguishes these containers from other containers on the same machine; it consists of lowercase
/// letters, digits and `-`. For targets that are not services the result is empty.
///
/// # Errors
///
/// Fails if a name is not safe in file names, or if the files are too large.
pub fn render(
    services: &[Service],
    target: Target,
    name: &str,
    problems: &mut Problems,
) -> Result<Vec<Artifact>, RenderError> {
    let mut notes = Notes { target, problems };
    let mut names = BTreeMap::new();
    let mut are_unique = true;
    for service in services {
        if !is_name(&service.name) {
            return Err(RenderError::UnsafeId { id: service.name.clone() });
        }
        let first: &Service = names.entry(service.name.to_ascii_lowercase()).or_insert(service);
        if !std::ptr::eq(first, service) {
            notes.refuse_duplicate(service, first);
            are_unique = false;
        }
    }
    if !are_unique {
        return Ok(Vec::new());
    }
    for service in services {
        let environment = service.environment.iter().map(|(_, value)| value);
        let written = [&service.description, &service.directory].into_iter().chain(&service.command);
        written.chain(environment).for_each(|value| notes.check_secrets(value));
    }
    let (file_name, encode) = match target.encoder() {
        Some(Encoder::Each(file_name, encode)) => (file_name, encode),
        Some(Encoder::All(encode)) => {
            return Ok(encode(services, name, target, &mut notes).unwrap_or_default());
        }
        None => return Ok(Vec::new()),
    };
    let (mut files, mut bytes) = (Vec::new(), 0);
    for service in services {
        let Some(text) = encode(service, &mut notes) else { continue };
        bytes += text.len();
        if bytes > RenderError::MAX_BYTES {
            return Err(RenderError::TooLarge);
        }
        let path = format!("state/services/{}/{}", target.name(), file_name(service));
        files.push(artifact(&path, text, FileMode::Regular, target, service.inputs.clone())?);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns a name for [`render`] that distinguishes the containers of the directory `root` from those of other
/// directories on the same machine.
pub fn container_name(root: &str) -> String {
    let hash = ContentHash::of(root.as_bytes()).to_string();
    let digits = hash.rsplit_once(':').map_or(hash.as_str(), |(_, digits)| digits);
    format!("minds-{}", digits.chars().take(12).collect::<String>())
}

/// Returns whether `text` is safe in the names of files, units, labels and containers.
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

/// Splits a path after the last `..` that follows a directory name, which may be a symbolic link. Returns
/// `None` if there is no such `..`.
fn split_at_last_parent(written: &str) -> Option<(&str, &str)> {
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

/// Returns `written` relative to the directory `root`, with `.` and `..` resolved lexically. An absolute
/// path, also a Windows path, does not depend on `root`.
fn resolve_path(root: &str, written: &str) -> String {
    let mut chars = written.chars();
    let has_drive =
        chars.next().is_some_and(|drive| drive.is_ascii_alphabetic()) && chars.next() == Some(':');
    if (has_drive && matches!(chars.next(), Some('/' | '\\'))) || written.starts_with("\\\\") {
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
    fn paths_are_resolved_lexically() {
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
            assert_eq!(resolve_path("/srv/shop/.team", written), expected, "{written}");
        }
        assert_eq!(resolve_path("C:\\srv", "x"), "C:\\srv/x");
    }

    #[test]
    fn a_directory_before_two_dots_may_be_a_link() {
        for (written, expected) in [
            ("..", None),
            ("../../x/./y", None),
            ("/../x", None),
            ("../lnk/../proj", Some(("../lnk/..", "/proj"))),
            ("/a/..", Some(("/a/..", ""))),
            ("a/../../b/../c", Some(("a/../../b/..", "/c"))),
            ("a//./..", Some(("a//./..", ""))),
        ] {
            assert_eq!(split_at_last_parent(written), expected, "{written}");
        }
    }

    #[test]
    fn service_names_must_be_safe_in_file_names() {
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

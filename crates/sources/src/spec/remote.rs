//! Repositories that git fetches.

use super::local::{self, LOCAL};
use super::{Identity, Remote, SourceSpec, SpecError};

/// The default host.
pub(super) const DEFAULT_HOST: &str = "github.com";

const MAX_HOST_BYTES: usize = 253;

/// Parses a URL; `scheme` is the part in front of `://`.
pub(super) fn parse_url(scheme: &str, rest: &str) -> Result<SourceSpec, SpecError> {
    if let Some(suffix) = rest.chars().find(|c| matches!(c, '?' | '#')) {
        return Err(SpecError::Suffix(suffix));
    }
    match scheme.to_ascii_lowercase().as_str() {
        "https" => parse_hosted("https", rest),
        "ssh" => parse_hosted("ssh", rest),
        "file" => parse_file_url(rest),
        other => Err(SpecError::Protocol(other.to_owned())),
    }
}

fn parse_hosted(scheme: &str, rest: &str) -> Result<SourceSpec, SpecError> {
    let (authority, path) = rest.split_once('/').ok_or(SpecError::TooShort)?;
    let (user, address) = match authority.rsplit_once('@') {
        Some((user, address)) => (Some(user), address),
        None => (None, authority),
    };
    if let Some(user) = user {
        // The part in front of the `@` of an HTTPS URL is a token at least as often as a user name.
        if scheme == "https" || !is_user(user) {
            return Err(if user.starts_with('-') { SpecError::Option } else { SpecError::Credentials });
        }
    }
    let (host, port) = match address.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (address, None),
    };
    let host = check_host(host)?;
    if let Some(port) = port
        && !port.parse::<u16>().is_ok_and(|number| number > 0 && number.to_string() == port)
    {
        return Err(SpecError::Host(address.to_owned()));
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    // Another port may be another server.
    let place = port.map_or_else(|| host.clone(), |port| format!("{host}+{port}"));
    let identity = Identity::parse(&format!("{place}/{}", strip_git_suffix(path)))?;
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    // GitHub serves every repository under both names, and `owner/name` is the same repository.
    let path = if host == DEFAULT_HOST { strip_git_suffix(path) } else { path };
    Ok(SourceSpec { identity, remote: Remote::Repository(format!("{scheme}://{user}{host}{port}/{path}")) })
}

/// Parses the rest of a URL after `file://`: an absolute path of this machine.
fn parse_file_url(rest: &str) -> Result<SourceSpec, SpecError> {
    let path = rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest);
    if !path.starts_with('/') {
        return Err(SpecError::Unknown);
    }
    let path = local::resolve_path(path, "", None)?;
    let identity = local::identity_of(strip_git_suffix(&path))?;
    Ok(SourceSpec { identity, remote: Remote::Repository(format!("file://{path}")) })
}

/// Parses `user@host:path`; `None` if it has another form.
pub(super) fn parse_short(text: &str) -> Option<Result<SourceSpec, SpecError>> {
    let (user, rest) = text.split_once('@')?;
    let (host, path) = rest.split_once(':')?;
    if user.contains('/') {
        return None;
    }
    Some(parse_short_parts(user, host, path))
}

fn parse_short_parts(user: &str, host: &str, path: &str) -> Result<SourceSpec, SpecError> {
    if !is_user(user) {
        return Err(if user.starts_with('-') { SpecError::Option } else { SpecError::Credentials });
    }
    let host = check_host(host)?;
    let path = path.strip_suffix('/').unwrap_or(path);
    // After a slash, the path is absolute on that machine, which is another repository only in theory.
    let names = path.strip_prefix('/').unwrap_or(path);
    let identity = Identity::parse(&format!("{host}/{}", strip_git_suffix(names)))?;
    Ok(SourceSpec { identity, remote: Remote::Repository(format!("{user}@{host}:{path}")) })
}

/// Parses `owner/name`.
pub(super) fn parse_default_host(path: &str) -> Result<SourceSpec, SpecError> {
    let path = strip_git_suffix(path.strip_suffix('/').unwrap_or(path));
    if path.split('/').count() != 2 || path.starts_with('~') {
        return Err(SpecError::Unknown);
    }
    let identity = Identity::parse(&format!("{DEFAULT_HOST}/{path}"))?;
    Ok(SourceSpec { identity, remote: Remote::Repository(format!("https://{DEFAULT_HOST}/{path}")) })
}

/// Returns a path without one `.git` suffix.
fn strip_git_suffix(path: &str) -> &str {
    path.strip_suffix(".git").filter(|rest| !rest.is_empty() && !rest.ends_with('/')).unwrap_or(path)
}

/// Returns whether a string is a plain user name, without a password and not an option.
fn is_user(user: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !user.is_empty() && user.len() <= 32 && !user.starts_with('-') && user.chars().all(is_plain)
}

/// Returns the name of a host in lowercase.
fn check_host(host: &str) -> Result<String, SpecError> {
    if host.starts_with('-') {
        return Err(SpecError::Option);
    }
    // Git decodes `%2d` after its own check, so no encoded character is allowed.
    let is_label = |label: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        !label.is_empty() && !label.starts_with('-') && label.chars().all(is_plain)
    };
    let host = host.to_ascii_lowercase();
    if host.len() > MAX_HOST_BYTES || !host.split('.').all(is_label) || host == LOCAL {
        return Err(SpecError::Host(host));
    }
    Ok(host)
}

//! Addresses of remote repositories.

use std::fmt;
use std::path::Path;

/// The address of a repository, in a form that git cannot misinterpret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUrl {
    url: String,
    protocol: Protocol,
}

/// The protocol of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Https,
    Ssh,
    File,
}

/// Why a string is not the address of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// It is empty, or has no host or path.
    #[error("it does not contain a host and a path")]
    Incomplete,
    /// Git, or a program that git starts, would interpret it as an option.
    #[error("it, or its host, starts with `-` and could be interpreted as an option")]
    Option,
    /// It contains whitespace or a control character.
    #[error("it contains whitespace or a control character")]
    Character,
    /// Its protocol is not supported.
    #[error("its protocol is not `https`, `ssh` or `file`")]
    Protocol,
    /// It contains a password or a token.
    #[error("it contains a password or token")]
    Credentials,
    /// A local path is not absolute, or not valid UTF-8.
    #[error("it is not an absolute path in valid UTF-8")]
    Relative,
}

impl RemoteUrl {
    /// Parses a URL with `https`, `ssh` or `file`, or `user@host:path`, which means `ssh`.
    ///
    /// # Errors
    ///
    /// Returns the first reason for rejecting it. The error does not contain the string.
    pub fn parse(text: &str) -> Result<Self, RemoteError> {
        if text.starts_with('-') {
            return Err(RemoteError::Option);
        }
        if text.contains(|c: char| c.is_control()) {
            return Err(RemoteError::Character);
        }
        let url = |protocol| Ok(Self { url: text.to_owned(), protocol });
        let Some((scheme, rest)) = text.split_once("://") else { return parse_short(text) };
        let scheme = scheme.to_ascii_lowercase();
        if scheme == "file" {
            let is_absolute = rest.starts_with('/') && rest.len() > 1;
            return if is_absolute { url(Protocol::File) } else { Err(RemoteError::Relative) };
        }
        let protocol = match scheme.as_str() {
            "https" => Protocol::Https,
            "ssh" => Protocol::Ssh,
            _ => return Err(RemoteError::Protocol),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        check_authority(authority, protocol)?;
        let is_blank = text.contains(char::is_whitespace);
        if is_blank {
            return Err(RemoteError::Character);
        }
        if path.trim_matches('/').is_empty() { Err(RemoteError::Incomplete) } else { url(protocol) }
    }

    /// Returns the URL of a repository on this machine, which is fetched like a remote one: object files are
    /// not shared.
    ///
    /// # Errors
    ///
    /// Fails if the path is not absolute, or not valid UTF-8.
    pub fn of_folder(path: &Path) -> Result<Self, RemoteError> {
        let text = path.to_str().filter(|_| path.is_absolute()).ok_or(RemoteError::Relative)?;
        if text.contains(|c: char| c.is_control()) {
            return Err(RemoteError::Character);
        }
        // Git decodes percent escapes.
        Ok(Self { url: format!("file://{}", text.replace('%', "%25")), protocol: Protocol::File })
    }

    /// Returns the URL as it is passed to git.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    pub(crate) fn protocol(&self) -> Protocol {
        self.protocol
    }
}

/// Parses `user@host:path`.
fn parse_short(text: &str) -> Result<RemoteUrl, RemoteError> {
    let (authority, path) = text.split_once(':').ok_or(RemoteError::Incomplete)?;
    // `ext::program` and similar forms start with the name of a remote helper.
    if path.starts_with(':') || !authority.contains('@') || authority.contains('/') {
        return Err(RemoteError::Protocol);
    }
    check_authority(authority, Protocol::Ssh)?;
    if text.contains(char::is_whitespace) {
        return Err(RemoteError::Character);
    }
    if path.starts_with('-') {
        return Err(RemoteError::Option);
    }
    if path.is_empty() {
        return Err(RemoteError::Incomplete);
    }
    Ok(RemoteUrl { url: text.to_owned(), protocol: Protocol::Ssh })
}

fn check_authority(authority: &str, protocol: Protocol) -> Result<(), RemoteError> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    match (user, protocol) {
        (Some(_), Protocol::Https) => return Err(RemoteError::Credentials),
        (Some(user), _) if user.contains([':', '@']) => return Err(RemoteError::Credentials),
        _ => {}
    }
    if host.starts_with('-') || authority.starts_with('-') {
        return Err(RemoteError::Option);
    }
    if host.is_empty() || host.starts_with(':') { Err(RemoteError::Incomplete) } else { Ok(()) }
}

impl Protocol {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Ssh => "ssh",
            Self::File => "file",
        }
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_without_secrets_are_accepted() {
        let cases = [
            ("https://github.com/o/r", Ok("https")),
            ("HTTPS://github.com/o/r.git", Ok("https")),
            ("ssh://git@host:22/o/r", Ok("ssh")),
            ("git@github.com:o/r.git", Ok("ssh")),
            ("file:///srv/with space/r.git", Ok("file")),
            ("--upload-pack=touch x", Err(RemoteError::Option)),
            ("-oProxyCommand=x@host:o/r", Err(RemoteError::Option)),
            ("ssh://-oProxyCommand=x/o/r", Err(RemoteError::Option)),
            ("ssh://git@-oProxyCommand=x/o/r", Err(RemoteError::Option)),
            ("git@-oProxyCommand=x:o/r", Err(RemoteError::Option)),
            ("git@host:-x", Err(RemoteError::Option)),
            ("ext::sh -c touch% x", Err(RemoteError::Protocol)),
            ("fd::1", Err(RemoteError::Protocol)),
            ("git@ext::sh", Err(RemoteError::Protocol)),
            ("http://host/o/r", Err(RemoteError::Protocol)),
            ("git://host/o/r", Err(RemoteError::Protocol)),
            ("ftp://host/o/r", Err(RemoteError::Protocol)),
            ("https://user:tok@host/o/r", Err(RemoteError::Credentials)),
            ("https://tok@host/o/r", Err(RemoteError::Credentials)),
            ("ssh://git:secret@host/o/r", Err(RemoteError::Credentials)),
            ("git:secret@host:o/r", Err(RemoteError::Protocol)),
            ("https:///o/r", Err(RemoteError::Incomplete)),
            ("https://host", Err(RemoteError::Incomplete)),
            ("https://host/o\n/r", Err(RemoteError::Character)),
            ("https://host/o /r", Err(RemoteError::Character)),
            ("file://relative/r", Err(RemoteError::Relative)),
            ("o/r", Err(RemoteError::Incomplete)),
            ("", Err(RemoteError::Incomplete)),
        ];
        for (text, expected) in cases {
            let found = RemoteUrl::parse(text).map(|url| url.protocol().name());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_folder_path_is_escaped_in_its_url() {
        let url = |path: &str| RemoteUrl::of_folder(Path::new(path)).map(|url| url.to_string());
        assert_eq!(url("/a b/100%20"), Ok("file:///a b/100%2520".to_owned()));
        assert_eq!(url("a"), Err(RemoteError::Relative));
        assert_eq!(url("/a\n"), Err(RemoteError::Character));
    }
}

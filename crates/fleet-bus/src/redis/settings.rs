//! Where Redis is, and how it is used.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use minds_fleet_protocol::{ErrorCode, Failure};
use redis::{ConnectionAddr, IntoConnectionInfo};

/// Where Redis is, and how it is used. The debug output does not show the password.
#[derive(Clone)]
pub struct RedisSettings {
    /// The URL: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`, the same with `rediss` for TLS, or `unix:PATH`.
    pub url: String,
    /// The user, if the URL names none.
    pub username: Option<String>,
    /// The password, if the URL has none.
    pub password: Option<String>,
    /// What the names of all keys and channels begin with: 1 to 32 characters of `A-Za-z0-9:_-`.
    pub prefix: String,
    /// Whether to use TLS, also if the scheme of the URL is `redis`.
    pub tls: bool,
    /// The file with the certificates, in PEM, that are trusted in place of those of the system.
    pub ca_file: Option<PathBuf>,
    /// Whether a password may be sent to another machine without TLS.
    pub allow_plaintext: bool,
}

impl RedisSettings {
    /// Uses the prefix `mcp:`, and nothing that the URL does not say.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            username: None,
            password: None,
            prefix: "mcp:".to_owned(),
            tls: false,
            ca_file: None,
            allow_plaintext: false,
        }
    }
}

impl fmt::Debug for RedisSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisSettings")
            .field("prefix", &self.prefix)
            .field("tls", &self.tls)
            .field("ca_file", &self.ca_file)
            .finish_non_exhaustive()
    }
}

/// The place of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Tcp { host: String, port: u16, is_encrypted: bool },
    Unix(PathBuf),
}

/// Settings that can be used.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) username: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: i64,
    pub(super) ca_file: Option<PathBuf>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Tcp { host, port, .. } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Place::Tcp { host, port, .. } => write!(f, "{host}:{port}"),
            Place::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Target {
    /// Checks settings. A message never contains the URL, which may have a password.
    pub(super) fn new(settings: &RedisSettings) -> Result<Self, Failure> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-');
        if !(1..=32).contains(&settings.prefix.len()) || !settings.prefix.bytes().all(is_name) {
            return Err(invalid("the prefix has to be 1 to 32 characters of `A-Za-z0-9:_-`"));
        }
        if settings.url.contains('#') {
            return Err(invalid("the URL of Redis must not have a fragment (`#`)"));
        }
        // The library parses the URL; TLS is ours, with other algorithms than those that the library would choose.
        let (scheme, rest) = settings.url.split_once(':').unwrap_or_default();
        let (url, is_encrypted) = match scheme {
            "rediss" => (format!("redis:{rest}"), true),
            "redis" | "unix" => (settings.url.clone(), settings.tls),
            _ => return Err(invalid("the URL of Redis begins with `redis:`, `rediss:` or `unix:`")),
        };
        let parsed = url.into_connection_info().map_err(|error| invalid(&error))?;
        let place = match parsed.addr() {
            ConnectionAddr::Tcp(host, port) => Place::Tcp { host: host.clone(), port: *port, is_encrypted },
            ConnectionAddr::Unix(_) if is_encrypted => return Err(invalid("a Unix socket has no TLS")),
            ConnectionAddr::Unix(path) => Place::Unix(path.clone()),
            _ => return Err(invalid("the URL of Redis names no host")),
        };
        let of_url = parsed.redis_settings();
        let given = |of_url: Option<&str>, other: &Option<String>| {
            of_url.map(str::to_owned).or_else(|| other.clone()).filter(|text| !text.is_empty())
        };
        let target = Self {
            place,
            username: given(of_url.username(), &settings.username),
            password: given(of_url.password(), &settings.password),
            database: of_url.db(),
            ca_file: settings.ca_file.clone(),
        };
        target.check(settings.allow_plaintext)?;
        Ok(target)
    }

    fn check(&self, allow_plaintext: bool) -> Result<(), Failure> {
        if self.username.is_some() && self.password.is_none() {
            return Err(invalid("the settings of Redis have a user and no password"));
        }
        let Place::Tcp { host, is_encrypted, .. } = &self.place else { return Ok(()) };
        if self.ca_file.is_some() && !is_encrypted {
            return Err(invalid("`ca_file` needs TLS: `rediss://` or `tls: true`"));
        }
        let is_loopback =
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if self.password.is_some() && !is_encrypted && !is_loopback && !allow_plaintext {
            let message = "the password of Redis would be sent to another machine without TLS: use `rediss://`, \
                 or set `allow_plaintext: true`";
            return Err(invalid(message));
        }
        Ok(())
    }
}

fn invalid(reason: &(impl fmt::Display + ?Sized)) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, format!("cannot use Redis: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, change: fn(&mut RedisSettings), expected: Result<&str, &str>) {
        let mut settings = RedisSettings::new(url);
        change(&mut settings);
        match (Target::new(&settings), expected) {
            (Ok(target), Ok(expected)) => {
                let user = (target.username.clone().unwrap_or_default(), target.password.clone());
                assert_eq!(format!("{target} {} {user:?} {:?}", target.database, target.place), expected);
            }
            (Err(failure), Err(expected)) => {
                assert_eq!(failure.code(), Some(ErrorCode::ConfigInvalid));
                assert!(failure.message.contains(expected), "{}", failure.message);
                assert!(!failure.message.contains("secret"), "{}", failure.message);
            }
            (found, expected) => panic!("{url}: {:?} and not {expected:?}", found.map(|one| one.to_string())),
        }
    }

    #[test]
    fn urls_are_read_and_checked() {
        let plain = r#"h:6379 0 ("", None) Tcp { host: "h", port: 6379, is_encrypted: false }"#;
        check("redis://h", |_| {}, Ok(plain));
        let encrypted = r#"h:1 2 ("u", Some("p")) Tcp { host: "h", port: 1, is_encrypted: true }"#;
        check("rediss://u:p@h:1/2", |_| {}, Ok(encrypted));
        let set = |settings: &mut RedisSettings| {
            settings.username = Some("u".to_owned());
            settings.password = Some("p".to_owned());
            settings.tls = true;
        };
        check("redis://h:1/2", set, Ok(encrypted));
        check("unix:///run/r.sock", |_| {}, Ok(r#"/run/r.sock 0 ("", None) Unix("/run/r.sock")"#));
        for (url, message) in [
            ("", "begins with"),
            ("http://h", "begins with"),
            ("redis://", "cannot use Redis"),
            ("redis://h/x", "atabase"),
            ("rediss://h#insecure", "fragment"),
            ("redis://user@h", "no password"),
            ("redis://:secret@h", "without TLS"),
            ("redis://:secret@192.0.2.1", "without TLS"),
            ("redis://:secret@h:port", "cannot use Redis"),
        ] {
            check(url, |_| {}, Err(message));
        }
        check("unix:///run/r.sock", |settings| settings.tls = true, Err("no TLS"));
        check("redis://h", |settings| settings.ca_file = Some("ca.pem".into()), Err("needs TLS"));
        for prefix in ["", "a b", "*", &"x".repeat(33)] {
            let settings = RedisSettings { prefix: prefix.to_owned(), ..RedisSettings::new("redis://h") };
            assert!(Target::new(&settings).is_err_and(|failure| failure.message.contains("prefix")));
        }
    }

    #[test]
    fn a_password_stays_on_this_machine_or_is_encrypted() {
        for url in [
            "redis://:secret@localhost",
            "redis://:secret@127.0.0.1",
            "redis://:secret@127.8.8.8:1",
            "redis://:secret@[::1]:1",
            "rediss://:secret@h",
        ] {
            assert!(Target::new(&RedisSettings::new(url)).is_ok(), "{url}");
        }
        let settings = RedisSettings::new("redis://:secret@h");
        assert!(!format!("{settings:?}").contains("secret"));
        assert!(Target::new(&RedisSettings { allow_plaintext: true, ..settings }).is_ok());
    }
}

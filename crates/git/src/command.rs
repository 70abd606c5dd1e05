//! The environment and configuration with which git is started.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::program::Git;
use crate::remote::Protocol;

/// The variables of the user's environment that are passed to git. None of them starts with `GIT_`.
const INHERITED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
];

/// Variables with fixed values.
const FIXED: &[(&str, &str)] = &[
    // Messages are parsed, so they must be in English.
    ("LC_ALL", "C"),
    ("LANGUAGE", ""),
    // Git must not prompt.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // Objects are read exactly as they were fetched.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
];

/// Variables that disable the configuration of the user and the system.
const WITHOUT_CONFIG: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=30"),
];

/// Settings that override those of any configuration file.
const SETTINGS: &[&str] = &[
    "protocol.allow=never",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.askPass=",
    "core.untrackedCache=false",
    "core.pager=cat",
    "credential.interactive=false",
    "fetch.fsckObjects=true",
    "transfer.fsckObjects=true",
    "transfer.bundleURI=false",
    "transfer.credentialsInUrl=die",
    "fetch.unpackLimit=1",
    "transfer.unpackLimit=1",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "fetch.writeCommitGraph=false",
    "fetch.output=full",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=60",
];

/// The environment of git.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    variables: Vec<(&'static str, OsString)>,
    has_user_config: bool,
}

/// Collects the environment.
pub(crate) fn build_environment(has_user_config: bool) -> Environment {
    let inherited = INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    let config = if has_user_config { &[] } else { WITHOUT_CONFIG };
    let fixed = FIXED.iter().chain(config).map(|(name, value)| (*name, OsString::from(value)));
    let mut variables: Vec<_> = inherited.chain(fixed).collect();
    if has_user_config && let Some(folder) = std::env::var_os("XDG_CONFIG_HOME") {
        variables.push(("XDG_CONFIG_HOME", folder));
    }
    Environment { variables, has_user_config }
}

impl Git {
    /// Returns a git command that may fetch by `protocol`, or not at all.
    pub(crate) fn command(&self, protocol: Option<Protocol>) -> Command {
        let environment = self.environment();
        let mut command = Command::new(self.program());
        command
            .current_dir("/")
            .env_clear()
            .envs(environment.variables.iter().map(|(name, value)| (name, value)));
        let allowed: &[Protocol] = match protocol {
            None => &[],
            // The user's configuration may rewrite web addresses to SSH.
            Some(Protocol::Https) if environment.has_user_config => &[Protocol::Https, Protocol::Ssh],
            Some(Protocol::Https) => &[Protocol::Https],
            Some(Protocol::Ssh) => &[Protocol::Ssh],
            Some(Protocol::File) => &[Protocol::File],
        };
        let names: Vec<&str> = allowed.iter().map(|protocol| protocol.name()).collect();
        command.env("GIT_ALLOW_PROTOCOL", names.join(":"));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        for name in names {
            command.args(["-c", &format!("protocol.{name}.allow=always")]);
        }
        command
    }

    /// Returns a git command that runs in the bare repository at `path`.
    pub(crate) fn command_in(&self, path: &Path, protocol: Option<Protocol>) -> Command {
        let mut command = self.command(protocol);
        let mut option = OsString::from("--git-dir=");
        option.push(path);
        command.arg(option).current_dir(path);
        command
    }
}

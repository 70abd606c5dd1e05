//! Services for the agents of a fleet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use minds_diagnostics::Problems;
use minds_fleet::model::TransportKind;
use minds_fleet::{EffectiveAgent, FleetFamily};

use super::command::{Command, Placeholder};
use super::service::{Notes, Place, Service, Value};
use crate::artifact::RenderError;
use crate::containers::REDIS_URL;
use crate::target::Target;

/// The exit statuses after which a restart does not help: another instance is running, or the files are
/// invalid.
const FINAL_STATUSES: &[u8] = &[11, 12];

/// The environment variable with the address of the transport, and its key in the files.
const URL_VARIABLE: &str = "ATEAM_REDIS_URL";
const URL_KEY: &str = "mcp.transport.url";
const URL_NAME: &str = "the address of the transport";

/// Further keys of a transport, which the Redis server for the containers does not support.
const TRANSPORT_LOGIN_KEYS: [&str; 4] = ["ca_file", "password", "tls", "username"];

/// Host names of the local machine.
const LOCAL_NAMES: [&str; 3] = ["localhost", "ip6-localhost", "ip6-loopback"];

/// Settings that are not part of the files.
#[derive(Clone, Copy, Debug)]
pub struct FleetSetting<'s> {
    /// The workspace, in which all agents work: an absolute path without symbolic links.
    pub workspace: &'s str,
    /// The name of the project if no layer defines it.
    pub project: &'s str,
    /// The command that runs an agent.
    pub command: &'s Command,
    /// The target, which is mentioned in findings.
    pub target: Target,
}

/// Returns a service for each agent, sorted by name. Values that cannot be written or are left out are
/// reported to `problems`.
///
/// # Errors
///
/// Fails if a part of the family could not be read.
pub fn of_fleet(
    family: &FleetFamily,
    setting: &FleetSetting<'_>,
    problems: &mut Problems,
) -> Result<Vec<Service>, RenderError> {
    if !family.has_all_agents() {
        return Err(RenderError::Unreadable { what: minds_fleet::AGENTS_FOLDER.to_owned() });
    }
    let unreadable = family.agents().into_values().find(|(_, entry)| entry.content().is_none());
    if let Some((_, entry)) = unreadable {
        return Err(RenderError::Unreadable { what: entry.folder.to_string() });
    }
    let mut notes = Notes { target: setting.target, problems };
    let names: Vec<&str> = family.agents().into_keys().collect();
    let agents = names.into_iter().filter_map(|name| family.effective(name, setting.project));
    Ok(agents.filter_map(|agent| service(&agent, family, setting, &mut notes)).collect())
}

fn service(
    agent: &EffectiveAgent<'_>,
    family: &FleetFamily,
    setting: &FleetSetting<'_>,
    notes: &mut Notes<'_>,
) -> Option<Service> {
    let project = text(agent, "project.name", "the name of the project");
    let own_place =
        agent.fields.get("name").and_then(|field| field.from.first()).map(|node| Place::of(*node));
    let name = Value::new("the name of the agent", agent.name).at(own_place);
    let is_name = |value: &Value| minds_fleet::model::is_name(&value.text);
    for value in [&project, &name] {
        if !is_name(value) {
            notes.refuse(value, "it must consist of letters, digits, `_` and `-`, like `name` in `project.yaml` and agent names");
            return None;
        }
    }
    let is_local = agent.transport_kind() == Some(TransportKind::Local);
    // The address of another kind has no effect.
    let configured = if is_local { Value::new(URL_NAME, "") } else { text(agent, URL_KEY, URL_NAME) };
    // Sockets of one container cannot be reached from another one.
    let needs_redis =
        if is_local { setting.target.is_container() } else { is_local_address(&configured.text) };
    // Containers use their own Redis server instead of the one on the machine.
    let is_replaced = needs_redis && setting.target.is_container();
    if is_replaced && !is_local {
        leave_out_login(agent, notes);
    }
    let url = if is_replaced { Value { text: REDIS_URL.to_owned(), ..configured } } else { configured };
    let variable = variable(agent, URL_KEY).filter(|_| !is_replaced && !is_local);
    let has_password = has_credentials(&url.text);
    let uses_url = setting.command.uses(Placeholder::RedisUrl);
    if has_password && uses_url {
        notes.refuse(&url, "it contains a password, which every user could read there");
        return None;
    }
    if variable.is_some() && uses_url {
        notes.refuse(&url, "it is read from an environment variable, whose value is unknown here");
        return None;
    }
    if is_local && !is_replaced && uses_url {
        notes.refuse(&url.at(name.place), "the transport of the fleet is local, so it has no address");
        return None;
    }
    let command = setting.command.fill(|placeholder| match placeholder {
        Placeholder::Project => project.text.clone(),
        Placeholder::Agent => agent.name.to_owned(),
        Placeholder::Root | Placeholder::Cwd => setting.workspace.to_owned(),
        Placeholder::RedisUrl => url.text.clone(),
        // The caller refuses this placeholder.
        Placeholder::EnvFile => String::new(),
    });
    let directory = Value::new("the path of the workspace", setting.workspace);
    let id = format!("{}/{}", project.text, agent.name);
    let service = Service::new(format!("{}-{}", project.text, agent.name), id, directory);
    // A built-in value is not written.
    let is_configured = url.place.is_some();
    if has_password {
        let help = "agents read it from `tools.yaml`; otherwise set it in their environment";
        notes.leave_out(URL_NAME, "it contains a password", help, url.place.as_ref());
    }
    if let Some(variable) = variable {
        let reason = format!("it is read from the environment variable `{variable}`");
        let help = format!("set `{variable}` in the environment of the agents");
        notes.leave_out(URL_NAME, &reason, &help, url.place.as_ref());
    }
    Some(Service {
        command,
        environment: if is_configured && !has_password && variable.is_none() {
            vec![(URL_VARIABLE, url.clone())]
        } else {
            Vec::new()
        },
        passes_environment: uses_url,
        restart_seconds: 3,
        final_statuses: FINAL_STATUSES,
        needs_redis,
        place: name.place,
        inputs: inputs(agent, family),
        ..service
    })
}

/// Reports transport settings that the Redis server for the containers does not support.
fn leave_out_login(agent: &EffectiveAgent<'_>, notes: &mut Notes<'_>) {
    for key in TRANSPORT_LOGIN_KEYS {
        let Some(field) = agent.fields.get(&format!("mcp.transport.{key}")) else { continue };
        if field.value == serde_json::Value::Bool(false) {
            continue;
        }
        let place = field.from.first().map(|node| Place::of(*node));
        let reason = "the Redis server for the containers has neither TLS nor a login";
        let help = "remove it for agents in containers, or use a server on another machine";
        notes.leave_out(&format!("`{key}` of the transport"), reason, help, place.as_ref());
    }
}

/// Returns a setting of an agent, with its source position.
fn text(agent: &EffectiveAgent<'_>, key: &str, name: &str) -> Value {
    let Some(field) = agent.fields.get(key) else { return Value::new(name, "") };
    let text = field.value.as_str().unwrap_or_default();
    Value::new(name, text).at(field.from.first().map(|node| Place::of(*node)))
}

/// Returns the environment variable that a setting of an agent is read from, if any.
fn variable<'a>(agent: &'a EffectiveAgent<'_>, key: &str) -> Option<&'a str> {
    agent.fields.get(key)?.value.get("env")?.as_str()
}

/// Returns whether an address contains a password, before the host or in the query. An unescaped `/`, `?` or
/// `#` in the password may look like the end of the host, so everything in front of the last `@` is examined.
fn has_credentials(url: &str) -> bool {
    let inside = strip_scheme(url);
    let before = inside.rsplit_once('@').map(|(before, _)| before);
    before.is_some_and(|before| before.contains([':', '/', '?', '#'])) || inside.contains("password=")
}

/// Returns an address without its scheme.
fn strip_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, inside)| inside)
}

/// Returns whether an address refers to the local machine, which a container cannot reach by that address.
fn is_local_address(url: &str) -> bool {
    let host = strip_scheme(url).split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let address = if let Some(literal) = host.strip_prefix('[') {
        let literal = literal.split_once(']').map_or(literal, |(literal, _)| literal);
        literal.parse::<Ipv6Addr>().ok().map(IpAddr::from)
    } else {
        let name = host.split(':').next().unwrap_or_default();
        let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
        if LOCAL_NAMES.contains(&name.as_str()) || name.ends_with(".localhost") {
            return true;
        }
        ipv4(&name).map(IpAddr::from)
    };
    // The unspecified address refers to the local machine too.
    let is_own = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    address.is_some_and(|address| is_own(address.to_canonical()))
}

/// Parses an IPv4 address of one to four decimal numbers, of which the last fills the remaining bytes, as
/// `inet_aton` does.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let numbers: Vec<u32> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 {
        return None;
    }
    let mut address = *last;
    for (number, shift) in first.iter().zip([24, 16, 8]) {
        address |= u32::from(u8::try_from(*number).ok()?) << shift;
    }
    let rest = 32 - 8 * u32::try_from(first.len()).ok()?;
    (rest == 32 || *last < 1 << rest).then(|| Ipv4Addr::from(address))
}

/// Returns the names of the files that configure an agent.
fn inputs(agent: &EffectiveAgent<'_>, family: &FleetFamily) -> Vec<String> {
    let own = agent
        .entry
        .file
        .as_ref()
        .and_then(|file| family.document(file))
        .map(minds_document::Document::source);
    let nodes = ["project.name", URL_KEY].into_iter().filter_map(|key| agent.fields.get(key));
    let named = nodes.flat_map(|field| field.from.iter().map(|node| node.label().source.name().to_owned()));
    let mut inputs: Vec<String> =
        own.map(|source| source.name().to_owned()).into_iter().chain(named).collect();
    inputs.sort();
    inputs.dedup();
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_addresses_and_credentials_are_recognized() {
        for (url, credentials, of_machine) in [
            ("redis://127.0.0.1:6379/0", false, true),
            ("redis://localhost", false, true),
            ("redis://[::1]:6379", false, true),
            ("redis://:secret@127.0.0.1:6379/0", true, true),
            ("rediss://user:secret@redis.example.org/0", true, false),
            // Everything in front of the last `@` may be a password.
            ("rediss://redis.example.org:6380/0?x=@", true, false),
            ("redis://user:hunter2/Xk9@127.0.0.1:6379/0", true, false),
            ("redis://u:p?w@h", true, false),
            ("redis://u:12#w@h", true, false),
            ("redis://u/p@h", true, false),
            ("redis://LOCALHOST:6379/0", false, true),
            ("redis://localhost.:6379/0", false, true),
            ("redis://db.localhost", false, true),
            ("redis://ip6-localhost", false, true),
            ("redis://[0:0:0:0:0:0:0:1]/0", false, true),
            ("redis://[::ffff:127.0.0.1]:6379", false, true),
            ("redis://[::]", false, true),
            ("redis://[2001:db8::1]", false, false),
            ("redis://0.0.0.0:6379", false, true),
            ("redis://127.255.0.9", false, true),
            ("redis://127.1", false, true),
            ("redis://2130706433", false, true),
            ("redis://0", false, true),
            ("redis://128.1", false, false),
            ("redis://127.16777216", false, false),
            ("redis://127.0.0.0.1", false, false),
            ("redis://127.example.org:6379/0", false, false),
            ("redis://10.0.0.1", false, false),
            ("redis://redis.example.org/0?password=x", true, false),
            ("redis://user@127.0.0.1", false, true),
            ("redis://localhost.example.org", false, false),
        ] {
            assert_eq!((has_credentials(url), is_local_address(url)), (credentials, of_machine), "{url}");
        }
    }
}

//! The agents of a fleet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use minds_diagnostics::Problems;
use minds_fleet::{EffectiveAgent, FleetFamily};

use super::command::{Command, Placeholder};
use super::service::{Notes, Place, Service, Value};
use crate::artifact::RenderError;
use crate::containers::REDIS_URL;
use crate::target::Target;

/// The exit statuses of an agent that another start does not help: its twin runs already, or its files are wrong.
const FINAL_STATUSES: &[u8] = &[11, 12];

/// The variable with the address of the transport, and the key that says it.
const URL_VARIABLE: &str = "ATEAM_REDIS_URL";
const URL_KEY: &str = "mcp.transport.url";

/// What else of a transport is said beside its address, which the server beside containers knows nothing of.
const BESIDE_URL: [&str; 4] = ["ca_file", "password", "tls", "username"];

/// The names that machines have for themselves.
const OWN_NAMES: [&str; 3] = ["localhost", "ip6-localhost", "ip6-loopback"];

/// What is known beside the files.
#[derive(Clone, Copy, Debug)]
pub struct FleetSetting<'s> {
    /// The workspace, in which all agents work: an absolute path without links.
    pub workspace: &'s str,
    /// The name of the project if no layer says so.
    pub project: &'s str,
    /// The command that runs an agent.
    pub command: &'s Command,
    /// What is rendered: findings speak of it.
    pub target: Target,
}

/// Returns a service for each agent, by name; what cannot be written or is left out is added to `problems`.
///
/// # Errors
///
/// Fails if the family could not be read in full.
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
            notes.refuse(value, "it must be of letters, digits, `_` and `-`, as `name` in `project.yaml` and the names of agents are");
            return None;
        }
    }
    let said = text(agent, URL_KEY, "the address of the transport");
    let needs_redis = is_of_machine(&said.text);
    // A container has a server beside it in the place of that of the machine.
    let is_replaced = needs_redis && setting.target == Target::Docker;
    if is_replaced {
        leave_out_login(agent, notes);
    }
    let url = if is_replaced { Value { text: REDIS_URL.to_owned(), ..said } } else { said };
    let variable = variable(agent, URL_KEY).filter(|_| !is_replaced);
    let has_password = has_credentials(&url.text);
    let uses_url = setting.command.uses(Placeholder::RedisUrl);
    if has_password && uses_url {
        notes.refuse(&url, "it has a password, which everybody could read there");
        return None;
    }
    if variable.is_some() && uses_url {
        notes.refuse(&url, "it is read from an environment variable, which is not known here");
        return None;
    }
    let command = setting.command.fill(|placeholder| match placeholder {
        Placeholder::Project => project.text.clone(),
        Placeholder::Agent => agent.name.to_owned(),
        Placeholder::Root | Placeholder::Cwd => setting.workspace.to_owned(),
        Placeholder::RedisUrl => url.text.clone(),
        // It is refused before.
        Placeholder::EnvFile => String::new(),
    });
    let directory = Value::new("the path of the workspace", setting.workspace);
    let id = format!("{}/{}", project.text, agent.name);
    let service = Service::new(format!("{}-{}", project.text, agent.name), id, directory);
    // What is built in is not said again.
    let is_said = url.place.is_some();
    if has_password {
        let help = "agents read it from `tools.yaml`; or put it into their environment yourself";
        notes.leave_out("the address of the transport", "it has a password", help, url.place.as_ref());
    }
    if let Some(variable) = variable {
        let reason = format!("it is read from the environment variable `{variable}`");
        let help = format!("set `{variable}` in the environment of the agents");
        notes.leave_out("the address of the transport", &reason, &help, url.place.as_ref());
    }
    Some(Service {
        command,
        environment: if is_said && !has_password && variable.is_none() {
            vec![(URL_VARIABLE, url.clone())]
        } else {
            Vec::new()
        },
        hands_over_environment: uses_url,
        restart_seconds: 3,
        final_statuses: FINAL_STATUSES,
        needs_redis,
        place: name.place,
        inputs: inputs(agent, family),
        ..service
    })
}

/// Says what the server beside containers has not of that of the machine, for agents that read it in the files.
fn leave_out_login(agent: &EffectiveAgent<'_>, notes: &mut Notes<'_>) {
    for key in BESIDE_URL {
        let Some(field) = agent.fields.get(&format!("mcp.transport.{key}")) else { continue };
        if field.value == serde_json::Value::Bool(false) {
            continue;
        }
        let place = field.from.first().map(|node| Place::of(*node));
        let reason = "the server beside the containers has neither TLS nor a login";
        let help = "take it out for agents in containers, or name a server that is not on this machine";
        notes.leave_out(&format!("`{key}` of the transport"), reason, help, place.as_ref());
    }
}

/// Returns a value of an agent, at the place that says it.
fn text(agent: &EffectiveAgent<'_>, key: &str, name: &str) -> Value {
    let Some(field) = agent.fields.get(key) else { return Value::new(name, "") };
    let text = field.value.as_str().unwrap_or_default();
    Value::new(name, text).at(field.from.first().map(|node| Place::of(*node)))
}

/// Returns the name of the environment variable that a value of an agent is read from.
fn variable<'a>(agent: &'a EffectiveAgent<'_>, key: &str) -> Option<&'a str> {
    agent.fields.get(key)?.value.get("env")?.as_str()
}

/// Returns whether an address has a password, before its host or behind it. A sign of the password that belongs into no
/// address may end what looks like its host, so all before the last `@` counts.
fn has_credentials(url: &str) -> bool {
    let inside = inside(url);
    let before = inside.rsplit_once('@').map(|(before, _)| before);
    before.is_some_and(|before| before.contains([':', '/', '?', '#'])) || inside.contains("password=")
}

/// Returns what stands behind the scheme of an address.
fn inside(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, inside)| inside)
}

/// Returns whether an address is one of the machine on which the agent runs, which a container is not.
fn is_of_machine(url: &str) -> bool {
    let host = inside(url).split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let address = if let Some(literal) = host.strip_prefix('[') {
        let literal = literal.split_once(']').map_or(literal, |(literal, _)| literal);
        literal.parse::<Ipv6Addr>().ok().map(IpAddr::from)
    } else {
        let name = host.split(':').next().unwrap_or_default();
        let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
        if OWN_NAMES.contains(&name.as_str()) || name.ends_with(".localhost") {
            return true;
        }
        ipv4(&name).map(IpAddr::from)
    };
    // An address that is none in particular leads to the own machine too.
    let is_own = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    address.is_some_and(|address| is_own(address.to_canonical()))
}

/// Reads an address of one to four decimal numbers, of which the last stands for all bytes that are left, as systems do.
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

/// Returns the names of the files that say something about an agent.
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
    fn addresses_are_told_apart() {
        for (url, credentials, of_machine) in [
            ("redis://127.0.0.1:6379/0", false, true),
            ("redis://localhost", false, true),
            ("redis://[::1]:6379", false, true),
            ("redis://:secret@127.0.0.1:6379/0", true, true),
            ("rediss://user:secret@redis.example.org/0", true, false),
            // Nobody can tell what that is.
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
            assert_eq!((has_credentials(url), is_of_machine(url)), (credentials, of_machine), "{url}");
        }
    }
}

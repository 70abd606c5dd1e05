//! Processes that belong to a place, found by a variable that all of them inherit.

use std::fs;
use std::process::Command;

use super::polling::eventually;

/// The variable. Its value is the folder of the place.
pub(crate) const MARKER: &str = "MINDS_TEST_PLACE";

/// What a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// `minds mcp`.
    Mcp,
    /// The process that starts the one with the servers.
    Supervisor,
    /// The process with the servers.
    Worker,
    /// A server, or a process that a server started.
    Server,
    /// Another command.
    Command,
}

/// A process of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) parent: u32,
    pub(crate) role: Role,
    /// The path of the behavior of a server.
    behavior: Option<String>,
}

impl Process {
    /// Returns the name of the behavior of a server.
    pub(crate) fn behavior_name(&self) -> Option<&str> {
        self.behavior.as_deref()?.rsplit('/').next()
    }

    /// Returns whether it is a server with this behavior.
    pub(crate) fn is_of(&self, behavior: &str) -> bool {
        self.behavior_name() == Some(behavior)
    }
}

/// Returns the processes whose environment has the marker with this value. Processes that ended and were not waited for have
/// no environment.
pub(crate) fn find(marker: &str) -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("the system describes its processes");
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| read(id, marker)).collect()
}

fn read(id: u32, marker: &str) -> Option<Process> {
    let environment = fs::read(format!("/proc/{id}/environ")).ok()?;
    let variable = |name: &str| {
        let mut variables = environment.split(|byte| *byte == 0);
        let value = variables.find_map(|one| one.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    if variable(MARKER)? != marker {
        return None;
    }
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let (state, parent) = (fields.next()?, fields.next()?);
    if matches!(state, "Z" | "X") {
        return None;
    }
    let behavior = variable(super::fake_server::BEHAVIOR);
    let words = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let words: Vec<&[u8]> = words.split(|byte| *byte == 0).collect();
    let role = match words.get(1..3) {
        _ if behavior.is_some() => Role::Server,
        Some([b"gateway", b"serve"]) if words.contains(&&b"--worker"[..]) => Role::Worker,
        Some([b"gateway", b"serve"]) => Role::Supervisor,
        Some([b"mcp", _]) => Role::Mcp,
        _ => Role::Command,
    };
    Some(Process { id, parent: parent.parse().ok()?, role, behavior })
}

/// Sends a signal to a process, by the name of the signal, or with a negative id to a process group.
pub(crate) fn signal(name: &str, id: i64) {
    let mut kill = Command::new("kill");
    // The process may have ended.
    let sent = kill.args([&format!("-{name}"), "--", &id.to_string()]).output();
    sent.expect("the program `kill` exists");
}

/// The processes of a gateway.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    pub(crate) mcp: u32,
    pub(crate) supervisor: u32,
    pub(crate) worker: u32,
}

impl Family {
    /// Returns the processes that belong to a process of `minds mcp`.
    ///
    /// # Errors
    ///
    /// Fails if they do not start.
    pub(crate) fn of(mcp: u32, marker: &str) -> Result<Self, String> {
        eventually("the processes of a gateway", || {
            let processes = find(marker);
            // A process that is starting another one looks like two for a short time, but only one has this parent.
            let child = |role: Role, parent: u32| {
                processes.iter().find(|one| one.role == role && one.parent == parent).map(|one| one.id)
            };
            let supervisor = child(Role::Supervisor, mcp)?;
            Some(Self { mcp, supervisor, worker: child(Role::Worker, supervisor)? })
        })
    }
}

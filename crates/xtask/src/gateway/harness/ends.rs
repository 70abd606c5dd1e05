//! Ways in which `minds mcp` ends, with servers that do not want to end.

use std::os::unix::process::CommandExt as _;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Client;
use super::place::Place;
use super::polling::eventually;
use super::processes::{Family, Role, signal};

/// The servers: one that ends when its input is closed, one that ignores that and `SIGTERM`, one that left a process in another
/// session, and one that is stopped.
const SERVERS: [&str; 4] = ["plain", "stubborn", "leaving", "stopped"];

/// How `minds mcp` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Its stdin is closed.
    Closed,
    /// It gets `SIGTERM`.
    Terminated,
    /// It is killed.
    Killed,
    /// Its process group is killed.
    GroupKilled,
    /// Its stdin is closed while the worker is stopped.
    ClosedWithoutWorker,
    /// It is killed while the worker is stopped.
    KilledWithoutWorker,
    /// Its stdin is closed while the supervisor is stopped.
    ClosedWithoutSupervisor,
    /// Its stdin is closed after the worker was killed several times, so that the next one does not start at once.
    ClosedInPause,
    /// It is killed at the same time.
    KilledInPause,
}

impl Ending {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closed => "stdin closed",
            Self::Terminated => "SIGTERM",
            Self::Killed => "SIGKILL",
            Self::GroupKilled => "SIGKILL to the group",
            Self::ClosedWithoutWorker => "worker stopped, stdin closed",
            Self::KilledWithoutWorker => "worker stopped, SIGKILL",
            Self::ClosedWithoutSupervisor => "supervisor stopped, stdin closed",
            Self::ClosedInPause => "worker killed 6 times, stdin closed",
            Self::KilledInPause => "worker killed 6 times, SIGKILL",
        }
    }
}

/// Writes the files of a workspace for ends.
pub(crate) fn prepare(place: &Place) {
    place.team(&json!({"coder": {"toolsets": SERVERS}}));
    for server in SERVERS {
        place.behave(server, &json!({"tools": [server], "stays": server == "stubborn"}));
    }
    // The parent of the process in the other session ends at once.
    let daemon = "(setsid sh -c 'trap \"\" TERM HUP; sleep 1000' </dev/null >/dev/null 2>&1 &)";
    place.servers(&[
        ("plain", place.entry("plain", &json!({}))),
        ("stubborn", place.entry_after("trap '' TERM", "stubborn")),
        ("leaving", place.entry_after(daemon, "leaving")),
        ("stopped", place.entry("stopped", &json!({}))),
    ]);
}

/// Ends `minds mcp` while each server has two calls, and returns the time from its end to the end of all processes.
///
/// # Errors
///
/// Fails if a process stays.
pub(crate) fn end(place: &Place, ending: Ending) -> Result<Duration, String> {
    let mut command = place.command(&["mcp", "--member", "coder"]);
    command.process_group(0);
    let mut client = Client::start(command)?;
    client.wait_for_tools(&SERVERS)?;
    let family = Family::of(client.id(), &place.marker())?;
    for server in SERVERS {
        // The first one passes through the worker, the second one does not.
        for count in 1..=2 {
            client.call(server, &json!({"do": "hang", "token": count.to_string()}));
            eventually("a call at its server", || {
                (place.lines(server, "calls").len() == count).then_some(())
            })?;
        }
    }
    eventually("the process in another session", || {
        let processes = place.processes();
        processes.iter().find(|one| one.role == Role::Server && one.parent == family.worker).map(drop)
    })?;
    signal("STOP", place.starts("stopped").into_iter().next_back().unwrap_or_default().into());
    let (mcp, worker, supervisor) = (family.mcp.into(), family.worker.into(), family.supervisor.into());
    match ending {
        Ending::Closed => client.close(),
        Ending::Terminated => signal("TERM", mcp),
        Ending::Killed => signal("KILL", mcp),
        Ending::GroupKilled => signal("KILL", -mcp),
        Ending::ClosedWithoutWorker => {
            signal("STOP", worker);
            client.close();
        }
        Ending::KilledWithoutWorker => {
            signal("STOP", worker);
            signal("KILL", mcp);
        }
        Ending::ClosedWithoutSupervisor => {
            signal("STOP", supervisor);
            client.close();
        }
        Ending::ClosedInPause | Ending::KilledInPause => {
            for _ in 0..6 {
                signal("KILL", Family::of(family.mcp, &place.marker())?.worker.into());
            }
            if ending == Ending::KilledInPause {
                signal("KILL", mcp);
            } else {
                client.close();
            }
        }
    }
    client.wait()?;
    let begin = Instant::now();
    place.wait_for_end()?;
    let time = begin.elapsed();
    let (_, stderr) = client.finish();
    for server in SERVERS {
        place.forget(server, "calls");
        place.forget(server, "starts");
    }
    if stderr.contains("panicked") {
        return Err(stderr);
    }
    Ok(time)
}

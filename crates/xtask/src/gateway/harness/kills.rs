//! Processes of a gateway that are killed while calls run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use super::place::Place;
use super::polling::eventually;
use super::processes::{Family, signal};
use crate::random::Random;

/// The number of calls that run when a process is killed, besides two of each server that are never answered.
const CALLS: usize = 12;
/// The maximum time that a server takes for a call, in milliseconds.
const MAX_PAUSE: usize = 20;
/// The maximum time after the last call, in microseconds.
const MAX_DELAY: usize = 60_000;

/// The servers, which have one tool each: one that ends when its input is closed, one that ignores that and `SIGTERM`, and one
/// that all conversations share.
const SERVERS: [(&str, &str); 3] =
    [("plain", "plain_work"), ("stubborn", "stubborn_work"), ("shared", "shared_work")];

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    /// A server.
    Server,
    /// The process with the servers.
    Worker,
    /// The process that starts it.
    Supervisor,
    /// `minds mcp`.
    Mcp,
}

impl Victim {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Worker => "worker",
            Self::Supervisor => "supervisor",
            Self::Mcp => "minds mcp",
        }
    }
}

/// What was observed when a process was killed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Observed {
    /// The calls that were sent before.
    pub(crate) calls: usize,
    /// The calls without an answer at the time of the kill.
    pub(crate) running: usize,
    /// The calls that were answered with a result, and with a refusal.
    pub(crate) results: usize,
    pub(crate) refusals: usize,
    /// The time until the next call of each server was answered.
    pub(crate) next: Duration,
    /// The time from the end of `minds mcp` to the end of all processes.
    pub(crate) end: Duration,
}

/// Writes the files of a workspace for kills.
pub(crate) fn prepare(place: &Place) {
    place.team(&json!({"coder": {"toolsets": SERVERS.map(|(server, _)| server)}}));
    for (server, tool) in SERVERS {
        place.behave(server, &json!({"tools": [tool], "stays": server == "stubborn"}));
    }
    place.servers(&[
        ("plain", place.entry("plain", &json!({}))),
        ("stubborn", place.entry_after("trap '' TERM", "stubborn")),
        ("shared", place.entry("shared", &json!({"truely-stateless": true}))),
    ]);
}

/// Kills a process while calls run, and checks that each call is answered at most once and executed at most once, that the
/// next calls work, and that no process is left.
///
/// # Errors
///
/// Fails with what is not so.
pub(crate) fn kill(place: &Place, victim: Victim, random: &mut Random) -> Result<Observed, String> {
    let mut client = start(place)?;
    let family = Family::of(client.id(), &place.marker())?;
    let mut calls = Calls::new(random);
    // Calls that certainly run: of each server one that passes through the worker, and then one that `minds mcp` makes itself. A
    // supervisor is not needed for an answer, so those would run forever.
    if victim != Victim::Supervisor {
        for _ in 0..2 {
            for server in 0..SERVERS.len() {
                calls.start(&mut client, server, &json!({"do": "hang"}));
            }
            calls.wait_for_execution(place)?;
        }
    }
    for _ in 0..CALLS {
        let pause = random.next_below(MAX_PAUSE);
        let server = random.next_below(SERVERS.len());
        calls.start(&mut client, server, &json!({"do": "pause", "milliseconds": pause}));
    }
    std::thread::sleep(Duration::from_micros(random.next_below(MAX_DELAY) as u64));
    let killed_server = random.next_below(SERVERS.len());
    let id = match victim {
        Victim::Server => find_server(place, SERVERS[killed_server].0)?,
        Victim::Worker => family.worker,
        Victim::Supervisor => family.supervisor,
        Victim::Mcp => family.mcp,
    };
    let running = calls.count_open(&client);
    signal("KILL", id.into());
    let mut observed = Observed { calls: calls.started.len(), running, ..Observed::default() };
    if victim == Victim::Mcp {
        client.wait()?;
        observed.end = wait_for_end(place)?;
        calls.check_counts(client, false)?;
        let mut next = start(place)?;
        observed.next = call_again(place, &mut next, random)?;
        next.close();
        next.wait()?;
        wait_for_end(place)?;
    } else {
        let is_refusable = |server: usize| match victim {
            Victim::Server => server == killed_server,
            _ => victim == Victim::Worker,
        };
        // The other servers go on, so calls of them that are never answered are not waited for.
        let expected = |call: &Started| is_refusable(call.server) || !call.hangs;
        (observed.results, observed.refusals) = calls.wait_for_answers(&client, &expected, &is_refusable)?;
        observed.next = call_again(place, &mut client, random)?;
        client.close();
        client.wait()?;
        observed.end = wait_for_end(place)?;
        calls.check_counts(client, victim != Victim::Server)?;
    }
    check_executions(place)?;
    Ok(observed)
}

fn start(place: &Place) -> Result<Client, String> {
    let mut client = Client::start(place.command(&["mcp", "--member", "coder"]))?;
    client.wait_for_tools(&SERVERS.map(|(_, tool)| tool))?;
    Ok(client)
}

fn find_server(place: &Place, server: &str) -> Result<u32, String> {
    eventually("the process of a server", || {
        place.processes().iter().find(|one| one.is_of(server)).map(|one| one.id)
    })
}

/// Calls each server once, and returns the time.
fn call_again(place: &Place, client: &mut Client, random: &mut Random) -> Result<Duration, String> {
    let begin = Instant::now();
    for (server, tool) in SERVERS {
        let token = token(random);
        let result = client.result_of(tool, &json!({"token": token}));
        let result = result.map_err(|error| format!("the next call of `{server}`: {error}"))?;
        if result["token"] != *token || !place.starts(server).iter().any(|pid| result["pid"] == *pid) {
            return Err(format!("the next call of `{server}` has the result of another one: {result}"));
        }
    }
    Ok(begin.elapsed())
}

fn wait_for_end(place: &Place) -> Result<Duration, String> {
    let begin = Instant::now();
    place.wait_for_end()?;
    Ok(begin.elapsed())
}

fn token(random: &mut Random) -> String {
    format!("{:016x}", random.next())
}

/// A call that was started.
struct Started {
    id: i64,
    server: usize,
    token: String,
    hangs: bool,
}

struct Calls {
    started: Vec<Started>,
    tokens: Random,
}

impl Calls {
    fn new(random: &mut Random) -> Self {
        Self { started: Vec::new(), tokens: Random::new(random.next()) }
    }

    fn start(&mut self, client: &mut Client, server: usize, arguments: &Value) {
        let token = token(&mut self.tokens);
        let hangs = arguments["do"] == "hang";
        let arguments = super::place::with_fields(arguments.clone(), &json!({"token": token}));
        let id = client.call(SERVERS[server].1, &arguments);
        self.started.push(Started { id, server, token, hangs });
    }

    /// Waits until each call was received by its server.
    fn wait_for_execution(&self, place: &Place) -> Result<(), String> {
        eventually("calls at their servers", || {
            let is_received =
                |call: &Started| place.lines(SERVERS[call.server].0, "calls").contains(&call.token);
            self.started.iter().all(is_received).then_some(())
        })
    }

    fn count_open(&self, client: &Client) -> usize {
        self.started.iter().filter(|call| client.count_answers(call.id) == 0).count()
    }

    /// Waits for the answers of calls, and returns the numbers of results and of refusals.
    fn wait_for_answers(
        &self,
        client: &Client,
        is_expected: &dyn Fn(&Started) -> bool,
        is_refusable: &dyn Fn(usize) -> bool,
    ) -> Result<(usize, usize), String> {
        let (mut results, mut refusals) = (0, 0);
        for call in self.started.iter().filter(|call| is_expected(call)) {
            let answer = client.answer(call.id)?;
            let content = &answer["result"]["structuredContent"];
            if content["token"] == *call.token {
                results += 1;
            } else if content["code"] == "SERVER_UNAVAILABLE" && is_refusable(call.server) {
                refusals += 1;
            } else {
                return Err(format!("a call of `{}` was answered with {answer}", SERVERS[call.server].0));
            }
        }
        Ok((results, refusals))
    }

    /// Checks that each request was answered at most once, or exactly once. All processes have ended.
    fn check_counts(&self, client: Client, is_exact: bool) -> Result<(), String> {
        let (counts, stderr) = client.finish();
        let twice: BTreeMap<_, _> = counts.iter().filter(|(_, count)| **count > 1).collect();
        if !twice.is_empty() {
            return Err(format!("requests were answered more than once: {twice:?}"));
        }
        let missing = self.started.iter().filter(|call| !counts.contains_key(&call.id)).count();
        if is_exact && missing > 0 {
            return Err(format!("{missing} calls were not answered"));
        }
        if stderr.contains("panicked") {
            return Err(stderr);
        }
        Ok(())
    }
}

/// Checks that no server has executed a call twice.
fn check_executions(place: &Place) -> Result<(), String> {
    for (server, _) in SERVERS {
        let tokens = place.lines(server, "calls");
        let mut known = BTreeSet::new();
        if let Some(twice) = tokens.iter().find(|token| !known.insert(*token)) {
            return Err(format!("`{server}` has executed the call {twice} twice"));
        }
        // The next kill begins with an empty list.
        place.forget(server, "calls");
        place.forget(server, "starts");
    }
    Ok(())
}

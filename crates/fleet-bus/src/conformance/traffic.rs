//! Many clients and agents at once, also while messages are lost and agents end.

use std::collections::BTreeMap;
use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, Json, Outcome, Request, RequestId, Response};

use super::world::{TestAgent, caller, id, outcome_code};
use super::{Violation, World, declare, ensure};
use crate::ClientPort;

declare! {
    every_request_has_one_result(with_faults),
    response_belongs_to_its_request(with_faults),
    response_reaches_only_its_asker(with_faults),
    request_is_served_by_its_agent(with_faults),
    failure_has_a_code_of_the_transport(with_faults),
    served_request_was_sent(with_faults),
    most_requests_succeed(with_faults),
}

/// The number of agents and of clients.
const AGENTS: usize = 2;
const CLIENTS: usize = 3;
const STEPS: usize = 60;

/// A request that a port accepted, and its results.
struct Sent {
    client: usize,
    agent: usize,
    request: Request,
    results: Vec<Response>,
}

/// What happened in a run.
#[derive(Default)]
struct Trace {
    sent: Vec<Sent>,
    /// Results whose request the connection did not send.
    foreign: Vec<(usize, Response)>,
    /// The requests that agents received, by the number of the agent.
    served: Vec<(usize, Request)>,
}

/// A connection, and the requests that were sent over it.
struct Connected {
    client: usize,
    agent: usize,
    port: Box<dyn ClientPort>,
    requests: BTreeMap<RequestId, usize>,
}

fn agent_id(number: usize) -> minds_fleet_protocol::AgentId {
    id(&format!("agent{number}"))
}

fn run(world: &mut World<'_>) -> Result<Trace, Violation> {
    let mut trace = Trace::default();
    let mut agents: Vec<Option<TestAgent>> = (0..AGENTS).map(|_| None).collect();
    let mut connected: Vec<Connected> = Vec::new();
    for _ in 0..STEPS {
        for number in 0..AGENTS {
            step_agent(world, &mut trace, &mut agents, number)?;
        }
        let pick = world.pick(100);
        let (client, agent) = (pick % CLIENTS, pick % AGENTS);
        let found = connected.iter_mut().find(|one| (one.client, one.agent) == (client, agent));
        match (pick, found) {
            (0..70, Some(one)) => send(world, &mut trace, one),
            (0..70, None) => {
                // The agent may have ended.
                if let Ok(port) = world.connect(&agent_id(agent), client) {
                    connected.push(Connected { client, agent, port, requests: BTreeMap::new() });
                }
            }
            (70..95, _) => {
                let time = world.random.number_below(2_500);
                world.advance(Duration::from_millis(time));
            }
            _ => {}
        }
        collect(world, &mut trace, &mut connected);
    }
    for number in 0..AGENTS {
        step_agent(world, &mut trace, &mut agents, number)?;
    }
    collect(world, &mut trace, &mut connected);
    // Everything has a result in the end.
    for _ in 0..4 {
        world.advance(Duration::from_secs(5));
        collect(world, &mut trace, &mut connected);
    }
    Ok(trace)
}

fn step_agent(
    world: &World<'_>,
    trace: &mut Trace,
    agents: &mut [Option<TestAgent>],
    number: usize,
) -> Result<(), Violation> {
    let Some(place) = agents.get_mut(number) else { return Ok(()) };
    if place.is_none() {
        *place = Some(world.announce(&agent_id(number))?);
    }
    let Some(agent) = place else { return Ok(()) };
    let stepped = agent.step(world);
    trace.served.extend(agent.received.drain(..).map(|request| (number, request)));
    if let Err(failure) = stepped {
        // The process was ended by a fault.
        ensure!(world.has_faults, "an agent ended: {failure:?}");
        *place = None;
    }
    Ok(())
}

fn send(world: &mut World<'_>, trace: &mut Trace, connected: &mut Connected) {
    let text = agent_id(connected.agent).to_string();
    let mut request = world.request_with(connected.client, &text);
    // Clients use the same ids.
    let number = connected.requests.len() as u64;
    request.req_id = RequestId::new(number);
    if connected.port.send(request.clone(), world.now()).is_ok() {
        connected.requests.insert(request.req_id.clone(), trace.sent.len());
        let (client, agent) = (connected.client, connected.agent);
        trace.sent.push(Sent { client, agent, request, results: Vec::new() });
    }
}

/// Takes what has arrived, and removes connections that have ended.
fn collect(world: &World<'_>, trace: &mut Trace, connected: &mut Vec<Connected>) {
    for one in connected.iter_mut() {
        for response in world.responses(one.port.as_mut()) {
            let at = one.requests.get(&response.req_id).copied();
            match at.and_then(|at| trace.sent.get_mut(at)) {
                Some(sent) => sent.results.push(response),
                None => trace.foreign.push((one.client, response)),
            }
        }
    }
    connected.retain_mut(|one| !world.has_ended(one.port.as_mut()));
}

fn every_request_has_one_result(world: &mut World<'_>) -> Result<(), Violation> {
    let trace = run(world)?;
    for sent in &trace.sent {
        ensure!(sent.results.len() == 1, "{:?} has the results {:?}", sent.request, sent.results);
    }
    Ok(())
}

fn response_belongs_to_its_request(world: &mut World<'_>) -> Result<(), Violation> {
    for sent in run(world)?.sent {
        for response in sent.results {
            if let Outcome::Success { value, .. } = &response.outcome {
                let expected = serde_json::json!({
                    "caller": caller(sent.client),
                    "params": { "text": agent_id(sent.agent).to_string() },
                });
                let expected = Json::from_value(&expected).ok();
                ensure!(Some(value) == expected.as_ref(), "{:?} has the result {value:?}", sent.request);
            }
        }
    }
    Ok(())
}

fn response_reaches_only_its_asker(world: &mut World<'_>) -> Result<(), Violation> {
    let trace = run(world)?;
    ensure!(trace.foreign.is_empty(), "responses reached other clients: {:?}", trace.foreign);
    Ok(())
}

fn request_is_served_by_its_agent(world: &mut World<'_>) -> Result<(), Violation> {
    for (agent, request) in run(world)?.served {
        let text = agent_id(agent).to_string();
        ensure!(request.params.as_str().contains(&text), "{text} received {request:?}");
    }
    Ok(())
}

fn served_request_was_sent(world: &mut World<'_>) -> Result<(), Violation> {
    let trace = run(world)?;
    for (_, request) in &trace.served {
        ensure!(trace.sent.iter().any(|sent| sent.request == *request), "no client sent {request:?}");
    }
    Ok(())
}

fn failure_has_a_code_of_the_transport(world: &mut World<'_>) -> Result<(), Violation> {
    for sent in run(world)?.sent {
        for code in sent.results.iter().filter_map(outcome_code) {
            let is_known = matches!(code, ErrorCode::Timeout | ErrorCode::AgentNotFound);
            ensure!(is_known, "{:?} has the code {code:?}", sent.request);
            ensure!(world.has_faults, "{:?} failed without a fault: {code:?}", sent.request);
        }
    }
    Ok(())
}

fn most_requests_succeed(world: &mut World<'_>) -> Result<(), Violation> {
    let sent = run(world)?.sent;
    let succeeded =
        sent.iter().filter(|sent| sent.results.iter().any(|one| outcome_code(one).is_none())).count();
    ensure!(succeeded * 4 >= sent.len(), "{succeeded} of {} requests succeeded", sent.len());
    Ok(())
}

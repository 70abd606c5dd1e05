//! Connections and their ends.

use std::time::Duration;

use minds_fleet_protocol::ErrorCode;

use super::world::{code, id, outcome_code};
use super::{Violation, World, declare, ensure};
use crate::ClaimCall;

declare! {
    missing_agent_is_not_found,
    ended_agent_is_not_found,
    end_of_the_agent_ends_requests,
    end_of_the_agent_ends_a_claim,
    ended_connection_accepts_nothing,
    connection_does_not_survive_a_restart,
    end_of_one_client_leaves_the_rest,
    clients_with_one_name_are_independent,
    request_does_not_need_a_serving_agent,
}

fn missing_agent_is_not_found(world: &mut World<'_>) -> Result<(), Violation> {
    let _agent = world.announce(&id("a"))?;
    let missing = code(world.connect(&id("b"), 1));
    ensure!(missing == Some(ErrorCode::AgentNotFound), "a missing agent gives {missing:?}");
    Ok(())
}

fn ended_agent_is_not_found(world: &mut World<'_>) -> Result<(), Violation> {
    world.announce(&id("a"))?.leave(world)?;
    let ended = code(world.connect(&id("a"), 1));
    ensure!(ended == Some(ErrorCode::AgentNotFound), "an agent that left gives {ended:?}");
    drop(world.announce(&id("a"))?);
    let ended = code(world.connect(&id("a"), 1));
    ensure!(ended == Some(ErrorCode::AgentNotFound), "an agent that crashed gives {ended:?}");
    Ok(())
}

fn end_of_the_agent_ends_requests(world: &mut World<'_>) -> Result<(), Violation> {
    let agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    for _ in 0..3 {
        let request = world.request(1);
        client.send(request, world.now())?;
    }
    if world.random.is_hit(500) {
        agent.leave(world)?;
    } else {
        drop(agent);
    }
    let responses = world.responses(client.as_mut());
    let codes: Vec<_> = responses.iter().map(outcome_code).collect();
    ensure!(codes == [Some(ErrorCode::AgentNotFound); 3], "the requests end with {codes:?}");
    Ok(())
}

fn end_of_the_agent_ends_a_claim(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut owner, mut client) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, owner.as_mut())?;
    let call = ClaimCall { is_takeover: true, resume: None };
    let early = world.claim(&mut agent, client.as_mut(), call)?;
    ensure!(early.is_none(), "a takeover of a connected owner is decided at once: {early:?}");
    drop(agent);
    let result = world.claim_result(client.as_mut());
    let code = result.and_then(code);
    ensure!(code == Some(ErrorCode::AgentNotFound), "the claim ends with {code:?}");
    Ok(())
}

fn ended_connection_accepts_nothing(world: &mut World<'_>) -> Result<(), Violation> {
    let agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    drop(agent);
    ensure!(world.has_ended(client.as_mut()), "a client does not notice the end of its agent");
    let (request, now) = (world.request(1), world.now());
    let codes = [
        code(client.send(request, now)),
        code(client.claim(ClaimCall::default(), now)),
        code(client.release(now)),
        code(client.receive(now, Duration::ZERO)),
    ];
    ensure!(codes == [Some(ErrorCode::AgentNotFound); 4], "an ended connection gives {codes:?}");
    Ok(())
}

fn connection_does_not_survive_a_restart(world: &mut World<'_>) -> Result<(), Violation> {
    drop(world.announce(&id("a"))?);
    let first = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    drop(first);
    let mut second = world.announce(&id("a"))?;
    let request = world.request(1);
    let _ = client.send(request, world.now());
    second.step(world)?;
    ensure!(second.received.is_empty(), "a request reached another process than its connection");
    ensure!(world.has_ended(client.as_mut()), "a connection survived a restart");
    Ok(())
}

fn end_of_one_client_leaves_the_rest(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    let requests = [world.request(1), world.request(2)];
    let [one, two] = requests;
    first.send(one, world.now())?;
    second.send(two, world.now())?;
    drop(first);
    agent.step(world)?;
    let responses = world.responses(second.as_mut());
    ensure!(responses.len() == 1, "the remaining client has {} responses", responses.len());
    Ok(())
}

fn clients_with_one_name_are_independent(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 1)?);
    let request = world.request(1);
    first.send(request, world.now())?;
    agent.step(world)?;
    ensure!(world.responses(second.as_mut()).is_empty(), "a response reached another connection");
    ensure!(world.responses(first.as_mut()).len() == 1, "a response did not reach its connection");
    ensure!(world.responses(second.as_mut()).is_empty(), "a response reached another connection");
    Ok(())
}

fn request_does_not_need_a_serving_agent(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    for _ in 0..20 {
        let request = world.request(1);
        client.send(request, world.now())?;
    }
    ensure!(world.receive(client.as_mut()).is_empty(), "something arrived from an agent that does nothing");
    world.advance(Duration::from_secs(1));
    agent.step(world)?;
    let count = world.responses(client.as_mut()).len();
    ensure!(count == 20, "{count} of 20 requests were answered");
    Ok(())
}

//! Single requests and their limits.

use std::time::Duration;

use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_fleet_protocol::{ErrorCode, Json, Outcome, Timeout};

use super::world::{code, echo, id, outcome_code};
use super::{Violation, World, declare, ensure};
use crate::{ClientEvent, MAX_IN_FLIGHT, request};

declare! {
    request_is_answered,
    request_arrives_unchanged,
    request_at_the_limit_arrives,
    request_above_the_limit_is_refused,
    response_above_the_limit_is_replaced,
    request_of_another_caller_is_refused,
    id_in_flight_is_refused,
    id_is_free_after_its_result,
    requests_in_flight_are_limited,
    request_without_answer_times_out,
    late_answer_is_ignored,
    response_of_an_earlier_process_is_ignored,
    unanswered_request_blocks_no_other,
    answers_may_come_in_any_order,
    requests_arrive_in_order,
    blocking_request_returns_its_response,
}

fn request_is_answered(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    for _ in 0..5 {
        let request = world.request(1);
        let expected = echo(&request, agent.port().epoch());
        client.send(request, world.now())?;
        agent.step(world)?;
        let responses = world.responses(client.as_mut());
        ensure!(responses == [expected.clone()], "expected {expected:?}, got {responses:?}");
    }
    Ok(())
}

fn request_arrives_unchanged(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let long = "x".repeat(100_000);
    for text in ["", "two\nlines\r\n", "\u{0}\u{2028}\u{feff}", "\"}{\\", "ünïcödé 🦀", long.as_str()] {
        let mut request = world.request_with(1, text);
        request.timeout = Timeout::from_seconds(7.25);
        client.send(request.clone(), world.now())?;
        agent.step(world)?;
        let arrived = agent.received.pop();
        ensure!(arrived.as_ref() == Some(&request), "sent {request:?}, arrived {arrived:?}");
        ensure!(world.responses(client.as_mut()).len() == 1, "no answer to {text:?}");
    }
    Ok(())
}

/// Makes a request with a number of bytes.
fn fill(world: &mut World<'_>, bytes: usize) -> Result<minds_fleet_protocol::Request, Violation> {
    let request = world.request_with(1, "");
    let empty = request.encode().map_err(|error| Violation(error.to_string()))?.len();
    let params = serde_json::json!({ "text": "x".repeat(bytes - empty) });
    let params = Json::from_value(&params).map_err(|error| Violation(error.to_string()))?;
    Ok(minds_fleet_protocol::Request { params, ..request })
}

fn request_at_the_limit_arrives(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = fill(world, MAX_MESSAGE_BYTES)?;
    client.send(request.clone(), world.now())?;
    for _ in 0..20 {
        agent.serve(world, |port, ticket, request| {
            let params = Json::parse("{}")
                .map_err(|_| minds_fleet_protocol::Failure::new(ErrorCode::ArgsInvalid, ""))?;
            let short = minds_fleet_protocol::Request { params, ..request.clone() };
            port.answer(ticket, echo(&short, port.epoch()), world.now())
        })?;
        if world.responses(client.as_mut()).iter().any(|response| outcome_code(response).is_none()) {
            ensure!(agent.received == [request], "another request arrived");
            return Ok(());
        }
    }
    Err(Violation("a request of the maximum size is not answered".to_owned()))
}

fn request_above_the_limit_is_refused(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = fill(world, MAX_MESSAGE_BYTES + 1)?;
    let refused = code(client.send(request.clone(), world.now()));
    ensure!(refused == Some(ErrorCode::PayloadTooLarge), "a request above the limit gives {refused:?}");
    agent.step(world)?;
    ensure!(agent.received.is_empty(), "a refused request arrived");
    world.advance(Duration::from_mins(1));
    ensure!(world.receive(client.as_mut()).is_empty(), "a refused request has a result");
    Ok(())
}

fn response_above_the_limit_is_replaced(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = world.request(1);
    client.send(request, world.now())?;
    agent.serve(world, |port, ticket, request| {
        let mut response = echo(request, port.epoch());
        if let Outcome::Success { value, .. } = &mut response.outcome {
            *value = Json::from_value(&"x".repeat(MAX_MESSAGE_BYTES)).unwrap_or_else(|_| value.clone());
        }
        port.answer(ticket, response, world.now())
    })?;
    let codes: Vec<_> = world.responses(client.as_mut()).iter().map(outcome_code).collect();
    ensure!(codes == [Some(ErrorCode::PayloadTooLarge)], "a response above the limit gives {codes:?}");
    Ok(())
}

fn request_of_another_caller_is_refused(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = world.request(2);
    let refused = code(client.send(request, world.now()));
    ensure!(refused == Some(ErrorCode::ArgsInvalid), "a request in another name gives {refused:?}");
    agent.step(world)?;
    ensure!(agent.received.is_empty(), "a request in another name arrived");
    Ok(())
}

fn id_in_flight_is_refused(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = world.request(1);
    client.send(request.clone(), world.now())?;
    let second = code(client.send(request, world.now()));
    ensure!(second == Some(ErrorCode::ArgsInvalid), "the same id in flight gives {second:?}");
    agent.step(world)?;
    ensure!(world.responses(client.as_mut()).len() == 1, "a request has not one result");
    Ok(())
}

fn id_is_free_after_its_result(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = world.request(1);
    for _ in 0..3 {
        client.send(request.clone(), world.now())?;
        agent.step(world)?;
        ensure!(world.responses(client.as_mut()).len() == 1, "the same request again has no result");
    }
    Ok(())
}

fn requests_in_flight_are_limited(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    for _ in 0..MAX_IN_FLIGHT {
        let request = world.request(1);
        client.send(request, world.now())?;
    }
    let request = world.request(1);
    let refused = code(client.send(request, world.now()));
    ensure!(refused == Some(ErrorCode::Busy), "one request more gives {refused:?}");
    let mut count = 0;
    for _ in 0..100 {
        agent.step(world)?;
        count += world.responses(client.as_mut()).len();
    }
    ensure!(count == MAX_IN_FLIGHT, "{count} of {MAX_IN_FLIGHT} requests were answered");
    Ok(())
}

fn request_without_answer_times_out(world: &mut World<'_>) -> Result<(), Violation> {
    let _agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let (mut short, long) = (world.request(1), world.request(1));
    short.timeout = Timeout::from_seconds(2.0);
    client.send(short.clone(), world.now())?;
    client.send(long.clone(), world.now())?;
    for (time, expected) in [(1_999, None), (1, Some(&short)), (12_999, None), (1, Some(&long))] {
        world.advance(Duration::from_millis(time));
        let responses = world.responses(client.as_mut());
        let expected: Vec<_> =
            expected.map(|request| (&request.req_id, Some(ErrorCode::Timeout))).into_iter().collect();
        let found: Vec<_> =
            responses.iter().map(|response| (&response.req_id, outcome_code(response))).collect();
        ensure!(found == expected, "expected {expected:?}, got {found:?}");
    }
    Ok(())
}

fn late_answer_is_ignored(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = world.request(1);
    client.send(request.clone(), world.now())?;
    world.advance(Duration::from_secs(16));
    ensure!(world.responses(client.as_mut()).len() == 1, "a request does not time out");
    agent.step(world)?;
    ensure!(world.responses(client.as_mut()).is_empty(), "a request has a second result");
    Ok(())
}

fn response_of_an_earlier_process_is_ignored(world: &mut World<'_>) -> Result<(), Violation> {
    drop(world.announce(&id("a"))?);
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let request = world.request(1);
    client.send(request, world.now())?;
    agent.serve(world, |port, ticket, request| {
        port.answer(ticket, echo(request, port.epoch() - 1), world.now())
    })?;
    ensure!(world.responses(client.as_mut()).is_empty(), "a response of an earlier process is a result");
    Ok(())
}

fn unanswered_request_blocks_no_other(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let (first, second) = (world.request(1), world.request(1));
    client.send(first.clone(), world.now())?;
    client.send(second.clone(), world.now())?;
    agent.serve(world, |port, ticket, request| {
        if request.req_id == first.req_id {
            return Ok(());
        }
        port.answer(ticket, echo(request, port.epoch()), world.now())
    })?;
    let responses = world.responses(client.as_mut());
    let answered: Vec<_> = responses.iter().map(|response| &response.req_id).collect();
    ensure!(answered == [&second.req_id], "got {responses:?}");
    Ok(())
}

fn answers_may_come_in_any_order(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut one, mut two) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    for _ in 0..4 {
        let (first, second) = (world.request(1), world.request(2));
        one.send(first, world.now())?;
        two.send(second, world.now())?;
    }
    let mut tickets = Vec::new();
    agent.serve(world, |_, ticket, request| {
        tickets.push((ticket, request.clone()));
        Ok(())
    })?;
    while !tickets.is_empty() {
        let at = world.pick(tickets.len());
        let (ticket, request) = tickets.swap_remove(at);
        let response = echo(&request, agent.port().epoch());
        agent.port().answer(ticket, response, world.now())?;
    }
    let counts = [world.responses(one.as_mut()).len(), world.responses(two.as_mut()).len()];
    ensure!(counts == [4, 4], "the clients have {counts:?} responses");
    Ok(())
}

fn requests_arrive_in_order(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let mut sent = Vec::new();
    for _ in 0..30 {
        let request = world.request(1);
        sent.push(request.req_id.clone());
        client.send(request, world.now())?;
        if world.random.is_hit(300) {
            agent.step(world)?;
        }
    }
    agent.step(world)?;
    let received: Vec<_> = agent.received.iter().map(|request| request.req_id.clone()).collect();
    ensure!(received == sent, "sent {sent:?}, received {received:?}");
    Ok(())
}

fn blocking_request_returns_its_response(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let (earlier, later) = (world.request(1), world.request(1));
    client.send(earlier.clone(), world.now())?;
    agent.step(world)?;
    let mut other = Vec::new();
    // Nothing serves the second request, so the clock has to move.
    let response = request(
        client.as_mut(),
        later.clone(),
        &mut || {
            world.advance(Duration::from_secs(8));
            world.now()
        },
        &mut |event| other.push(event),
    )?;
    let code = outcome_code(&response);
    ensure!(response.req_id == later.req_id && code == Some(ErrorCode::Timeout), "got {response:?}");
    let is_earlier = |event: &ClientEvent| matches!(event, ClientEvent::Response(response) if response.req_id == earlier.req_id);
    ensure!(other.iter().filter(|event| is_earlier(event)).count() == 1, "other results are lost: {other:?}");
    Ok(())
}

//! Claiming and releasing agents.

use std::time::Duration;

use minds_fleet_protocol::limits::{OWNER_RECONNECT_WINDOW, TAKEOVER_GRACE};
use minds_fleet_protocol::{ErrorCode, OwnerEvent, TakeoverEvent, TakeoverNotice};

use super::world::{caller, code, id};
use super::{Violation, World, declare, ensure};
use crate::{ClaimCall, ClientEvent, OwnerToken};

declare! {
    agent_without_owner_is_claimed,
    client_is_not_the_owner_without_a_claim,
    claim_of_the_owner_succeeds_again,
    claim_of_another_client_is_denied,
    released_agent_is_free,
    release_by_another_client_changes_nothing,
    takeover_is_final_after_its_grace,
    takeover_is_final_when_the_owner_releases,
    takeover_of_an_agent_without_owner_succeeds,
    owner_is_notified_of_a_takeover,
    second_takeover_is_denied,
    replaced_owner_is_not_the_owner,
    owner_expires_after_its_connection,
    token_keeps_the_owner,
    token_of_another_client_is_worthless,
    token_of_a_former_owner_is_worthless,
    name_of_the_owner_is_not_enough,
    end_of_the_claimer_ends_its_takeover,
    owner_changes_are_reported,
    owners_of_agents_are_separate,
    restarted_agent_has_no_owner,
}

const MILLISECOND: Duration = Duration::from_millis(1);

fn takeover() -> ClaimCall {
    ClaimCall { is_takeover: true, resume: None }
}

fn resume(token: &OwnerToken) -> ClaimCall {
    ClaimCall { is_takeover: false, resume: Some(token.clone()) }
}

fn agent_without_owner_is_claimed(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    world.own(&mut agent, client.as_mut())?;
    ensure!(world.is_owner(&mut agent, client.as_mut(), 1)?, "a client that claimed is not the owner");
    world.advance(Duration::from_secs(100));
    ensure!(world.is_owner(&mut agent, client.as_mut(), 1)?, "a connected owner expired");
    Ok(())
}

fn client_is_not_the_owner_without_a_claim(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    ensure!(!world.is_owner(&mut agent, first.as_mut(), 1)?, "a client owns an agent that it did not claim");
    world.own(&mut agent, first.as_mut())?;
    ensure!(!world.is_owner(&mut agent, second.as_mut(), 2)?, "a client owns an agent of another");
    Ok(())
}

fn claim_of_the_owner_succeeds_again(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let first = world.own(&mut agent, client.as_mut())?;
    let second = world.own(&mut agent, client.as_mut())?;
    ensure!(first == second, "the owner has two tokens");
    Ok(())
}

fn claim_of_another_client_is_denied(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    let Some(Err(failure)) = world.claim(&mut agent, second.as_mut(), ClaimCall::default())? else {
        return Err(Violation("an agent has two owners".to_owned()));
    };
    ensure!(failure.code() == Some(ErrorCode::OwnershipDenied), "the claim fails with {failure:?}");
    let detail = failure.detail.as_ref().map(|detail| detail.as_str().to_owned()).unwrap_or_default();
    ensure!(detail.contains(caller(1).as_str()), "the failure does not name the owner: {failure:?}");
    ensure!(world.is_owner(&mut agent, first.as_mut(), 1)?, "a denied claim changed the owner");
    Ok(())
}

fn released_agent_is_free(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    for _ in 0..2 {
        world.own(&mut agent, first.as_mut())?;
        first.release(world.now())?;
        agent.step(world)?;
        ensure!(!world.is_owner(&mut agent, first.as_mut(), 1)?, "a client that released is the owner");
        world.own(&mut agent, second.as_mut())?;
        second.release(world.now())?;
        agent.step(world)?;
    }
    Ok(())
}

fn release_by_another_client_changes_nothing(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    second.release(world.now())?;
    world.own(&mut agent, first.as_mut())?;
    second.release(world.now())?;
    agent.step(world)?;
    ensure!(world.is_owner(&mut agent, first.as_mut(), 1)?, "a client released an agent of another");
    Ok(())
}

fn takeover_is_final_after_its_grace(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    let early = world.claim(&mut agent, second.as_mut(), takeover())?;
    ensure!(early.is_none(), "a takeover has the result {early:?} at once");
    world.advance(TAKEOVER_GRACE.saturating_sub(MILLISECOND));
    agent.step(world)?;
    ensure!(world.claim_result(second.as_mut()).is_none(), "a takeover is final too early");
    ensure!(world.is_owner(&mut agent, first.as_mut(), 1)?, "an owner lost the agent too early");
    world.advance(MILLISECOND);
    agent.step(world)?;
    let result = world.claim_result(second.as_mut());
    ensure!(matches!(result, Some(Ok(_))), "after its grace a takeover has the result {result:?}");
    ensure!(world.is_owner(&mut agent, second.as_mut(), 2)?, "a client that took over is not the owner");
    Ok(())
}

fn takeover_is_final_when_the_owner_releases(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    world.claim(&mut agent, second.as_mut(), takeover())?;
    first.release(world.now())?;
    agent.step(world)?;
    let result = world.claim_result(second.as_mut());
    ensure!(matches!(result, Some(Ok(_))), "after the release a takeover has the result {result:?}");
    Ok(())
}

fn takeover_of_an_agent_without_owner_succeeds(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let result = world.claim(&mut agent, client.as_mut(), takeover())?;
    ensure!(matches!(result, Some(Ok(_))), "the result is {result:?}");
    Ok(())
}

fn owner_is_notified_of_a_takeover(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    world.claim(&mut agent, second.as_mut(), takeover())?;
    let mut notices = world.receive(first.as_mut());
    world.advance(TAKEOVER_GRACE);
    agent.step(world)?;
    notices.extend(world.receive(first.as_mut()));
    notices.retain(|event| matches!(event, ClientEvent::Takeover(_)));
    let notice = |event| ClientEvent::Takeover(TakeoverNotice { event, by: caller(2) });
    let expected = [notice(TakeoverEvent::Request), notice(TakeoverEvent::Final)];
    ensure!(notices == expected, "the owner is notified with {notices:?}");
    Ok(())
}

fn second_takeover_is_denied(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut clients = [world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?, world.connect(&id("a"), 3)?];
    let [first, second, third] = &mut clients;
    world.own(&mut agent, first.as_mut())?;
    world.claim(&mut agent, second.as_mut(), takeover())?;
    let denied = world.claim(&mut agent, third.as_mut(), takeover())?.and_then(code);
    ensure!(denied == Some(ErrorCode::OwnershipDenied), "a second takeover gives {denied:?}");
    world.advance(TAKEOVER_GRACE);
    agent.step(world)?;
    ensure!(world.is_owner(&mut agent, second.as_mut(), 2)?, "the first takeover did not succeed");
    Ok(())
}

fn replaced_owner_is_not_the_owner(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    world.claim(&mut agent, second.as_mut(), takeover())?;
    world.advance(TAKEOVER_GRACE);
    // The old owner has not noticed the takeover yet.
    ensure!(!world.is_owner(&mut agent, first.as_mut(), 1)?, "a replaced owner is the owner");
    first.release(world.now())?;
    agent.step(world)?;
    ensure!(world.is_owner(&mut agent, second.as_mut(), 2)?, "a replaced owner released the agent");
    Ok(())
}

fn owner_expires_after_its_connection(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    drop(first);
    agent.step(world)?;
    world.advance(OWNER_RECONNECT_WINDOW.saturating_sub(MILLISECOND));
    let denied = world.claim(&mut agent, second.as_mut(), ClaimCall::default())?.and_then(code);
    ensure!(denied == Some(ErrorCode::OwnershipDenied), "an owner expired too early: {denied:?}");
    world.advance(MILLISECOND);
    world.own(&mut agent, second.as_mut())?;
    ensure!(world.is_owner(&mut agent, second.as_mut(), 2)?, "an expired owner is the owner");
    Ok(())
}

fn token_keeps_the_owner(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let token = world.own(&mut agent, client.as_mut())?;
    drop(client);
    agent.step(world)?;
    world.advance(OWNER_RECONNECT_WINDOW.saturating_sub(MILLISECOND));
    let mut client = world.connect(&id("a"), 1)?;
    let result = world.claim(&mut agent, client.as_mut(), resume(&token))?;
    ensure!(result == Some(Ok(token)), "the token gives {result:?}");
    world.advance(Duration::from_secs(10));
    ensure!(world.is_owner(&mut agent, client.as_mut(), 1)?, "an owner that returned expired");
    Ok(())
}

fn token_of_another_client_is_worthless(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    let token = world.own(&mut agent, first.as_mut())?;
    let wrong = OwnerToken::new(world.random.bytes());
    for call in [resume(&token), resume(&wrong)] {
        let denied = world.claim(&mut agent, second.as_mut(), call)?.and_then(code);
        ensure!(denied == Some(ErrorCode::OwnershipDenied), "a token of another client gives {denied:?}");
    }
    ensure!(world.is_owner(&mut agent, first.as_mut(), 1)?, "the owner lost the agent");
    Ok(())
}

fn token_of_a_former_owner_is_worthless(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    let token = world.own(&mut agent, first.as_mut())?;
    first.release(world.now())?;
    let new = world.own(&mut agent, second.as_mut())?;
    ensure!(token != new, "two owners have one token");
    let denied = world.claim(&mut agent, first.as_mut(), resume(&token))?.and_then(code);
    ensure!(denied == Some(ErrorCode::OwnershipDenied), "the token of a former owner gives {denied:?}");
    Ok(())
}

fn name_of_the_owner_is_not_enough(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 1)?);
    world.own(&mut agent, first.as_mut())?;
    ensure!(
        !world.is_owner(&mut agent, second.as_mut(), 1)?,
        "another connection with the name is the owner"
    );
    for call in [ClaimCall::default(), takeover()] {
        let denied = world.claim(&mut agent, second.as_mut(), call)?.and_then(code);
        ensure!(denied == Some(ErrorCode::OwnershipDenied), "a claim with the name gives {denied:?}");
    }
    drop(second);
    agent.step(world)?;
    world.advance(OWNER_RECONNECT_WINDOW);
    ensure!(world.is_owner(&mut agent, first.as_mut(), 1)?, "the end of another connection ended the owner");
    Ok(())
}

fn end_of_the_claimer_ends_its_takeover(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    world.claim(&mut agent, second.as_mut(), takeover())?;
    drop(second);
    agent.step(world)?;
    world.advance(TAKEOVER_GRACE * 2);
    ensure!(world.is_owner(&mut agent, first.as_mut(), 1)?, "an ended client took over");
    Ok(())
}

fn owner_changes_are_reported(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("a"), 2)?);
    world.own(&mut agent, first.as_mut())?;
    world.claim(&mut agent, second.as_mut(), takeover())?;
    world.advance(TAKEOVER_GRACE);
    agent.step(world)?;
    second.release(world.now())?;
    agent.step(world)?;
    world.own(&mut agent, first.as_mut())?;
    drop(first);
    agent.step(world)?;
    world.advance(OWNER_RECONNECT_WINDOW);
    agent.step(world)?;
    let changes: Vec<_> = agent.changes.iter().map(|change| (change.event, change.owner.clone())).collect();
    let expected = [
        (OwnerEvent::Claimed, Some(caller(1))),
        (OwnerEvent::Takeover, Some(caller(2))),
        (OwnerEvent::Released, None),
        (OwnerEvent::Claimed, Some(caller(1))),
        (OwnerEvent::Released, None),
    ];
    ensure!(changes == expected, "the changes are {changes:?}");
    Ok(())
}

fn owners_of_agents_are_separate(world: &mut World<'_>) -> Result<(), Violation> {
    let (mut one, mut two) = (world.announce(&id("a"))?, world.announce(&id("b"))?);
    let (mut first, mut second) = (world.connect(&id("a"), 1)?, world.connect(&id("b"), 2)?);
    world.own(&mut one, first.as_mut())?;
    world.own(&mut two, second.as_mut())?;
    first.release(world.now())?;
    one.step(world)?;
    ensure!(world.is_owner(&mut two, second.as_mut(), 2)?, "the release of one agent released another");
    Ok(())
}

fn restarted_agent_has_no_owner(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let token = world.own(&mut agent, client.as_mut())?;
    drop(agent);
    let mut agent = world.announce(&id("a"))?;
    let mut second = world.connect(&id("a"), 2)?;
    let new = world.own(&mut agent, second.as_mut())?;
    ensure!(new != token, "two processes gave one token");
    let mut client = world.connect(&id("a"), 1)?;
    let denied = world.claim(&mut agent, client.as_mut(), resume(&token))?.and_then(code);
    ensure!(denied == Some(ErrorCode::OwnershipDenied), "a token of an earlier process gives {denied:?}");
    Ok(())
}

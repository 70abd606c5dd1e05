//! Tokens for the first start of an agent.

use std::time::Duration;

use minds_fleet_protocol::ErrorCode;
use minds_fleet_protocol::limits::BOOTSTRAP_LIFETIME;

use super::world::{code, id};
use super::{Violation, World, declare, ensure};
use crate::BootstrapToken;

declare! {
    token_is_redeemed_once,
    token_expires,
    token_is_of_one_agent,
    token_is_unknown_until_it_is_issued,
    tokens_are_unique,
}

/// Issues a token; none if the transport needs none, for which these laws say nothing.
fn issue(world: &World<'_>) -> Result<Option<BootstrapToken>, Violation> {
    Ok(world.bus().issue(&id("a"), world.now())?)
}

fn redeem(world: &World<'_>, name: &str, token: &BootstrapToken) -> Option<ErrorCode> {
    code(world.bus().redeem(&id(name), token, world.now()))
}

fn token_is_redeemed_once(world: &mut World<'_>) -> Result<(), Violation> {
    let Some(token) = issue(world)? else { return Ok(()) };
    ensure!(redeem(world, "a", &token).is_none(), "a token is not valid");
    for _ in 0..2 {
        let second = redeem(world, "a", &token);
        ensure!(second == Some(ErrorCode::BootstrapInvalid), "a used token gives {second:?}");
    }
    Ok(())
}

fn token_expires(world: &mut World<'_>) -> Result<(), Violation> {
    let (Some(first), Some(second)) = (issue(world)?, issue(world)?) else { return Ok(()) };
    world.advance(BOOTSTRAP_LIFETIME.saturating_sub(Duration::from_secs(1)));
    ensure!(redeem(world, "a", &first).is_none(), "a token expired too early");
    world.advance(Duration::from_secs(1));
    let expired = redeem(world, "a", &second);
    ensure!(expired == Some(ErrorCode::BootstrapInvalid), "an expired token gives {expired:?}");
    Ok(())
}

fn token_is_of_one_agent(world: &mut World<'_>) -> Result<(), Violation> {
    let Some(token) = issue(world)? else { return Ok(()) };
    let foreign = redeem(world, "b", &token);
    ensure!(foreign == Some(ErrorCode::BootstrapInvalid), "the token of another agent gives {foreign:?}");
    ensure!(redeem(world, "a", &token).is_none(), "an attempt of another agent used the token");
    Ok(())
}

fn token_is_unknown_until_it_is_issued(world: &mut World<'_>) -> Result<(), Violation> {
    if issue(world)?.is_none() {
        return Ok(());
    }
    let unknown = BootstrapToken::new(world.random.bytes());
    let code = redeem(world, "a", &unknown);
    ensure!(code == Some(ErrorCode::BootstrapInvalid), "an unknown token gives {code:?}");
    Ok(())
}

fn tokens_are_unique(world: &mut World<'_>) -> Result<(), Violation> {
    let mut tokens = Vec::new();
    for _ in 0..20 {
        let Some(token) = issue(world)? else { return Ok(()) };
        ensure!(!tokens.contains(&token), "a token was issued twice");
        tokens.push(token);
    }
    Ok(())
}

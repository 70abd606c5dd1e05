//! Tokens for the first start of an agent.

use std::time::Duration;

use minds_fleet_protocol::limits::BOOTSTRAP_LIFETIME;
use minds_fleet_protocol::{BootstrapLifetime, ErrorCode};

use super::world::{code, id};
use super::{Violation, World, declare, ensure};
use crate::BootstrapToken;

declare! {
    token_is_redeemed_once,
    token_expires,
    token_has_its_own_lifetime,
    revoked_token_is_not_valid,
    revocation_is_about_one_agent,
    token_is_valid_after_an_earlier_revocation,
    token_is_of_one_agent,
    token_is_unknown_until_it_is_issued,
    tokens_are_unique,
}

/// Issues a token; none if the transport needs none, for which these laws say nothing.
fn issue(world: &World<'_>) -> Result<Option<BootstrapToken>, Violation> {
    issue_for(world, "a", BootstrapLifetime::default())
}

fn issue_for(
    world: &World<'_>,
    name: &str,
    lifetime: BootstrapLifetime,
) -> Result<Option<BootstrapToken>, Violation> {
    Ok(world.bus().issue(&id(name), lifetime, world.now())?)
}

fn revoke(world: &World<'_>) -> Result<usize, Violation> {
    Ok(world.bus().revoke(&id("a"), world.now())?.unwrap_or_default())
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

fn token_has_its_own_lifetime(world: &mut World<'_>) -> Result<(), Violation> {
    for seconds in [1, 10, 3_600] {
        let Some(lifetime) = BootstrapLifetime::from_seconds(seconds) else {
            return Err(Violation(format!("{seconds} seconds are not a lifetime")));
        };
        let (Some(first), Some(second)) =
            (issue_for(world, "a", lifetime)?, issue_for(world, "a", lifetime)?)
        else {
            return Ok(());
        };
        world.advance(lifetime.duration().saturating_sub(Duration::from_millis(100)));
        ensure!(redeem(world, "a", &first).is_none(), "a token of {seconds} seconds expired too early");
        world.advance(Duration::from_millis(100));
        let expired = redeem(world, "a", &second);
        ensure!(
            expired == Some(ErrorCode::BootstrapInvalid),
            "a token gives {expired:?} after its {seconds} seconds"
        );
    }
    Ok(())
}

fn revoked_token_is_not_valid(world: &mut World<'_>) -> Result<(), Violation> {
    let (Some(used), Some(first), Some(second)) = (issue(world)?, issue(world)?, issue(world)?) else {
        let revoked = world.bus().revoke(&id("a"), world.now())?;
        ensure!(revoked.is_none(), "a transport without tokens revoked {revoked:?}");
        return Ok(());
    };
    ensure!(redeem(world, "a", &used).is_none(), "a token is not valid");
    let count = revoke(world)?;
    ensure!(count == 2, "{count} tokens were revoked, of two");
    for token in [&first, &second, &used, &first] {
        let code = redeem(world, "a", token);
        ensure!(code == Some(ErrorCode::BootstrapInvalid), "a revoked token gives {code:?}");
    }
    let count = revoke(world)?;
    ensure!(count == 0, "{count} tokens were revoked twice");
    Ok(())
}

fn revocation_is_about_one_agent(world: &mut World<'_>) -> Result<(), Violation> {
    // The name of the other agent begins with that of the first one.
    let Some(other) = issue_for(world, "a-2", BootstrapLifetime::default())? else { return Ok(()) };
    let count = revoke(world)?;
    ensure!(count == 0, "{count} tokens of another agent were revoked");
    ensure!(redeem(world, "a-2", &other).is_none(), "the token of another agent was revoked");
    Ok(())
}

fn token_is_valid_after_an_earlier_revocation(world: &mut World<'_>) -> Result<(), Violation> {
    revoke(world)?;
    let Some(token) = issue(world)? else { return Ok(()) };
    ensure!(redeem(world, "a", &token).is_none(), "a token is not valid after an earlier revocation");
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

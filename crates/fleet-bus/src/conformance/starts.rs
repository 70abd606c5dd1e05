//! Where followers start.

use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, Frame, Timestamp};

use super::frames::{expect_range, publish};
use super::world::{TestAgent, code, id, warning};
use super::{Violation, World, declare, ensure};
use crate::Start;

declare! {
    unknown_agent_cannot_be_followed,
    start_at_an_offset_is_exact,
    start_at_the_end_returns_later_frames_only,
    start_at_a_future_offset_waits,
    start_at_a_time_is_exact,
    start_at_a_time_without_frames_waits,
    agent_without_frames_can_be_followed,
}

fn unknown_agent_cannot_be_followed(world: &mut World<'_>) -> Result<(), Violation> {
    let _agent = world.announce(&id("a"))?;
    let unknown = code(world.follow(&id("b"), Start::Offset(0)));
    ensure!(unknown == Some(ErrorCode::AgentNotFound), "an unknown agent gives {unknown:?}");
    Ok(())
}

fn agent_without_frames_can_be_followed(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    for start in [Start::Offset(0), Start::End, Start::Since(world.now().time)] {
        let frames = world.read(world.follow(&id("a"), start)?.as_mut())?;
        ensure!(frames.is_empty(), "an agent without frames has {frames:?}");
    }
    let mut follower = world.follow(&id("a"), Start::End)?;
    publish(world, &mut agent, 0..2)?;
    expect_range(&world.read(follower.as_mut())?, 0..2)
}

fn start_at_an_offset_is_exact(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish(world, &mut agent, 0..900)?;
    for _ in 0..4 {
        let start = world.random.number_below(900);
        let mut follower = world.follow(&id("a"), Start::Offset(start))?;
        expect_range(&world.read(follower.as_mut())?, start..900)?;
    }
    Ok(())
}

fn start_at_the_end_returns_later_frames_only(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let before = world.random.number_below(700);
    publish(world, &mut agent, 0..before)?;
    let mut follower = world.follow(&id("a"), Start::End)?;
    ensure!(follower.position() == before, "the position is {} and not {before}", follower.position());
    ensure!(world.read(follower.as_mut())?.is_empty(), "frames in front of the start are returned");
    publish(world, &mut agent, before..before + 5)?;
    expect_range(&world.read(follower.as_mut())?, before..before + 5)
}

fn start_at_a_future_offset_waits(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish(world, &mut agent, 0..5)?;
    let mut follower = world.follow(&id("a"), Start::Offset(8))?;
    ensure!(world.read(follower.as_mut())?.is_empty(), "frames in front of the start are returned");
    publish(world, &mut agent, 5..8)?;
    ensure!(world.read(follower.as_mut())?.is_empty(), "frames in front of the start are returned");
    publish(world, &mut agent, 8..11)?;
    expect_range(&world.read(follower.as_mut())?, 8..11)
}

/// Publishes frames at random times and returns them.
fn publish_over_time(world: &mut World<'_>, agent: &mut TestAgent) -> Result<Vec<Frame>, Violation> {
    for _ in 0..40 {
        let time = world.random.number_below(3) * 500;
        world.advance(Duration::from_millis(time));
        agent.publish(world, vec![warning("x")])?;
    }
    Ok(world.read(world.follow(&id("a"), Start::Offset(0))?.as_mut())?)
}

fn start_at_a_time_is_exact(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let start = world.now().time.as_seconds();
    let all = publish_over_time(world, &mut agent)?;
    for quarters in 0..90 {
        let time = Timestamp::from_seconds(start - 1.0 + f64::from(quarters) / 4.0);
        let Some(time) = time else { continue };
        let expected: Vec<&Frame> = all.iter().filter(|frame| frame.ts >= time).collect();
        let read = world.read(world.follow(&id("a"), Start::Since(time))?.as_mut())?;
        ensure!(
            read.iter().eq(expected.iter().copied()),
            "since {time:?}: expected {expected:?}, got {read:?}"
        );
    }
    Ok(())
}

fn start_at_a_time_without_frames_waits(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish_over_time(world, &mut agent)?;
    world.advance(Duration::from_secs(5));
    let mut follower = world.follow(&id("a"), Start::Since(world.now().time))?;
    ensure!(world.read(follower.as_mut())?.is_empty(), "frames in front of the start are returned");
    world.advance(Duration::from_secs(5));
    publish(world, &mut agent, 40..43)?;
    expect_range(&world.read(follower.as_mut())?, 40..43)
}

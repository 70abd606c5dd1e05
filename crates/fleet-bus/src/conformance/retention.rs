//! Which frames are kept, and what a follower finds in place of those that are not.

use minds_fleet_protocol::limits::RING_FRAMES;
use minds_fleet_protocol::{EventKind, Frame};

use super::frames::{expect_range, publish};
use super::world::{TestAgent, id};
use super::{Violation, World, declare, ensure};
use crate::{Follower, Start};

declare! {
    last_frames_are_kept,
    lost_frames_are_one_gap,
    slow_follower_gets_one_gap,
    gap_and_frames_are_the_whole_range,
}

/// More frames than a transport keeps.
const MANY: u64 = 20_000;
const BATCH: u64 = 1_000;

fn publish_many(world: &World<'_>, agent: &mut TestAgent, start: u64) -> Result<(), Violation> {
    (0..MANY / BATCH).try_for_each(|batch| {
        let first = start + batch * BATCH;
        publish(world, agent, first..first + BATCH)
    })
}

/// Checks that frames are a gap from `start` and all frames up to `end`.
fn expect_gap(frames: &[Frame], start: u64, end: u64) -> Result<(), Violation> {
    let Some((first, rest)) = frames.split_first() else {
        return Err(Violation("no frames are kept".to_owned()));
    };
    let EventKind::Gap(gap) = &first.event.kind else {
        return Err(Violation(format!("the first frame is {first:?} and not a gap from {start}")));
    };
    ensure!(gap.from == start && gap.to == first.offset, "the gap from {start} is {first:?}");
    expect_range(rest, gap.to + 1..end)
}

fn last_frames_are_kept(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish_many(world, &mut agent, 0)?;
    let start = MANY - RING_FRAMES as u64;
    let mut follower = world.follow(&id("a"), Start::Offset(start))?;
    expect_range(&world.read(follower.as_mut())?, start..MANY)
}

fn lost_frames_are_one_gap(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish_many(world, &mut agent, 0)?;
    let mut follower = world.follow(&id("a"), Start::Offset(5))?;
    expect_gap(&world.read(follower.as_mut())?, 5, MANY)
}

fn slow_follower_gets_one_gap(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    publish(world, &mut agent, 0..10)?;
    expect_range(&world.read(follower.as_mut())?, 0..10)?;
    publish_many(world, &mut agent, 10)?;
    publish_many(world, &mut agent, 10 + MANY)?;
    let frames = world.read(follower.as_mut())?;
    let gaps = frames.iter().filter(|frame| matches!(frame.event.kind, EventKind::Gap(_))).count();
    ensure!(gaps == 1, "a slow follower gets {gaps} gaps");
    ensure!(follower.position() == 10 + 2 * MANY, "the position is {}", follower.position());
    Ok(())
}

fn gap_and_frames_are_the_whole_range(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    publish_many(world, &mut agent, 0)?;
    let mut next = 0;
    while let Some(frames) = read_some(follower.as_mut())? {
        for frame in frames {
            let first = match &frame.event.kind {
                EventKind::Gap(gap) => gap.from,
                _ => frame.offset,
            };
            ensure!(first == next, "{frame:?} follows the offset {next}");
            next = frame.offset + 1;
        }
        ensure!(follower.position() == next, "the position is {} and not {next}", follower.position());
    }
    ensure!(next == MANY, "the last offset is {next} and not {MANY}");
    Ok(())
}

fn read_some(follower: &mut dyn Follower) -> Result<Option<Vec<Frame>>, Violation> {
    Ok(Some(follower.read(std::time::Duration::ZERO)?).filter(|frames| !frames.is_empty()))
}

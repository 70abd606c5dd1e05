//! Publishing and reading frames.

use std::time::Duration;

use minds_fleet_protocol::limits::{MAX_FRAME_TEXT_BYTES, MAX_TAIL_FRAMES};
use minds_fleet_protocol::{Event, EventKind, Frame};

use super::world::{TestAgent, id, warning};
use super::{Violation, World, declare, ensure};
use crate::{ClientEvent, Start};

declare! {
    frames_are_read_once_and_in_order,
    offsets_grow_by_one,
    offsets_continue_after_leave,
    offsets_continue_after_crash,
    frames_arrive_unchanged,
    frames_carry_epoch_and_time,
    followers_are_independent,
    stopped_follower_costs_nothing,
    follower_continues_at_a_position,
    follower_survives_a_restart,
    frames_are_read_after_the_end,
    batch_is_contiguous,
    read_is_bounded,
    publishing_wakes_clients,
    tails_of_agents_are_separate,
}

/// Returns the message of an event of [`warning`].
pub(super) fn text(frame: &Frame) -> Option<&str> {
    match &frame.event.kind {
        EventKind::Warning(warning) => Some(&warning.msg),
        _ => None,
    }
}

/// Publishes events whose messages are their offsets.
pub(super) fn publish(
    world: &World<'_>,
    agent: &mut TestAgent,
    range: std::ops::Range<u64>,
) -> Result<(), Violation> {
    let first = agent.publish(world, range.clone().map(|offset| warning(offset.to_string())).collect())?;
    ensure!(first == range.start, "the first offset is {first} and not {}", range.start);
    Ok(())
}

/// Checks that frames are those of a range, without gaps.
pub(super) fn expect_range(frames: &[Frame], range: std::ops::Range<u64>) -> Result<(), Violation> {
    let offsets: Vec<u64> = frames.iter().map(|frame| frame.offset).collect();
    ensure!(offsets == range.clone().collect::<Vec<_>>(), "expected the offsets {range:?}, got {offsets:?}");
    for frame in frames {
        ensure!(text(frame) == Some(&frame.offset.to_string()), "the frame is {frame:?}");
    }
    Ok(())
}

fn frames_are_read_once_and_in_order(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    let (mut next, mut frames) = (0, Vec::new());
    for _ in 0..30 {
        if world.random.is_hit(600) {
            let end = next + world.random.number_below(9);
            publish(world, &mut agent, next..end)?;
            next = end;
        } else {
            frames.extend(follower.read(Duration::ZERO)?);
        }
    }
    frames.extend(world.read(follower.as_mut())?);
    expect_range(&frames, 0..next)
}

fn offsets_grow_by_one(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut next = 0;
    for _ in 0..20 {
        let count = world.random.number_below(200);
        publish(world, &mut agent, next..next + count)?;
        next += count;
    }
    let mut follower = world.follow(&id("a"), Start::Offset(next.saturating_sub(1_000)))?;
    expect_range(&world.read(follower.as_mut())?, next.saturating_sub(1_000)..next)
}

fn offsets_continue_after_leave(world: &mut World<'_>) -> Result<(), Violation> {
    restart(world, |agent, world| agent.leave(world).map_err(Violation::from))
}

fn offsets_continue_after_crash(world: &mut World<'_>) -> Result<(), Violation> {
    restart(world, |agent, _| {
        drop(agent);
        Ok(())
    })
}

fn restart(
    world: &mut World<'_>,
    end: fn(TestAgent, &World<'_>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let mut next = 0;
    for _ in 0..4 {
        let mut agent = world.announce(&id("a"))?;
        let count = world.random.number_below(300);
        publish(world, &mut agent, next..next + count)?;
        next += count;
        end(agent, world)?;
    }
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    expect_range(&world.read(follower.as_mut())?, 0..next)
}

fn frames_arrive_unchanged(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    let long = "ß".repeat(MAX_FRAME_TEXT_BYTES / 2);
    let mut events: Vec<Event> =
        ["", "two\nlines\r\n", "\u{0}\u{2028}", "\"\\", long.as_str()].map(warning).into();
    events.push(Event { trace_id: Some(minds_fleet_protocol::TraceId::new(7)), ..warning("traced") });
    agent.publish(world, events.clone())?;
    let read: Vec<Event> = world.read(follower.as_mut())?.into_iter().map(|frame| frame.event).collect();
    ensure!(read == events, "published {events:?}, read {read:?}");
    Ok(())
}

fn frames_carry_epoch_and_time(world: &mut World<'_>) -> Result<(), Violation> {
    let mut expected = Vec::new();
    for _ in 0..3 {
        let mut agent = world.announce(&id("a"))?;
        for _ in 0..3 {
            world.advance(Duration::from_millis(1_500));
            agent.publish(world, vec![warning("x")])?;
            expected.push((agent.port().epoch(), world.now().time));
        }
    }
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    let read: Vec<_> = world.read(follower.as_mut())?.iter().map(|frame| (frame.epoch, frame.ts)).collect();
    ensure!(read == expected, "expected {expected:?}, got {read:?}");
    Ok(())
}

fn followers_are_independent(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let followers: Result<Vec<_>, _> = (0..4).map(|_| world.follow(&id("a"), Start::Offset(0))).collect();
    let mut followers: Vec<_> = followers?.into_iter().map(|follower| (follower, Vec::new())).collect();
    for step in 0..20 {
        publish(world, &mut agent, step * 3..step * 3 + 3)?;
        for (follower, frames) in &mut followers {
            if world.random.is_hit(400) {
                frames.extend(follower.read(Duration::ZERO)?);
            }
        }
    }
    for (mut follower, mut frames) in followers {
        frames.extend(world.read(follower.as_mut())?);
        expect_range(&frames, 0..60)?;
    }
    Ok(())
}

fn stopped_follower_costs_nothing(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let stopped: Result<Vec<_>, _> = (0..5).map(|_| world.follow(&id("a"), Start::Offset(0))).collect();
    let _stopped = stopped?;
    let mut idle = world.connect(&id("a"), 1)?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    let mut frames = Vec::new();
    for step in 0..10 {
        publish(world, &mut agent, step * 100..step * 100 + 100)?;
        agent.step(world)?;
        frames.extend(world.read(follower.as_mut())?);
    }
    expect_range(&frames, 0..1_000)?;
    let request = world.request(1);
    idle.send(request, world.now())?;
    agent.step(world)?;
    ensure!(world.responses(idle.as_mut()).len() == 1, "a client that did not read gets no response");
    Ok(())
}

fn follower_continues_at_a_position(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish(world, &mut agent, 0..700)?;
    let (mut position, mut frames) = (0, Vec::new());
    while position < 700 {
        let mut follower = world.follow(&id("a"), Start::Offset(position))?;
        ensure!(follower.position() == position, "a follower starts at {}", follower.position());
        let read = follower.read(Duration::ZERO)?;
        ensure!(!read.is_empty(), "no frames at {position}");
        position = follower.position();
        frames.extend(read);
    }
    expect_range(&frames, 0..700)
}

fn follower_survives_a_restart(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    let mut frames = Vec::new();
    for start in 0..4 {
        publish(world, &mut agent, start * 5..start * 5 + 5)?;
        if world.random.is_hit(500) {
            frames.extend(world.read(follower.as_mut())?);
        }
        drop(agent);
        agent = world.announce(&id("a"))?;
    }
    frames.extend(world.read(follower.as_mut())?);
    expect_range(&frames, 0..20)?;
    ensure!(frames.is_sorted_by_key(|frame| frame.epoch), "epochs do not grow");
    Ok(())
}

fn frames_are_read_after_the_end(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish(world, &mut agent, 0..10)?;
    agent.leave(world)?;
    let mut follower = world.follow(&id("a"), Start::Offset(4))?;
    expect_range(&world.read(follower.as_mut())?, 4..10)
}

fn batch_is_contiguous(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish(world, &mut agent, 0..1)?;
    publish(world, &mut agent, 1..1)?;
    publish(world, &mut agent, 1..1_600)?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    expect_range(&world.read(follower.as_mut())?, 0..1_600)
}

fn read_is_bounded(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    publish(world, &mut agent, 0..1_300)?;
    let mut follower = world.follow(&id("a"), Start::Offset(0))?;
    let mut total = 0;
    loop {
        let count = follower.read(Duration::ZERO)?.len();
        ensure!(count <= MAX_TAIL_FRAMES, "one call returns {count} frames");
        total += count;
        if count == 0 {
            break;
        }
    }
    ensure!(total == 1_300, "{total} of 1300 frames were read");
    Ok(())
}

fn publishing_wakes_clients(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    agent.step(world)?;
    world.receive(client.as_mut());
    for range in [0..3, 3..4, 4..9] {
        publish(world, &mut agent, range)?;
        agent.step(world)?;
        let events = world.receive(client.as_mut());
        let wakes = events.iter().filter(|event| matches!(event, ClientEvent::Wake(_))).count();
        ensure!(wakes > 0, "a client is not notified of frames");
    }
    Ok(())
}

fn tails_of_agents_are_separate(world: &mut World<'_>) -> Result<(), Violation> {
    let (mut first, mut second) = (world.announce(&id("a"))?, world.announce(&id("b"))?);
    publish(world, &mut first, 0..5)?;
    publish(world, &mut second, 0..3)?;
    for (name, end) in [("a", 5), ("b", 3)] {
        let mut follower = world.follow(&id(name), Start::Offset(0))?;
        expect_range(&world.read(follower.as_mut())?, 0..end)?;
    }
    Ok(())
}

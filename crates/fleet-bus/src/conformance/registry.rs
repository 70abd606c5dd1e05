//! Starting, listing and ending agents.

use minds_fleet_protocol::{AgentState, ErrorCode, Presence};

use super::world::{code, id};
use super::{Violation, World, declare, ensure};

declare! {
    announced_agent_is_listed,
    second_announcement_is_refused,
    agent_that_left_is_not_alive,
    agent_that_crashed_is_not_alive,
    id_is_free_after_leave,
    id_is_free_after_crash,
    epoch_grows_with_every_start,
    updated_entry_is_listed,
    update_keeps_id_and_epoch,
    list_is_ordered_and_complete,
    agents_end_independently,
    refused_announcement_changes_nothing,
}

fn announced_agent_is_listed(world: &mut World<'_>) -> Result<(), Violation> {
    let agent = id("a");
    ensure!(world.presence(&agent)?.is_none(), "an agent is listed that was never started");
    let _agent = world.announce(&agent)?;
    ensure!(world.presence(&agent)? == Some(Presence::Alive), "a running agent is not listed as alive");
    let listed = world.bus().list(world.now())?;
    let expected = world.info(&agent);
    let entry = listed.first().map(|listed| &listed.info);
    ensure!(
        entry.is_some_and(|info| info.cwd == expected.cwd && info.state_dir == expected.state_dir),
        "the entry is {entry:?}"
    );
    Ok(())
}

fn second_announcement_is_refused(world: &mut World<'_>) -> Result<(), Violation> {
    let _first = world.announce(&id("a"))?;
    for _ in 0..3 {
        let second = code(world.announce(&id("a")));
        ensure!(second == Some(ErrorCode::DuplicateInstance), "the second start gives {second:?}");
    }
    Ok(())
}

fn refused_announcement_changes_nothing(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut client = world.connect(&id("a"), 1)?;
    let (epoch, listed) = (agent.port().epoch(), world.bus().list(world.now())?);
    ensure!(world.announce(&id("a")).is_err(), "two processes have one id");
    ensure!(world.bus().list(world.now())? == listed, "a refused start changed the registry");
    let request = world.request(1);
    client.send(request, world.now())?;
    agent.step(world)?;
    let responses = world.responses(client.as_mut());
    ensure!(responses.len() == 1 && agent.port().epoch() == epoch, "the running agent was disturbed");
    Ok(())
}

fn agent_that_left_is_not_alive(world: &mut World<'_>) -> Result<(), Violation> {
    world.announce(&id("a"))?.leave(world)?;
    let presence = world.presence(&id("a"))?;
    ensure!(
        matches!(presence, None | Some(Presence::Left | Presence::Forgotten)),
        "an agent that left is {presence:?}"
    );
    Ok(())
}

fn agent_that_crashed_is_not_alive(world: &mut World<'_>) -> Result<(), Violation> {
    drop(world.announce(&id("a"))?);
    let presence = world.presence(&id("a"))?;
    ensure!(presence == Some(Presence::Disconnected), "an agent that crashed is {presence:?}");
    Ok(())
}

fn id_is_free_after_leave(world: &mut World<'_>) -> Result<(), Violation> {
    for _ in 0..3 {
        world.announce(&id("a"))?.leave(world)?;
    }
    Ok(())
}

fn id_is_free_after_crash(world: &mut World<'_>) -> Result<(), Violation> {
    for _ in 0..3 {
        drop(world.announce(&id("a"))?);
    }
    let _agent = world.announce(&id("a"))?;
    ensure!(world.presence(&id("a"))? == Some(Presence::Alive), "a restarted agent is not alive");
    Ok(())
}

fn epoch_grows_with_every_start(world: &mut World<'_>) -> Result<(), Violation> {
    let mut last = 0;
    for _ in 0..5 {
        let mut agent = world.announce(&id("a"))?;
        let epoch = agent.port().epoch();
        ensure!(epoch > last, "the epoch {epoch} follows {last}");
        let listed = world.bus().list(world.now())?.into_iter().find(|listed| listed.info.id == id("a"));
        let entry = listed.map(|listed| listed.info.epoch);
        ensure!(entry == Some(epoch), "the entry has the epoch {entry:?} and not {epoch}");
        last = epoch;
        if world.random.is_hit(500) {
            agent.leave(world)?;
        }
    }
    Ok(())
}

fn updated_entry_is_listed(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    for (state, pending) in [(AgentState::Idle, 0), (AgentState::Busy, 3), (AgentState::Idle, 2)] {
        let mut info = world.info(&id("a"));
        (info.state, info.queue.pending) = (state, pending);
        agent.port().update(info, world.now())?;
        let listed = world.bus().list(world.now())?;
        let entry = listed.first().map(|listed| (listed.info.state, listed.info.queue.pending));
        ensure!(entry == Some((state, pending)), "after the update to {state:?} the entry is {entry:?}");
    }
    Ok(())
}

fn update_keeps_id_and_epoch(world: &mut World<'_>) -> Result<(), Violation> {
    let mut agent = world.announce(&id("a"))?;
    let mut info = world.info(&id("b"));
    info.epoch = 4_000;
    agent.port().update(info, world.now())?;
    let listed = world.bus().list(world.now())?;
    let entries: Vec<_> = listed.iter().map(|listed| (&listed.info.id, listed.info.epoch)).collect();
    ensure!(entries == [(&id("a"), agent.port().epoch())], "the entries are {entries:?}");
    Ok(())
}

fn list_is_ordered_and_complete(world: &mut World<'_>) -> Result<(), Violation> {
    let mut names: Vec<String> =
        (0..6).map(|number| format!("n{}-{number}", world.random.number_below(9))).collect();
    let agents: Result<Vec<_>, _> = names.iter().map(|name| world.announce(&id(name))).collect();
    let _agents = agents?;
    names.sort();
    let listed: Vec<String> =
        world.bus().list(world.now())?.iter().map(|listed| listed.info.id.name().to_owned()).collect();
    ensure!(listed == names, "listed are {listed:?} and not {names:?}");
    Ok(())
}

fn agents_end_independently(world: &mut World<'_>) -> Result<(), Violation> {
    let (first, second) = (world.announce(&id("a"))?, world.announce(&id("b"))?);
    drop(first);
    ensure!(world.presence(&id("b"))? == Some(Presence::Alive), "the end of one agent ended another");
    second.leave(world)?;
    let _first = world.announce(&id("a"))?;
    ensure!(world.presence(&id("a"))? == Some(Presence::Alive), "a restarted agent is not alive");
    Ok(())
}

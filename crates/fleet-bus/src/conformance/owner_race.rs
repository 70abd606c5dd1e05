//! Random orders of attach, takeover, release, end and expiry.

use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, Failure, OwnerEvent};

use super::owner_model::{Expected, OwnerModel};
use super::world::{TestAgent, caller, id};
use super::{Violation, World, declare, ensure};
use crate::{ClaimCall, ClientEvent, ClientPort, OwnerToken};

declare! {
    agent_never_has_two_owners(with_faults),
    owner_is_never_lost_without_a_taker,
    concurrent_claims_have_one_winner(with_faults),
    reported_owners_are_a_history(with_faults),
}

const CLIENTS: usize = 4;
const STEPS: usize = 80;

/// A client that claims an agent.
struct Claimer {
    port: Option<Box<dyn ClientPort>>,
    token: Option<OwnerToken>,
    is_waiting: bool,
}

/// What a client does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Claim { is_takeover: bool },
    Release,
    End,
    Return,
    Wait(u64),
}

fn choose(world: &mut World<'_>) -> Act {
    match world.random.number_below(10) {
        0 | 1 => Act::Claim { is_takeover: false },
        2 | 3 => Act::Claim { is_takeover: true },
        4 => Act::Release,
        5 => Act::End,
        6 => Act::Return,
        _ => Act::Wait(world.random.number_below(9) * 250),
    }
}

struct Race {
    agent: Option<TestAgent>,
    claimers: Vec<Claimer>,
}

impl Race {
    fn begin(world: &World<'_>) -> Result<Self, Violation> {
        let claimers = (0..CLIENTS).map(|_| Claimer { port: None, token: None, is_waiting: false }).collect();
        Ok(Self { agent: Some(world.announce(&id("a"))?), claimers })
    }

    /// Returns the agent, which is started again after a fault ended it.
    fn agent(&mut self, world: &World<'_>) -> Result<&mut TestAgent, Violation> {
        let is_running = match &mut self.agent {
            Some(agent) => agent.step(world).is_ok(),
            None => false,
        };
        if !is_running {
            ensure!(world.has_faults, "the agent ended");
            self.agent = None;
            self.agent = Some(world.announce(&id("a"))?);
        }
        self.agent.as_mut().ok_or_else(|| Violation("the agent ended".to_owned()))
    }

    /// Lets any client perform any act, and returns both.
    fn step(&mut self, world: &mut World<'_>) -> Result<(usize, Act), Violation> {
        let number = world.pick(CLIENTS);
        let act = choose(world);
        self.act(world, number, act)?;
        self.collect(world);
        Ok((number, act))
    }

    /// Performs an act, and returns whether it was possible.
    fn act(&mut self, world: &mut World<'_>, number: usize, act: Act) -> Result<bool, Violation> {
        self.agent(world)?;
        let now = world.now();
        let claimer = self.claimer(number)?;
        let done = match (act, &mut claimer.port) {
            (Act::Wait(time), _) => {
                world.advance(Duration::from_millis(time));
                Ok(())
            }
            (Act::End, port @ Some(_)) => {
                *port = None;
                claimer.is_waiting = false;
                Ok(())
            }
            (Act::Return, port @ None) => {
                let new = world.connect(&id("a"), number)?;
                let new = port.insert(new);
                let resume = claimer.token.clone();
                claimer.is_waiting = true;
                new.claim(ClaimCall { is_takeover: false, resume }, now)
            }
            (Act::Claim { is_takeover }, port) if !claimer.is_waiting => {
                if port.is_none() {
                    *port = Some(world.connect(&id("a"), number)?);
                }
                let Some(port) = port else { return Ok(false) };
                claimer.is_waiting = true;
                port.claim(ClaimCall { is_takeover, resume: None }, now)
            }
            (Act::Release, Some(port)) => port.release(now),
            _ => return Ok(false),
        };
        if let Err(failure) = done {
            self.note_end(world, number, &failure)?;
        }
        self.agent(world)?;
        Ok(true)
    }

    fn note_end(&mut self, world: &World<'_>, number: usize, failure: &Failure) -> Result<(), Violation> {
        let is_end = failure.code() == Some(ErrorCode::AgentNotFound);
        ensure!(world.has_faults && is_end, "a call failed: {failure:?}");
        let claimer = self.claimer(number)?;
        (claimer.port, claimer.is_waiting) = (None, false);
        Ok(())
    }

    fn claimer(&mut self, number: usize) -> Result<&mut Claimer, Violation> {
        self.claimers.get_mut(number).ok_or_else(|| Violation(format!("client {number} does not exist")))
    }

    fn is_connected(&self, number: usize) -> bool {
        self.claimers.get(number).is_some_and(|claimer| claimer.port.is_some())
    }

    /// Takes what has arrived, and returns the clients whose claims succeeded and failed.
    fn collect(&mut self, world: &World<'_>) -> Vec<(usize, bool)> {
        let mut results = Vec::new();
        for (number, claimer) in self.claimers.iter_mut().enumerate() {
            let Some(port) = &mut claimer.port else { continue };
            for event in world.receive(port.as_mut()) {
                if let ClientEvent::Claim(result) = event {
                    claimer.is_waiting = false;
                    results.push((number, result.is_ok()));
                    claimer.token = result.ok().or(claimer.token.take());
                }
            }
            if world.has_faults && world.has_ended(port.as_mut()) {
                (claimer.port, claimer.is_waiting) = (None, false);
            }
        }
        results
    }

    /// Returns the clients that are the owner, as the agent decides about a request of each.
    fn writers(&mut self, world: &mut World<'_>) -> Vec<usize> {
        for (number, claimer) in self.claimers.iter_mut().enumerate() {
            if let Some(port) = &mut claimer.port {
                let request = world.request(number);
                let _ = port.send(request, world.now());
            }
        }
        let Some(agent) = &mut self.agent else { return Vec::new() };
        let mut writers = Vec::new();
        // What a fault ends shows at the next step.
        let _ = agent.serve(world, |port, ticket, request| {
            let owner = port.owner(&ticket, world.now())?;
            if owner.is_some_and(|owner| owner.caller == request.caller) {
                writers.push(request.caller.clone());
            }
            port.answer(ticket, super::world::echo(request, port.epoch()), world.now())
        });
        writers.sort();
        writers.dedup();
        (0..CLIENTS).filter(|number| writers.contains(&caller(*number))).collect()
    }
}

fn agent_never_has_two_owners(world: &mut World<'_>) -> Result<(), Violation> {
    let mut race = Race::begin(world)?;
    for _ in 0..STEPS {
        let (number, act) = race.step(world)?;
        let writers = race.writers(world);
        ensure!(writers.len() <= 1, "after {act:?} of {number} the owners are {writers:?}");
    }
    Ok(())
}

fn owner_is_never_lost_without_a_taker(world: &mut World<'_>) -> Result<(), Violation> {
    let mut race = Race::begin(world)?;
    let mut model = OwnerModel::default();
    let mut acts = Vec::new();
    for _ in 0..STEPS {
        let number = world.pick(CLIENTS);
        let act = choose(world);
        let is_connected = race.is_connected(number);
        let clock = world.now().clock;
        if !race.act(world, number, act)? {
            continue;
        }
        acts.push((number, act));
        let mut expected: Vec<(usize, bool)> =
            model.settle(clock).map(|number| (number, true)).into_iter().collect();
        let mut claim = |model: &mut OwnerModel, is_takeover, resumes| match model.claim(
            number,
            is_takeover,
            resumes,
            clock,
        ) {
            Expected::Granted => expected.push((number, true)),
            Expected::Denied => expected.push((number, false)),
            Expected::Pending => {}
        };
        match act {
            Act::Claim { is_takeover } => claim(&mut model, is_takeover, false),
            Act::Return => claim(&mut model, false, true),
            Act::Release => expected.extend(model.release(number).map(|number| (number, true))),
            Act::End if is_connected => model.disconnect(number, clock),
            Act::End | Act::Wait(_) => {}
        }
        expected.extend(model.settle(world.now().clock).map(|number| (number, true)));
        let mut results = race.collect(world);
        // A claim whose client has ended has no reader.
        expected.retain(|(number, _)| race.is_connected(*number));
        results.sort_unstable();
        expected.sort_unstable();
        ensure!(results == expected, "after {acts:?} the results are {results:?} and not {expected:?}");
        let writers = race.writers(world);
        let expected: Vec<usize> = model.writer().into_iter().collect();
        ensure!(writers == expected, "after {acts:?} the owners are {writers:?} and not {expected:?}");
    }
    Ok(())
}

fn concurrent_claims_have_one_winner(world: &mut World<'_>) -> Result<(), Violation> {
    for _ in 0..6 {
        let mut race = Race::begin(world)?;
        for number in 0..CLIENTS {
            let is_takeover = world.random.is_hit(300);
            race.act(world, number, Act::Claim { is_takeover })?;
        }
        let granted: Vec<usize> = race
            .collect(world)
            .into_iter()
            .filter(|(_, is_granted)| *is_granted)
            .map(|(number, _)| number)
            .collect();
        ensure!(granted.len() == 1, "of concurrent claims, {granted:?} succeeded");
        let ports: Vec<_> = race.claimers.iter_mut().map(|claimer| claimer.port.take()).collect();
        drop(ports);
        race.agent.take().map_or(Ok(()), |agent| agent.leave(world))?;
    }
    Ok(())
}

fn reported_owners_are_a_history(world: &mut World<'_>) -> Result<(), Violation> {
    let mut race = Race::begin(world)?;
    for _ in 0..STEPS {
        race.step(world)?;
        let mut owner = None;
        for change in race.agent.iter().flat_map(|agent| &agent.changes) {
            let is_possible = match change.event {
                OwnerEvent::Claimed => owner.is_none() && change.owner.is_some(),
                OwnerEvent::Released => owner.is_some() && change.owner.is_none(),
                OwnerEvent::Takeover => owner.is_some() && change.owner.is_some() && owner != change.owner,
            };
            ensure!(is_possible, "{change:?} cannot follow the owner {owner:?}");
            owner.clone_from(&change.owner);
        }
    }
    Ok(())
}

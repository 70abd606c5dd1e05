//! Transports that break one law each: a law that no transport can break checks nothing.

mod client;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use minds_fleet_bus::conformance::{Fleet, Transport, laws};
use minds_fleet_bus::memory::Faults;
use minds_fleet_bus::{
    AgentPort, Announced, BootstrapToken, Bus, ClientPort, Follower, Listed, MemoryBus, Publisher, Served,
    Start, Ticket,
};
use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    AgentId, AgentInfo, BootstrapLifetime, Caller, ErrorCode, Event, EventKind, Failure, Frame, Now, Outcome,
    Presence, Request, Response, Timestamp,
};

use client::DefectiveClient;

/// What a transport does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// A second process with the same id starts.
    TwoInstances,
    /// Agents that have ended are listed as alive.
    ListsEnded,
    /// The epoch is always the same.
    KeepsEpoch,
    /// Requests arrive in the opposite order.
    ReversesRequests,
    /// A result is returned twice.
    RepeatsResults,
    /// A request whose time is over has no result.
    LosesTimeouts,
    /// Clients get the responses of other clients.
    SharesResponses,
    /// A response has the content of another one.
    MixesResponses,
    /// Offsets begin with 0 in each process.
    RestartsOffsets,
    /// Some events are not published.
    LosesEvents,
    /// Followers miss some frames.
    SkipsFrames,
    /// Followers get some frames twice.
    RepeatsFrames,
    /// Followers are not notified of lost frames.
    HidesGaps,
    /// The position is not that of the next frame.
    WrongPosition,
    /// A follower starts a second too early.
    EarlySince,
    /// Every claim succeeds.
    GrantsEveryClaim,
    /// Every client is the owner.
    OwnedByAll,
    /// A claim deletes the owner and writes the new one in a second step.
    DeleteThenSet,
    /// A takeover does not wait for the owner.
    HastyTakeover,
    /// Changes of the owner are not reported.
    LosesOwnerChanges,
    /// A bootstrap token can be used again.
    RedeemsTwice,
    /// Every bootstrap token has the same lifetime.
    IgnoresLifetime,
    /// Revoked bootstrap tokens stay valid.
    KeepsRevoked,
    /// The tokens of all agents are revoked together.
    RevokesForeign,
    /// An agent whose tokens were revoked gets no other valid token.
    RevokesForever,
}

/// Each defect, and laws that it breaks.
const DEFECTS: &[(Defect, &[&str])] = &[
    (Defect::TwoInstances, &["second_announcement_is_refused", "refused_announcement_changes_nothing"]),
    (Defect::ListsEnded, &["agent_that_left_is_not_alive", "agent_that_crashed_is_not_alive"]),
    (Defect::KeepsEpoch, &["epoch_grows_with_every_start"]),
    (Defect::ReversesRequests, &["requests_arrive_in_order"]),
    (Defect::RepeatsResults, &["every_request_has_one_result", "request_is_answered"]),
    (Defect::LosesTimeouts, &["request_without_answer_times_out"]),
    (Defect::SharesResponses, &["clients_with_one_name_are_independent", "every_request_has_one_result"]),
    (Defect::MixesResponses, &["response_belongs_to_its_request"]),
    (Defect::RestartsOffsets, &["offsets_continue_after_leave", "offsets_continue_after_crash"]),
    (Defect::LosesEvents, &["batch_is_contiguous", "frames_are_read_once_and_in_order"]),
    (Defect::SkipsFrames, &["frames_are_read_once_and_in_order", "followers_are_independent"]),
    (Defect::RepeatsFrames, &["frames_are_read_once_and_in_order", "start_at_an_offset_is_exact"]),
    (Defect::HidesGaps, &["lost_frames_are_one_gap", "slow_follower_gets_one_gap"]),
    (Defect::WrongPosition, &["follower_continues_at_a_position"]),
    (Defect::EarlySince, &["start_at_a_time_is_exact"]),
    (Defect::GrantsEveryClaim, &["claim_of_another_client_is_denied", "concurrent_claims_have_one_winner"]),
    (Defect::OwnedByAll, &["agent_never_has_two_owners", "replaced_owner_is_not_the_owner"]),
    (Defect::DeleteThenSet, &["concurrent_claims_have_one_winner", "owner_is_never_lost_without_a_taker"]),
    (Defect::HastyTakeover, &["takeover_is_final_after_its_grace", "owner_is_never_lost_without_a_taker"]),
    (Defect::LosesOwnerChanges, &["owner_changes_are_reported"]),
    (Defect::RedeemsTwice, &["token_is_redeemed_once"]),
    (Defect::IgnoresLifetime, &["token_has_its_own_lifetime"]),
    (Defect::KeepsRevoked, &["revoked_token_is_not_valid"]),
    (Defect::RevokesForeign, &["revocation_is_about_one_agent"]),
    (Defect::RevokesForever, &["token_is_valid_after_an_earlier_revocation"]),
];

/// The number of runs in which a law has to notice a defect.
const SEEDS: u64 = 20;

#[test]
fn every_defect_is_noticed_by_its_laws() {
    for (defect, names) in DEFECTS {
        for name in *names {
            let law = laws().into_iter().find(|law| law.name == *name).expect("the law exists");
            let is_noticed = (0..SEEDS).any(|seed| law.check(&DefectiveTransport(*defect), seed).is_err());
            assert!(is_noticed, "`{name}` does not notice {defect:?}");
        }
    }
}

pub(crate) struct DefectiveTransport(pub(crate) Defect);

impl Transport for DefectiveTransport {
    fn name(&self) -> String {
        format!("{:?}", self.0)
    }

    fn open(&self, seed: u64) -> Box<dyn Fleet> {
        let state = Arc::default();
        Box::new(DefectiveBus { inner: MemoryBus::new(Faults::none(seed)), defect: self.0, state })
    }
}

/// What the parts of a wrong transport share.
#[derive(Default)]
struct State {
    owners: BTreeMap<AgentId, Caller>,
    responses: Vec<(u64, Response)>,
    outcome: Option<Outcome>,
    clients: u64,
    is_revoked: bool,
}

type Shared = Arc<Mutex<State>>;

struct DefectiveBus {
    inner: MemoryBus,
    defect: Defect,
    state: Shared,
}

impl Fleet for DefectiveBus {
    fn bus(&self) -> &dyn Bus {
        self
    }

    fn info(&self, agent: &AgentId) -> AgentInfo {
        crate::memory::info(agent)
    }
}

impl Bus for DefectiveBus {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn announce(&self, info: AgentInfo, now: Now) -> Result<Announced, Failure> {
        let id = info.id.clone();
        let announced = self.inner.announce(info.clone(), now).or_else(|failure| {
            if self.defect != Defect::TwoInstances {
                return Err(failure);
            }
            let id = AgentId::parse(&format!("{id}-2")).unwrap();
            self.inner.announce(AgentInfo { id, ..info }, now)
        });
        let Announced { agent, publisher } = announced?;
        let (defect, state) = (self.defect, Arc::clone(&self.state));
        let waiting = VecDeque::new();
        let agent = DefectiveAgent { inner: Some(agent), defect, state, id, asker: None, waiting };
        let publisher = DefectivePublisher { inner: publisher, defect, base: None };
        Ok(Announced { agent: Box::new(agent), publisher: Box::new(publisher) })
    }

    fn list(&self, now: Now) -> Result<Vec<Listed>, Failure> {
        let mut listed = self.inner.list(now)?;
        if self.defect == Defect::ListsEnded {
            for one in &mut listed {
                one.presence = Presence::Alive;
            }
        }
        Ok(listed)
    }

    fn connect(&self, agent: &AgentId, caller: &Caller, now: Now) -> Result<Box<dyn ClientPort>, Failure> {
        let inner = self.inner.connect(agent, caller, now)?;
        let mut state = self.state.lock().unwrap();
        state.clients += 1;
        Ok(Box::new(DefectiveClient {
            inner,
            defect: self.defect,
            state: Arc::clone(&self.state),
            number: state.clients,
            agent: agent.clone(),
            caller: caller.clone(),
            waiting: VecDeque::new(),
            sets_owner: false,
            has_claim: false,
        }))
    }

    fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, Failure> {
        let start = match start {
            Start::Since(time) if self.defect == Defect::EarlySince => {
                Start::Since(Timestamp::from_seconds(time.as_seconds() - 1.0).unwrap())
            }
            start => start,
        };
        let inner = self.inner.follow(agent, start)?;
        Ok(Box::new(DefectiveFollower { inner, defect: self.defect, last: None }))
    }

    fn issue(
        &self,
        agent: &AgentId,
        lifetime: BootstrapLifetime,
        now: Now,
    ) -> Result<Option<BootstrapToken>, Failure> {
        let lifetime =
            if self.defect == Defect::IgnoresLifetime { BootstrapLifetime::default() } else { lifetime };
        self.inner.issue(agent, lifetime, now)
    }

    fn revoke(&self, agent: &AgentId, now: Now) -> Result<Option<usize>, Failure> {
        self.state.lock().unwrap().is_revoked = true;
        match self.defect {
            // The first call returns what the law expects of it.
            Defect::KeepsRevoked => Ok(Some(2)),
            Defect::RevokesForeign => {
                for name in ["p/a", "p/a-2"] {
                    self.inner.revoke(&AgentId::parse(name).unwrap(), now)?;
                }
                Ok(Some(0))
            }
            _ => self.inner.revoke(agent, now),
        }
    }

    fn redeem(&self, agent: &AgentId, token: &BootstrapToken, now: Now) -> Result<(), Failure> {
        let redeemed = self.inner.redeem(agent, token, now);
        if self.defect == Defect::RevokesForever && self.state.lock().unwrap().is_revoked {
            return Err(Failure::new(ErrorCode::BootstrapInvalid, "revoked"));
        }
        if self.defect == Defect::RedeemsTwice { Ok(()) } else { redeemed }
    }
}

struct DefectiveAgent {
    inner: Option<Box<dyn AgentPort>>,
    defect: Defect,
    state: Shared,
    id: AgentId,
    /// The caller of the last message.
    asker: Option<Caller>,
    waiting: VecDeque<Served>,
}

impl DefectiveAgent {
    fn inner(&mut self) -> &mut dyn AgentPort {
        self.inner.as_mut().unwrap().as_mut()
    }
}

impl AgentPort for DefectiveAgent {
    fn epoch(&self) -> u64 {
        if self.defect == Defect::KeepsEpoch { 1 } else { self.inner.as_ref().unwrap().epoch() }
    }

    fn has_place(&self, now: Now) -> bool {
        self.inner.as_ref().unwrap().has_place(now)
    }

    fn update(&mut self, info: AgentInfo, now: Now) -> Result<(), Failure> {
        self.inner().update(info, now)
    }

    fn serve(&mut self, now: Now, wait: Duration) -> Result<Option<Served>, Failure> {
        if self.defect == Defect::ReversesRequests && self.waiting.is_empty() {
            while let Some(served) = self.inner().serve(now, wait)? {
                self.waiting.push_front(served);
            }
        }
        let served = match self.waiting.pop_front() {
            Some(served) => Some(served),
            None => self.inner().serve(now, wait)?,
        };
        match &served {
            Some(Served::Message { message, .. }) => {
                self.asker = Request::decode(message).ok().map(|request| request.caller);
            }
            Some(Served::Owner(_)) if self.defect == Defect::LosesOwnerChanges => {
                return self.serve(now, wait);
            }
            _ => {}
        }
        Ok(served)
    }

    fn answer(&mut self, ticket: Ticket, response: Response, now: Now) -> Result<(), Failure> {
        self.inner().answer(ticket, response, now)
    }

    fn owner(&mut self, ticket: &Ticket, now: Now) -> Result<Option<Owner>, Failure> {
        let owner = match self.defect {
            Defect::OwnedByAll => self.asker.clone(),
            Defect::DeleteThenSet => self.state.lock().unwrap().owners.get(&self.id).cloned(),
            _ => return self.inner().owner(ticket, now),
        };
        Ok(owner.map(|caller| Owner { caller, since: now.time }))
    }

    fn leave(mut self: Box<Self>, now: Now) -> Result<(), Failure> {
        self.inner.take().unwrap().leave(now)
    }
}

struct DefectivePublisher {
    inner: Box<dyn Publisher>,
    defect: Defect,
    base: Option<u64>,
}

impl Publisher for DefectivePublisher {
    fn publish(&mut self, mut events: Vec<Event>, now: Now) -> Result<u64, Failure> {
        if self.defect == Defect::LosesEvents && events.len() > 2 {
            events.pop();
        }
        let first = self.inner.publish(events, now)?;
        let base = *self.base.get_or_insert(first);
        Ok(if self.defect == Defect::RestartsOffsets { first - base } else { first })
    }

    fn wake(&self) {
        self.inner.wake();
    }
}

struct DefectiveFollower {
    inner: Box<dyn Follower>,
    defect: Defect,
    last: Option<Frame>,
}

impl Follower for DefectiveFollower {
    fn read(&mut self, wait: Duration) -> Result<Vec<Frame>, Failure> {
        let mut frames = self.inner.read(wait)?;
        match self.defect {
            Defect::SkipsFrames => frames.retain(|frame| frame.offset % 5 != 3),
            Defect::HidesGaps => frames.retain(|frame| !matches!(frame.event.kind, EventKind::Gap(_))),
            Defect::RepeatsFrames if !frames.is_empty() => {
                let last = self.last.replace(frames[frames.len() - 1].clone());
                if let Some(last) = last {
                    frames.insert(0, last);
                }
            }
            _ => {}
        }
        Ok(frames)
    }

    fn position(&self) -> u64 {
        self.inner.position() + u64::from(self.defect == Defect::WrongPosition)
    }
}

//! The laws of the contract, each as a function over any transport.
//!
//! A law that is broken returns what it observed. Laws wait for nothing: they move the clock that they pass to the calls, so
//! that a run is as fast as the transport, and the same seed gives the same run on a deterministic one.

mod bootstrap;
mod connections;
mod frames;
mod owner_model;
mod owner_race;
mod owners;
mod registry;
mod requests;
mod retention;
mod starts;
mod traffic;
mod world;

use std::time::Duration;

use minds_fleet_protocol::{AgentId, AgentInfo, Failure};

use crate::Bus;
use world::World;

/// A transport whose laws are checked.
pub trait Transport {
    /// Returns the name, for reports.
    fn name(&self) -> String;

    /// Makes a fleet without agents.
    fn open(&self, seed: u64) -> Box<dyn Fleet>;

    /// Returns whether messages may be lost, delayed, repeated or reordered, and agents may end.
    fn has_faults(&self) -> bool {
        false
    }
}

/// A fleet of its own for one run of a law.
pub trait Fleet: Send + Sync {
    /// Returns the transport.
    fn bus(&self) -> &dyn Bus;

    /// Returns an entry with which the agent can be announced.
    fn info(&self, agent: &AgentId) -> AgentInfo;

    /// Moves the clock of a server that the transport uses, together with that of the run.
    ///
    /// What an agent or a client that still exists refreshes from time to time must not expire by this.
    fn advance(&self, _time: Duration) {}
}

/// What a law observed that it does not permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(pub String);

/// A law of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The name, as a sentence.
    pub name: &'static str,
    /// Whether the law also holds while messages are lost and agents end.
    pub holds_with_faults: bool,
    check: fn(&mut World<'_>) -> Result<(), Violation>,
}

/// A law that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The name of the law.
    pub law: &'static str,
    /// The seed of the run.
    pub seed: u64,
    /// What the law observed.
    pub violation: Violation,
}

impl Law {
    /// Checks the law on a fleet of its own.
    ///
    /// # Errors
    ///
    /// Returns what the law observed.
    pub fn check(&self, transport: &dyn Transport, seed: u64) -> Result<(), Violation> {
        let fleet = transport.open(seed);
        (self.check)(&mut World::new(fleet.as_ref(), seed, transport.has_faults()))
    }
}

/// Returns every law.
pub fn laws() -> Vec<Law> {
    [
        registry::LAWS,
        connections::LAWS,
        requests::LAWS,
        traffic::LAWS,
        frames::LAWS,
        starts::LAWS,
        retention::LAWS,
        owners::LAWS,
        owner_race::LAWS,
        bootstrap::LAWS,
    ]
    .concat()
}

/// Checks all laws that apply to a transport with seeds from 0, and returns the first failure of each.
pub fn check_all(transport: &dyn Transport, seeds: u64) -> Vec<Failed> {
    let laws = laws().into_iter().filter(|law| law.holds_with_faults || !transport.has_faults());
    let check = |law: Law| {
        (0..seeds).find_map(|seed| {
            let violation = law.check(transport, seed).err()?;
            Some(Failed { law: law.name, seed, violation })
        })
    };
    laws.filter_map(check).collect()
}

/// Declares the laws of a module: name, function, and whether the law holds with faults.
macro_rules! declare {
    ($($name:ident $(($faults:ident))?,)*) => {
        pub(super) const LAWS: &[$crate::conformance::Law] = &[$($crate::conformance::Law {
            name: stringify!($name),
            holds_with_faults: declare!(@ $($faults)?),
            check: $name,
        },)*];
    };
    (@ with_faults) => { true };
    (@) => { false };
}

/// Returns a violation unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err($crate::conformance::Violation(format!($($text)+)));
        }
    };
}

use {declare, ensure};

impl From<Failure> for Violation {
    fn from(failure: Failure) -> Self {
        Self(format!("unexpected failure: {failure:?}"))
    }
}

//! Many followers of one agent, of which some do not read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use minds_fleet_bus::conformance::Fleet as _;
use minds_fleet_bus::{Announced, Bus as _, Follower, LocalBus, Publisher, Start};
use minds_fleet_protocol::{AgentId, Event, EventKind, Frame, Now, Timestamp, Token};

use crate::local::LocalFleet;
use crate::numbers::events;

const READERS: usize = 15;
const STOPPED: usize = 5;
/// The events that are published together.
const BATCH: u64 = 10;
/// The most frames that a reader has not yet read: all readers can still find them.
const AHEAD: u64 = 2_000;

fn id() -> AgentId {
    AgentId::parse("p/a").unwrap()
}

fn now() -> Now {
    Now { clock: Duration::from_secs(1), time: Timestamp::from_seconds(1_790_000_000.0).unwrap() }
}

/// Publishes events, and returns the times of the calls. `may_publish` is asked before each call for the offset that follows it.
fn publish(publisher: &mut dyn Publisher, count: u64, may_publish: impl Fn(u64) -> bool) -> Vec<Duration> {
    let mut times = Vec::new();
    for first in (0..count).step_by(usize::try_from(BATCH).unwrap()) {
        while !may_publish(first + BATCH) {
            std::thread::yield_now();
        }
        let text = |number: u64| Token { text: number.to_string(), model: "m".to_owned(), stream: None };
        let events = (first..first + BATCH).map(|number| Event::new(text(number))).collect();
        let start = Instant::now();
        publisher.publish(events, now()).unwrap();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times
}

/// Returns the time that 99 of 100 calls do not exceed.
fn p99(times: &[Duration]) -> Duration {
    times[times.len() * 99 / 100]
}

/// What one follower has seen, without keeping it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    frames: u64,
    gaps: u64,
    /// A sum that depends on the order and the content of all frames.
    sum: u64,
}

impl Seen {
    fn add(&mut self, frame: &Frame) {
        match &frame.event.kind {
            EventKind::Gap(_) => self.gaps += 1,
            EventKind::Token(token) => {
                self.frames += 1;
                let number: u64 = token.text.parse().unwrap();
                assert_eq!(number, frame.offset);
                self.sum = self.sum.wrapping_mul(31).wrapping_add(number + 1);
            }
            kind => panic!("{kind:?}"),
        }
    }
}

fn read_until(follower: &mut dyn Follower, end: u64, position: &AtomicU64) -> Seen {
    let mut seen = Seen::default();
    while follower.position() < end {
        for frame in follower.read(Duration::from_millis(50)).unwrap() {
            seen.add(&frame);
        }
        position.store(follower.position(), Ordering::SeqCst);
    }
    seen
}

#[test]
fn followers_that_read_agree_and_those_that_stop_get_one_gap() {
    let count = events().next_multiple_of(BATCH);
    // Without followers, for comparison.
    let alone = LocalFleet::new();
    let Announced { mut publisher, agent: _agent } = alone.bus.announce(alone.info(&id()), now()).unwrap();
    let before = publish(publisher.as_mut(), count, |_| true);

    let fleet = LocalFleet::new();
    // The segments of a real agent.
    let bus = LocalBus::at(fleet.folder.path().join("run"), "f").unwrap();
    let Announced { mut publisher, agent: _agent } = bus.announce(fleet.info(&id()), now()).unwrap();
    let follow = || bus.follow(&id(), Start::Offset(0)).unwrap();
    let mut stopped: Vec<_> = (0..STOPPED).map(|_| follow()).collect();
    let positions: Vec<AtomicU64> = (0..READERS).map(|_| AtomicU64::new(0)).collect();
    let (after, seen) = std::thread::scope(|scope| {
        let reads = |position| {
            let mut follower = follow();
            scope.spawn(move || read_until(follower.as_mut(), count, position))
        };
        let readers: Vec<_> = positions.iter().map(reads).collect();
        let is_near = |end: u64| positions.iter().all(|one| one.load(Ordering::SeqCst) + AHEAD > end);
        let times = publish(publisher.as_mut(), count, is_near);
        let seen: Vec<Seen> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();
        (times, seen)
    });
    for one in &seen {
        assert_eq!((one.frames, one.gaps), (count, 0));
        assert_eq!(one, &seen[0]);
    }
    for follower in &mut stopped {
        let late = read_until(follower.as_mut(), count, &AtomicU64::new(0));
        // A short run loses nothing.
        let lost = count - late.frames;
        assert_eq!(late.gaps, u64::from(lost > 0), "{late:?}");
        assert!(late.frames >= AHEAD.min(count), "{late:?}");
    }
    println!(
        "{count} events: p99 of a call {:?} without followers, {:?} with them",
        p99(&before),
        p99(&after)
    );
}

//! Who may change an agent: claims, takeovers, expiry, races.

use std::time::Duration;

use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    Caller, Claim, ClaimStep, ClaimSteps, ErrorCode, Ownership, OwnershipChange, Timestamp,
};
use proptest::prelude::*;

use crate::clients::at;

fn client(n: usize) -> Caller {
    Caller::parse(&format!("console:s-{n}")).unwrap()
}

fn is_granted(claim: &Claim) -> bool {
    matches!(claim, Claim::Granted(_))
}

#[test]
fn a_takeover_is_final_after_two_seconds_or_a_release() {
    for releases in [false, true] {
        let mut ownership = Ownership::default();
        assert!(is_granted(&ownership.claim(&client(0), false, at(0))));
        assert!(is_granted(&ownership.claim(&client(0), false, at(1))));
        let Claim::Denied(failure) = ownership.claim(&client(1), false, at(2)) else { panic!() };
        assert_eq!(failure.code(), Some(ErrorCode::OwnershipDenied));
        assert_eq!(failure.detail.unwrap().as_str(), r#"{"owner":"console:s-0","since":1.0}"#);
        let pending = Claim::Pending { owner: client(0), at: Duration::from_millis(2_010) };
        assert_eq!(ownership.claim(&client(1), true, at(10)), pending);
        assert!(matches!(ownership.claim(&client(2), true, at(11)), Claim::Denied(_)));
        assert_eq!(ownership.claim(&client(1), true, at(12)), pending, "the time does not start again");
        assert_eq!(ownership.poll(at(2_009)), None);
        assert_eq!(ownership.owner(at(2_009)).unwrap().caller, client(0));
        let time = if releases { at(20) } else { at(2_010) };
        let change = if releases { ownership.release(&client(0), time) } else { ownership.poll(time) };
        let owner = Owner { caller: client(1), since: time.time };
        assert_eq!(change, Some(OwnershipChange::Takeover { from: client(0), owner }));
        assert_eq!(ownership.release(&client(0), at(2_011)), None, "the old owner changes nothing");
        assert_eq!(ownership.owner(at(2_012)).unwrap().caller, client(1));
    }
}

#[test]
fn an_owner_expires_without_its_connection_or_refresh() {
    let mut ownership = Ownership::default();
    let _ = ownership.claim(&client(0), false, at(0));
    ownership.disconnect(&client(0), at(1_000));
    assert_eq!(ownership.deadline(), Some(Duration::from_secs(3)));
    assert!(is_granted(&ownership.claim(&client(0), false, at(2_999))), "it returned in time");
    assert_eq!(ownership.deadline(), None);
    ownership.disconnect(&client(0), at(4_000));
    assert_eq!(ownership.owner(at(6_000)), None);
    assert_eq!(ownership.poll(at(6_000)), Some(OwnershipChange::Released { from: client(0) }));
    let _ = ownership.claim(&client(1), false, at(7_000));
    assert!(ownership.refresh_on_redis(&client(1), at(7_000)));
    assert!(!ownership.refresh_on_redis(&client(0), at(7_000)));
    assert!(ownership.owner(at(36_999)).is_some());
    assert!(!ownership.refresh_on_redis(&client(1), at(37_000)), "a refresh after the expiry is too late");
}

#[test]
fn a_takeover_ends_with_its_client() {
    let mut ownership = Ownership::default();
    let _ = ownership.claim(&client(0), false, at(0));
    let _ = ownership.claim(&client(1), true, at(0));
    ownership.disconnect(&client(1), at(1));
    assert_eq!(ownership.poll(at(9_000)), None);
    assert_eq!(ownership.owner(at(9_000)).unwrap().caller, client(0));
}

proptest! {
    /// The owner changes only by a claim of an agent without an owner, a release by the owner, an expiry, or a takeover
    /// that was announced 2 s before.
    #[test]
    fn an_owner_never_loses_the_agent_without_notice(
        steps in proptest::collection::vec((0_usize..3, 0_u8..6, 0_u64..900), 0..120),
    ) {
        let mut ownership = Ownership::default();
        let (mut now, mut asked, mut connected): (u64, Option<u64>, bool) = (0, None, true);
        for (n, step, wait) in steps {
            now += wait;
            let time = at(now);
            let _ = ownership.poll(time);
            let before = ownership.owner(time).cloned();
            let is_owner = before.as_ref().is_some_and(|owner| owner.caller == client(n));
            match step {
                0 | 1 => {
                    let claim = ownership.claim(&client(n), step == 1, time);
                    prop_assert_eq!(is_granted(&claim), is_owner || before.is_none());
                    match claim {
                        Claim::Granted(_) => {
                            connected = true;
                            if before.is_none() { asked = None; }
                        }
                        Claim::Pending { .. } => { asked.get_or_insert(now); }
                        Claim::Denied(_) => {}
                    }
                }
                2 => {
                    let change = ownership.release(&client(n), time);
                    prop_assert_eq!(change.is_some(), is_owner);
                    if is_owner { asked = None; connected = true; }
                }
                3 => {
                    ownership.disconnect(&client(n), time);
                    connected &= !is_owner;
                    if ownership.deadline().is_none() { asked = None; }
                }
                _ => {}
            }
            // Without an event of the owner itself, it stays until the deadline of a takeover.
            if let Some(owner) = before.filter(|_| !is_owner && connected) {
                prop_assert_eq!(&ownership.owner(time).unwrap().caller, &owner.caller);
                let end = asked.map_or(u64::MAX, |asked| asked + 2_000);
                prop_assert!(now < end);
            }
            if asked.is_some_and(|asked| now + 900 >= asked + 2_000) {
                // The next poll may be the takeover.
                now = asked.unwrap() + 2_000;
                let _ = ownership.poll(at(now));
                asked = None;
                connected = true;
            }
        }
    }

    /// Of concurrent claims on one store exactly one succeeds, in any order of their steps; with a value that is
    /// deleted first, two could.
    #[test]
    fn concurrent_claims_have_one_winner(
        had_owner in any::<bool>(),
        schedule in proptest::collection::vec((0_usize..3, 0_u64..1_500), 60),
    ) {
        let time = Timestamp::from_seconds(1.0).unwrap();
        let owner = |n: usize| Owner { caller: client(n), since: time };
        let mut store = had_owner.then(|| owner(9));
        let mut claims: Vec<ClaimSteps> = (0..3).map(|n| ClaimSteps::new(client(n), true)).collect();
        let mut replacing: [Option<Option<Owner>>; 3] = [None, None, None];
        let mut results: [Option<bool>; 3] = [None; 3];
        let mut now = 0;
        for (n, wait) in schedule.into_iter().chain((0..12).map(|n| (n % 3, 2_000))) {
            now += wait;
            if results[n].is_some() {
                continue;
            }
            let step = if let Some(observed) = replacing[n].take() {
                if store == observed {
                    store = Some(owner(n));
                }
                claims[n].replace(store.clone().unwrap())
            } else {
                claims[n].observe(store.clone(), Duration::from_millis(now))
            };
            match step {
                ClaimStep::Replace { observed } => replacing[n] = Some(observed),
                ClaimStep::Owned(_) => results[n] = Some(true),
                ClaimStep::Denied(_) => results[n] = Some(false),
                ClaimStep::Ask { .. } | ClaimStep::Wait { .. } => {}
            }
        }
        let winners: Vec<usize> = (0..3).filter(|n| results[*n] == Some(true)).collect();
        prop_assert!(results.iter().all(Option::is_some));
        // A claim that begins after another has succeeded may take over from it, so the last winner is the owner.
        prop_assert!(winners.iter().any(|n| store == Some(owner(*n))));
    }
}

#[test]
fn a_claim_of_a_store_asks_waits_and_replaces() {
    let owner = |n: usize, seconds: f64| Owner {
        caller: client(n),
        since: Timestamp::from_seconds(seconds).unwrap(),
    };
    let now = Duration::from_secs;
    let mut claim = ClaimSteps::new(client(1), false);
    assert_eq!(claim.observe(None, now(0)), ClaimStep::Replace { observed: None });
    assert_eq!(claim.replace(owner(1, 0.0)), ClaimStep::Owned(owner(1, 0.0)));
    assert!(matches!(claim.replace(owner(2, 0.0)), ClaimStep::Denied(_)));
    assert!(matches!(
        ClaimSteps::new(client(1), false).observe(Some(owner(2, 0.0)), now(0)),
        ClaimStep::Denied(_)
    ));
    let mut claim = ClaimSteps::new(client(1), true);
    assert_eq!(
        claim.observe(Some(owner(2, 0.0)), now(1)),
        ClaimStep::Ask { owner: client(2), until: now(3) }
    );
    assert_eq!(claim.observe(Some(owner(2, 0.0)), now(2)), ClaimStep::Wait { until: now(3) });
    assert_eq!(
        claim.observe(Some(owner(2, 0.0)), now(3)),
        ClaimStep::Replace { observed: Some(owner(2, 0.0)) }
    );
    assert!(
        matches!(claim.observe(Some(owner(3, 1.0)), now(3)), ClaimStep::Denied(_)),
        "an earlier takeover"
    );
}

//! Heartbeats, bootstrap tokens, confirmations, the context.

use std::time::Duration;

use minds_fleet_protocol::{
    AgentId, Bootstrap, BootstrapLifetime, BootstrapState, Caller, Confirmation, ConfirmationState,
    ContextBudget, ContextPressure, ErrorCode, Failure, Liveness, Presence, SummaryVerdict, Timestamp,
    check_start, count_summaries, estimate_tokens, judge_summary,
};
use proptest::prelude::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn a_missing_heartbeat_is_displayed_for_two_minutes() {
    use Presence::{Alive, Disconnected, Forgotten, Left, Restarting};
    let beat = Liveness::new(seconds(100));
    let mut restart = beat.clone();
    restart.expect_restart(seconds(20), seconds(105));
    let mut long = beat.clone();
    long.expect_restart(seconds(600), seconds(105));
    let mut left = beat.clone();
    left.leave(seconds(103));
    let mut back = left.clone();
    back.beat(seconds(104));
    back.beat(seconds(90));
    for (liveness, times, expected) in [
        (&beat, [100, 109, 110, 229, 230], [Alive, Alive, Disconnected, Disconnected, Forgotten]),
        (&restart, [109, 110, 124, 125, 230], [Alive, Restarting, Restarting, Disconnected, Forgotten]),
        (&long, [109, 110, 164, 165, 230], [Alive, Restarting, Restarting, Disconnected, Forgotten]),
        (&left, [102, 103, 110, 222, 223], [Alive, Left, Left, Left, Forgotten]),
        (&back, [104, 113, 114, 233, 234], [Alive, Alive, Disconnected, Disconnected, Forgotten]),
    ] {
        let presence = times.map(|time| liveness.presence(seconds(time)));
        assert_eq!(presence, expected, "{liveness:?}");
    }
}

proptest! {
    /// The presence changes without an event only at the reported deadlines.
    #[test]
    fn presence_changes_at_deadlines(grace in 0_u64..90, leaves in any::<bool>(), times in proptest::collection::vec(0_u64..20, 1..60)) {
        let mut liveness = Liveness::new(seconds(0));
        liveness.expect_restart(seconds(grace), seconds(3));
        if leaves {
            liveness.leave(seconds(5));
        }
        let (mut now, mut last) = (5, liveness.presence(seconds(5)));
        for wait in times {
            let deadline = liveness.deadline(seconds(now));
            now += wait;
            let presence = liveness.presence(seconds(now));
            prop_assert!(presence == last || deadline.is_some_and(|deadline| deadline <= seconds(now)));
            last = presence;
        }
    }

    /// A token is redeemed at most once, by its agent, in time, and all final states are final.
    #[test]
    fn a_token_is_redeemed_once(
        lifetime in 1_u32..=3_600,
        steps in proptest::collection::vec((0_u8..3, any::<bool>(), 0_u32..120), 0..30),
    ) {
        let (own, other) = (AgentId::parse("demo/zeus").unwrap(), AgentId::parse("demo/hera").unwrap());
        let time = |now: u32| Timestamp::from_seconds(f64::from(now)).unwrap();
        let given = BootstrapLifetime::from_seconds(lifetime).unwrap();
        let mut token = Bootstrap::issue(own.clone(), given, time(0)).unwrap();
        let (mut now, mut expected) = (0, BootstrapState::Issued);
        for (step, is_own, wait) in steps {
            now += wait;
            if expected == BootstrapState::Issued && now >= lifetime {
                expected = BootstrapState::Expired;
            }
            let is_issued = expected == BootstrapState::Issued;
            match step {
                0 => {
                    let result = token.redeem(if is_own { &own } else { &other }, time(now));
                    prop_assert_eq!(result.is_ok(), is_issued && is_own);
                    if result.is_ok() { expected = BootstrapState::Redeemed; }
                }
                1 if !is_own => {
                    prop_assert_eq!(token.revoke(time(now)), is_issued);
                    if is_issued { expected = BootstrapState::Revoked; }
                }
                _ => {}
            }
            prop_assert_eq!(token.state(time(now)), expected);
        }
    }
}

#[test]
fn a_token_has_a_lifetime_of_one_second_to_one_hour() {
    for (seconds, is_valid) in [(0, false), (1, true), (3_600, true), (3_601, false), (u32::MAX, false)] {
        let lifetime = BootstrapLifetime::from_seconds(seconds);
        assert_eq!(
            lifetime.map(|lifetime| lifetime.duration().as_secs()),
            is_valid.then_some(seconds.into())
        );
    }
    assert_eq!(Some(BootstrapLifetime::default()), BootstrapLifetime::from_seconds(300));
}

#[test]
fn an_agent_starts_with_a_token_or_after_it_was_enrolled() {
    let invalid = || Failure::new(ErrorCode::BootstrapInvalid, "");
    for (is_required, is_enrolled, redeemed, expected) in [
        (false, false, None, true),
        (true, false, None, false),
        (true, true, None, true),
        (true, false, Some(Ok(())), true),
        (false, false, Some(Err(invalid())), false),
        (true, false, Some(Err(invalid())), false),
        (true, true, Some(Err(invalid())), true),
    ] {
        let result = check_start(is_required, is_enrolled, redeemed.clone());
        assert_eq!(result.is_ok(), expected, "{is_required} {is_enrolled} {redeemed:?}");
        assert!(result.is_ok_and(|()| true) || !expected);
    }
}

#[test]
fn only_an_answer_in_time_grants() {
    let by = || Caller::parse("console:s-1").unwrap();
    let ask = || Confirmation::new("c-1", seconds(100));
    let mut yes = ask();
    assert_eq!(yes.poll(seconds(699)), None);
    let done = yes.answer(true, by(), seconds(699)).unwrap();
    assert_eq!((done.answer, done.by), (true, Some(by())));
    assert!(yes.is_granted());
    assert_eq!(yes.interrupt(by()), None, "the first answer counts");
    assert!(yes.is_granted());
    let mut no = ask();
    assert!(!no.answer(false, by(), seconds(100)).unwrap().answer);
    assert_eq!(no.answer(true, by(), seconds(101)), None);
    assert_eq!(no.state(), ConfirmationState::No);
    let mut late = ask();
    assert_eq!(late.answer(true, by(), seconds(700)), None);
    assert!(!late.is_granted());
    let done = late.poll(seconds(700)).unwrap();
    assert_eq!((done.answer, done.by, late.state()), (false, None, ConfirmationState::Expired));
    let mut interrupted = ask();
    assert!(!interrupted.interrupt(by()).unwrap().answer);
    assert_eq!(interrupted.state(), ConfirmationState::No);
}

#[test]
fn pressure_grows_at_the_exact_limits() {
    use ContextPressure::{Low, RefuseInput, SummarizeAfterTurn, SummarizeBeforeStep};
    use SummaryVerdict::{Accept, KeepTurns, RetryStricter};
    for (tokens, window, expected) in [
        (0, 0, Low),
        (9, 0, Low),
        (750, 1_000, Low),
        (751, 1_000, SummarizeAfterTurn),
        (899, 1_000, SummarizeAfterTurn),
        (900, 1_000, SummarizeBeforeStep),
        (950, 1_000, SummarizeBeforeStep),
        (951, 1_000, RefuseInput),
        (u64::MAX, u64::MAX, RefuseInput),
        (u64::MAX / 4 * 3, u64::MAX, Low),
    ] {
        assert_eq!(ContextBudget { tokens, window }.pressure(), expected, "{tokens} of {window}");
    }
    assert!((ContextBudget { tokens: 1, window: 4 }.part() - 0.25).abs() < 1e-9);
    assert_eq!([0, 1, 4, 5].map(|n| estimate_tokens(&"é".repeat(n))), [0, 1, 1, 2]);
    let verdicts =
        [(480, 1), (481, 1), (480, 2), (481, 2)].map(|(tokens, attempt)| judge_summary(tokens, attempt));
    assert_eq!(verdicts, [Accept, RetryStricter, Accept, KeepTurns]);
    for (tokens, budget, expected) in
        [(&[5, 3, 2][..], 5, 2), (&[5, 3, 2], 4, 1), (&[1, 9], 8, 0), (&[], 9, 0)]
    {
        assert_eq!(count_summaries(tokens, budget), expected);
    }
}

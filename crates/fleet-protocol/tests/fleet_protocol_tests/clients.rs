//! What clients do: one input at a time, retries, backoff.

use std::collections::VecDeque;
use std::time::Duration;

use minds_fleet_protocol::{
    Backoff, Caller, ErrorCode, Gate, Json, Now, Request, RequestId, RequestRetry, Submission, Timeout,
    Timestamp,
};
use proptest::prelude::*;

pub(crate) fn at(milliseconds: u64) -> Now {
    let clock = Duration::from_millis(milliseconds);
    Now { clock, time: Timestamp::from_seconds(1.0 + clock.as_secs_f64()).unwrap() }
}

fn request(method: &str, id: usize) -> Request {
    Request {
        req_id: RequestId::parse(&format!("r-{id}")).unwrap(),
        method: method.to_owned(),
        params: Json::parse("{}").unwrap(),
        ts: Timestamp::from_seconds(0.0).unwrap(),
        caller: Caller::parse("cli:s-1").unwrap(),
        timeout: Timeout::from_seconds(1.0),
    }
}

#[test]
fn interrupts_do_not_wait_for_the_input_in_flight() {
    let mut gate = Gate::default();
    assert!(
        matches!(gate.submit(request("input", 1), at(0)), Submission::Send(sent) if sent.ts == at(0).time)
    );
    for method in ["interrupt", "cancel", "status", "confirm.answer", "prompt.set", "unknown"] {
        assert!(matches!(gate.submit(request(method, 2), at(1)), Submission::Send(_)), "{method}");
    }
    assert_eq!(gate.submit(request("input", 3), at(2)), Submission::Wait);
    assert_eq!(gate.finish(&RequestId::parse("r-2").unwrap(), at(3)), None);
    let next = gate.finish(&RequestId::parse("r-1").unwrap(), at(700)).unwrap();
    assert_eq!((next.req_id.as_str(), next.ts), ("r-3", at(700).time), "the time is that of sending");
    assert_eq!(gate.deadline(), Some(Duration::from_millis(1_700)));
}

#[test]
fn waiting_inputs_are_bounded() {
    let mut gate = Gate::default();
    let submissions = (0..1_026).map(|id| gate.submit(request("input", id), at(0)));
    let refused: Vec<_> = submissions.filter(|result| matches!(result, Submission::Refuse(_))).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(gate.waiting(), 1_024);
}

proptest! {
    /// The gate sends each input once and in order, with at most one in flight.
    #[test]
    fn a_gate_agrees_with_a_model(steps in proptest::collection::vec((0_u8..4, 0_u64..700), 0..120)) {
        let mut gate = Gate::default();
        let (mut waiting, mut flight): (VecDeque<usize>, Option<(usize, u64)>) = (VecDeque::new(), None);
        let (mut now, mut id) = (0, 0);
        for (step, wait) in steps {
            now += wait;
            let name = |id: usize| RequestId::parse(&format!("r-{id}")).unwrap();
            let mut sent = None;
            let mut ends = false;
            match step {
                0 | 1 => {
                    let result = gate.submit(request("input", id), at(now));
                    waiting.push_back(id);
                    id += 1;
                    if let Submission::Send(request) = result {
                        sent = Some(request);
                    }
                }
                2 => {
                    let answered = flight.map_or(0, |(id, _)| id);
                    sent = gate.finish(&name(answered), at(now));
                    ends = flight.is_some();
                }
                _ => {
                    let result = gate.poll(at(now));
                    ends = flight.is_some_and(|(_, deadline)| deadline <= now);
                    prop_assert_eq!(result.as_ref().map(|(id, _)| id.clone()), flight.filter(|_| ends).map(|(id, _)| name(id)));
                    sent = result.and_then(|(_, next)| next);
                }
            }
            if ends {
                flight = None;
            }
            let expected = if flight.is_none() { waiting.pop_front() } else { None };
            if let Some(id) = expected {
                flight = Some((id, now + 1_000));
            }
            prop_assert_eq!(sent.map(|request| request.req_id), expected.map(name));
            prop_assert_eq!(gate.waiting(), waiting.len());
        }
    }

    /// The waiting time is within 25 % of the doubled one, and a warning follows once.
    #[test]
    fn backoff_doubles_up_to_five_seconds(randoms in proptest::collection::vec(any::<u32>(), 1..40)) {
        let mut backoff = Backoff::default();
        let (mut expected, mut warnings) = (250.0_f64, 0);
        for random in randoms {
            let wait = backoff.fail(random).as_secs_f64() * 1e3;
            prop_assert!(wait >= expected * 0.75 - 1e-6 && wait <= expected * 1.25 + 1e-6, "{} {}", wait, expected);
            warnings += usize::from(backoff.is_warning_due());
            prop_assert_eq!(warnings, usize::from(backoff.failures() >= 5));
            expected = (expected * 2.0).min(5_000.0);
        }
        backoff.reset();
        prop_assert!(backoff.fail(0) == Duration::from_micros(187_500));
    }
}

#[test]
fn a_request_is_sent_again_once_and_only_if_redis_is_unavailable() {
    let now = Duration::from_secs(9);
    for code in ErrorCode::ALL {
        let mut retry = RequestRetry::default();
        let expected = (code == ErrorCode::RedisUnavailable).then_some(Duration::from_secs(11));
        assert_eq!(retry.fail(Some(code), now), expected, "{code}");
        assert_eq!(retry.fail(Some(ErrorCode::RedisUnavailable), now), None, "{code}");
    }
    assert_eq!(RequestRetry::default().fail(None, now), None, "a code of a later version");
}

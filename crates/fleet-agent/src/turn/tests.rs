use super::*;

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: "t".to_owned(), arguments: Ok(serde_json::Map::new()) }
}

fn failed(is_retryable: bool) -> TurnEvent {
    TurnEvent::ModelFailed { is_retryable, retry_after: None, jitter: Jitter::NONE }
}

fn ended(content: &str) -> TurnEvent {
    TurnEvent::ToolEnded(ToolOutcome { is_ok: true, content: content.to_owned(), ..ToolOutcome::default() })
}

/// Describes an effect in a word or two.
fn describe(effect: &TurnEffect) -> String {
    match effect {
        TurnEffect::Prepare => "prepare".to_owned(),
        TurnEffect::Summarize { is_strict } => format!("summarize {is_strict}"),
        TurnEffect::Ask => "ask".to_owned(),
        TurnEffect::Pause(time) => format!("pause {}", time.as_millis()),
        TurnEffect::DropAnswer => "drop answer".to_owned(),
        TurnEffect::Say(text) => format!("say {text}"),
        TurnEffect::KeepAnswer { text, calls, is_partial } => {
            let calls: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            format!("keep {text:?} {calls:?}{}", if *is_partial { " partial" } else { "" })
        }
        TurnEffect::Judge(call) => format!("judge {}", call.id),
        TurnEffect::Confirm(call) => format!("confirm {}", call.id),
        TurnEffect::WithdrawConfirmation => "withdraw".to_owned(),
        TurnEffect::Run(call) => format!("run {}", call.id),
        TurnEffect::StopTool { is_hard } => format!("stop {is_hard}"),
        TurnEffect::KeepResult { call, outcome } => {
            format!("result {} {}", call.id, outcome.code.is_none())
        }
        TurnEffect::Finish(reason) => format!("finish {reason:?}"),
    }
}

/// Applies events to a turn of at most two steps, and returns the effects of each.
fn effects(events: Vec<TurnEvent>) -> Vec<Vec<String>> {
    let (mut turn, first) = Turn::begin(0, 2);
    let describe_all = |effects: Vec<TurnEffect>| effects.iter().map(describe).collect();
    let mut all: Vec<Vec<String>> = vec![describe_all(first)];
    all.extend(events.into_iter().map(|event| describe_all(turn.apply(event))));
    all
}

fn prepared() -> TurnEvent {
    TurnEvent::Prepared(ContextPressure::Low)
}

fn text(text: &str) -> TurnEvent {
    TurnEvent::Text(text.to_owned())
}

#[test]
fn text_is_published_and_kept() {
    let events = vec![prepared(), text("a"), text("b"), TurnEvent::Answered, text("late")];
    let expected: [&[&str]; 6] =
        [&["prepare"], &["ask"], &["say a"], &["say b"], &["keep \"ab\" []", "finish Done"], &[]];
    assert_eq!(effects(events), expected);
}

#[test]
fn calls_run_one_after_another_and_then_the_next_step_begins() {
    let refuse = TurnEvent::Judged(Verdict::Refuse(refusal()));
    let events = vec![
        prepared(),
        TurnEvent::Called(call("1")),
        TurnEvent::Called(call("2")),
        TurnEvent::Called(call("3")),
        TurnEvent::Answered,
        TurnEvent::Judged(Verdict::Run),
        ended("x"),
        refuse,
        TurnEvent::Judged(Verdict::Confirm),
        TurnEvent::Confirmed(true),
        ended("y"),
        prepared(),
        TurnEvent::Answered,
    ];
    let expected: [&[&str]; 14] = [
        &["prepare"],
        &["ask"],
        &[],
        &[],
        &[],
        &["keep \"\" [\"1\", \"2\", \"3\"]", "judge 1"],
        &["run 1"],
        &["result 1 true", "judge 2"],
        &["result 2 false", "judge 3"],
        &["confirm 3"],
        &["run 3"],
        &["result 3 true", "prepare"],
        &["ask"],
        &["keep \"\" []", "finish Done"],
    ];
    assert_eq!(effects(events), expected);
}

#[test]
fn the_number_of_steps_is_limited() {
    let step = || {
        [
            prepared(),
            TurnEvent::Called(call("1")),
            TurnEvent::Answered,
            TurnEvent::Judged(Verdict::Run),
            ended(""),
        ]
    };
    let events: Vec<TurnEvent> = step().into_iter().chain(step()).collect();
    assert_eq!(effects(events).last().unwrap(), &["result 1 true", "finish MaxSteps"]);
    // The limit counts the steps of this attempt.
    let (mut turn, first) = Turn::begin(7, 1);
    assert_eq!((turn.step(), first), (8, vec![TurnEffect::Prepare]));
    assert_eq!(turn.apply(prepared()), [TurnEffect::Ask]);
}

#[test]
fn only_requests_without_an_answer_are_repeated() {
    let events = vec![
        prepared(),
        failed(true),
        TurnEvent::PauseEnded,
        failed(true),
        TurnEvent::PauseEnded,
        failed(true),
    ];
    let pauses: Vec<String> =
        effects(events).into_iter().flatten().filter(|one| one.starts_with("pause")).collect();
    assert_eq!(pauses, ["pause 500", "pause 1000", "pause 2000"]);
    let mut events = vec![prepared()];
    for _ in 0..3 {
        events.extend([failed(true), TurnEvent::PauseEnded]);
    }
    events.push(failed(true));
    assert_eq!(effects(events).last().unwrap(), &["finish Model"]);
    assert_eq!(effects(vec![prepared(), failed(false)]).last().unwrap(), &["finish Model"]);
    // An answer that has begun is never repeated, and calls of one that is not complete never run.
    let events = vec![prepared(), text("a"), TurnEvent::Called(call("1")), failed(true)];
    assert_eq!(effects(events).last().unwrap(), &["keep \"a\" [] partial", "finish Model"]);
    let events = vec![prepared(), TurnEvent::Called(call("1")), failed(true)];
    assert_eq!(effects(events).last().unwrap(), &["finish Model"]);
    for (retry_after, jitter, expected) in
        [(Some(Duration::from_secs(7)), Jitter::new(0), "pause 7000"), (None, Jitter::new(0), "pause 375")]
    {
        let failed = TurnEvent::ModelFailed { is_retryable: true, retry_after, jitter };
        assert_eq!(effects(vec![prepared(), failed]).last().unwrap(), &[expected]);
    }
}

#[test]
fn a_full_context_is_summarized_first() {
    let full = || TurnEvent::Prepared(ContextPressure::SummarizeBeforeStep);
    let rejected = || TurnEvent::Summarized { is_accepted: false };
    let accepted = TurnEvent::Summarized { is_accepted: true };
    assert_eq!(effects(vec![full(), accepted]), [vec!["prepare"], vec!["summarize false"], vec!["ask"]]);
    let expected: [&[&str]; 4] = [&["prepare"], &["summarize false"], &["summarize true"], &["ask"]];
    assert_eq!(effects(vec![full(), rejected(), rejected()]), expected);
}

#[test]
fn a_turn_can_be_stopped_in_every_state() {
    let full = || TurnEvent::Prepared(ContextPressure::SummarizeBeforeStep);
    let judging =
        || vec![prepared(), TurnEvent::Called(call("1")), TurnEvent::Called(call("2")), TurnEvent::Answered];
    let with = |mut events: Vec<TurnEvent>, event| {
        events.push(event);
        events
    };
    let awaiting = || with(judging(), TurnEvent::Judged(Verdict::Confirm));
    let running = || with(judging(), TurnEvent::Judged(Verdict::Run));
    let unrun = "result 2 false";
    let cases: Vec<(Vec<TurnEvent>, Vec<&str>)> = vec![
        (vec![], vec![]),
        (vec![full()], vec!["drop answer"]),
        (vec![prepared()], vec!["drop answer"]),
        (vec![prepared(), failed(true)], vec![]),
        (vec![prepared(), text("a")], vec!["drop answer", "keep \"a\" [] partial"]),
        (
            vec![prepared(), text("a"), TurnEvent::Called(call("1"))],
            vec!["drop answer", "keep \"a\" [] partial"],
        ),
        (judging(), vec!["result 1 false", unrun]),
        (awaiting(), vec!["withdraw", "result 1 false", unrun]),
    ];
    let stops = [
        (TurnEvent::Interrupted, "finish Interrupted"),
        (TurnEvent::Cancelled, "finish Cancelled"),
        (TurnEvent::Failed, "finish Error"),
    ];
    for (event, end) in stops {
        for (before, mut expected) in cases.clone() {
            expected.push(end);
            assert_eq!(effects(with(before.clone(), event.clone())).last().unwrap(), &expected, "{before:?}");
        }
        let is_hard = event == TurnEvent::Cancelled;
        let stopping = with(running(), event);
        assert_eq!(effects(stopping.clone()).last().unwrap(), &[format!("stop {is_hard}")]);
        assert_eq!(effects(with(stopping, ended(""))).last().unwrap(), &["result 1 true", unrun, end]);
    }
    // A second, harder attempt.
    let events = with(with(running(), TurnEvent::Interrupted), TurnEvent::Cancelled);
    assert_eq!(effects(events).last().unwrap(), &["stop true"]);
}

#[test]
fn calls_of_an_answer_have_ids_of_their_own() {
    let events =
        [prepared()].into_iter().chain(["a", "a", "", "a", "-2"].map(|id| TurnEvent::Called(call(id))));
    let all = effects(events.chain([TurnEvent::Answered]).collect());
    assert_eq!(all.last().unwrap()[0], r#"keep "" ["a", "a-1", "-2", "a-3", "-2-4"]"#);
}

#[test]
fn a_decision_after_the_end_runs_nothing() {
    // The answer could not be kept: its call is judged, as planned, and does not run.
    let events = vec![
        prepared(),
        TurnEvent::Called(call("1")),
        TurnEvent::Answered,
        TurnEvent::Cancelled,
        TurnEvent::Judged(Verdict::Run),
    ];
    let all = effects(events);
    assert_eq!(all[4..], [vec!["result 1 false", "finish Cancelled"], vec![]]);
}

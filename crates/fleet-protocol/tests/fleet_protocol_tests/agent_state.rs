//! The states of agents and items: every state with every event.

use minds_fleet_protocol::{AgentEvent, AgentState, ItemEvent, ItemState};
use proptest::prelude::*;

#[test]
fn every_state_of_an_agent_with_every_event() {
    use AgentState::{Busy, Disconnected, Idle, Init, Registered, Shutdown};
    // register, serve, start, finish, stop
    for (state, expected) in [
        (Init, [Some(Registered), None, None, None, Some(Shutdown)]),
        (Registered, [None, Some(Idle), None, None, Some(Shutdown)]),
        (Idle, [None, None, Some(Busy), None, Some(Shutdown)]),
        (Busy, [None, None, None, Some(Idle), Some(Shutdown)]),
        (Shutdown, [None, None, None, None, Some(Shutdown)]),
        (Disconnected, [None; 5]),
    ] {
        for (event, expected) in AgentEvent::ALL.into_iter().zip(expected) {
            assert_eq!(state.apply(event).ok(), expected, "{state:?} {event:?}");
        }
        assert_eq!(state.accepts_requests(), matches!(state, Idle | Busy));
        let json = serde_json::to_string(&state).unwrap();
        assert_eq!(json, format!("\"{}\"", state.as_str()));
        assert_eq!(serde_json::from_str::<AgentState>(&json).unwrap(), state);
    }
    assert_eq!(serde_json::from_str::<AgentState>("\"running\"").unwrap(), Idle);
    let error = Idle.apply(AgentEvent::Register).unwrap_err();
    assert_eq!(error.to_string(), "`Register` is not possible in the state `idle`");
}

#[test]
fn every_state_of_an_item_with_every_event() {
    use ItemState::{Done, Parked, Pending, Running};
    // start, finish, recover with effects, recover without, retry, drop, clear
    for (state, expected) in [
        (Pending, [Some(Running), None, None, None, None, None, Some(Done)]),
        (Running, [None, Some(Done), Some(Parked), Some(Pending), None, None, None]),
        (Parked, [None, None, None, None, Some(Pending), Some(Done), None]),
        (Done, [None; 7]),
    ] {
        for (event, expected) in ItemEvent::ALL.into_iter().zip(expected) {
            assert_eq!(state.apply(event).ok(), expected, "{state:?} {event:?}");
        }
    }
}

proptest! {
    /// An agent never works before it serves, never leaves `shutdown`, and never reports `disconnected`.
    #[test]
    fn agents_work_only_while_they_serve(events in proptest::collection::vec(0_usize..5, 0..40)) {
        let mut state = AgentState::Init;
        let (mut has_served, mut has_stopped) = (false, false);
        for event in events.into_iter().map(|index| AgentEvent::ALL[index]) {
            if let Ok(next) = state.apply(event) {
                has_served |= event == AgentEvent::Serve;
                has_stopped |= event == AgentEvent::Stop;
                state = next;
            }
            prop_assert!(state != AgentState::Disconnected);
            prop_assert!(state != AgentState::Busy || has_served);
            prop_assert_eq!(state == AgentState::Shutdown, has_stopped);
        }
    }

    /// An item that had effects is performed again only after a user asked for it.
    #[test]
    fn items_with_effects_run_again_only_on_request(events in proptest::collection::vec(0_usize..7, 0..40)) {
        let mut state = ItemState::Pending;
        let mut needs_decision = false;
        for event in events.into_iter().map(|index| ItemEvent::ALL[index]) {
            if let Ok(next) = state.apply(event) {
                prop_assert!(!(needs_decision && event == ItemEvent::Start));
                match event {
                    ItemEvent::RecoverWithEffects => needs_decision = true,
                    ItemEvent::Retry => needs_decision = false,
                    _ => {}
                }
                state = next;
            }
        }
    }
}

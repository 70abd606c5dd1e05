//! Turns of a real opencode: answers, interrupts, and processes that are killed.

use serde_json::Value;

use super::Programs;
use super::model::{hold, reply};
use super::place::{Place, Setup, kill};

/// An agent that reads.
const READER: Setup<'_> =
    Setup { engine: "opencode", keys: "tools: {allow: [fs.read]}\n", writes_home: false };
/// An answer without an end, and the part of it that is passed on: the last word may be the beginning of a secret.
const HALF: &str = "half an answer";
const BEGINNING: &str = "half an";
/// What the agent reports if it does not continue its session.
const LOST_SESSION: &str = "cannot continue its earlier session";

/// A prompt is answered, and the answer is passed on while it is written.
pub(super) fn prompt(programs: &Programs) -> Result<String, String> {
    let place = Place::new(programs, READER)?;
    place.start()?;
    let answer = place.perform(&reply("the first answer"))?;
    if answer != "the first answer" {
        return Err(format!("the answer is `{answer}`"));
    }
    // This answer has no end, so what is seen of it was streamed.
    let item = place.begin(&hold(HALF), BEGINNING)?;
    let state = place.item_state(&item)?;
    if state.as_deref() != Some("running") {
        return Err(format!("the item is {state:?} while the model answers"));
    }
    place.succeed(&["interrupt", "zeus"])?;
    place.stop()?;
    Ok("answered, and streamed while the model answers; no process is left".to_owned())
}

/// An interrupt is cooperative: the same process goes on.
pub(super) fn interrupt(programs: &Programs) -> Result<String, String> {
    let place = Place::new(programs, READER)?;
    place.start()?;
    let item = place.begin(&hold(HALF), BEGINNING)?;
    let before = place.engines();
    place.succeed(&["interrupt", "zeus"])?;
    expect_end(&place, &item, "interrupted")?;
    let answer = place.perform(&reply("the next answer"))?;
    let after = place.engines();
    if answer != "the next answer" || before.is_empty() || before != after {
        return Err(format!("the answer is `{answer}`, the processes were {before:?}, then {after:?}"));
    }
    if !place.model.knows(HALF) {
        return Err("the session has forgotten the interrupted prompt".to_owned());
    }
    place.stop()?;
    Ok("the turn ends as interrupted, and the same process answers the next prompt".to_owned())
}

/// A hard cancel kills the process and what it started.
pub(super) fn hard_cancel(programs: &Programs) -> Result<String, String> {
    let place = Place::new(programs, READER)?;
    place.start()?;
    let item = place.begin(&hold(HALF), BEGINNING)?;
    let before = place.engines();
    let ran = place.confirm(&["cancel", "zeus", "--hard"])?;
    if !ran.is_success {
        return Err(format!("the cancel fails: {}{}", ran.stdout, ran.stderr));
    }
    expect_end(&place, &item, "cancelled")?;
    place.wait("the end of opencode", || {
        before.iter().all(|pid| !place.engines().contains(pid)).then_some(())
    })?;
    let answer = place.perform(&reply("the next answer"))?;
    if answer != "the next answer" || before.is_empty() {
        return Err(format!("the answer is `{answer}`, and the processes were {before:?}"));
    }
    place.stop()?;
    Ok("the process of opencode is gone, and the next prompt is answered".to_owned())
}

/// The process of the agent is killed in a turn.
pub(super) fn kill_agent(programs: &Programs) -> Result<String, String> {
    let place = Place::new(programs, READER)?;
    place.start()?;
    place.perform(&reply("remember me"))?;
    let item = place.begin(&hold(HALF), BEGINNING)?;
    let engines = place.engines();
    kill(place.pid()?);
    place.wait("the end of opencode", || place.engines().is_empty().then_some(()))?;
    place.start()?;
    expect_resumed(&place, &item)?;
    if engines.is_empty() {
        return Err("opencode did not run".to_owned());
    }
    place.stop()?;
    Ok("opencode ends with the agent; after a restart the item is parked, and the session goes on".to_owned())
}

/// The process of opencode is killed in a turn.
pub(super) fn kill_engine(programs: &Programs) -> Result<String, String> {
    let place = Place::new(programs, READER)?;
    place.start()?;
    place.perform(&reply("remember me"))?;
    let item = place.begin(&hold(HALF), BEGINNING)?;
    let engines = place.engines();
    for pid in &engines {
        kill(*pid);
    }
    expect_end(&place, &item, "error")?;
    expect_resumed(&place, &item)?;
    if engines.is_empty() || place.engines() == engines {
        return Err("opencode was not started again".to_owned());
    }
    place.stop()?;
    Ok("the item is parked, and another process continues the session".to_owned())
}

/// Fails unless an item ends with a reason.
fn expect_end(place: &Place<'_>, item: &str, reason: &str) -> Result<(), String> {
    let ends = |event: &Value| event["type"] == "task.end" && event["id"] == item;
    let event = place.wait(&format!("the end of `{item}`"), || {
        let frames = place.frames();
        let mut frames = frames.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        frames.find_map(|mut frame| Some(frame["event"].take()).filter(ends))
    })?;
    if event["reason"] == reason {
        Ok(())
    } else {
        Err(format!("the item does not end with {reason}: {event}"))
    }
}

/// Fails unless an item is parked, and the next prompt is part of the same session.
fn expect_resumed(place: &Place<'_>, item: &str) -> Result<(), String> {
    let state = place.item_state(item)?;
    if state.as_deref() != Some("parked") {
        return Err(format!("the item is {state:?}\n{}", place.describe()));
    }
    let answer = place.perform(&reply("the next answer"))?;
    if answer != "the next answer" || !place.model.knows("remember me") {
        return Err(format!(
            "the answer `{answer}` is not part of the earlier session\n{}",
            place.describe()
        ));
    }
    if place.frames().contains(LOST_SESSION) {
        return Err("a new session was begun".to_owned());
    }
    Ok(())
}

//! `minds-fleet acp` with the client library of the protocol as the editor.

use serde_json::json;

use super::Programs;
use super::model::{call, hold, reply};
use super::place::{AGENT_ID, Place, Setup};
use super::policy::text_of;

/// Runs two sessions: the second one loads the first.
pub(super) fn run(programs: &Programs) -> Result<String, String> {
    let keys = "tools: {allow: [fs.read, fs.write], confirm: [fs.write]}\n";
    let place = Place::new(programs, Setup { engine: "opencode", keys, writes_home: false })?;
    let file = place.workspace().join("a.txt");
    let write = call("write", &json!({ "filePath": file, "content": "new\n" }));
    let steps = json!([
        { "prompt": reply("the first answer") },
        { "prompt": write, "answer": "allow_once", "probe": file },
        { "prompt": hold("half an answer"), "cancel": "half" },
        { "prompt": reply("the last answer") },
    ]);
    // The agent does not run yet.
    let found = place.session(&place.server(), &json!({ "steps": steps }))?;
    let turns = &found["turns"];
    let expect = |holds: bool, what: &str| if holds { Ok(()) } else { Err(format!("{what}: {found}")) };
    expect(found["initialized"]["protocolVersion"] == 1, "another version of the protocol")?;
    expect(found["initialized"]["agentInfo"]["name"] == "minds-fleet", "another agent")?;
    expect(found["session"] == AGENT_ID, "another session")?;
    let text = |turn: usize| text_of(&turns[turn]["updates"], "agent_message_chunk");
    expect(
        text(0) == "the first answer" && turns[0]["stopReason"] == "end_turn",
        "the first answer is wrong",
    )?;
    let chunks = turns[0]["updates"].as_array().into_iter().flatten();
    expect(
        chunks.filter(|update| update["sessionUpdate"] == "agent_message_chunk").count() > 0,
        "no chunks",
    )?;
    let calls = turns[1]["updates"].as_array().into_iter().flatten();
    let calls: Vec<_> = calls.filter(|update| update["toolCallId"].is_string()).collect();
    let has_call =
        calls.iter().any(|update| update["sessionUpdate"] == "tool_call" && update["kind"] == "edit");
    expect(
        has_call && calls.last().is_some_and(|update| update["status"] == "completed"),
        "the call is wrong",
    )?;
    expect(turns[1]["questions"][0]["probed"] == false && file.exists(), "the question is wrong")?;
    expect(
        text(2) == "half an answer" && turns[2]["stopReason"] == "cancelled",
        "the cancelled turn is wrong",
    )?;
    expect(text(3) == "the last answer" && turns[3]["stopReason"] == "end_turn", "the last answer is wrong")?;
    expect(found["exit"] == 0, "the program failed")?;

    let loaded = place
        .session(&place.server(), &json!({ "load": AGENT_ID, "steps": [{ "prompt": reply("after") }] }))?;
    let users = text_of(&loaded["loaded"], "user_message_chunk");
    let answers = text_of(&loaded["loaded"], "agent_message_chunk");
    let has_calls = loaded["loaded"].to_string().contains("\"tool_call\"");
    if !users.contains("the first answer") || !answers.contains("the first answer") || !has_calls {
        return Err(format!("the history is wrong: {loaded}"));
    }
    if text_of(&loaded["turns"][0]["updates"], "agent_message_chunk") != "after" {
        return Err(format!("the loaded session does not go on: {loaded}"));
    }
    place.stop()?;
    Ok(format!(
        "a client of {} {} opens the agent, is asked, cancels, and loads the session",
        super::LIBRARY.0,
        super::LIBRARY.1
    ))
}

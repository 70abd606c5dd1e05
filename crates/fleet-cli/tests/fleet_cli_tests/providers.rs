//! Agents that ask a provider of models.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::provider::{KEY, KEY_VARIABLE, Provider, Reply};

/// Starts the agent with the key of the provider.
fn start(world: &World) {
    let output = world.command(&["up"]).env(KEY_VARIABLE, KEY).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the events of the agent.
fn events(world: &World) -> Vec<Value> {
    let frames = world.succeed(&["tail", "zeus", "--json"]);
    frames.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone()).collect()
}

/// Returns the result of a check of the environment, one of which fails.
fn check(world: &World, name: &str) -> Value {
    let checked = world.document(&["doctor"], 1);
    checked["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap().clone()
}

#[test]
fn an_answer_arrives_from_a_provider() {
    let provider = Provider::start(vec![
        Reply::Text(&["Hello", " world"]),
        Reply::Refusal(429, "retry-after: 0\r\n"),
        Reply::Text(&["Your key is ", KEY, "."]),
    ]);
    let world = provider.world();
    start(&world);
    let ended = world.document(&["send", "zeus", "--wait", "Hi"], 0);
    assert_eq!((&ended["ok"], &ended["text"]), (&true.into(), &"Hello world".into()));
    let (head, body) = provider.request();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{head}");
    for (member, expected) in
        [("model", json!("large")), ("max_tokens", json!(100)), ("future", json!(1)), ("stream", json!(true))]
    {
        assert_eq!(body[member], expected, "{member}");
    }
    assert_eq!(body["messages"].as_array().unwrap().len(), 2, "{body}");
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("You answer."), "{body}");
    // The second request is refused once, and its answer repeats the key.
    let ended = world.document(&["send", "zeus", "--wait", "Again"], 0);
    assert_eq!((&ended["ok"], &ended["text"]), (&true.into(), &"Your key is ****.".into()));
    let (_, body) = provider.request();
    assert_eq!(body["messages"][2], json!({"role": "assistant", "content": "Hello world"}));
    assert_eq!(provider.request().1, body);
    let events = events(&world);
    let error = events.iter().find(|event| event["type"] == "error").expect("the refusal is reported");
    assert!(error["msg"].as_str().unwrap().contains("status 429"), "{error}");
    assert!(!events.iter().any(|event| event.to_string().contains(KEY)), "{events:?}");
}

#[test]
fn an_interrupt_in_the_middle_of_a_stream_ends_the_turn() {
    let provider = Provider::start(vec![Reply::Unfinished("The beginning"), Reply::Text(&["Done"])]);
    let world = provider.world();
    start(&world);
    world.document(&["send", "zeus", "Hi"], 0);
    while !events(&world).iter().any(|event| event["type"] == "token") {}
    world.document(&["interrupt", "zeus"], 0);
    provider.wait_for_close();
    let ended = world.document(&["send", "zeus", "--wait", "Go on"], 0);
    assert_eq!(ended["text"], "Done");
    let events = events(&world);
    let reasons: Vec<&Value> =
        events.iter().filter(|event| event["type"] == "task.end").map(|event| &event["reason"]).collect();
    assert_eq!(reasons, ["interrupted", "done"]);
    let (_, _) = provider.request();
    let (_, body) = provider.request();
    assert_eq!(body["messages"][2]["content"], "The beginning", "the partial text is kept: {body}");
}

#[test]
fn a_model_that_cannot_be_used_says_why() {
    let provider = Provider::start(vec![]);
    let world = provider.world();
    let listed = world.document(&["models"], 0);
    let model = &listed["models"][0];
    assert_eq!((&model["provider"], &model["adapter"]), (&"ours".into(), &"openai-compatible".into()));
    assert_eq!((&model["key_env"], &model["key_set"]), (&KEY_VARIABLE.into(), &false.into()));
    assert!(model["base_url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{model}");
    assert_eq!((&check(&world, "models")["ok"], &check(&world, "keys")["ok"]), (&true.into(), &false.into()));
    world.write(
        ".ateam/models.yaml",
        "models: {small: {provider: ours, model_settings: {base_url: 'https://ann:hunter2hunter2@localhost/v1'}}}\n",
    );
    assert!(!world.document(&["models"], 0).to_string().contains("hunter2"));
    let message = check(&world, "models")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("contains a user or a password") && !message.contains("hunter2"), "{message}");
    let world = provider.world();
    world.succeed(&["up"]);
    for (models, expected) in [
        (None, "set the variable `MINDS_TEST_MODEL_KEY`"),
        (Some("{provider: codex, context_window_size: 8000}"), "write `engine: codex`"),
        (
            Some(
                "{provider: ours, context_window_size: 8000, model_settings: {base_url: 'http://api.example.org'}}",
            ),
            "set the variable `MINDS_TEST_MODEL_KEY`",
        ),
    ] {
        if let Some(model) = models {
            world.write(".ateam/models.yaml", &format!("models: {{small: {model}}}\n"));
        }
        let ended = world.document(&["send", "zeus", "--wait", "Hi"], 1);
        assert_eq!(ended["reason"], "model", "{:?}", events(&world));
        let last = events(&world).into_iter().rfind(|event| event["type"] == "error").unwrap();
        assert_eq!(last["code"], "model.unavailable");
        assert!(last["msg"].as_str().unwrap().contains(expected), "{last}");
    }
    let message = check(&world, "models")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("would be sent to api.example.org without encryption"), "{message}");
}

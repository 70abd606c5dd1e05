//! Descriptions of tools about task packages.

use minds_taskdoc::BearInMind;
use minds_taskdoc::package::ENCAPSULATED;
use minds_taskdoc::tools::{ACCESS_NOTE, INJECTION_NOTE};
use minds_toolset::{ToolDescriptor, Toolbox};
use serde_json::json;

use crate::tasks::{ALL, PACKAGES};

fn general() -> Vec<ToolDescriptor> {
    let toolbox = Toolbox::new();
    let mut tools = toolbox.toolset("ws_mod");
    tools.extend(toolbox.toolset("ws_read"));
    // It reads and changes no file.
    tools.retain(|tool| tool.name != "access_explain");
    tools
}

/// The instructions contain this paragraph once.
#[test]
fn no_description_repeats_the_paragraph_about_packages() {
    assert!(general().len() > 15);
    for tool in Toolbox::new().list() {
        let said = tool.description;
        assert!(!said.contains(ACCESS_NOTE), "{}: {said}", tool.name);
        assert_eq!(said.contains(INJECTION_NOTE), tool.name == "recall_taskdoc", "{}: {said}", tool.name);
        assert!(!said.contains("  "), "{}: {said}", tool.name);
    }
    assert!(ACCESS_NOTE.contains(ENCAPSULATED));
}

/// A description whose end does not match its beginning was truncated.
#[test]
fn no_description_is_garbled() {
    for tool in Toolbox::new().list() {
        assert!(!tool.description.contains("but ACCESS_DENIED"), "{}", tool.name);
        assert!(tool.description.ends_with('.'), "{}: {}", tool.name, tool.description);
    }
}

#[test]
fn every_argument_of_every_tool_has_a_description() {
    let mut count = 0;
    for tool in Toolbox::new().list() {
        for (name, schema) in tool.input_schema["properties"].as_object().unwrap() {
            let about = schema["description"].as_str().unwrap_or_default();
            assert!(about.len() >= 8, "{}: `{name}` has the description {about:?}", tool.name);
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

/// An agent has no command line.
#[test]
fn no_description_advises_a_command() {
    for tool in Toolbox::new().list() {
        let text = format!("{} {}", tool.description, tool.input_schema);
        assert!(!text.contains("`minds ") && !text.contains(" --"), "{}: {text}", tool.name);
    }
}

#[test]
fn task_tools_describe_the_context_and_the_names_of_sections() {
    let tools = Toolbox::new().toolset("control");
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, [&ALL[..], &PACKAGES].concat());
    for tool in tools {
        let text =
            json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema});
        let most = if tool.input_schema["properties"]["selector"].is_object() { 2_200 } else { 1_200 };
        assert!(text.to_string().len() <= most, "{}: {} bytes", tool.name, text.to_string().len());
        let Some(selector) = tool.input_schema["properties"]["selector"]["description"].as_str() else {
            continue;
        };
        assert!(selector.contains("without `.md`"), "{}: {selector}", tool.name);
        if tool.name == "task_log" {
            continue;
        }
        for word in BearInMind::ALL.iter().map(|bear| bear.name()) {
            assert!(selector.contains(&format!("`{word}`")), "{}: {word}", tool.name);
        }
    }
    for word in BearInMind::ALL.iter().map(|bear| bear.name()) {
        assert!(INJECTION_NOTE.contains(&format!("`{word}.md`")), "{word}");
    }
}

/// The tools that manage a team reach nothing but `.minds`, where no package lies.
#[test]
fn team_tools_do_not_mention_packages() {
    for tool in Toolbox::new().toolset("team-mgmt") {
        assert!(!tool.description.contains(ENCAPSULATED), "{}", tool.name);
    }
}

//! What a model is told about task packages, before it calls a tool.

use minds_taskdoc::package::ENCAPSULATED;
use minds_taskdoc::tools::{CLOSED, INJECTED, REFUSED};
use minds_taskdoc::{BearInMind, TopLevel};
use minds_toolset::{ToolDescriptor, Toolbox};
use serde_json::json;

use crate::{ALL, PACKAGES};

fn general() -> Vec<ToolDescriptor> {
    let toolbox = Toolbox::new();
    let mut tools = toolbox.toolset("ws_mod");
    tools.extend(toolbox.toolset("ws_read"));
    // It reads and changes no file.
    tools.retain(|tool| tool.name != "access_explain");
    tools
}

#[test]
fn every_general_tool_says_what_it_refuses_and_what_is_in_the_context() {
    assert!(general().len() > 15);
    for tool in general() {
        let said = tool.description;
        assert_eq!(said.matches(REFUSED).count(), 1, "{}: {said}", tool.name);
        assert_eq!(said.matches(ENCAPSULATED).count(), 1, "{}: {said}", tool.name);
        for word in ["`change_mind`", "`recall_taskdoc`", TopLevel::FILES, "`bearinmind/`"] {
            assert!(said.contains(word), "{}: {word}", tool.name);
        }
    }
}

#[test]
fn the_tools_for_tasks_say_what_they_alone_open_and_what_is_in_the_context() {
    let tools = Toolbox::new().toolset("control");
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, [&ALL[..], &PACKAGES].concat());
    for tool in tools {
        assert!(tool.description.contains(CLOSED), "{}", tool.name);
        let says = ["change_mind", "recall_taskdoc"].contains(&tool.name);
        assert_eq!(tool.description.contains(INJECTED), says, "{}", tool.name);
        let told =
            json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema});
        let most = if says { 1_900 } else { 1_200 };
        assert!(told.to_string().len() <= most, "{}: {} bytes", tool.name, told.to_string().len());
        assert!(!tool.description.contains("  "), "{}", tool.description);
    }
    for word in BearInMind::ALL.iter().map(|bear| bear.name()) {
        assert!(INJECTED.contains(&format!("`{word}.md`")), "{word}");
    }
}

/// The tools that manage a team reach nothing but `.minds`, where no package lies.
#[test]
fn who_manages_a_team_pays_nothing_for_it() {
    for tool in Toolbox::new().toolset("team-mgmt") {
        assert!(!tool.description.contains(ENCAPSULATED), "{}", tool.name);
    }
}

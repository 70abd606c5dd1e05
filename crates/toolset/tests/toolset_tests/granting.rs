//! The tools of a toolbox: added tools, narrowed toolboxes, and the settings of a team.

use crate::support;

use std::borrow::Cow;

use minds_toolset::{
    Annotations, Area, Body, Call, Caller, Function, NoFields, Outcome, Refusal, Tool, Toolbox,
};
use proptest::prelude::*;
use serde_json::json;
use support::Place;

/// A function that does nothing.
struct Nothing;

impl Function for Nothing {
    type Arguments = NoFields;
    type Output = NoFields;

    fn run(_: &Call<'_>, _: NoFields) -> Result<Outcome<NoFields>, Refusal> {
        Ok(Outcome::new("got", NoFields {}))
    }
}

static JOINED: Tool = Tool {
    name: "stocks_get",
    toolsets: &["stocks"],
    area: Area::Workspace,
    description: "",
    annotations: Annotations::READS,
    body: Body::of::<Nothing>(),
};

#[test]
fn an_added_tool_is_granted_with_its_toolset() {
    let mut toolbox = Toolbox::new();
    toolbox.add(&JOINED).unwrap();
    let has = |toolbox: &Toolbox, team: &str| {
        let place = Place::with_team(team);
        let caller = Caller::member("coder");
        let answer = toolbox.call(&place.context(0), "stocks_get", &json!({}), &caller);
        let is_listed =
            toolbox.granted_tools(&place.context(0), &caller).iter().any(|tool| tool.name == "stocks_get");
        assert_eq!(is_listed, !answer.is_refused(), "{team}");
        is_listed
    };
    assert!(has(&toolbox, "members: {coder: {toolsets: [stocks]}}\n"));
    assert!(has(&toolbox, "members: {coder: {toolsets: ['*']}}\n"));
    assert!(has(&toolbox, "members: {coder: {tools: [stocks_get]}}\n"));
    assert!(!has(&toolbox, "members: {coder: {toolsets: [ws_mod]}}\n"));
    assert!(!has(&toolbox, "members: {coder: {toolsets: ['*', '!stocks'], tools: [stocks_get]}}\n"));
    let mut narrowed = Toolbox::new().restricted_to(&["ws_read"]);
    narrowed.add(&JOINED).unwrap();
    assert!(!has(&narrowed, "members: {coder: {toolsets: [stocks]}}\n"));
}

#[test]
fn a_narrowed_toolbox_has_only_what_the_member_has_as_well() {
    let place = Place::with_team("members: {coder: {toolsets: [ws_mod]}}\n");
    let (context, coder) = (place.context(0), Caller::member("coder"));
    let granted = |toolsets: &[&str]| -> Vec<Cow<str>> {
        Toolbox::new()
            .restricted_to(toolsets)
            .granted_tools(&context, &coder)
            .into_iter()
            .map(|tool| tool.name)
            .collect()
    };
    let all: Vec<Cow<str>> =
        Toolbox::new().granted_tools(&context, &coder).into_iter().map(|tool| tool.name).collect();
    assert_eq!(granted(&["ws_mod", "team-mgmt", "control"]), all);
    assert_eq!(granted(&["control"])[0], "change_mind");
    assert!(granted(&["ws_read"]).contains(&"read_file".into()));
    assert!(!granted(&["ws_read"]).contains(&"create_new_file".into()));
    // It is in that toolset as well; without the toolset a member has it for itself alone.
    assert_eq!(granted(&["team_mgmt"]), ["access_explain"]);
    assert!(granted(&[]).is_empty() && granted(&["*"]).is_empty());
    let narrowed =
        Toolbox::new().restricted_to(&["ws_read", "team_mgmt"]).restricted_to(&["ws_read", "ws_mod"]);
    assert_eq!(narrowed.toolsets(), ["ws_read"]);
    assert!(narrowed.list().iter().all(|tool| tool.toolset == "ws_read"));
    assert!(!narrowed.has("create_new_file") && narrowed.toolset("ws_mod").is_empty());
    let answer = narrowed.call(&context, "create_new_file", &json!({"path": "a"}), &coder).to_json();
    assert_eq!(
        (answer["code"].as_str(), answer["message"].as_str()),
        (Some("TOOL_NOT_GRANTED"), Some("`create_new_file` is not served: none of its toolsets is selected"))
    );
    assert!(!place.root().join("a").exists());
}

#[test]
fn a_team_can_name_every_tool_by_the_toolset_that_has_it() {
    for tool in Toolbox::new().list() {
        let known: Vec<Cow<str>> = minds_core::catalog::TOOLSETS
            .iter()
            .filter(|toolset| toolset.tools.contains(&tool.name.as_ref()))
            .map(|toolset| toolset.name.into())
            .collect();
        let toolbox = Toolbox::new();
        let mut here = toolbox.toolsets();
        here.retain(|toolset| toolbox.toolset(toolset).iter().any(|known| known.name == tool.name));
        let sorted = |mut names: Vec<Cow<'static, str>>| {
            names.sort_unstable();
            names
        };
        assert_eq!(sorted(here), sorted(known), "{}", tool.name);
    }
}

/// The catalog contains the toolsets that have tools, for checks that do not depend on the tools.
#[test]
fn the_catalog_knows_which_toolsets_have_tools() {
    let mut here = Toolbox::new().toolsets();
    here.sort_unstable();
    // The tools of the fleet are those of another program.
    let is_here = |name: &str| name != minds_toolset::FLEET_TOOLSET;
    let catalog = minds_core::catalog::TOOLSETS.iter();
    let catalog = catalog.filter(|toolset| toolset.has_tools && is_here(toolset.name));
    let mut catalog: Vec<&str> = catalog.map(|toolset| toolset.name).collect();
    catalog.sort_unstable();
    assert_eq!(here, catalog);
}

#[test]
fn granted_toolsets_without_tools_are_named() {
    let named = |toolbox: Toolbox, toolsets: &str| {
        let place = Place::with_team(&format!("members: {{coder: {{toolsets: {toolsets}}}}}\n"));
        toolbox.toolsets_without_tools(&place.context(0), &Caller::member("coder"))
    };
    assert_eq!(named(Toolbox::new(), "[ws_read, os, memory, os, stocks]"), ["os", "memory", "stocks"]);
    assert_eq!(named(Toolbox::new(), "[os, memory, '!os', team_mgmt]"), ["memory"]);
    assert!(named(Toolbox::new(), "['*', '!os', ws_mod]").is_empty());
    assert!(named(Toolbox::new().restricted_to(&["ws_read"]), "[ws_read, os]").is_empty());
    let place = Place::with_team("members: {coder: {toolsets: [os]}}\n");
    for caller in [Caller::operator("alice"), Caller::member("stranger")] {
        assert!(Toolbox::new().toolsets_without_tools(&place.context(0), &caller).is_empty());
    }
    let mut toolbox = Toolbox::new();
    toolbox.add(&JOINED).unwrap();
    assert_eq!(named(toolbox, "[stocks, os]"), ["os"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For every team, a restricted toolbox offers a part of the tools of an unrestricted one, and no caller gets a tool of an
    /// excluded toolset that no other toolset of theirs has.
    #[test]
    fn excluded_tools_are_not_granted(
        toolsets in prop::collection::vec(prop::sample::select(ENTRIES.to_vec()), 0..5),
        tools in prop::collection::vec(prop::sample::select(TOOLS.to_vec()), 0..4),
        narrow in prop::collection::vec(prop::sample::select(ENTRIES.to_vec()), 0..3),
        id in prop::sample::select(vec!["coder", "pangu", "fuxi"]),
    ) {
        let team = json!({"members": {id: {"toolsets": toolsets, "tools": tools}}});
        let place = Place::with_team(&team.to_string());
        let (context, caller) = (place.context(0), Caller::member(id));
        let granted = |toolbox: Toolbox| -> Vec<Cow<str>> {
            toolbox.granted_tools(&context, &caller).into_iter().map(|tool| tool.name).collect()
        };
        let all = granted(Toolbox::new());
        prop_assert!(granted(Toolbox::new().restricted_to(&narrow)).iter().all(|tool| all.contains(tool)));
        let excludes_team = id == "pangu" || (id == "coder" && toolsets.iter().any(|entry| ["!team-mgmt", "!team_mgmt"].contains(entry)));
        prop_assert!(!excludes_team || !all.iter().any(|tool| tool.starts_with("team_mgmt_")), "{:?}", all);
        let excludes_ws = ["!ws_mod", "!ws_read"].iter().all(|entry| toolsets.contains(entry));
        let control = Toolbox::new().toolset("control");
        let is_everybodys = |name: &str| control.iter().any(|tool| tool.name == name);
        let is_team =
            |tool: &Cow<str>| tool.starts_with("team_mgmt_") || tool == "access_explain" || is_everybodys(tool);
        prop_assert!(!excludes_ws || all.iter().all(is_team), "{:?}", all);
        prop_assert!(control.iter().all(|tool| all.contains(&tool.name)), "{:?}", all);
        prop_assert!(id != "fuxi" || all.contains(&"team_mgmt_validate_team_cfg".into()), "{:?}", all);
    }
}

const ENTRIES: &[&str] = &[
    "*",
    "ws_read",
    "ws_mod",
    "team-mgmt",
    "team_mgmt",
    "!ws_read",
    "!ws_mod",
    "!team-mgmt",
    "!team_mgmt",
    "os",
    "!control",
];
const TOOLS: &[&str] = &["read_file", "create_new_file", "team_mgmt_read_file", "team_mgmt_validate_llm_cfg"];

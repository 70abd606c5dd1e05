//! Inputs beside the recorded ones, and what the program that first had the formats says of each: where it refuses one, so do
//! we, and where only we do, there is a reason.

use std::fs;
use std::path::Path;

use minds_operations::{CheckRequest, RenderRequest, check, render};

use crate::render::recorded::errors;

/// What is put in the place of what.
struct Case {
    about: &'static str,
    /// Lines of `team-compose.yaml` after its version.
    compose: &'static str,
    /// Lines of the project file after its project section.
    project: &'static str,
    /// Whether the other program accepts and renders it.
    is_accepted: bool,
    /// What is found here, each once.
    found: &'static [&'static str],
}

const fn case(
    about: &'static str,
    compose: &'static str,
    project: &'static str,
    is_accepted: bool,
    found: &'static [&'static str],
) -> Case {
    Case { about, compose, project, is_accepted, found }
}

const CASES: &[Case] = &[
    case("every effort", "", "managers: {a: {effort: low}, b: {effort: xhigh}, c: {effort: max}}", true, &[]),
    case("a path that is not normalised", "broker: {path: '../shared mail/./box.db'}", "", true, &[]),
    case("a model with special characters", "", "managers: {m: {model: 'it is \"a=b\" #ü'}}", true, &[]),
    case(
        "a window with what it needs",
        "hitl: {auto_approve_windows: [{action: x, until: 2030-01-01}]}",
        "",
        true,
        &[],
    ),
    case("who reports to himself", "", "managers: {m: {reports_to: m}}", true, &[]),
    case("channels alone", "", "channels: [{name: all, members: '*'}, {name: none}]", true, &[]),
    case("supervisors", "supervisor: {type: launchd}", "managers: {m: {}}", true, &[]),
    case("no value of an agent", "", "managers: {m: }", true, &[]),
    case("no rate limits", "rate_limits:", "", true, &[]),
    case("a tag of YAML", "", "managers: {m: {model: !!str 5}}", true, &[]),
    case("a drain of 601", "supervisor: {drain_timeout_secs: 601}", "", false, &["schema/value"]),
    case("a drain below 0", "supervisor: {drain_timeout_secs: -1}", "", false, &["schema/value"]),
    case("another broker", "broker: {type: redis}", "", false, &["schema/value"]),
    case("a size with a unit", "attachments: {max_size_bytes: 5MiB}", "", false, &["schema/type"]),
    case("a scanner without command", "attachments: {scanner: {}}", "", false, &["schema/missing-key"]),
    case("a project as a string", "projects: [projects/p.yaml]", "", false, &["schema/type"]),
    case(
        "an unknown member",
        "",
        "channels: [{name: all, members: [missing]}]",
        false,
        &["compose/unknown-agent"],
    ),
    case("members as numbers", "", "channels: [{name: all, members: [1]}]", false, &["schema/type"]),
    case("a channel without name", "", "channels: [{members: []}]", false, &["schema/missing-key"]),
    case("an id with its project", "", "managers: {m: {can_dm: ['p:m']}}", false, &["compose/unknown-agent"]),
    case(
        "reports to a worker",
        "",
        "workers: {v: {}, w: {reports_to: v}}",
        false,
        &["compose/unknown-manager"],
    ),
    case("a misspelled effort", "", "managers: {m: {effort: hgih}}", false, &["schema/value"]),
    case("an unknown runtime", "", "managers: {m: {runtime: aider}}", false, &["compose/unknown-runtime"]),
    case(
        "a blank display name",
        "",
        "managers: {m: {display_name: ' '}}",
        false,
        &["compose/invalid-display-name"],
    ),
    case("a field twice", "", "managers: {m: {model: a, model: b}}", false, &["yaml/duplicate-key"]),
    case("a model as a mapping", "", "managers: {m: {model: {a: b}}}", false, &["schema/type"]),
    case("a number as role prompt", "", "managers: {m: {role_prompt: 5}}", false, &["schema/type"]),
    case("an agent as a string", "", "managers: {m: claude-code}", false, &["schema/type"]),
    case("a tag on a choice", "", "managers: {m: {effort: !e high}}", false, &["yaml/tag"]),
    case(
        "a missing file in a list",
        "",
        "managers: {m: {role_prompt: [no.md]}}",
        false,
        &["compose/unusable-role-prompt"],
    ),
    // Only we refuse these.
    case("an id that is empty names nothing", "", "managers: {'': {}}", true, &["compose/unsafe-id"]),
    case(
        "an id must not leave the state directory",
        "",
        "managers: {../../up: {}}",
        true,
        &["compose/unsafe-id"],
    ),
    case(
        "a line break forges variables",
        "",
        "managers: {m: {model: \"x\\nEVIL=1\"}}",
        true,
        &["compose/control-character"],
    ),
    case(
        "a tab cannot be part of a name",
        "",
        "managers: {m: {model: \"x\\ty\"}}",
        true,
        &["compose/control-character"],
    ),
    case(
        "a string as members meant all agents",
        "",
        "channels: [{name: all, members: m}]",
        true,
        &["schema/value"],
    ),
    case(
        "a hook must do something",
        "rate_limits: {hooks: [{name: a, action: dance}]}",
        "",
        true,
        &["schema/value"],
    ),
    case(
        "a message needs a recipient",
        "rate_limits: {hooks: [{name: a, action: send}]}",
        "",
        true,
        &["schema/missing-key"],
    ),
    case(
        "a date must be one",
        "hitl: {auto_approve_windows: [{action: x, until: friday}]}",
        "",
        true,
        &["schema/value"],
    ),
    case("a tag may mean another value", "", "managers: {m: {model: !secret x}}", true, &["yaml/tag"]),
    case("a tag may mean another number", "budget: {warn_threshold_pct: !int 2}", "", true, &["yaml/tag"]),
    case("an unknown key", "x: &a [l]\nxb: *a", "", true, &["schema/unknown-key"]),
];

#[test]
fn input_that_the_reference_rejects_is_rejected() {
    for Case { about, compose, project, is_accepted, found } in CASES {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let projects = if compose.starts_with("projects") { "" } else { "projects: [{file: p.yaml}]" };
        fs::write(root.join("team-compose.yaml"), format!("version: 2\n{compose}\n{projects}\n")).unwrap();
        let head = "version: 2\nproject: {id: p, name: P, cwd: .}";
        fs::write(root.join("p.yaml"), format!("{head}\n{project}\n")).unwrap();
        let checked =
            check(&CheckRequest { root: Some(&root), ..CheckRequest::new(Path::new(".")) }).unwrap();
        assert_eq!(errors(&checked.report.diagnostics), *found, "{about}");
        assert!(*is_accepted || !found.is_empty(), "{about}");
        let request = RenderRequest { root: Some(&root), write: true, ..RenderRequest::new(Path::new(".")) };
        let rendered = render(&request).unwrap();
        assert_eq!(errors(&rendered.report.diagnostics), *found, "{about}");
        assert_eq!(root.join("state").exists(), found.is_empty() && rendered.would_change, "{about}");
    }
}

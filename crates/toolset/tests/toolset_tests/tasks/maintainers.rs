//! Who may change a task, and that everybody may read it.

use minds_core::Grants;
use minds_task_store::{Author, Edit, Request, Tasks};
use minds_taskdoc::{Section, TaskCode};
use minds_toolset::Caller;
use serde_json::json;

use crate::tasks::{CHANGING, Fixture, arguments, with_packages};

/// A team of `lead`, `ops` and `dev` with these settings and a section `ux/a`.
fn fixture(settings: &str) -> Fixture {
    let fixture = with_packages(Fixture::new(&[]), &["ship-it"]);
    fixture.write(
        ".minds/team.yaml",
        b"members: {lead: {}, ops: {toolsets: []}, dev: {toolsets: ['!control']}}\n",
    );
    fixture.ok("do_mind", arguments("do_mind", "a", "ux"));
    fixture.write(".minds/minds.toml", settings.as_bytes());
    fixture
}

/// Calls every tool as each of these.
#[track_caller]
fn check(settings: &str, who: &[(&str, bool)], said: &str) {
    for (id, may) in who {
        for tool in CHANGING {
            let mut fixture = fixture(settings);
            fixture.caller = match id.strip_prefix("user:") {
                Some(name) => Caller::operator(name),
                None => Caller::member(*id),
            };
            fixture.ok("recall_taskdoc", arguments("recall_taskdoc", "a", "ux"));
            let args = arguments(tool, if tool == "do_mind" { "b" } else { "a" }, "ux");
            if *may {
                fixture.ok(tool, args);
            } else {
                let refused = fixture.refused(tool, args, "NOT_MAINTAINER");
                assert!(refused["message"].as_str().unwrap().contains(said), "{refused}");
            }
        }
    }
}

#[test]
fn every_member_can_change_a_task_without_maintainers() {
    let everybody = [("lead", true), ("ops", true), ("dev", true), ("user:alice", true)];
    check("", &everybody, "");
    check("task_home = 'tasks'\n", &everybody, "");
}

#[test]
fn members_that_are_not_maintainers_can_only_read() {
    let settings = "task_maintainers = ['lead', 'ops']\n";
    let who = [("lead", true), ("ops", true), ("dev", false), ("user:alice", true)];
    check(settings, &who, "its maintainers are `lead` and `ops`");
    check("task_maintainers = []\n", &[("lead", false), ("user:alice", true)], "no member may change it");
}

#[test]
fn with_unreadable_maintainers_only_the_operator_changes_tasks() {
    for settings in [
        "task_maintainers = 5\n",
        "task_maintainers = ['lead', 5]\n",
        "task_maintainers = 'lead'\n",
        "task_maintainer = ['lead']\n",
    ] {
        check(settings, &[("lead", false), ("user:alice", true)], "cannot be read");
    }
}

/// What is not a tool goes the same way.
#[test]
fn the_rule_applies_to_every_caller() {
    let fixture = fixture("task_maintainers = ['lead']\n");
    let package = Tasks::open(fixture.context.root()).unwrap().find(None).unwrap();
    let section = Section::parse("a", Some("ux")).unwrap();
    let before = fixture.snapshot();
    for edit in [Edit::Clear, Edit::Remove, Edit::Set("x".to_owned())] {
        let request = Request { section: section.clone(), edit, expected: None };
        let author =
            Author::member("dev", &Grants::new(&["control"], Vec::new()), &["control"], "never_mind", 0);
        let author = author.expect("the member has the tool");
        assert_eq!(package.change(&author, &request).unwrap_err().code, TaskCode::NotMaintainer);
    }
    assert!(fixture.snapshot() == before);
    let request = Request { section, edit: Edit::Remove, expected: None };
    package.change(&Author::operator("alice", 0), &request).unwrap();
}

/// No id makes a member an operator.
#[test]
fn no_member_has_the_name_of_an_operator() {
    let mut fixture = fixture("task_maintainers = ['lead']\n");
    fixture.write(".minds/team.yaml", b"members: {'user:alice': {toolsets: ['*']}}\n");
    fixture.caller = Caller::member("user:alice");
    for (tool, args) in [
        ("change_mind", arguments("change_mind", "a", "ux")),
        ("recall_taskdoc", arguments("recall_taskdoc", "a", "ux")),
        ("read_file", json!({"path": ".minds/team.yaml"})),
    ] {
        fixture.refused(tool, args, "UNKNOWN_MEMBER");
    }
}

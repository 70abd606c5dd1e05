//! Finding the topic for the words of a caller.

use minds_manual::{PageMatch, Pages, Topic, UnknownTopic};

fn find<'a>(asked: impl IntoIterator<Item = &'a str>) -> Result<PageMatch, UnknownTopic> {
    Pages::default().find(asked)
}

fn topics() -> Vec<Topic> {
    Pages::default().topics()
}

#[track_caller]
fn check(asked: &[&str], expected: &str) {
    let found = find(asked.iter().copied()).unwrap_or_else(|unknown| panic!("{asked:?}: {unknown}"));
    assert_eq!(found.topic.path().join("/"), expected, "{asked:?}");
}

#[track_caller]
fn check_related_topics(asked: &[&str], expected: &str, others: &[&str]) {
    check(asked, expected);
    let found = find(asked.iter().copied()).unwrap();
    let found: Vec<String> = found.additional.iter().map(|other| other.path().join("/")).collect();
    assert_eq!(found, others, "{asked:?}");
}

#[test]
fn no_topic_returns_the_index() {
    check(&[], "index");
    check(&["", "  ", "!", "! "], "index");
    check(&["index"], "index");
    check(&["topics"], "topics");
}

#[test]
fn a_specific_page_is_found_in_any_order() {
    check(&["team"], "team");
    check(&["team", "member-properties"], "team/member-properties");
    check(&["member-properties", "team"], "team/member-properties");
    check(&["member-properties"], "team/member-properties");
    check(&["llm", "builtin-defaults"], "llm/builtin-defaults");
    check(&["builtin-defaults", "llm"], "llm/builtin-defaults");
    check(&["builtin-defaults"], "llm/builtin-defaults");
    check(&["model-params"], "llm/model-params");
    check(&["mcp"], "mcp");
    check(&["tasks"], "tasks");
    check(&["mcp", "troubleshooting"], "mcp/troubleshooting");
    check(&["troubleshooting", "mcp"], "mcp/troubleshooting");
    check(&["troubleshooting"], "troubleshooting");
    check(&["toolsets", "ws_read"], "toolsets/ws_read");
    check(&["ws_read"], "toolsets/ws_read");
    check(&["team_mgmt"], "toolsets/team-mgmt");
}

#[test]
fn exclamation_marks_blanks_and_repetitions_are_ignored() {
    check(&["!team", "!member-properties"], "team/member-properties");
    check(&[" team ", "", "team", "! member-properties"], "team/member-properties");
    check(&["!team !member-properties"], "team/member-properties");
    check(&["team/member-properties"], "team/member-properties");
    check(&["/llm//builtin-defaults/"], "llm/builtin-defaults");
}

#[test]
fn an_unknown_page_returns_its_nearest_parent_and_names_the_rest() {
    check_related_topics(&["team", "troubleshooting"], "team", &["troubleshooting"]);
    check_related_topics(&["minds", "member-properties"], "minds", &["team/member-properties"]);
    check_related_topics(&["llm", "team"], "team", &["llm"]);
    check_related_topics(&["llm", "builtin-defaults", "team"], "llm/builtin-defaults", &["team"]);
    check_related_topics(&["topics", "permissions"], "permissions", &["topics"]);
    check_related_topics(&["mcp", "troubleshooting"], "mcp/troubleshooting", &[]);
}

#[test]
fn an_unknown_subtopic_returns_the_parent_and_is_reported() {
    let found = find(["team", "member-propertis"]).unwrap();
    assert_eq!(found.topic.path(), ["team"]);
    assert_eq!(found.unknown.nearest(), ["member-properties"]);
    check(&["nope", "llm"], "llm");
    check(&["Team", "llm"], "llm");
}

#[test]
fn names_that_are_in_no_topic_are_refused_with_the_nearest() {
    #[track_caller]
    fn check_refused(asked: &[&str], message: &str) {
        assert_eq!(find(asked.iter().copied()).unwrap_err().to_string(), message);
    }
    check_refused(&["permision"], "the manual has no topic `permision`; similar: `permissions`");
    check_refused(&["MCP"], "the manual has no topic `MCP`; similar: `mcp`");
    check_refused(
        &["builtin-default", ""],
        "the manual has no topic `builtin-default`; similar: `builtin-defaults`",
    );
    let unknown = find(["nope"]).unwrap_err();
    assert_eq!(
        (unknown.nearest().len(), unknown.to_string().starts_with("the manual has no topic `nope`")),
        (3, true)
    );
    let many: Vec<String> = (0..50).map(|number| format!("zz{number}")).collect();
    let text = find(many.iter().map(String::as_str)).unwrap_err().to_string();
    assert!(text.contains("(+47)") && text.len() < 200, "{text}");
    let text = find(["x".repeat(100_000).as_str()]).unwrap_err().to_string();
    assert!(text.len() < 400, "{text}");
}

#[test]
fn no_order_of_names_changes_the_page() {
    let topics = topics();
    let mut names: Vec<&str> = topics.iter().flat_map(Topic::path).copied().collect();
    names.sort_unstable();
    names.dedup();
    for first in &names {
        for second in &names {
            assert_eq!(find([*first, *second]), find([*second, *first]), "{first} {second}");
        }
    }
}

#[test]
fn every_page_is_found_by_its_path_and_by_unambiguous_names() {
    for topic in topics() {
        let found = find(topic.path().iter().copied()).unwrap();
        assert_eq!((found.topic, found.additional.len()), (topic.clone(), 0));
        let name = *topic.path().last().unwrap();
        let named = topics().into_iter().filter(|other| other.path().last() == Some(&name)).count();
        let alone = find([name]).unwrap().topic;
        assert!(alone == topic || named > 1, "{name} alone leads to {:?}", alone.path());
    }
}

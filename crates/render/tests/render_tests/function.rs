//! Rendering is a function of its inputs.

use minds_compose::ComposeFamily;
use minds_render::{Artifact, Plan, Record, RenderError, Setting, State, Target, artifacts};
use minds_vfs::{Snapshot, WorkspacePath};
use proptest::prelude::*;

fn path(path: &str) -> WorkspacePath {
    WorkspacePath::parse(path).unwrap()
}

/// Renders projects with these agents, with the entries in the given order.
fn render(projects: &[String], agents: &[(String, bool)]) -> Vec<Artifact> {
    let entries: String = projects.iter().map(|id| format!("  - file: {id}.yaml\n")).collect();
    let mut files = Snapshot::new()
        .with_file(path("team-compose.yaml"), format!("version: 2\nprojects:\n{entries}"))
        .with_file(path("role.md"), "You work.");
    for project in projects {
        let kind = |wanted: bool| -> String {
            let agents = agents.iter().filter(|(_, is_manager)| *is_manager == wanted);
            agents.map(|(id, _)| format!("  {id}: {{role_prompt: [role.md, role.md]}}\n")).collect()
        };
        let text = format!(
            "version: 2\nproject: {{id: {project}, name: P, cwd: ..}}\nworkers:\n{}managers:\n{}",
            kind(false),
            kind(true)
        );
        files = files.with_file(path(&format!("{project}.yaml")), text);
    }
    let read = ComposeFamily::load(&files);
    assert!(read.problems.is_empty());
    artifacts(&read.value, &Setting { root: "/srv", mcp_command: "team-mcp" }).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// The result depends only on the files, and not on the order of projects and agents.
    #[test]
    fn the_order_of_entries_does_not_matter(
        (projects, shuffled_projects) in ids("q").prop_flat_map(|ids| (Just(ids.clone()), Just(ids).prop_shuffle())),
        (agents, shuffled) in agents().prop_flat_map(|ids| (Just(ids.clone()), Just(ids).prop_shuffle())),
    ) {
        let made = render(&projects, &agents);
        prop_assert_eq!(&made, &render(&shuffled_projects, &shuffled));
        prop_assert_eq!(made.len(), projects.len() * agents.len() * 3);
        prop_assert!(made.is_sorted_by(|a, b| a.path < b.path));
        let plan = || Plan::new(made.clone(), &[Target::Artifacts], &Record::Absent, &Snapshot::new());
        prop_assert_eq!(plan().changes(false).unwrap(), plan().changes(false).unwrap());
        prop_assert!(plan().items().iter().all(|item| item.state == State::Created));
    }
}

fn ids(first: &'static str) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[a-z0-9]{1,4}", 1..5)
        .prop_map(move |ids| ids.into_iter().map(|id| format!("{first}{id}")).collect())
}

fn agents() -> impl Strategy<Value = Vec<(String, bool)>> {
    ids("a").prop_flat_map(|ids| {
        let kinds = prop::collection::vec(any::<bool>(), ids.len());
        kinds.prop_map(move |kinds| ids.iter().cloned().zip(kinds).collect())
    })
}

#[test]
fn unchecked_input_is_refused() {
    let render = |compose: &str, project: &str| {
        let files =
            Snapshot::new().with_file(path("team-compose.yaml"), compose).with_file(path("p.yaml"), project);
        let family = ComposeFamily::load(&files).value;
        artifacts(&family, &Setting { root: "/srv", mcp_command: "team-mcp" }).unwrap_err()
    };
    let compose = "version: 2\nprojects: [{file: p.yaml}]\n";
    let project = |agents: &str| format!("version: 2\nproject: {{id: p, name: P, cwd: ..}}\n{agents}\n");
    let unreadable = |error: &RenderError| matches!(error, RenderError::Unreadable { .. });
    assert!(unreadable(&render("[]", "")));
    assert!(unreadable(&render(compose, "[]")));
    assert!(unreadable(&render(compose, "version: 2\nproject: {id: p, name: P}\n")));
    assert!(unreadable(&render(compose, &project("managers: {a: []}"))));
    assert!(unreadable(&render(compose, &project("managers: {a: {role_prompt: [none.md]}}"))));
    for id in ["a/b", "../../x", "a\\nb", "a\\0b"] {
        let error = render(compose, &project(&format!("managers: {{\"{id}\": {{}}}}")));
        assert!(matches!(error, RenderError::UnsafeId { .. }), "{id}: {error:?}");
    }
    for value in ["a\\nB=1", "a\\rb", "\\0"] {
        let error = render(compose, &project(&format!("managers: {{a: {{model: \"{value}\"}}}}")));
        assert!(matches!(error, RenderError::Unencodable { key: "MODEL", .. }), "{value}: {error:?}");
    }
    let twice = render(compose, &project("managers: {a: {}}\nworkers: {a: {}}"));
    assert!(matches!(twice, RenderError::Collision { .. }), "{twice:?}");
}

#[test]
fn sessions_are_rendered_only_for_runtimes_that_resume_them() {
    for (runtime, expected) in
        [("claude-code", true), ("claude-code-next", false), ("claude", false), ("codex", false)]
    {
        let files = Snapshot::new()
            .with_file(path("team-compose.yaml"), "version: 2\nprojects: [{file: p.yaml}]\n")
            .with_file(
                path("p.yaml"),
                format!("version: 2\nproject: {{id: p, name: P, cwd: ..}}\nworkers: {{a: {{runtime: {runtime}}}}}\n"),
            );
        let family = ComposeFamily::load(&files).value;
        let made = artifacts(&family, &Setting { root: "/srv", mcp_command: "team-mcp" }).unwrap();
        let env = std::str::from_utf8(&made[0].bytes).unwrap();
        assert_eq!(env.contains("CLAUDE_SESSION"), expected, "{runtime}");
    }
}

/// A file that could not be compared with the one on disk is not rendered, even without a check.
#[test]
fn a_role_prompt_that_is_too_large_is_refused() {
    let files = Snapshot::new()
        .with_file(path("team-compose.yaml"), "version: 2\nprojects: [{file: p.yaml}]\n")
        .with_file(
            path("p.yaml"),
            "version: 2\nproject: {id: p, name: P, cwd: ..}\nworkers: {a: {role_prompt: [r.md, r.md]}}\n",
        )
        .with_file(path("r.md"), "r".repeat(8 << 20));
    let family = ComposeFamily::load(&files).value;
    let refused = artifacts(&family, &Setting { root: "/srv", mcp_command: "team-mcp" });
    assert!(matches!(refused, Err(RenderError::TooLarge)));
}

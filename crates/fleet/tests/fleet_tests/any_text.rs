//! Any content of a file is handled, with the same result each time.

use minds_diagnostics::Problems;
use minds_fleet::{FleetFamily, ancestor, check, home};
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};
use proptest::prelude::*;

const FILES: [&str; 8] = [
    "project.yaml",
    "models.yaml",
    "tools.yaml",
    "agents.yaml",
    "defaults/agent",
    "agents/zeus/agent.yaml",
    "agents/zeus/base.md",
    "agents/hera/agent.yaml",
];

/// Contents of files: words of the format in roughly the right places.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "(name|model|models|prompt|base|overlay|tools|allow|deny|unsafe|mcp|transport|kind|url|agents|id|retention|days)",
        "(zeus|hera|base.md|fs.read|fs.\\*|redis|redis://a|5|0|true|~|\\.\\./x|<!-- ateam-protect:start:toolbox -->)",
        any::<char>().prop_map(String::from),
    ];
    let sign = prop_oneof![
        Just(": "),
        Just("\n"),
        Just("\n  "),
        Just("\n    "),
        Just("- "),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(", "),
        Just("&a "),
        Just("*a "),
        Just("\n---\n"),
    ];
    proptest::collection::vec((word, sign), 0..24)
        .prop_map(|parts| parts.into_iter().map(|(word, sign)| word + sign).collect())
}

fn inspect(snapshot: &Snapshot) -> String {
    let mut problems = Problems::new();
    let family = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(check(&family));
    let _ = family.named_scope();
    let mut seen = String::new();
    for (name, (_, entry)) in family.agents() {
        let agent = family.effective(name, "p").expect("it counts");
        let given: Vec<String> = agent.given_tools().map(ToString::to_string).collect();
        let known: Vec<&str> = family.descriptors_of(entry).iter().map(|tool| tool.name).collect();
        assert!(known.iter().all(|tool| given.iter().any(|name| name == tool)));
        seen += &format!("{name} {:?} {given:?}\n", agent.fields);
    }
    for found in problems.into_sorted() {
        seen += &format!("{} {}\n", found.rule.code, found.message);
    }
    seen
}

/// What takes a step for each pair of entries would not come to an end here.
#[test]
fn very_many_tools_models_and_agents() {
    let tools: Vec<String> = (0..50_000).map(|at| format!("a.t{at}")).collect();
    let tools = tools.join(", ");
    let agent = format!(
        "{{name: zeus, model: m1, prompt: {{base: base.md}}, tools: {{allow: [{tools}], deny: [{tools}]}}}}"
    );
    let models: String = (0..50_000).map(|at| format!("  m{at}: {{provider: a}}\n")).collect();
    let agents: String = (0..20_000).map(|at| format!("  - {{id: a{at}, model: m{at}}}\n")).collect();
    let snapshot = [
        ("tools.yaml", format!("tools: {{allow: [a.none], deny: [{tools}]}}")),
        ("models.yaml", format!("models:\n{models}")),
        ("agents.yaml", format!("agents:\n{agents}")),
        ("agents/zeus/agent.yaml", agent),
        (
            "agents/zeus/base.md",
            "<!-- ateam-protect:start:toolbox -->\n<!-- ateam-protect:end:toolbox -->\n".repeat(10_000),
        ),
    ];
    let snapshot = snapshot.into_iter().fold(Snapshot::new(), |snapshot, (file, text)| {
        snapshot.with_file(WorkspacePath::parse(&format!(".ateam/{file}")).unwrap(), text)
    });
    let mut problems = Problems::new();
    let family = FleetFamily::load(&snapshot).take(&mut problems);
    problems.append(check(&family));
    assert_eq!(family.agents().len(), 20_001);
    let zeus = family.effective("zeus", "p").unwrap();
    assert_eq!((zeus.tools.len(), zeus.given_tools().count()), (50_011, 0));
    assert!(problems.into_sorted().len() > 3_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_files_get_an_answer(files in proptest::collection::vec((0_usize..3, 0_usize..FILES.len(), text()), 1..8)) {
        let mut snapshot = Snapshot::new();
        for (layer, file, text) in files {
            let mount = [MountId::WORKSPACE, ancestor(1), home()][layer].clone();
            let path = WorkspacePath::parse(&format!(".ateam/{}", FILES[file])).unwrap();
            let entry = SnapshotEntry::File { bytes: text.into(), mode: FileMode::Regular };
            snapshot.insert(Location::new(mount, path), entry);
        }
        prop_assert_eq!(inspect(&snapshot), inspect(&snapshot));
    }
}

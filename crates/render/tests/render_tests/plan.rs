//! The artifacts of a compose root, and the plan to write them.

use minds_compose::ComposeFamily;
use minds_render::{
    Artifact, MANIFEST_FILE, Plan, PlanRefusal, Record, RenderError, Setting, State, Target, artifacts,
    plan_cleanup,
};
use minds_vfs::{
    Change, ContentHash, Expected, FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath,
};

const ENV: &str = "state/envs/p-a.env";
const PROMPT: &str = "state/role_prompts/p-a.md";

fn location(path: &str) -> Location {
    Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap())
}

fn family(agents: &str, role: &str) -> ComposeFamily {
    let path = |path: &str| WorkspacePath::parse(path).unwrap();
    let project = format!("version: 2\nproject: {{id: p, name: P, cwd: ..}}\nmanagers:\n{agents}");
    let files = Snapshot::new()
        .with_file(path("team-compose.yaml"), "version: 2\nprojects: [{file: p.yaml}]\n")
        .with_file(path("p.yaml"), project)
        .with_file(path("r.md"), role);
    ComposeFamily::load(&files).value
}

fn made(role: &str) -> Vec<Artifact> {
    let family = family("  a: {role_prompt: [r.md]}\n", role);
    artifacts(&family, &Setting { root: "/srv", mcp_command: "team-mcp" }).unwrap()
}

/// Returns the files after applying a plan, with their modes.
fn apply(there: &Snapshot, plan: &Plan) -> Snapshot {
    let mut after = Snapshot::new();
    for (location, entry) in there.iter() {
        after.insert(location.clone(), entry.clone());
    }
    for (location, change) in plan.changes(true).unwrap().iter() {
        if let Change::Write { bytes, mode, .. } = change {
            after.insert(location.clone(), SnapshotEntry::File { bytes: bytes.clone().into(), mode: *mode });
        }
    }
    after
}

fn make_plan(artifacts: Vec<Artifact>, targets: &[Target], there: &Snapshot) -> Plan {
    Plan::new(artifacts, targets, &Record::of(there), there)
}

fn mode(there: &Snapshot, path: &str) -> FileMode {
    match there.get(&location(path)) {
        Some(SnapshotEntry::File { mode, .. }) => *mode,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn permissions_depend_on_the_kind_of_file() {
    for artifact in made("Work.") {
        let expected = if artifact.path.as_str() == PROMPT { FileMode::Regular } else { FileMode::Private };
        assert_eq!(artifact.mode, expected, "{}", artifact.path);
    }
    let there = apply(&Snapshot::new(), &make_plan(made("Work."), &[Target::Artifacts], &Snapshot::new()));
    assert_eq!(mode(&there, MANIFEST_FILE), FileMode::Regular);
    // A file with more restrictive permissions than necessary keeps them.
    let mut closed = Snapshot::new();
    for (location, entry) in there.iter() {
        let bytes = entry.bytes().unwrap().clone();
        closed.insert(location.clone(), SnapshotEntry::File { bytes, mode: FileMode::Private });
    }
    let closed = apply(&closed, &make_plan(made("Rest."), &[Target::Artifacts], &closed));
    assert_eq!(mode(&closed, PROMPT), FileMode::Private);
    assert_eq!(closed.get(&location(PROMPT)).unwrap().bytes().unwrap()[..], *b"Rest.");
}

#[test]
fn files_that_changed_since_reading_are_not_overwritten() {
    let first = make_plan(made("Work."), &[Target::Artifacts], &Snapshot::new());
    let expected = |change: &Change| match change {
        Change::Write { expected, .. } | Change::Remove { expected } => *expected,
        other => panic!("{other:?}"),
    };
    assert!(first.changes(false).unwrap().iter().all(|(_, change)| expected(change) == Expected::Absent));
    let there = apply(&Snapshot::new(), &first);
    let unchanged = make_plan(made("Work."), &[Target::Artifacts], &there);
    assert!(unchanged.items().iter().all(|item| item.state == State::Unchanged));
    assert!(unchanged.changes(false).unwrap().is_empty());
    let changes = make_plan(made("Rest."), &[Target::Artifacts], &there).changes(false).unwrap();
    let paths: Vec<&str> = changes.iter().map(|(location, _)| location.path.as_str()).collect();
    assert_eq!(paths, [MANIFEST_FILE, PROMPT]);
    for (location, change) in changes.iter() {
        let before = there.get(location).unwrap().bytes().unwrap();
        assert_eq!(expected(change), Expected::Content(ContentHash::of(before)));
    }
    let stale = make_plan(Vec::new(), &[Target::Artifacts], &there).changes(false).unwrap();
    let text = there.get(&location(PROMPT)).unwrap().bytes().unwrap();
    let removed = stale.iter().find(|(location, _)| location.path.as_str() == PROMPT).unwrap().1;
    assert_eq!(*removed, Change::Remove { expected: Expected::Content(ContentHash::of(text)) });
}

#[test]
fn the_manifest_is_sorted_whichever_target_came_first() {
    let unit = Artifact {
        path: WorkspacePath::parse("state/services/systemd-user/minds-p-a.service").unwrap(),
        bytes: b"[Unit]\n".to_vec(),
        mode: FileMode::Regular,
        target: Target::SystemdUser,
        inputs: Vec::new(),
    };
    let there = Snapshot::new();
    let there = apply(&there, &make_plan(vec![unit], &[Target::SystemdUser], &there));
    let there = apply(&there, &make_plan(made("Work."), &[Target::Artifacts], &there));
    let Record::Read(manifest) = Record::of(&there) else { panic!("a manifest was written") };
    let text = there.get(&location(MANIFEST_FILE)).unwrap().bytes().unwrap();
    assert_eq!(text[..], *manifest.write().as_bytes());
    assert!(manifest.artifacts.is_sorted_by(|a, b| a.path < b.path));
    assert_eq!(manifest.artifacts.len(), 4);
    // A manifest in another order is equivalent.
    let mut turned = manifest.clone();
    turned.artifacts.reverse();
    assert_eq!(Record::parse(turned.write().as_bytes()), Record::Read(manifest));
}

#[test]
fn an_entry_that_is_not_a_file_is_a_foreign_manifest() {
    let mut there = Snapshot::new();
    there.insert(location(MANIFEST_FILE), SnapshotEntry::Link { target: "x".to_owned() });
    assert_eq!(Record::of(&there), Record::Foreign);
    let refused = make_plan(made("Work."), &[Target::Artifacts], &there).changes(true);
    assert!(matches!(refused, Err(PlanRefusal::Obstacle { .. })));
}

#[test]
fn a_compose_root_in_the_root_directory_has_one_slash() {
    let family = family("  a: {role_prompt: [r.md]}\n", "Work.");
    let made = artifacts(&family, &Setting { root: "/", mcp_command: "team-mcp" }).unwrap();
    assert_eq!(made[0].path.as_str(), ENV);
    let env = std::str::from_utf8(&made[0].bytes).unwrap();
    assert!(env.contains("\nMCP_CONFIG=/state/mcp/p-a.json\n") && !env.contains("//"), "{env}");
}

/// Each file is within its limit, but their total size is not.
#[test]
fn all_files_together_have_a_limit() {
    let agents: String = (0..17).map(|at| format!("  a{at}: {{role_prompt: [r.md]}}\n")).collect();
    let family = family(&agents, &"r".repeat(16 << 20));
    let refused = artifacts(&family, &Setting { root: "/srv", mcp_command: "team-mcp" });
    assert!(matches!(refused, Err(RenderError::TooLarge)));
}

/// Returns a snapshot with the rendered files of an agent.
fn rendered_once() -> Snapshot {
    apply(&Snapshot::new(), &make_plan(made("Work."), &[Target::Artifacts], &Snapshot::new()))
}

/// An unreadable path may be a rendered file, so it is neither forgotten nor removed.
#[test]
fn unreadable_files_stay_in_the_manifest() {
    let link = || SnapshotEntry::Link { target: "x".to_owned() };
    let closed = || SnapshotEntry::Unreadable { reason: "permission denied".to_owned() };
    for (at, entry) in [
        (ENV, SnapshotEntry::HardLinked),
        (ENV, SnapshotEntry::Directory),
        (ENV, SnapshotEntry::Special),
        (ENV, link()),
        (ENV, closed()),
        ("state/envs", closed()),
    ] {
        let once = rendered_once();
        let mut there = Snapshot::new();
        for (found, old) in once.iter().filter(|(found, _)| found.path.as_str() != ENV) {
            there.insert(found.clone(), old.clone());
        }
        there.insert(location(at), entry);
        let plan = make_plan(Vec::new(), &[Target::Artifacts], &there);
        let refused = plan.changes(true);
        assert!(
            matches!(&refused, Err(PlanRefusal::Unremovable { path, .. }) if path.as_str() == ENV),
            "{refused:?}"
        );
        let (plan, kept) = plan_cleanup(&Record::of(&there), &there);
        assert_eq!(kept.iter().map(|kept| kept.path.as_str()).collect::<Vec<_>>(), [ENV]);
        assert!(kept[0].obstacle.is_some(), "{kept:?}");
        let changes = plan.changes(false).unwrap();
        let manifest = changes.iter().find(|(found, _)| found.path.as_str() == MANIFEST_FILE).unwrap().1;
        let Change::Write { bytes, .. } = manifest else { panic!("{manifest:?}") };
        let Record::Read(manifest) = Record::parse(bytes) else { panic!("it was written here") };
        assert_eq!(manifest.artifacts.iter().map(|left| left.path.as_str()).collect::<Vec<_>>(), [ENV]);
    }
}

#[test]
fn an_unreadable_manifest_is_not_absent() {
    let mut there = Snapshot::new();
    there.insert(location("state"), SnapshotEntry::Unreadable { reason: "permission denied".to_owned() });
    assert_eq!(Record::of(&there), Record::Foreign);
    assert!(Record::obstacle(&there).unwrap().contains("permission denied"));
    assert_eq!(Record::obstacle(&rendered_once()), None);
    assert_eq!(Record::obstacle(&Snapshot::new()), None);
}

#[test]
fn files_that_are_too_large_to_read_are_not_written() {
    let inputs = vec!["x".repeat(1 << 20); 17];
    let artifact = Artifact { inputs, ..made("Work.").remove(0) };
    let refused = make_plan(vec![artifact], &[Target::Artifacts], &Snapshot::new()).changes(true);
    assert!(
        matches!(&refused, Err(PlanRefusal::Obstacle { path, .. }) if path.as_str() == MANIFEST_FILE),
        "{refused:?}"
    );
    let bytes = vec![b'x'; (16 << 20) + 1];
    let artifact = Artifact { bytes, ..made("Work.").remove(0) };
    let refused = make_plan(vec![artifact], &[Target::Artifacts], &Snapshot::new()).changes(true);
    assert!(matches!(&refused, Err(PlanRefusal::Obstacle { path, .. }) if path.as_str() == ENV));
}
